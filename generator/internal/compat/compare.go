package compat

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/contract"
)

// Compare lists what has changed from base to revision, in the order of the
// revision's text. Places are the revision's. The rule of a finding is the id of
// a [Kind]: its severity is Error for breaking, Warning for risky and Advice for
// fine.
func Compare(base, revision *Side) diag.List {
	c := comparison{kinds: map[string]Kind{}}
	for _, kind := range Kinds() {
		c.kinds[kind.ID] = kind
	}
	c.titles(base, revision)
	for i := range base.Operations {
		old := &base.Operations[i]
		if old.Contract != nil {
			c.operation(old, revision)
		}
	}
	for i := range revision.Operations {
		now := &revision.Operations[i]
		if now.Contract != nil {
			c.added(base.find(now), now)
		}
	}
	return c.changes.Sort()
}

type comparison struct {
	kinds   map[string]Kind
	changes diag.List
}

func (c *comparison) report(kind, operation string, at diag.Range, format string, args ...any) {
	k := c.kinds[kind]
	c.changes = append(c.changes, diag.Diagnostic{
		Rule: k.ID, Severity: k.Severity, Range: at, Operation: operation,
		Message: fmt.Sprintf(format, args...), Hint: k.Fix, Hurts: k.Hurts,
	})
}

func (c *comparison) titles(base, revision *Side) {
	protects := false
	for i := range base.Operations {
		protects = protects || base.Operations[i].Contract != nil
	}
	if protects && base.Title != revision.Title {
		c.report(titleChanged, "", revision.TitleRange, "info.title %q was %q", revision.Title, base.Title)
	}
}

// operation compares what has become of an operation that had a contract.
func (c *comparison) operation(old *Operation, revision *Side) {
	now := revision.find(old)
	switch {
	case now == nil:
		c.report(operationRemoved, old.name(), revision.Start, "%s, which had a contract, is gone", old.name())
		return
	case now.Contract == nil:
		c.report(contractRemoved, old.name(), now.Range, "%s had a contract and has none", old.name())
		return
	case now.name() != old.name():
		c.report(operationRenamed, now.name(), now.Range, "%s was %s", now.name(), old.name())
	case now.Method != old.Method || now.Path != old.Path:
		c.report(operationMoved, now.name(), now.Range, "%s is %s %s and was %s %s", now.name(), now.Method, now.Path, old.Method, old.Path)
	}
	p := pair{c, old.Contract, now.Contract, old, now}
	p.key()
	p.scope()
	p.fingerprint()
	p.durations()
	p.policies()
	p.remember()
}

// added reports a contract that was not there before.
func (c *comparison) added(old, now *Operation) {
	if old != nil && old.Contract != nil {
		return
	}
	if old != nil && now.Contract.Required && !contains(old.Requires, now.Contract.Key.Name) {
		c.report(keyNewlyRequired, now.name(), now.Contract.Range, "%s has a contract now, which requires %s", now.name(), now.Contract.Key.Expression)
		return
	}
	c.report(contractAdded, now.name(), now.Contract.Range, "%s has a contract now", now.name())
}

// A pair is an operation that has a contract on both sides.
type pair struct {
	*comparison
	old, now         *contract.Contract
	oldSide, nowSide *Operation
}

func (p *pair) change(kind, field, format string, args ...any) {
	name := p.nowSide.name()
	p.report(kind, name, p.nowSide.place(field), "%s: %s", name, fmt.Sprintf(format, args...))
}
