package complete

import (
	"fmt"
	"regexp"
	"strings"
)

// Overlay returns an OpenAPI Overlay 1.0 that adds what is missing. It is YAML.
// Where nothing is, it has one action that changes nothing: an overlay without
// actions is none.
func Overlay(text []byte, title string, operations []Operation) (Result, error) {
	text, _ = cutMark(text)
	root, err := parse(text)
	if err != nil {
		return Result{}, err
	}
	planned := plan(root, operations)
	var actions list
	for _, u := range planned.updates {
		if sharedBelow(u.at, u.value) {
			planned.left = append(planned.left, fmt.Sprintf("%s: its text stands for several places through an alias or a merge key: complete the document itself", jsonPath(u.at.path)))
			continue
		}
		actions = append(actions, object{{"target", jsonPath(u.at.path)}, {"update", u.value}})
	}
	if len(actions) == 0 {
		actions = list{object{{"target", "$"}, {"description", "The document has all that its contracts imply."}, {"update", object{}}}}
	}
	whole := object{
		{"overlay", "1.0.0"},
		{"info", object{{"title", "What the idempotency contracts of " + title + " imply"}, {"version", "1.0.0"}}},
		{"actions", actions},
	}
	s := style{eol: "\n", step: "  ", list: "  ", quote: '\''}
	var b strings.Builder
	for _, m := range whole {
		for _, line := range s.member(m.name, m.value) {
			b.WriteString(line + "\n")
		}
	}
	return Result{[]byte(b.String()), len(planned.updates) > 0, planned.left}, nil
}

// sharedBelow reports whether an update would change a text that stands for
// several places.
func sharedBelow(at place, value any) bool {
	if at.shared {
		return true
	}
	members, _ := value.(object)
	for _, m := range members {
		if child := at.child(m.name); child.node != nil && sharedBelow(child, m.value) {
			return true
		}
	}
	return false
}

// jsonPath writes a path as RFC 9535 does.
func jsonPath(path []string) string {
	name := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	var b strings.Builder
	b.WriteByte('$')
	for _, part := range path {
		if name.MatchString(part) {
			b.WriteString("." + part)
		} else {
			b.WriteString(`["` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(part) + `"]`)
		}
	}
	return b.String()
}
