package runtime

import "time"

// A verdict is what a record means for one request.
type verdict struct {
	kind    verdictKind
	record  *Record
	left    time.Duration // of the lease, where kind is inFlight
	attempt *attempt      // where kind is owned
	err     error         // where kind is unreadable or abandoned
}

type verdictKind int

const (
	vacant      verdictKind = iota // nothing, or a record that may be taken over
	inFlight                       // another attempt holds the key
	answered                       // settled with an answer to replay
	notRetained                    // settled without one
	held                           // outcome unknown
	mismatched                     // the key belongs to a different request
	unreadable                     // the record cannot be read
	owned                          // the key has become this request's, while it waited
	abandoned                      // the request's own context ended while it waited
)

// judge says what a store's reply means for this request. A mismatch comes
// first, whatever the state.
func (r *request) judge(reply Reply) verdict {
	record := reply.Record
	v := verdict{record: record, left: reply.LeaseLeft}
	if record == nil {
		return v // vacant
	}
	switch {
	case !r.fingerprint.matches(&record.Fingerprint):
		v.kind = mismatched
	case record.State == Done && record.NotRetained:
		v.kind = notRetained
	case record.State == Done:
		v.kind = answered
	case record.State == Held:
		v.kind = held
	case record.Claimable(reply.LeaseLeft) && (record.State == Released || !r.holds()):
		v.kind = vacant
	case reply.LeaseLeft > 0:
		v.kind = inFlight
	default:
		v.kind = held
	}
	return v
}

// holds reports whether the contract holds keys whose outcome is unknown.
// The record's own say is in Record.Hold; either of them is enough.
func (r *request) holds() bool { return r.op.contract.OnCrash == Hold }
