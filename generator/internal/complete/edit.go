package complete

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An edit inserts text.
type edit struct {
	at    int
	depth int // where the container begins: what is deeper comes first
	text  string
}

// An editor turns updates into edits.
type editor struct {
	text  []byte
	style style
	// adds is what to add to each container, in the order in which they were
	// met. One text may stand for several places.
	adds  map[*node]any
	order []*node
	edits []edit
}

// apply returns the text with the updates made.
func apply(text []byte, s style, updates []update) ([]byte, error) {
	e := &editor{text: text, style: s, adds: map[*node]any{}}
	for _, u := range updates {
		if err := e.merge(u.at.node, u.value); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(u.at.path, " "), err)
		}
	}
	for _, container := range e.order {
		switch value := e.adds[container].(type) {
		case object:
			e.insertMembers(container, value)
		case list:
			e.insertItems(container, value)
		}
	}
	return e.result(), nil
}

// merge notes what is missing below a node.
func (e *editor) merge(n *node, value any) error {
	n = n.follow()
	switch v := value.(type) {
	case object:
		if n.kind != mapping && !n.empty {
			return fmt.Errorf("there is no mapping to add to")
		}
		for _, m := range v {
			there, _ := n.get(m.name)
			if there == nil {
				e.add(n, object{m})
				continue
			}
			if err := e.merge(there, m.value); err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
		}
	case list:
		if n.kind != sequence && !n.empty {
			return fmt.Errorf("there is no list to add to")
		}
		e.add(n, v)
	}
	return nil
}

func (e *editor) add(container *node, value any) {
	old, ok := e.adds[container]
	if !ok {
		e.adds[container] = value
		e.order = append(e.order, container)
		return
	}
	switch v := value.(type) {
	case object:
		e.adds[container] = old.(object).merge(v)
	case list:
		e.adds[container] = old.(list).join(v)
	}
}

func (e *editor) insert(container *node, at int, text string) {
	e.edits = append(e.edits, edit{at, container.start, text})
}

// insertMembers adds members to a mapping.
func (e *editor) insertMembers(n *node, members object) {
	switch {
	case n.empty:
		e.insertBelow(n, members)
	case len(n.pairs) == 0:
		e.fill(n, members)
	default:
		slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(status(a.name), status(b.name)) })
		for _, m := range members {
			e.insertMember(n, m)
		}
	}
}

func (e *editor) insertMember(n *node, m member) {
	after := position(n, m.name)
	key := e.style.key(n, m.name)
	if n.flow {
		e.insertFlow(n, after, func(margin string, inline bool) string {
			return key + e.style.json.colon + e.style.flow(m.value, margin, inline)
		})
		return
	}
	lines := e.style.member(key, m.value)
	margin := strings.Repeat(" ", n.indent)
	if after < 0 {
		e.insert(n, n.start, join(lines, e.style.eol+margin)+e.style.eol+margin)
		return
	}
	value := n.pairs[after].value
	e.insert(n, lineEnd(e.text, max(value.end, n.pairs[after].key.end)), e.style.eol+margin+join(lines, e.style.eol+margin))
}

// insertItems adds items to the end of a sequence.
func (e *editor) insertItems(n *node, items list) {
	switch {
	case n.empty:
		e.insertBelow(n, items)
		return
	case len(n.items) == 0:
		e.fill(n, items)
		return
	}
	last := n.items[len(n.items)-1]
	for _, item := range items {
		if n.flow {
			e.insertFlow(n, len(n.items)-1, func(margin string, inline bool) string { return e.style.flow(item, margin, inline) })
			continue
		}
		margin := e.style.eol + strings.Repeat(" ", n.indent)
		e.insert(n, lineEnd(e.text, last.end), margin+join(e.style.item(item), margin))
	}
}

// insertFlow adds a part to a collection in brackets, which has some already:
// on a line of its own where the others are.
func (e *editor) insertFlow(n *node, after int, write func(margin string, inline bool) string) {
	starts := make([]int, 0, len(n.pairs)+len(n.items))
	ends := slices.Clone(starts)
	for _, p := range n.pairs {
		starts, ends = append(starts, p.key.start), append(ends, max(p.key.end, p.value.end))
	}
	for _, item := range n.items {
		starts, ends = append(starts, item.start), append(ends, item.end)
	}
	margin, own := e.ownLine(starts[0])
	gap := " "
	if own {
		gap = e.style.eol + margin
	} else if !strings.HasSuffix(e.style.json.comma, " ") {
		gap = ""
	}
	if after < 0 {
		e.insert(n, starts[0], write(margin, !own)+","+gap)
		return
	}
	e.insert(n, ends[after], ","+gap+write(margin, !own))
}

// ownLine reports whether nothing stands before a byte in its line, and what
// white space does.
func (e *editor) ownLine(at int) (margin string, own bool) {
	from := at
	for from > 0 && (e.text[from-1] == ' ' || e.text[from-1] == '\t') {
		from--
	}
	return string(e.text[from:at]), from > 0 && e.text[from-1] == '\n'
}

// fill writes the first content of empty brackets.
func (e *editor) fill(n *node, value any) {
	margin, inline := e.marginOf(n.start), !e.style.isJSON || e.style.step == ""
	text := e.style.flow(value, margin, inline)
	e.insert(n, n.start+1, text[1:len(text)-1])
}

// marginOf is the white space that the line of a byte begins with.
func (e *editor) marginOf(at int) string {
	line := e.text[:at]
	line = line[strings.LastIndexByte(string(line), '\n')+1:]
	return string(line[:len(line)-len(strings.TrimLeft(string(line), " \t"))])
}

// insertBelow writes the first content of a member that has none.
func (e *editor) insertBelow(n *node, value any) {
	margin := e.style.eol + e.marginOf(n.start)
	lines := e.style.member("", value)[1:]
	e.insert(n, lineEnd(e.text, n.end), margin+join(lines, margin))
}

func (e *editor) result() []byte {
	slices.SortStableFunc(e.edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.depth, a.depth)) })
	var out []byte
	done := 0
	for _, edit := range e.edits {
		out = append(append(out, e.text[done:edit.at]...), edit.text...)
		done = edit.at
	}
	return append(out, e.text[done:]...)
}

// position is the member behind which a new one belongs, -1 for none: where an
// author would have written it.
func position(n *node, name string) int {
	before := func(names ...string) int {
		i := slices.IndexFunc(n.pairs, func(p pair) bool { return slices.Contains(names, p.key.value) })
		if i < 0 {
			return len(n.pairs) - 1
		}
		return i - 1
	}
	switch {
	case name == "parameters":
		return before("requestBody", "responses", "callbacks")
	case name == "headers":
		return before("content", "links")
	case status(name) == 0:
		return len(n.pairs) - 1
	}
	after := -1
	for i, p := range n.pairs {
		if listed := status(p.key.value); listed > 0 && listed < status(name) {
			after = i
		}
	}
	return after
}

// status reads the name of an answer, zero for any other name.
func status(name string) int {
	if n, err := strconv.Atoi(name); err == nil && len(name) == 3 {
		return n
	}
	return 0
}

func join(lines []string, eol string) string { return strings.Join(lines, eol) }
