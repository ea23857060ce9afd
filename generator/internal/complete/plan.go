package complete

import (
	"fmt"
	"mime"
	"slices"
	"strings"
	"unicode"
)

// An Operation is what is needed to know about one with a contract.
type Operation struct {
	Name   string // in messages
	Method string // upper case
	Path   string
	// Key is the parameter that holds the key, nil where the document has it
	// for certain.
	Key *Key
	// Principal says that the key belongs to the caller.
	Principal bool
	// Keeps reports whether an answer is kept. The status is as the document
	// lists it: 201, 2XX or default.
	Keeps func(status string) bool
}

// An update is what to merge into a place of the document.
type update struct {
	at    place
	value object
}

// A planner collects what is missing.
type planner struct {
	root       place
	updates    []update
	components object
	// left is what is missing and has no text in this document to be added to.
	left []string
}

// plan works out what a document does not say of what its contracts imply.
func plan(root *node, operations []Operation) *planner {
	p := &planner{root: place{node: root}}
	for i := range operations {
		p.operation(&operations[i])
	}
	if len(p.components) > 0 {
		p.update(p.root, object{{"components", p.components.sorted()}})
	}
	return p
}

func (p *planner) update(at place, value object) {
	if len(value) == 0 {
		return
	}
	for i := range p.updates {
		if p.updates[i].at.node == at.node {
			p.updates[i].value = p.updates[i].value.merge(value)
			return
		}
	}
	p.updates = append(p.updates, update{at, value})
}

func (p *planner) leave(op *Operation, format string, args ...any) {
	p.left = append(p.left, op.Name+": "+fmt.Sprintf(format, args...))
}

func (p *planner) operation(op *Operation) {
	own := p.root.child("paths").child(op.Path)
	item, outside := own.resolve(p.root.node)
	at := own.child(strings.ToLower(op.Method))
	if at.node == nil {
		at = item.child(strings.ToLower(op.Method))
	}
	if at.node == nil || outside != "" && at.node == nil {
		p.leave(op, "it is described in %s: complete that file", outside)
		return
	}
	var value object
	if op.Key != nil && !p.declares(op.Key, at, own, item) {
		value = append(value, member{"parameters", list{p.key(op.Key)}})
	}
	if responses := p.responses(op, at.child("responses")); len(responses) > 0 {
		value = append(value, member{"responses", responses})
	}
	p.update(at, value)
}

// declares reports whether one of the owners has the parameter.
func (p *planner) declares(key *Key, owners ...place) bool {
	for _, owner := range owners {
		parameters := owner.child("parameters").node.follow()
		if parameters == nil {
			continue
		}
		for _, item := range parameters.items {
			parameter, _ := place{node: item}.resolve(p.root.node)
			if key.is(parameter.node) {
				return true
			}
		}
	}
	return false
}

// is reports whether a node is this parameter.
func (k *Key) is(n *node) bool {
	name := n.text("name")
	return n.text("in") == k.In && (name == k.Name || k.In == "header" && strings.EqualFold(name, k.Name))
}

// key is the parameter as an operation lists it: a reference to a component, or
// all of it where the names for one are taken.
func (p *planner) key(k *Key) object {
	name := componentName(k.Name)
	if !k.Required {
		name = "Optional" + name
	}
	for _, candidate := range []string{name, name + "Parameter"} {
		if p.free(candidate, k) {
			p.component("parameters", candidate, k.value())
			return ref("parameters", candidate)
		}
	}
	return k.value()
}

// free reports whether a component of this name is the parameter, or could be:
// names of components become Go types, which have one name space.
func (p *planner) free(name string, k *Key) bool {
	components := p.root.child("components")
	for _, section := range []string{"schemas", "responses", "requestBodies"} {
		if components.child(section).child(name).node != nil {
			return false
		}
	}
	if there := components.child("parameters").child(name).node; there != nil {
		return k.is(there) && (there.text("required") == "true") == k.Required
	}
	added, _ := p.components.get("parameters").(object)
	other, ok := added.get(name).(object)
	return !ok || compact(other) == compact(k.value())
}

// componentName makes a name of letters and digits: IdempotencyKey.
func componentName(name string) string {
	var b strings.Builder
	upper := true
	for _, r := range name {
		switch {
		case r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			upper = true
		case upper:
			b.WriteRune(unicode.ToUpper(r))
			upper = false
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// component adds a component, unless the document has one of this name.
func (p *planner) component(section, name string, value object) {
	if p.root.child("components").child(section).child(name).node == nil {
		p.components = p.components.merge(object{{section, object{{name, value}}}})
	}
}

// responses returns what is missing of an operation's answers. What is missing
// of answers that stand elsewhere is planned there.
func (p *planner) responses(op *Operation, at place) object {
	var missing object
	hasDefault := at.child("default").node != nil
	for _, a := range answers(op.Principal) {
		if at.child(a.status).node == nil {
			if hasDefault && op.Keeps(a.status) {
				continue // listed by itself, it would no longer be kept as part of default
			}
			p.answerComponents(a)
			missing = append(missing, member{a.status, ref("responses", a.component)})
			continue
		}
		missing = p.amend(op, missing, at.child(a.status), func(response place) object { return p.refusal(a, response) })
	}
	for _, listed := range at.node.members() {
		if status := listed.key.value; op.Keeps(status) && !isRefusal(at.child(status)) {
			missing = p.amend(op, missing, at.child(status), p.replayed)
		}
	}
	slices.SortFunc(missing, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return missing
}

// isRefusal reports whether an answer is one that this package adds.
func isRefusal(response place) bool {
	name, ok := strings.CutPrefix(response.node.text("$ref"), "#/components/responses/")
	return ok && slices.ContainsFunc(answers(true), func(a answer) bool { return a.component == name })
}

// amend plans what is missing of an answer that is listed: among the operation's
// own, where its text is there.
func (p *planner) amend(op *Operation, own object, listed place, what func(place) object) object {
	response, outside := listed.resolve(p.root.node)
	status := listed.path[len(listed.path)-1]
	if outside != "" {
		if refers := what(place{node: &node{kind: mapping}}); len(refers) > 0 {
			p.leave(op, "its answer %s is described in %s: declare the header %s there", status, outside, headerNames(refers))
		}
		return own
	}
	value := what(response)
	switch {
	case len(value) == 0:
		return own
	case response.node == listed.node:
		return own.merge(object{{status, value}})
	}
	p.update(response, value)
	return own
}

func headerNames(value object) string {
	var names []string
	if headers, ok := value.get("headers").(object); ok {
		for _, m := range headers {
			names = append(names, m.name)
		}
	}
	return strings.Join(names, ", ")
}

// answerComponents adds what a refusal refers to.
func (p *planner) answerComponents(a answer) {
	if a.retry {
		p.component("headers", retryHeader, retryValue())
	}
	p.component("responses", a.component, a.value())
	p.component("schemas", problemSchema, problemValue())
}

// refusal is what a listed answer needs to be that refusal too.
func (p *planner) refusal(a answer, response place) object {
	var value object
	if a.retry && !hasHeader(response, "Retry-After") {
		p.component("headers", retryHeader, retryValue())
		value = append(value, member{"headers", object{{"Retry-After", ref("headers", retryHeader)}}})
	}
	if content := response.child("content").node; len(content.members()) > 0 && !takes(content, problemType) {
		p.component("schemas", problemSchema, problemValue())
		value = append(value, member{"content", object{{problemType, problemContent()}}})
	}
	return value
}

// replayed is what a kept answer needs.
func (p *planner) replayed(response place) object {
	if hasHeader(response, "Idempotent-Replayed") {
		return nil
	}
	p.component("headers", replayedHeader, replayedValue())
	return object{{"headers", object{{"Idempotent-Replayed", ref("headers", replayedHeader)}}}}
}

func hasHeader(response place, name string) bool {
	for _, header := range response.child("headers").node.members() {
		if strings.EqualFold(header.key.value, name) {
			return true
		}
	}
	return false
}

// takes reports whether a content has a media type, be it in a range.
func takes(content *node, mediaType string) bool {
	for _, media := range content.members() {
		essence, _, err := mime.ParseMediaType(media.key.value)
		if err == nil && (essence == mediaType || essence == "*/*" || essence == "application/*") {
			return true
		}
	}
	return false
}
