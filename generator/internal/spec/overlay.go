package spec

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/speakeasy-api/openapi/overlay"
	"gopkg.in/yaml.v3"
)

// applyOverlay changes the tree as an overlay file says. Targets are found by
// the library that oapi-codegen uses, so both see the same document. Its
// changes are made here, because the library forgets where their text stands.
func (s *source) applyOverlay(file string) error {
	data, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		return err
	}
	changes, err := overlay.ParseReader(bytes.NewReader(data))
	if err == nil {
		err = changes.Validate()
	}
	if err != nil {
		return fmt.Errorf("%s: this is no OpenAPI Overlay: %w", file, err)
	}
	s.overlays = append(s.overlays, &source{file: file, lines: splitLines(data)})
	a := applier{overlay: changes, shift: len(s.overlays) * overlayLines, seen: map[*yaml.Node]bool{},
		root: &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{s.root}}}
	for i := range changes.Actions {
		if err := a.apply(&changes.Actions[i]); err != nil {
			return fmt.Errorf("%s: action %d, target %s: %w", file, i+1, changes.Actions[i].Target, err)
		}
	}
	s.root = a.root.Content[0]
	return nil
}

// An applier applies one overlay to a document.
type applier struct {
	overlay *overlay.Overlay
	root    *yaml.Node // the document node, from which targets are found
	shift   int        // added to the lines of the overlay's nodes
	seen    map[*yaml.Node]bool
}

// apply carries one action out. Remove comes before update, update before copy.
func (a *applier) apply(action *overlay.Action) error {
	targets, err := a.find(action.Target)
	if err != nil {
		return err
	}
	if len(targets) == 0 {
		return fmt.Errorf("the document has nothing there")
	}
	switch {
	case action.Remove:
		for _, target := range targets {
			remove(a.root, target)
		}
		return nil
	case !action.Update.IsZero():
		a.move(&action.Update)
		return a.update(targets, &action.Update)
	case action.Copy != "":
		sources, err := a.find(action.Copy)
		if err != nil {
			return err
		}
		if len(sources) != 1 {
			return fmt.Errorf("copy names %d places instead of one", len(sources))
		}
		return a.update(targets, sources[0])
	}
	return fmt.Errorf("the action has neither update, remove nor copy")
}

func (a *applier) find(path string) ([]*yaml.Node, error) {
	query, err := a.overlay.NewPath(path, nil)
	if err != nil {
		return nil, err
	}
	return query.Query(a.root), nil
}

// move puts the lines of an update behind those of the document.
func (a *applier) move(n *yaml.Node) {
	if n == nil || a.seen[n] {
		return
	}
	a.seen[n] = true
	n.Line += a.shift
	a.move(n.Alias)
	for _, child := range n.Content {
		a.move(child)
	}
}

// update changes every target. Overlay 1.1 wants targets and changes that fit
// each other, 1.0 replaces what does not fit.
func (a *applier) update(targets []*yaml.Node, change *yaml.Node) error {
	change = clone(change) // a target may be part of what is copied
	m := merging{strict: a.overlay.IsV110OrLater()}
	for _, target := range targets {
		switch {
		case m.strict && target.Kind != targets[0].Kind:
			return fmt.Errorf("the targets are of different types")
		case m.strict && target.Kind == yaml.SequenceNode && change.Kind != yaml.SequenceNode:
			target.Content = append(target.Content, clone(change))
		default:
			if err := m.merge(target, change); err != nil {
				return err
			}
		}
	}
	return nil
}

// A merging merges changes into a document.
type merging struct{ strict bool }

// merge merges mappings, appends to sequences and replaces everything else.
func (m merging) merge(target, change *yaml.Node) error {
	switch {
	case m.strict && target.Kind != change.Kind:
		return fmt.Errorf("the target and its update are of different types")
	case target.Kind == yaml.SequenceNode && change.Kind == yaml.SequenceNode:
		target.Content = append(target.Content, clone(change).Content...)
	case target.Kind == yaml.MappingNode && change.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(change.Content); i += 2 {
			if err := m.mergeMember(target, change.Content[i], change.Content[i+1]); err != nil {
				return fmt.Errorf("%s: %w", change.Content[i].Value, err)
			}
		}
	default:
		*target = *clone(change)
	}
	return nil
}

func (m merging) mergeMember(target, key, value *yaml.Node) error {
	for i := 0; i+1 < len(target.Content); i += 2 {
		if target.Content[i].Value == key.Value {
			return m.merge(target.Content[i+1], value)
		}
	}
	target.Content = append(target.Content, key, clone(value))
	return nil
}

// clone copies a node with its place. What an alias stands for is shared.
func clone(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = clone(child)
	}
	return &c
}

// remove takes target out of the tree below n, with its key or its value where
// it is part of a mapping.
func remove(n, target *yaml.Node) bool {
	for i, child := range n.Content {
		switch {
		case child == target && n.Kind == yaml.MappingNode:
			i -= i % 2
			n.Content = slices.Delete(n.Content, i, i+2)
			return true
		case child == target && n.Kind == yaml.SequenceNode:
			n.Content = slices.Delete(n.Content, i, i+1)
			return true
		case remove(child, target):
			return true
		}
	}
	return false
}
