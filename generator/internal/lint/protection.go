package lint

import "github.com/idemgen/idemgen/generator/internal/spec"

// protection reports an operation that nobody has decided about. POST and PATCH
// are the methods that HTTP does not call idempotent and that have effects (RFC
// 9110, section 9.2.2; RFC 5789 for PATCH).
func (c *checker) protection() {
	o := c.operation
	if o.Contract != nil || o.Method != "POST" && o.Method != "PATCH" {
		return
	}
	c.warn(RuleUnprotected, o.Range, o.Name()+" has neither a contract nor an exemption: a retried request takes effect twice",
		`write x-idempotency: true, or x-idempotency: {exempt: "why"}`)
}

// defaults reports defaults that no contract uses.
func (c *checker) defaults() {
	if c.document.Defaults == nil {
		return
	}
	for i := range c.document.Operations {
		if c.document.Operations[i].Contract != nil {
			return
		}
	}
	c.warn(RuleUnusedDefaults, c.document.Defaults.Range, spec.Defaults+" is there, and no operation has a contract: defaults protect nothing by themselves",
		"write x-idempotency: true on an operation that must not run twice")
}
