package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// engineStatuses are those of the engine's own answers: 400 for a key that is
// missing or malformed; 401 where nobody knows who is calling; 409 for a request
// in flight, held or not retained; 422 for a key that was used for another
// request; 503 for a store that cannot be used.
func (c *checker) engineStatuses() []int {
	if c.contract.Principal {
		return []int{400, 401, 409, 422, 503}
	}
	return []int{400, 409, 422, 503}
}

// answers reports answers of the engine that the document does not list.
func (c *checker) answers(responses []spec.Response) {
	var missing []string
	for _, status := range c.engineStatuses() {
		if !lists(responses, status) {
			missing = append(missing, strconv.Itoa(status))
		}
	}
	if len(missing) == 0 {
		return
	}
	c.warn(RuleAnswerUndeclared, c.operation.ResponsesRange(),
		fmt.Sprintf("the contract of %s can answer %s, which its responses do not list", c.operation.Name(), strings.Join(missing, ", ")),
		"declare them, or let idemgen complete add them")
}

// lists reports whether a status is among the responses, by itself, by its
// range or by default.
func lists(responses []spec.Response, status int) bool {
	return slices.ContainsFunc(responses, func(r spec.Response) bool {
		return r.Status == "default" || covers(r.Status, status)
	})
}

func covers(listed string, status int) bool {
	text := strconv.Itoa(status)
	return listed == text || strings.EqualFold(listed, text[:1]+"XX")
}

// headers reports reply headers that the document does not list.
func (c *checker) headers(responses []spec.Response) {
	for _, r := range responses {
		if want := c.replyHeader(r.Status); want != "" && !slices.ContainsFunc(r.Headers, func(h string) bool { return strings.EqualFold(h, want) }) {
			c.advise(RuleHeaderUndeclared, r.Range, fmt.Sprintf("the answer %s of %s can carry the header %s, which the document does not list", r.Status, c.operation.Name(), want),
				"declare the header, or let idemgen complete add it")
		}
	}
}

// replyHeader is the header that a listed answer can carry, "" for none.
func (c *checker) replyHeader(status string) string {
	if status == "409" || status == "503" {
		return "Retry-After"
	}
	if n, err := strconv.Atoi(status); err == nil && remembers(c.contract, n) {
		return "Idempotent-Replayed"
	}
	if strings.EqualFold(status, "2XX") && remembers(c.contract, 200) {
		return "Idempotent-Replayed"
	}
	return ""
}

func remembers(c *contract.Contract, status int) bool {
	return slices.ContainsFunc(c.Remember, func(r contract.StatusRange) bool { return r.From <= status && status <= r.To })
}

// remember reports statuses that are to be kept and never come, and contracts
// that keep nothing at all.
func (c *checker) remember(responses []spec.Response) {
	if len(responses) == 0 {
		return
	}
	own := c.own("remember")
	if own != nil && own.Value.Kind == spec.List {
		for _, item := range own.Value.Items {
			if !listsItem(responses, item.Text) {
				c.warn(RuleUnlistedStatus, item.Range, fmt.Sprintf("remember names %s, and %s has no such answer", item.Text, c.operation.Name()),
					"name a status that it lists: "+statuses(responses))
			}
		}
		return
	}
	kept := slices.ContainsFunc(responses, func(r spec.Response) bool { return c.keeps(r.Status) })
	if !kept && len(c.contract.Remember) > 0 {
		c.warn(RuleUnlistedStatus, c.contract.Range,
			fmt.Sprintf("no answer that %s lists would be kept: every retry would run again", c.operation.Name()),
			"write remember with the statuses that it lists: "+statuses(responses))
	}
}

// keeps reports whether some answer under a listed status is kept.
func (c *checker) keeps(listed string) bool {
	if listed == "default" {
		return true
	}
	for status := 100; status <= 599; status++ {
		if covers(listed, status) && remembers(c.contract, status) {
			return true
		}
	}
	return false
}

// listsItem reports whether an item of remember can come true.
func listsItem(responses []spec.Response, item string) bool {
	return slices.ContainsFunc(responses, func(r spec.Response) bool {
		switch {
		case r.Status == "default":
			return true
		case len(item) != 3 || len(r.Status) != 3 || item == "default":
			return false
		case item[0] != r.Status[0]:
			return false
		}
		return strings.EqualFold(item[1:], "XX") || strings.EqualFold(r.Status[1:], "XX") || item == r.Status
	})
}

func statuses(responses []spec.Response) string {
	var list []string
	for _, r := range responses {
		list = append(list, r.Status)
	}
	return strings.Join(list, ", ")
}
