package contract

import (
	"strconv"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// defaultMaxResponseBytes is 1 MiB.
const defaultMaxResponseBytes = 1 << 20

// readPolicy reads the fields that choose between a few words.
func (r *reader) readPolicy(s *settings, e spec.Entry) bool {
	switch e.Name {
	case "inFlight":
		s.inFlight = give(e, r.choice(e.Name, "wait", "reject", "run"))
	case "onStoreError":
		s.onStoreError = give(e, r.choice(e.Name, "run", "reject"))
	case "onCrash":
		s.onCrash = give(e, r.choice(e.Name, "rerun", "hold"))
	case "onDisconnect":
		s.onDisconnect = give(e, r.choice(e.Name, "finish", "cancel"))
	case "replay":
		s.replay = give(e, r.choice(e.Name, "stored", "reload"))
	default:
		return false
	}
	return true
}

// readBytes reads maxResponseBytes.
func (r *reader) readBytes(v spec.Value) (int64, bool) {
	n, err := strconv.ParseInt(v.Text, 0, 64)
	if v.Kind != spec.Number || err != nil {
		r.wants(v, "maxResponseBytes", "a whole number of bytes", "write the number alone, such as 1048576 for one MiB")
		return 0, false
	}
	if n < 1 {
		r.report(RuleOutOfRange, v.Range, "maxResponseBytes must be at least 1, not "+v.Text,
			"write how many bytes of an answer's body are kept, such as 1048576")
		return 0, false
	}
	return n, true
}

// policies fills in the words.
func (b *builder) policies(s settings) {
	c := &b.contract
	c.InFlight = s.inFlight.or("wait")
	c.OnStoreError = s.onStoreError.or("run")
	c.OnCrash = s.onCrash.or("rerun")
	c.OnDisconnect = s.onDisconnect.or("finish")
	c.Replay = s.replay.or("stored")
	c.MaxResponseBytes = s.maxResponseBytes.or(defaultMaxResponseBytes)
}
