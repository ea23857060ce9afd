package complete

import (
	"bytes"
	"fmt"
)

// A Result is a document, or an overlay of it, with what its contracts imply.
type Result struct {
	Text []byte
	// Added says that something was missing.
	Added bool
	// Left is what is missing still, since its text is in another file or
	// stands for several places, each with what to do about it.
	Left []string
}

// Document returns the text of an OpenAPI document with what is missing for its
// contracts. The text may be YAML or JSON; every byte of it stays.
func Document(text []byte, operations []Operation) (Result, error) {
	text, mark := cutMark(text)
	root, err := parse(text)
	if err != nil {
		return Result{}, err
	}
	planned := plan(root, operations)
	whole, err := apply(text, styleOf(text, root), planned.updates)
	if err == nil {
		err = check(root, whole, operations)
	}
	if err != nil {
		return Result{}, fmt.Errorf("what is missing cannot be added to this text: %w; write an overlay with --as-overlay", err)
	}
	return Result{append(mark, whole...), len(planned.updates) > 0, planned.left}, nil
}

// cutMark takes off a byte order mark.
func cutMark(text []byte) (rest, mark []byte) {
	const bom = "\uFEFF"
	if rest, ok := bytes.CutPrefix(text, []byte(bom)); ok {
		return rest, []byte(bom)
	}
	return text, nil
}

// parse reads JSON as JSON, everything else as YAML.
func parse(text []byte) (*node, error) {
	if isJSON(text) {
		if root, err := parseJSON(text); err == nil {
			return root, nil
		}
	}
	return parseYAML(text)
}

// check compares the new text with the old tree. Text can be laid out in ways
// that nobody expects, and a document must not come out damaged.
func check(old *node, text []byte, operations []Operation) error {
	root, err := parse(text)
	if err != nil {
		return err
	}
	if !contains(root, old, 0) {
		return fmt.Errorf("something else would change with it")
	}
	if again := plan(root, operations); len(again.updates) > 0 {
		return fmt.Errorf("%v would not be where it belongs", again.updates[0].at.path)
	}
	return nil
}

// contains reports whether a document has all that another one has.
func contains(n, old *node, depth int) bool {
	switch {
	case old.empty && !n.empty:
		return n.kind != scalar
	case n.kind != old.kind || n.value != old.value || len(n.items) < len(old.items) || depth > maxDepth:
		return false
	}
	for i := range old.items {
		if !contains(n.items[i], old.items[i], depth+1) {
			return false
		}
	}
	next := 0
	for _, p := range old.pairs {
		for next < len(n.pairs) && n.pairs[next].key.value != p.key.value {
			next++
		}
		if next == len(n.pairs) || !contains(n.pairs[next].value, p.value, depth+1) {
			return false
		}
		next++
	}
	return true
}
