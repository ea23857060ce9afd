package gomodel

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/generator/internal/contract"
)

// terms returns the fields of the runtime's Contract. All are written, defaults
// too, so that the generated file shows the whole contract; but Replay only where
// the operation has a method that goes with it.
func terms(c *contract.Contract) []Term {
	list := []Term{
		{"API", quote(c.API)},
		{"Operation", quote(c.Operation)},
		{"OptionalKey", strconv.FormatBool(!c.Required)},
		{"KeyFormat", quote(c.KeyFormat)},
		{"Scope", scopeNames(c)},
		{"InFlight", policy(c.InFlight, "wait", "idem.Wait", "reject", "idem.Reject", "run", "idem.RunAlso")},
		{"TTL", duration(c.TTL)},
		{"WaitTimeout", duration(c.WaitTimeout)},
		{"Lease", duration(c.Lease)},
		{"MaxRun", duration(c.MaxRun)},
		{"Remember", statusRanges(c.Remember)},
		{"OnStoreError", policy(c.OnStoreError, "run", "idem.RunUnprotected", "reject", "idem.RefuseRequest")},
		{"OnCrash", policy(c.OnCrash, "rerun", "idem.Rerun", "hold", "idem.Hold")},
		{"OnDisconnect", policy(c.OnDisconnect, "finish", "idem.Finish", "cancel", "idem.Cancel")},
		{"MaxResponseBytes", strconv.FormatInt(c.MaxResponseBytes, 10)},
	}
	if c.Replay == "reload" {
		list = append(list, Term{"Replay", "idem.Reload"})
	}
	return list
}

// policy returns the constant for a word, from pairs of word and constant. The
// words have been checked when the contract was read.
func policy(word string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] == word {
			return pairs[i+1]
		}
	}
	return quote(word)
}

func scopeNames(c *contract.Contract) string {
	var names []string
	if c.Principal {
		names = append(names, "idem.ScopePrincipal")
	}
	for _, f := range c.Scope {
		names = append(names, quote(f.Expression))
	}
	if names == nil {
		return "nil" // shared by all callers
	}
	return "[]string{" + strings.Join(names, ", ") + "}"
}

// statusRanges writes an empty list as such: nil would stand for 2XX.
func statusRanges(ranges []contract.StatusRange) string {
	list := make([]string, len(ranges))
	for i, r := range ranges {
		list[i] = fmt.Sprintf("{From: %d, To: %d}", r.From, r.To)
	}
	return "[]idem.StatusRange{" + strings.Join(list, ", ") + "}"
}

// duration writes a duration in its largest whole unit, as people would.
func duration(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == 0:
		return "0"
	case d%day == 0 && d > day:
		return fmt.Sprintf("%d * 24 * time.Hour", d/day)
	case d%time.Hour == 0:
		return fmt.Sprintf("%d * time.Hour", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%d * time.Minute", d/time.Minute)
	case d%time.Second == 0:
		return fmt.Sprintf("%d * time.Second", d/time.Second)
	case d%time.Millisecond == 0:
		return fmt.Sprintf("%d * time.Millisecond", d/time.Millisecond)
	}
	return fmt.Sprintf("%d * time.Nanosecond", d)
}
