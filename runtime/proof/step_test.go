package proof

import (
	"fmt"
	"math"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// An op is a method of [idem.Store].
type op string

const (
	claim    op = "claim"
	takeover op = "takeover"
	renew    op = "renew"
	complete op = "complete"
	release  op = "release"
	load     op = "load"
)

// never is the time of what has not happened by the end of a history.
const never = math.MaxInt64

// A step is one call of a store, or one sending of it, as its client saw it.
type step struct {
	op     op
	client int
	key    int
	record *idem.Record // what the step brings, nil for load
	seen   idem.Token   // of takeover
	trace  bool         // of release

	// called and returned order the steps of a history: they count events.
	// from and to are the same moments by the clock, in nanoseconds.
	called, returned int64
	from, to         int64

	sendings []*sending // guarded by the history's mutex

	// unknown: the call failed, or its reply was not seen. It may take effect
	// at any time after it was called, or never.
	unknown bool
	reply   idem.Reply
	// exactLeft: the reply's LeaseLeft is of the same moment as its record.
	exactLeft bool
}

func (s *step) String() string {
	text := fmt.Sprintf("%4d–%-4s %8.1f–%-8s client %d %-8s", s.called, orNever(s.returned, 1, "%.0f"),
		float64(s.from)/1e6, orNever(s.to, 1e6, "%.1f"), s.client, s.op)
	if s.record != nil {
		text += " " + describe(s.record)
	}
	if s.op == takeover {
		text += fmt.Sprintf(" from %x", s.seen[:3])
	}
	if s.op == release && s.trace {
		text += " with a trace"
	}
	switch {
	case s.unknown:
		return text + " → unknown"
	case s.reply.Accepted:
		return text + " → accepted"
	}
	return fmt.Sprintf("%s → has %s, lease left %v", text, describe(s.reply.Record), s.reply.LeaseLeft.Round(time.Microsecond))
}

func orNever(v int64, unit float64, format string) string {
	if v == never {
		return "?"
	}
	return fmt.Sprintf(format, float64(v)/unit)
}

func describe(r *idem.Record) string {
	if r == nil {
		return "nothing"
	}
	return fmt.Sprintf("%c %x attempt %d %s", r.State, r.Token[:3], r.Attempt, body(r))
}

// body is the answer's body of a done record.
func body(r *idem.Record) string {
	if r.Answer == nil {
		return ""
	}
	return string(r.Answer.Body)
}
