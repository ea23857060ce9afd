package lint

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// parts are parts of a fingerprint's field of which something is to be said.
type parts struct {
	field     *contract.Field
	imprecise []string // numbers that are decoded to 32 bits
	freeForm  []string // parts of no declared form
}

// numbers reports fields in which two numbers can become one before anybody
// compares them.
func (c *checker) numbers() {
	for _, p := range c.parts() {
		if len(p.imprecise) > 0 {
			c.warn(RuleImpreciseNumber, p.field.Range,
				listOf(p.imprecise)+": decoded to 32 bits, so two numbers that differ in the eighth digit count as the same",
				"give it format: double, or better an integer in the smallest unit or a string")
		}
		if len(p.freeForm) > 0 {
			c.advise(RuleFreeForm, p.field.Range,
				listOf(p.freeForm)+": of no declared form, so whole numbers above 2^53 in it are rounded before they are compared",
				"declare its properties, or send large numbers in it as strings")
		}
	}
}

// parts looks into every field of the fingerprint.
func (c *checker) parts() []parts {
	all := make([]parts, len(c.contract.Fingerprint))
	for i := range all {
		f := &c.contract.Fingerprint[i]
		all[i].field = f
		if f.Source != contract.Body && f.Type == "number" && imprecise(f.Format) {
			all[i].imprecise = []string{f.Expression}
		}
	}
	body, problem := c.operation.Body()
	if body == nil || problem != nil {
		return all
	}
	for i := range body.Content {
		if content := &body.Content[i]; content.JSON() {
			content.Walk(func(m spec.Member) bool {
				if at := c.compared(m.Path); at >= 0 {
					all[at].add(m)
				}
				return true
			})
		}
	}
	return all
}

func (p *parts) add(m spec.Member) {
	where := "$request.body"
	if len(m.Path) > 0 {
		where += "#/" + strings.Join(m.Path, "/")
	}
	switch {
	case m.Schema.Type == "number" && imprecise(m.Schema.Format):
		p.imprecise = appendNew(p.imprecise, where)
	case m.FreeForm:
		p.freeForm = appendNew(p.freeForm, where)
	}
}

// compared is the index of the fingerprint's field that a path in the body is
// part of, -1 for none.
func (c *checker) compared(path []string) int {
	return slices.IndexFunc(c.contract.Fingerprint, func(f contract.Field) bool {
		return f.Source == contract.Body && len(f.Tokens) <= len(path) && slices.Equal(f.Tokens, path[:len(f.Tokens)])
	})
}

// imprecise reports whether oapi-codegen decodes a number of this format to 32
// bits.
func imprecise(format string) bool { return format == "" || format == "float" }
