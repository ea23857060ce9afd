package contract

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// Statuses that an answer can have.
const firstStatus, lastStatus = 100, 599

// readRemember reads the list of statuses.
func (r *reader) readRemember(v spec.Value) ([]spec.Value, bool) {
	const example = "write a list of statuses, such as [201, 4XX, default]"
	switch {
	case v.Kind == spec.Number || v.Kind == spec.String:
		r.wants(v, "remember", "a list", fmt.Sprintf("write [%s]", v.Text))
		return nil, false
	case v.Kind != spec.List:
		r.wants(v, "remember", "a list of statuses", example)
		return nil, false
	case len(v.Items) == 0:
		r.report(RuleBadValue, v.Range, "remember is empty: no answer would be kept, and every retry would run again", example)
		return nil, false
	}
	good := true
	for _, item := range v.Items {
		if _, ok := statusRange(item.Text); item.Kind == spec.Number && ok || item.Kind == spec.String && (ok || item.Text == "default") {
			continue
		}
		good = false
		hint := "write a status from 100 to 599, a range from 1XX to 5XX, or default"
		if _, ok := statusRange(strings.ToUpper(item.Text)); ok {
			hint = "write " + strings.ToUpper(item.Text)
		}
		r.report(RuleBadValue, item.Range, fmt.Sprintf("remember: %s is no status", describe(item)), hint)
	}
	return v.Items, good
}

// statusRange reads OpenAPI's form of one status or of a hundred.
func statusRange(text string) (StatusRange, bool) {
	if len(text) != 3 || text[0] < '1' || text[0] > '5' {
		return StatusRange{}, false
	}
	if text[1:] == "XX" {
		from := int(text[0]-'0') * 100
		return StatusRange{from, from + 99}, true
	}
	n, err := strconv.Atoi(text)
	return StatusRange{n, n}, err == nil && n >= firstStatus
}

// statuses is a set of them.
type statuses [lastStatus + 1]bool

func (s *statuses) set(r StatusRange, value bool) {
	for i := r.From; i <= r.To; i++ {
		s[i] = value
	}
}

// ranges lists the set in order.
func (s *statuses) ranges() []StatusRange {
	var list []StatusRange
	for status := firstStatus; status <= lastStatus; status++ {
		switch {
		case !s[status]:
		case status > firstStatus && s[status-1]:
			list[len(list)-1].To = status
		default:
			list = append(list, StatusRange{status, status})
		}
	}
	return list
}

// remember fills in which answers are kept.
func (b *builder) remember(s settings, responses []spec.Response) {
	if !s.remember.ok {
		b.contract.Remember = []StatusRange{{200, 299}}
		return
	}
	var kept statuses
	for _, item := range s.remember.value {
		if item.Text == "default" {
			kept = defaultStatuses(responses)
		}
	}
	for _, item := range s.remember.value {
		if r, ok := statusRange(item.Text); ok {
			kept.set(r, true)
		}
	}
	b.contract.Remember = kept.ranges()
	if len(b.contract.Remember) == 0 {
		b.report(RuleBadValue, s.remember.at, "remember keeps no answer: "+b.name+" lists every status, so default stands for none",
			"write the statuses whose answers are to be kept")
	}
}

// defaultStatuses are those that an operation does not list.
func defaultStatuses(responses []spec.Response) statuses {
	var set statuses
	set.set(StatusRange{firstStatus, lastStatus}, true)
	for _, response := range responses {
		if r, ok := statusRange(strings.ToUpper(response.Status)); ok {
			set.set(r, false)
		}
	}
	return set
}
