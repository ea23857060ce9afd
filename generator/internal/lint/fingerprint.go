package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// fingerprint reports fields that do not tell one request from another.
func (c *checker) fingerprint() {
	e := c.stated("fingerprint")
	listed := e != nil && e.Value.Kind == spec.List
	for i := range c.contract.Fingerprint {
		f := &c.contract.Fingerprint[i]
		switch {
		case c.credential(f, listed):
			c.warn(RuleCredentialField, f.Range,
				fmt.Sprintf("%s is a credential: a retry with a renewed one would count as a different request", f.Expression), c.without(f, listed))
		case volatile(f):
			c.warn(RuleVolatileField, f.Range,
				fmt.Sprintf("%s is likely to differ from one sending to the next: an honest retry would count as a different request", f.Expression),
				c.without(f, listed))
		}
	}
	c.numbers()
}

// without says how to leave a field out.
func (c *checker) without(f *contract.Field, listed bool) string {
	if listed {
		return "remove it from the fingerprint"
	}
	var rest []string
	for i := range c.contract.Fingerprint {
		if other := &c.contract.Fingerprint[i]; other.Name != f.Name {
			rest = append(rest, other.Expression)
		}
	}
	if len(rest) == 0 {
		return "list the fields that make it the same request in fingerprint"
	}
	return "list what makes it the same request: fingerprint: [" + strings.Join(rest, ", ") + "]"
}

// volatile reports whether a field by its name changes from sending to sending.
// In a body and in a path an id of a request may well be a business's own.
func volatile(f *contract.Field) bool {
	name := lastName(f)
	if strings.HasSuffix(name, "timestamp") || slices.Contains(volatileNames(), name) {
		return true
	}
	transport := f.Source == contract.Header || f.Source == contract.Query
	return transport && slices.Contains(volatileParameters(), strings.TrimPrefix(name, "x"))
}

// volatileNames are folded names of values that clients make anew each time.
func volatileNames() []string {
	return []string{
		"now", "currenttime", "requesttime", "requestedat", "requestdate", "sentat", "sendtime", "clienttime",
		"traceid", "spanid", "traceparent", "tracestate", "correlationid", "retrycount", "retryattempt",
	}
}

// volatileParameters are further ones that only headers and queries have.
func volatileParameters() []string {
	return []string{
		"nonce", "requestid", "amzntraceid", "cloudtracecontext", "b3", "b3traceid", "b3spanid", "forwardedfor", "realip",
		"date", "ts", "time", "attempt", "requeststart", "useragent", "cachecontrol",
	}
}

// credential reports whether a field proves who is calling. Body fields count
// only where the contract names them itself: a password can be what a request
// is about.
func (c *checker) credential(f *contract.Field, listed bool) bool {
	name := lastName(f)
	switch f.Source {
	case contract.Header, contract.Query:
		for _, key := range c.document.APIKeys() {
			if key.In == f.Source.String() && strings.EqualFold(key.Name, f.Tokens[0]) {
				return true
			}
		}
		return slices.Contains(credentialParameters(), strings.TrimPrefix(name, "x"))
	case contract.Body:
		return listed && (f.Format == "password" || slices.Contains(secretNames(), name) && name != "token")
	}
	return false
}

func credentialParameters() []string {
	return []string{
		"authorization", "proxyauthorization", "cookie", "apikey", "apitoken", "accesstoken", "authtoken", "sessiontoken",
		"sessionid", "csrftoken", "signature", "amzsecuritytoken", "auth",
	}
}
