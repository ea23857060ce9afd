package generator

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/contract"
)

// terms says what a contract is, field by field.
func terms(c *contract.Contract, stated map[string]diag.Range) []Term {
	list := append(identityTerms(c), lifeTerms(c)...)
	list = append(list, policyTerms(c)...)
	for i := range list {
		_, list[i].Stated = stated[list[i].Field]
	}
	return list
}

func identityTerms(c *contract.Contract) []Term {
	required := "A request without a key is refused."
	if !c.Required {
		required = "A request without a key runs without protection."
	}
	return []Term{
		{Field: "key", Value: c.Key.Expression, Words: "Where the client's key is: " + inRequest(&c.Key) + "."},
		{Field: "required", Value: strconv.FormatBool(c.Required), Words: required},
		{Field: "keyFormat", Value: c.KeyFormat, Words: "A key is 1 to 255 characters of visible ASCII" + formatInWords(c.KeyFormat) + "."},
		{Field: "scope", Value: scopeValue(c), Words: scopeInWords(c)},
		{Field: "fingerprint", Value: cmp.Or(expressions(c.Fingerprint), "nothing"), Words: fingerprintInWords(c)},
	}
}

// inRequest says where a field is.
func inRequest(f *contract.Field) string {
	switch f.Source {
	case contract.Body:
		return "in the body, " + f.Name
	case contract.Path, contract.Query:
		return "in the " + f.Source.String() + ", " + f.Tokens[0]
	}
	return "the header " + f.Tokens[0]
}

func formatInWords(format string) string {
	switch format {
	case "any":
		return ""
	case "uuid":
		return ", a UUID, whose letter case does not count"
	}
	return ", and matches " + format
}

func scopeValue(c *contract.Contract) string {
	if !c.Principal && len(c.Scope) == 0 {
		return "none"
	}
	list := expressions(c.Scope)
	switch {
	case !c.Principal:
		return list
	case list == "":
		return "principal"
	}
	return "principal, " + list
}

func scopeInWords(c *contract.Contract) string {
	var owners []string
	if c.Principal {
		owners = append(owners, "who is calling")
	}
	for i := range c.Scope {
		owners = append(owners, inRequest(&c.Scope[i]))
	}
	if len(owners) == 0 {
		return "All callers share their keys: who uses another's key gets the other's answer."
	}
	return "Keys are told apart by " + strings.Join(owners, " and ") + "."
}

func expressions(fields []contract.Field) string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.Expression
	}
	return strings.Join(list, ", ")
}

func fingerprintInWords(c *contract.Contract) string {
	if len(c.Fingerprint) == 0 {
		return "Nothing is compared: the operation has no request fields."
	}
	return "Requests with one key are the same where these are equal."
}

func lifeTerms(c *contract.Contract) []Term {
	list := []Term{
		{Field: "ttl", Value: contract.ShowDuration(c.TTL), Words: "How long a kept answer is given to retries."},
		{Field: "inFlight", Value: c.InFlight, Words: inFlightInWords(c)},
	}
	if c.InFlight == "wait" {
		list = append(list, Term{Field: "waitTimeout", Value: contract.ShowDuration(c.WaitTimeout), Words: "How long it waits at most."})
	}
	if c.InFlight != "run" {
		list = append(list, Term{Field: "lease", Value: contract.ShowDuration(c.Lease), Words: "How long a silent worker keeps a key. One that lives renews it."})
	}
	return append(list,
		Term{Field: "maxRun", Value: contract.ShowDuration(c.MaxRun), Words: "How long a handler may run. Then its context is cancelled."},
		Term{Field: "remember", Value: contract.ShowStatuses(c.Remember), Words: "The statuses of answers that are kept."})
}

func inFlightInWords(c *contract.Contract) string {
	switch c.InFlight {
	case "wait":
		return "A second request waits while the first runs."
	case "reject":
		return "A second request is refused while the first runs."
	}
	return "A second request runs while the first does: two effects."
}

func policyTerms(c *contract.Contract) []Term {
	words := map[string]string{
		"onStoreError run":    "Availability over one effect.",
		"onStoreError reject": "One effect over availability.",
		"onCrash rerun":       "At least once: a dead worker may have done its work.",
		"onCrash hold":        "At most once, until somebody has looked.",
		"replay stored":       "The answer itself is kept.",
		"replay reload":       "A reference is kept, from which the answer of a replay is built.",
		"onDisconnect finish": "A handler goes on when its client goes away.",
		"onDisconnect cancel": "A handler is cancelled when its client goes away.",
	}
	term := func(field, value string) Term { return Term{Field: field, Value: value, Words: words[field+" "+value]} }
	return []Term{
		term("onStoreError", c.OnStoreError),
		term("onCrash", c.OnCrash),
		term("onDisconnect", c.OnDisconnect),
		term("replay", c.Replay),
		{Field: "maxResponseBytes", Value: strconv.FormatInt(c.MaxResponseBytes, 10), Words: "The largest body of an answer that is kept."},
	}
}
