package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/idemgen/idemgen/generator/internal/contract"
)

// docsFacts describes a contract to whoever calls the operation.
func docsFacts(c *contract.Contract) []docsFact {
	facts := []docsFact{keyFact(c), ownerFact(c), comparedFact(c)}
	facts = append(facts,
		docsFact{Name: "Remembered for", Text: words(c.TTL) + " after the answer. Then the key is forgotten, and the request would run again."},
		docsFact{Name: "Sent again while running", Text: inFlightText(c)},
		docsFact{Name: "If the server dies midway", Text: crashText(c)},
	)
	return append(facts, docsFact{Name: "If you hang up", Text: hangUpText(c)}, docsFact{Name: "If keys cannot be stored", Text: storeText(c)})
}

func keyFact(c *contract.Contract) docsFact {
	fact := docsFact{Name: "Key", Text: "The " + whereIs(c.Key), Fields: []docsField{newDocsField(c.Key)}}
	fact.After = "is required."
	if !c.Required {
		fact.After = "is optional. Without it the request is not protected."
	}
	switch c.KeyFormat {
	case "any":
	case "uuid":
		fact.After += " It is a UUID."
	default:
		fact.After += " It matches " + c.KeyFormat + "."
	}
	return fact
}

func ownerFact(c *contract.Contract) docsFact {
	fact := docsFact{Name: "Belongs to"}
	for _, f := range c.Scope {
		fact.Fields = append(fact.Fields, newDocsField(f))
	}
	switch {
	case c.Principal && len(c.Scope) > 0:
		fact.Text = "You, the authenticated caller, and the value of"
		fact.After = "in the request. The same key under another value is another key."
	case c.Principal:
		fact.Text = "You, the authenticated caller. Keys of other callers never meet yours."
	case len(c.Scope) > 0:
		fact.Text = "The value of"
		fact.After = "in the request. The same key under another value is another key."
	default:
		fact.Text = "Everybody: all callers share their keys. Use random ones."
	}
	return fact
}

func comparedFact(c *contract.Contract) docsFact {
	fact := docsFact{Name: "Must stay the same"}
	if len(c.Fingerprint) == 0 {
		fact.Text = "Nothing is compared: the request has no fields besides the key."
		return fact
	}
	for _, f := range c.Fingerprint {
		fact.Fields = append(fact.Fields, newDocsField(f))
	}
	fact.After = "under one key. A request that differs there is refused."
	return fact
}

func inFlightText(c *contract.Contract) string {
	switch c.InFlight {
	case "wait":
		return fmt.Sprintf("The second request waits for the first one's answer, up to %s, and gets it.", words(c.WaitTimeout))
	case "reject":
		return "The second request is refused at once with 409 and Retry-After."
	}
	return "The second request runs as well, so the effect can happen twice. The answer that is kept first is given to both."
}

func crashText(c *contract.Contract) string {
	if c.OnCrash == "hold" {
		return "Nobody knows whether the effect happened. The key answers 409 (outcome-unknown) until somebody has looked."
	}
	return fmt.Sprintf("The key is free again after %s, and a retry runs anew: the effect may then happen a second time.", words(c.Lease))
}

func hangUpText(c *contract.Contract) string {
	if c.OnDisconnect == "cancel" {
		return "The request is cancelled. Send it again to be sure of the outcome."
	}
	return "The request runs to its end, and its answer waits for your retry."
}

func storeText(c *contract.Contract) string {
	if c.OnStoreError == "reject" {
		return "The request is refused with 503 and not run."
	}
	return "The request runs without protection. Its answer says Idempotent-Unprotected: true, and a retry may take effect again."
}

// whereIs names the part of a request that a field is in.
func whereIs(f contract.Field) string {
	switch f.Source {
	case contract.Path:
		return "path parameter"
	case contract.Query:
		return "query parameter"
	case contract.Header:
		return "header"
	}
	return "body field"
}

func newDocsField(f contract.Field) docsField {
	inWords := f.Source == contract.MediaType || f.Source == contract.Body && len(f.Tokens) == 0
	return docsField{fieldName(f), inWords}
}

// fieldName is how a request spells a field.
func fieldName(f contract.Field) string {
	switch {
	case f.Source == contract.MediaType:
		return "the body's media type"
	case f.Source == contract.Body && len(f.Tokens) == 0:
		return "the whole body"
	case f.Source == contract.Body:
		return strings.Join(f.Tokens, ".")
	}
	return f.Tokens[0] // a parameter has its name alone
}

// words writes a duration as a sentence does: 24 hours.
func words(d time.Duration) string {
	const day = 24 * time.Hour
	var parts []string
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}, {time.Millisecond, "millisecond"}} {
		if unit.size == day && d < 2*day {
			continue // 24 hours, not 1 day
		}
		if n := d / unit.size; n > 0 {
			parts = append(parts, plural(int(n), unit.name))
			d -= n * unit.size
		}
	}
	return strings.Join(parts, " ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// listed joins words: a, b and c.
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
