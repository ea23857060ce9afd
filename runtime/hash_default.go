package runtime

import (
	"reflect"
	"slices"
	"strings"
)

// Defaults are the defaults that a schema has inside a composite value. A member
// that is absent counts as its default then, as far down as they go. They are
// read only: generated code has them as variables.
type Defaults struct {
	// Absent writes what a value counts as that is not there. Nil writes
	// nothing: the member is left out.
	Absent func(*Hasher)
	// Members are those of an object that have defaults, or have some inside.
	Members map[string]*Defaults
	// Elements are the defaults inside the elements of an array, or the
	// values of a map.
	Elements *Defaults
}

// AnyWithDefaults is [Hasher.Any] for a value whose schema has defaults inside.
// A union is taken as it is: which of its schemas' defaults apply is not known.
func (h *Hasher) AnyWithDefaults(v any, defaults *Defaults) {
	h.defaults = defaults
	h.Any(v)
	h.defaults = nil
}

// within writes a part of a value, whose defaults are those given.
func (h *Hasher) within(defaults *Defaults, write func()) {
	outer := h.defaults
	h.defaults = defaults
	write()
	h.defaults = outer
}

// elements returns the defaults of elements, nil for none.
func (d *Defaults) elements() *Defaults {
	if d == nil {
		return nil
	}
	return d.Elements
}

// An objectMember is a member of an object that is being written.
type objectMember struct {
	name  string
	write func()
}

// objectWithDefaults writes an object: its members and the defaults of those
// that it lacks, sorted by name.
func (h *Hasher) objectWithDefaults(members []objectMember) {
	outer := h.defaults
	for name, d := range outer.Members {
		lacks := func(m objectMember) bool { return m.name == name }
		if d.Absent != nil && !slices.ContainsFunc(members, lacks) {
			members = append(members, objectMember{name, func() { d.Absent(h) }})
		}
	}
	slices.SortFunc(members, func(a, b objectMember) int { return strings.Compare(a.name, b.name) })
	h.tag(tagObject)
	for _, m := range members {
		h.writeString(tagString, m.name)
		inner := outer.Members[m.name]
		if inner == nil {
			inner = outer.Elements // of a map, or of members that the schema does not name
		}
		h.within(inner, m.write)
	}
	h.tag(tagObjectEnd)
}

// structMembers returns the members of a struct that are there.
func (h *Hasher) structMembers(p *typePlan, v reflect.Value) []objectMember {
	var members []objectMember
	for i := range p.members {
		if value, present := p.members[i].of(v); present {
			members = append(members, objectMember{p.members[i].name, func() { h.reflect(value) }})
		}
	}
	if p.additional != nil {
		members = append(members, h.mapMembers(v.FieldByIndex(p.additional))...)
	}
	return members
}

func (h *Hasher) mapMembers(v reflect.Value) []objectMember {
	var members []objectMember
	for _, e := range mapEntries(v) {
		members = append(members, objectMember{e.name, func() { h.reflect(e.value) }})
	}
	return members
}

func (h *Hasher) jsonMembers(v map[string]any) []objectMember {
	members := make([]objectMember, 0, len(v))
	for name, value := range v {
		members = append(members, objectMember{name, func() { h.value(value) }})
	}
	return members
}
