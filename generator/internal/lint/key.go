package lint

import "fmt"

// key reports a key that the contract requires and the document does not: what
// clients read there is wrong.
func (c *checker) key() {
	k := &c.contract.Key
	if k.Name == "" || !c.contract.Required || k.Required {
		return
	}
	at := k.Range
	if e := c.stated("required"); e != nil {
		at = e.Value.Range
	}
	c.warn(RuleKeyOptional, at, fmt.Sprintf("%s refuses a request without its key, and the document calls %s optional", c.operation.Name(), k.Expression),
		"require it in the document, or write required: false in the contract")
}
