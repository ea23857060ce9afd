package lint

import (
	"fmt"
	"strings"
)

// scope reports keys that belong to whomever the client claims to be.
func (c *checker) scope() {
	parts := c.contract.Scope
	if c.contract.Principal || len(parts) == 0 {
		return
	}
	var names []string
	for _, f := range parts {
		names = append(names, f.Expression)
	}
	c.warn(RuleScopeByClient, parts[0].Range,
		fmt.Sprintf("the scope of %s is %s alone, which the client chooses: with another's value and key it gets the other's answer",
			c.operation.Name(), strings.Join(names, " and ")),
		"write scope: [principal, …]; where a gateway sets the value, suppress this finding and say so")
}
