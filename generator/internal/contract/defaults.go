package contract

import "github.com/idemgen/idemgen/generator/internal/spec"

// Defaults are the defaults of a schema and of everything inside it.
type Defaults struct {
	// Default is that of the value itself, as compact JSON, nil for none.
	Default []byte
	// Members are those of an object that have defaults, or have some inside,
	// in the order of the schema.
	Members []DefaultMember
	// Elements are the defaults of an array's elements or of a map's values,
	// nil for none.
	Elements *Defaults
}

// A DefaultMember is a member of an object with its defaults.
type DefaultMember struct {
	Name     string
	Defaults Defaults
}

// A defaultFinder finds the defaults inside schemas. Most schemas have none, and
// many operations share them: it remembers those.
type defaultFinder struct {
	none   map[any]bool
	walked int // schemas looked into for the field at hand
}

func newDefaultFinder() *defaultFinder { return &defaultFinder{none: map[any]bool{}} }

// maxDefaults bounds how many schemas are looked into for one field: those that
// contain each other lead to ever more.
const maxDefaults = 1000

// inside returns the defaults inside a schema, nil for none. A schema that
// contains itself is not followed into itself: what lies there counts as it is.
func (d *defaultFinder) inside(schema *spec.Schema) *Defaults {
	d.walked = 0
	found := d.walk(schema, map[any]bool{})
	if len(found.Members) == 0 && found.Elements == nil {
		return nil
	}
	return &Defaults{Members: found.Members, Elements: found.Elements}
}

// walk returns the defaults of a schema. Around are the schemas that it is
// inside of.
func (d *defaultFinder) walk(schema *spec.Schema, around map[any]bool) Defaults {
	found := Defaults{Default: schema.Default}
	origin := schema.Origin()
	if d.walked++; around[origin] || d.walked > maxDefaults || !d.has(schema, map[any]bool{}) {
		return found
	}
	around[origin] = true
	defer delete(around, origin)
	for _, p := range schema.Properties {
		member, problem := p.Schema()
		if problem != nil {
			continue // somebody who needs it will say so
		}
		if inner := d.walk(member, around); inner.Default != nil || len(inner.Members) > 0 || inner.Elements != nil {
			found.Members = append(found.Members, DefaultMember{p.Name, inner})
		}
	}
	if elements, problem := schema.Elements(); problem == nil && elements != nil {
		if inner := d.walk(elements, around); len(inner.Members) > 0 || inner.Elements != nil {
			found.Elements = &Defaults{Members: inner.Members, Elements: inner.Elements}
		}
	}
	return found
}

// has reports whether there is a default anywhere inside a schema.
func (d *defaultFinder) has(schema *spec.Schema, seen map[any]bool) bool {
	if !d.search(schema, seen) {
		for origin := range seen {
			d.none[origin] = true
		}
		return false
	}
	return true
}

func (d *defaultFinder) search(schema *spec.Schema, seen map[any]bool) bool {
	origin := schema.Origin()
	if seen[origin] || d.none[origin] {
		return false
	}
	seen[origin] = true
	for _, p := range schema.Properties {
		member, problem := p.Schema()
		if problem == nil && (member.Default != nil || d.search(member, seen)) {
			return true
		}
	}
	elements, problem := schema.Elements()
	return problem == nil && elements != nil && d.search(elements, seen)
}
