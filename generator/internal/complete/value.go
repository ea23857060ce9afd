package complete

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
)

// A member is a name and its value: a string, a bool, an int, an object or a
// list.
type member struct {
	name  string
	value any
}

// An object is a mapping in the order in which it is written.
type object []member

// A list is a sequence.
type list []any

// get returns the value of a member, nil for none.
func (o object) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// merge adds more to o: mappings are merged, lists joined without repetition,
// anything else stays as it is.
func (o object) merge(more object) object {
	for _, m := range more {
		i := 0
		for i < len(o) && o[i].name != m.name {
			i++
		}
		if i == len(o) {
			o = append(o, m)
			continue
		}
		switch old := o[i].value.(type) {
		case object:
			if added, ok := m.value.(object); ok {
				o[i].value = old.merge(added)
			}
		case list:
			if added, ok := m.value.(list); ok {
				o[i].value = old.join(added)
			}
		}
	}
	return o
}

// sorted returns the sections of components in the order in which they are read:
// what operations name comes before what that names.
func (o object) sorted() object {
	sections := []string{"parameters", "headers", "responses", "schemas"}
	slices.SortStableFunc(o, func(a, b member) int { return slices.Index(sections, a.name) - slices.Index(sections, b.name) })
	for _, section := range o {
		if section.name == "responses" {
			slices.SortStableFunc(section.value.(object), func(a, b member) int { return rank(a.name) - rank(b.name) })
		}
	}
	return o
}

// rank is the place of a refusal among all.
func rank(component string) int {
	return slices.IndexFunc(answers(true), func(a answer) bool { return a.component == component })
}

func (l list) join(more list) list {
	for _, item := range more {
		text := compact(item)
		there := false
		for _, old := range l {
			there = there || compact(old) == text
		}
		if !there {
			l = append(l, item)
		}
	}
	return l
}

// ref is a reference to a component.
func ref(section, name string) object {
	return object{{"$ref", "#/components/" + section + "/" + name}}
}

// compact writes a value as JSON without white space.
func compact(value any) string {
	return jsonStyle{colon: ":", comma: ","}.inline(value)
}

// A jsonStyle is how a document writes what is in brackets.
type jsonStyle struct {
	colon, comma string
	open, close  string           // what stands inside braces
	scalar       func(any) string // nil: as JSON
	key          func(string) string
}

// inline writes a value on one line.
func (s jsonStyle) inline(value any) string {
	var parts []string
	switch v := value.(type) {
	case object:
		for _, m := range v {
			parts = append(parts, s.name(m.name)+s.colon+s.inline(m.value))
		}
		return "{" + s.open + strings.Join(parts, s.comma) + s.close + "}"
	case list:
		for _, item := range v {
			parts = append(parts, s.inline(item))
		}
		return "[" + strings.Join(parts, s.comma) + "]"
	}
	return s.text(value)
}

// block writes a value with a member on each line, the lines behind the first
// one behind a margin.
func (s jsonStyle) block(value any, margin, step, eol string) string {
	inner := eol + margin + step
	var parts []string
	switch v := value.(type) {
	case object:
		for _, m := range v {
			parts = append(parts, s.name(m.name)+s.colon+s.block(m.value, margin+step, step, eol))
		}
		return "{" + inner + strings.Join(parts, ","+inner) + eol + margin + "}"
	case list:
		for _, item := range v {
			parts = append(parts, s.block(item, margin+step, step, eol))
		}
		return "[" + inner + strings.Join(parts, ","+inner) + eol + margin + "]"
	}
	return s.text(value)
}

func (s jsonStyle) name(name string) string {
	if s.key != nil {
		return s.key(name)
	}
	return s.text(name)
}

func (s jsonStyle) text(value any) string {
	if s.scalar != nil {
		return s.scalar(value)
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil { // strings, booleans and integers always encode
		return "null"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// plain reports whether YAML reads a text as a string without quotes, in
// brackets too. It is careful: a text it refuses may be fine.
func plain(text string) bool {
	for i, r := range text {
		letter := r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if i == 0 && !letter && r != '/' && r != '$' || r > unicode.MaxASCII || r < ' ' || strings.ContainsRune(":#,[]{}&*!|>'\"%@`\\", r) {
			return false
		}
	}
	switch strings.ToLower(text) {
	case "", "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return false
	}
	return !strings.HasSuffix(text, " ")
}

// quoted writes a text in YAML, with quotes of the given kind where it needs
// some.
func quoted(text string, quote byte) string {
	if plain(text) {
		return text
	}
	return withQuotes(text, quote)
}

func withQuotes(text string, quote byte) string {
	if quote == '"' {
		return jsonStyle{}.text(text)
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}
