//go:build unix

package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A row is what one fault did, a row of the summary.
type row struct {
	fault                   string
	may                     string // which counts may exceed, and why
	requests, keys, effects int

	// doubles are effects of a key beyond its first among attempts that
	// lived; excused are the others, by excuse.
	doubles int
	excused map[string]int

	// answers are keys with two distinct answers; excusedAnswers those where
	// all answers but one are excused.
	answers        int
	excusedAnswers int

	stuck int // keys not answered at once after the fault and one lease
	took  time.Duration
	note  string
	bad   bool // the test has failed
}

// Excuses, as the summary names them.
const (
	wasKilled      = "killed"
	wasAway        = "stopped or cut off"
	lostLease      = "lease lost"
	lostWrites     = "writes lost"
	ranUnprotected = "unprotected"
)

// A judge knows which attempts did not live and may have company.
type judge struct {
	lease    time.Duration
	troubles map[string]*trouble // by worker
	// lost are times whose acknowledged writes the store may have lost.
	lost []span
	// excuses are those that the fault allows.
	excuses []string
}

// slack is how long before its first line in the ledger an attempt may have
// begun: the claim and the way to the ledger.
const slack = 500 * time.Millisecond

// excuse says why a key may have had a second effect after its first, "" where
// that is a breach of the promise.
func (j *judge) excuse(first, second *attempt) string {
	return j.allowed(map[string]bool{
		wasKilled:      j.killed(first),
		wasAway:        j.away(first) || j.away(second),
		lostLease:      first.Lost || second.Lost,
		lostWrites:     j.writesLost(first, second),
		ranUnprotected: first.Unprotected || second.Unprotected,
	})
}

// excuseAnswer says why an attempt's answer may differ from what its key has
// kept, "" where that is a breach. A worker that was stopped or killed has no
// such excuse: it answers with what is stored, or not at all.
func (j *judge) excuseAnswer(a *attempt) string {
	return j.allowed(map[string]bool{
		wasAway:        a.Unrecorded && j.away(a),
		lostLease:      a.Unrecorded && a.Lost,
		lostWrites:     j.writesLost(a, a),
		ranUnprotected: a.Unprotected,
	})
}

// allowed returns the first excuse that holds and that the fault allows.
func (j *judge) allowed(holds map[string]bool) string {
	for _, excuse := range j.excuses {
		if holds[excuse] {
			return excuse
		}
	}
	return ""
}

// killed reports whether the attempt's process was killed before it had settled
// the key.
func (j *judge) killed(a *attempt) bool {
	t := j.troubles[a.Worker]
	return t != nil && !t.killed.IsZero() && (a.Ended.IsZero() || a.Ended.After(t.killed))
}

// away reports whether the attempt's process was stopped, or cut off from the
// store, long enough to miss its lease. The last renewal before may be a third
// of the lease old, and its sending may have been cut short.
func (j *judge) away(a *attempt) bool {
	t := j.troubles[a.Worker]
	if t == nil {
		return false
	}
	for _, s := range t.away {
		long := s.to.IsZero() || s.to.Sub(s.from) >= j.lease/2
		if long && a.during(s) {
			return true
		}
	}
	return false
}

func (j *judge) writesLost(first, second *attempt) bool {
	for _, s := range j.lost {
		if first.during(s) && second.Began.After(s.from) {
			return true
		}
	}
	return false
}

// during reports whether the attempt and the span overlap.
func (a *attempt) during(s span) bool {
	begunInTime := s.to.IsZero() || a.Entered.Add(-slack).Before(s.to)
	return begunInTime && (a.Ended.IsZero() || a.Ended.After(s.from))
}

// tally counts a row. It returns what is wrong, in words.
func (r *row) tally(j *judge, effects map[string][]attempt, books *books) (wrong []string) {
	r.keys = books.size()
	r.excused = map[string]int{}
	for key, attempts := range effects {
		r.effects += len(attempts)
		if breach := r.tallyEffects(j, attempts); breach {
			wrong = append(wrong, "double effect of living attempts: "+j.story(key, attempts))
		}
		breach, err := r.tallyAnswers(j, key, attempts, books)
		if err != nil {
			wrong = append(wrong, err.Error())
		}
		if breach {
			wrong = append(wrong, "two distinct answers: "+j.story(key, attempts))
		}
	}
	return wrong
}

// tallyEffects counts the effects of one key beyond the first.
func (r *row) tallyEffects(j *judge, attempts []attempt) (breach bool) {
	for i := 1; i < len(attempts); i++ {
		why := ""
		for first := range i {
			if why = j.excuse(&attempts[first], &attempts[i]); why == "" {
				break
			}
		}
		if why == "" {
			r.doubles++
			breach = true
			continue
		}
		r.excused[why]++
	}
	return breach
}

// tallyAnswers counts a key whose clients got two distinct answers.
func (r *row) tallyAnswers(j *judge, key string, attempts []attempt, books *books) (breach bool, err error) {
	ids, err := books.effectsAnswered(key)
	if err != nil || len(ids) < 2 {
		return false, err
	}
	excused := 0
	for _, id := range ids {
		at := slices.IndexFunc(attempts, func(a attempt) bool { return a.ID == id })
		if at < 0 {
			return true, fmt.Errorf("%s: an answer of no effect: %s", key, id)
		}
		if j.excuseAnswer(&attempts[at]) != "" {
			excused++
		}
	}
	if excused >= len(ids)-1 {
		r.excusedAnswers++
		return false, nil
	}
	r.answers++
	return true, nil
}

// story tells what happened to a key.
func (j *judge) story(key string, attempts []attempt) string {
	var b strings.Builder
	b.WriteString(key)
	start := attempts[0].Began
	at := func(t time.Time) string {
		if t.IsZero() {
			return "-"
		}
		return t.Sub(start).Round(time.Millisecond).String()
	}
	for _, a := range attempts {
		fmt.Fprintf(&b, "\n  %s of %s, number %d: entered %s, effect %s, ended %s, lost=%t unrecorded=%t unprotected=%t failed=%t",
			a.ID[:min(len(a.ID), 6)], a.Worker, a.Number, at(a.Entered), at(a.Began), at(a.Ended), a.Lost, a.Unrecorded, a.Unprotected, a.Failed)
		if t := j.troubles[a.Worker]; t != nil {
			fmt.Fprintf(&b, ", killed %s", at(t.killed))
			for _, s := range t.away {
				fmt.Fprintf(&b, ", away %s to %s", at(s.from), at(s.to))
			}
		}
	}
	for _, s := range j.lost {
		fmt.Fprintf(&b, "\n  writes of %s to %s may be lost", at(s.from), at(s.to))
	}
	return b.String()
}

// excusedTotal is how many effects are excused.
func (r *row) excusedTotal() (n int) {
	for _, count := range r.excused {
		n += count
	}
	return n
}

// whys lists the excuses with their counts.
func (r *row) whys() string {
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(r.excused)) {
		parts = append(parts, fmt.Sprintf("%s %d", why, r.excused[why]))
	}
	return strings.Join(parts, ", ")
}
