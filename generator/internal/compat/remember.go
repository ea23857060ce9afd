package compat

import "github.com/idemgen/idemgen/generator/internal/contract"

// remember compares which answers are kept.
func (p *pair) remember() {
	before, after := statusesOf(p.old), statusesOf(p.now)
	var gone, answers, refusals, failures statuses
	for status := range before {
		switch {
		case before[status] == after[status]:
		case before[status]:
			gone[status] = true
		case passing(status):
			failures[status] = true
		case status >= 400:
			refusals[status] = true
		default:
			answers[status] = true
		}
	}
	for _, change := range []struct {
		kind string
		set  *statuses
		text string
	}{
		{answerForgotten, &gone, "answers %s are no longer kept"},
		{failureKept, &failures, "answers %s are kept now, of which clients expect that they pass"},
		{refusalKept, &refusals, "answers %s are kept now"},
		{answerKept, &answers, "answers %s are kept now"},
	} {
		if text := change.set.String(); text != "" {
			p.change(change.kind, "remember", change.text, text)
		}
	}
}

// passing reports whether clients expect another answer from the same request
// later on: after too many requests, a conflict, a time-out, a fault.
func passing(status int) bool {
	switch status {
	case 408, 409, 423, 425, 429:
		return true
	}
	return status >= 500
}

// statuses is a set of them.
type statuses [600]bool

func statusesOf(c *contract.Contract) *statuses {
	var s statuses
	for _, r := range c.Remember {
		for status := max(r.From, 0); status <= min(r.To, len(s)-1); status++ {
			s[status] = true
		}
	}
	return &s
}

// String lists the set as a document would.
func (s *statuses) String() string {
	var ranges []contract.StatusRange
	for status, in := range s {
		switch {
		case !in:
		case status > 0 && s[status-1]:
			ranges[len(ranges)-1].To = status
		default:
			ranges = append(ranges, contract.StatusRange{From: status, To: status})
		}
	}
	return contract.ShowStatuses(ranges)
}
