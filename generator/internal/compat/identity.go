package compat

import (
	"bytes"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/contract"
)

// key compares where a key is, whether it must be there, and what it looks like.
func (p *pair) key() {
	before, after := &p.old.Key, &p.now.Key
	if before.Source != after.Source || !sameName(before.Name, after.Name) {
		p.change(keyMoved, "key", "the key is %s and was %s", after.Expression, before.Expression)
	}
	switch {
	case p.now.Required && !p.old.Required:
		p.change(keyNewlyRequired, "required", "a request without a key is refused, and ran before")
	case p.old.Required && !p.now.Required:
		p.change(keyNewlyOptional, "required", "a request without a key runs unprotected, and was refused before")
	}
	switch before, after := p.old.KeyFormat, p.now.KeyFormat; {
	case before == after:
	case after == "any" && before == "uuid":
		p.change(keyCaseCounts, "keyFormat", "keyFormat is any and was uuid, under which letter case did not count")
	case after == "any":
		p.change(keyFormatLoosened, "keyFormat", "keyFormat is any and was %s", before)
	default:
		p.change(keyFormatTightened, "keyFormat", "keyFormat is %s and was %s", after, before)
	}
}

// sameName compares names of fields: those of headers without case.
func sameName(a, b string) bool {
	return a == b || strings.HasPrefix(a, "header.") && strings.EqualFold(a, b)
}

func contains(names []string, name string) bool {
	return slices.ContainsFunc(names, func(other string) bool { return sameName(other, name) })
}

// without lists the names that are not among the others.
func without(names, others []string) []string {
	var list []string
	for _, name := range names {
		if !contains(others, name) {
			list = append(list, name)
		}
	}
	return list
}

// scope compares whose keys they are. Records are kept under the scope's values
// in their order.
func (p *pair) scope() {
	before, after := scopeOf(p.old), scopeOf(p.now)
	if slices.EqualFunc(before, after, sameName) {
		return
	}
	gone, added := without(before, after), without(after, before)
	kind := scopeReplaced
	switch {
	case len(gone) > 0 && len(added) == 0:
		kind = scopeWidened
	case len(added) > 0 && len(gone) == 0:
		kind = scopeNarrowed
	}
	p.change(kind, "scope", "the scope is %s and was %s", inWords(after), inWords(before))
}

func scopeOf(c *contract.Contract) []string {
	var names []string
	if c.Principal {
		names = append(names, "principal")
	}
	for _, f := range c.Scope {
		names = append(names, f.Name)
	}
	return names
}

func inWords(scope []string) string {
	if len(scope) == 0 {
		return "none"
	}
	return strings.Join(scope, ", ")
}

// fingerprint compares which parts make it the same request. A record with an
// older list is compared on the fields that both lists have.
func (p *pair) fingerprint() {
	before, after := namesOf(p.old.Fingerprint), namesOf(p.now.Fingerprint)
	gone, added := without(before, after), without(after, before)
	if len(before) > 0 && len(after) > 0 && len(gone) == len(before) {
		p.change(fingerprintReplaced, "fingerprint", "the fingerprint is %s and was %s", strings.Join(after, ", "), strings.Join(before, ", "))
		return
	}
	for _, name := range added {
		if p.oldSide.declares(name) {
			p.change(fieldAdded, "fingerprint", "the fingerprint has %s, which was not compared before", name)
		} else {
			p.change(fieldNew, "fingerprint", "the fingerprint has %s, a new part of the request", name)
		}
	}
	for _, name := range gone {
		if p.nowSide.declares(name) {
			p.change(fieldRemoved, "fingerprint", "the fingerprint no longer has %s", name)
		} else {
			p.change(fieldGone, "fingerprint", "the fingerprint no longer has %s, nor has the request", name)
		}
	}
	p.fields()
}

// fields compares the fields that both lists have.
func (p *pair) fields() {
	for i := range p.now.Fingerprint {
		after := &p.now.Fingerprint[i]
		at := slices.IndexFunc(p.old.Fingerprint, func(f contract.Field) bool { return sameName(f.Name, after.Name) })
		if at < 0 {
			continue
		}
		before := &p.old.Fingerprint[at]
		switch {
		case before.Type != after.Type || before.Format != after.Format:
			p.change(fieldRetyped, "fingerprint", "%s is %s and was %s", after.Name, typeOf(after), typeOf(before))
		case !bytes.Equal(before.Default, after.Default):
			p.change(defaultChanged, "fingerprint", "the default of %s is %s and was %s", after.Name, defaultOf(after), defaultOf(before))
		}
	}
}

func namesOf(fields []contract.Field) []string {
	names := make([]string, 0, len(fields))
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return names
}

// declares reports whether the document had a place for a field.
func (o *Operation) declares(name string) bool {
	if contains(o.Fields, name) {
		return true
	}
	top, _, nested := strings.Cut(name, "/")
	return nested && contains(o.Fields, top)
}

func typeOf(f *contract.Field) string {
	switch {
	case f.Type == "":
		return "of no single type"
	case f.Format == "":
		return f.Type
	}
	return f.Type + " (" + f.Format + ")"
}

func defaultOf(f *contract.Field) string {
	if f.Default == nil {
		return "none"
	}
	return string(f.Default)
}
