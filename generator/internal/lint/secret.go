package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// secrets reports kept answers that carry secrets: whoever reads the store has
// them.
func (c *checker) secrets(responses []spec.Response) {
	if c.contract.Replay == "reload" {
		return // the store has a reference
	}
	var statuses, found []string
	for _, r := range responses {
		if !c.keeps(r.Status) {
			continue
		}
		for i := range r.Content {
			if content := &r.Content[i]; content.JSON() {
				content.Walk(func(m spec.Member) bool {
					if secret(m) {
						statuses = appendNew(statuses, r.Status)
						found = appendNew(found, strings.Join(m.Path, "/"))
					}
					return true
				})
			}
		}
	}
	if len(found) > 0 {
		c.warn(RuleStoredSecret, c.contract.Range,
			fmt.Sprintf("the answer of %s (%s) carries %s, and is kept in the store for %s",
				c.operation.Name(), strings.Join(statuses, ", "), listOf(found), contract.ShowDuration(c.contract.TTL)),
			"write replay: reload, which keeps a reference alone; or keep the store as safe as the secret, and accept the finding")
	}
}

func secret(m spec.Member) bool {
	if len(m.Path) == 0 || m.WriteOnly || m.Schema.Type == "object" || m.Schema.Type == "boolean" {
		return false
	}
	return m.Schema.Format == "password" || slices.Contains(secretNames(), fold(m.Path[len(m.Path)-1]))
}
