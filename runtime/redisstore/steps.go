package redisstore

import (
	"context"
	"fmt"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// Claim implements [idem.Store]. It is one command, and a second one to learn
// what is left of another's lease.
func (s *Store) Claim(ctx context.Context, key idem.StoreKey, record *idem.Record) (idem.Reply, error) {
	c := s.newCall(ctx, key)
	if record.State != idem.Pending {
		return c.claim(record, pass{}) // an answer, whose effect has happened
	}
	p, err := s.breakers.enter(c.name)
	if err != nil {
		return c.refusedClaim(record, err, p)
	}
	return c.claim(record, p)
}

func (c *call) claim(record *idem.Record, p pass) (idem.Reply, error) {
	c.awaited = c.store.wait.replicas > 0
	c.carry(record)
	value, err := c.text("set", &c.name, &c.value, "nx", "get", "px", &c.life)
	c.wrote(p, err)
	switch {
	case err != nil:
		return c.refusedClaim(record, err, p)
	case value == nil:
		return c.await(record, idem.Reply{Accepted: true})
	}
	reply, err := c.decode(value)
	if err != nil {
		return idem.Reply{}, err
	}
	reply.Accepted = sameStep(reply.Record, record)
	if reply.Accepted {
		return c.await(record, reply)
	}
	if reply.Record.State != idem.Pending {
		return reply, nil
	}
	if reply.LeaseLeft, err = c.leaseLeft(reply.Record); err != nil {
		// The claim is refused, whatever else fails. Without an answer
		// the lease must be taken to last.
		reply.LeaseLeft = reply.Record.Lease
	}
	return reply, nil
}

// Takeover implements [idem.Store]. Without a record seen it is Claim.
func (s *Store) Takeover(ctx context.Context, key idem.StoreKey, seen, record *idem.Record) (idem.Reply, error) {
	if seen == nil {
		return s.Claim(ctx, key, record)
	}
	c := s.newCall(ctx, key)
	c.awaited = s.wait.replicas > 0
	reply, err := c.step(&s.scripts.takeover, record, seen.Token[:])
	if err != nil {
		return c.refusedClaim(record, err, pass{})
	}
	return c.await(record, reply)
}

// Renew implements [idem.Store].
func (s *Store) Renew(ctx context.Context, key idem.StoreKey, record *idem.Record) (idem.Reply, error) {
	return s.newCall(ctx, key).step(&s.scripts.renew, record)
}

// Complete implements [idem.Store].
func (s *Store) Complete(ctx context.Context, key idem.StoreKey, record *idem.Record) (idem.Reply, error) {
	c := s.newCall(ctx, key)
	c.awaited = s.wait.replicas > 0
	reply, err := c.step(&s.scripts.complete, record)
	if err != nil {
		return idem.Reply{}, err
	}
	return c.await(record, reply)
}

// Release implements [idem.Store].
func (s *Store) Release(ctx context.Context, key idem.StoreKey, record *idem.Record, trace bool) (idem.Reply, error) {
	leave := 0
	if trace {
		leave = 1
	}
	return s.newCall(ctx, key).step(&s.scripts.release, record, leave)
}

// Load implements [idem.Store].
func (s *Store) Load(ctx context.Context, key idem.StoreKey) (idem.Reply, error) {
	c := s.newCall(ctx, key)
	p, err := s.breakers.enter(c.name)
	if err != nil && !stillReads(err) {
		return idem.Reply{}, err
	}
	value, err := c.text("get", &c.name)
	c.read(p, err)
	if err != nil || value == nil {
		return idem.Reply{}, err
	}
	reply, err := c.decode(value)
	if err != nil || reply.Record.State != idem.Pending {
		return reply, err
	}
	reply.LeaseLeft, err = c.leaseLeft(reply.Record)
	return reply, err
}

// refusedClaim is the answer to a claim that a server refused, or is known to
// refuse, although it can still be read from. A done record never changes, so
// even an old copy of one is right. Nothing else that is read there can be
// relied on.
func (c *call) refusedClaim(record *idem.Record, refusal error, p pass) (idem.Reply, error) {
	if !stillReads(refusal) {
		return idem.Reply{}, refusal
	}
	c.awaited = false
	value, err := c.text("get", &c.name)
	c.read(p, err)
	if err != nil || value == nil {
		return idem.Reply{}, refusal
	}
	reply, err := c.decode(value)
	if err != nil || reply.Record.State != idem.Done {
		return idem.Reply{}, refusal
	}
	reply.Accepted = sameStep(reply.Record, record)
	return reply, nil
}

// wrote and read have the breaker of the server count a result, where there is
// a pass and something was sent.
func (c *call) wrote(p pass, err error) {
	if c.sent && p.name != "" {
		c.store.breakers.wrote(p, err)
	}
}

func (c *call) read(p pass, err error) {
	if c.sent && p.name != "" {
		c.store.breakers.read(p, err)
	}
}

// step runs a script that takes a record and its life. Its reply is 1 for
// accepted, 0 for nothing in place, else the value in place and its PTTL.
func (c *call) step(s *script, record *idem.Record, args ...any) (idem.Reply, error) {
	c.carry(record)
	answer, err := c.run(s, args...)
	if err != nil {
		return idem.Reply{}, err
	}
	switch answer := answer.(type) {
	case int64:
		return idem.Reply{Accepted: answer == 1}, nil
	case []any:
		if len(answer) != 2 {
			break
		}
		value, isText := answer[0].(string)
		left, isNumber := answer[1].(int64)
		if !isText || !isNumber {
			break
		}
		reply, err := c.decode([]byte(value))
		if err == nil && reply.Record.State == idem.Pending {
			reply.LeaseLeft = leaseLeft(left, reply.Record)
		}
		return reply, err
	}
	return idem.Reply{}, fmt.Errorf("redisstore: unexpected reply of a script: %T", answer)
}

// leaseLeft asks what is left of the lease of a pending record. If another
// record has taken its place meanwhile the answer is too short, which does no
// harm: a takeover then finds that the record it has seen is gone.
func (c *call) leaseLeft(record *idem.Record) (time.Duration, error) {
	c.awaited = false
	cmd := newReplyCommand(c.ctx, "pttl", &c.name)
	if err := c.send(cmd); err != nil {
		return 0, err
	}
	left, err := cmd.Int64()
	return leaseLeft(left, record), err
}

// leaseLeft is what is left of a lease, given the PTTL of its record: the record
// outlives the lease by its ttl. Where somebody has taken the time to live from
// the record, nothing says when the lease ends.
func leaseLeft(pttl int64, record *idem.Record) time.Duration {
	switch {
	case pttl == -1: // no time to live
		return record.Lease
	case pttl < 0: // no key
		return 0
	}
	return time.Duration(pttl)*time.Millisecond - record.TTL
}

// sameStep reports whether what a key has is what an earlier sending of the
// same claim wrote.
func sameStep(has, wrote *idem.Record) bool {
	return has.State == wrote.State && has.Token == wrote.Token
}

func (c *call) decode(value []byte) (idem.Reply, error) {
	record, err := c.store.codec.Decode(value)
	return idem.Reply{Record: record}, err
}

// life is the time to live of a record in milliseconds, at least one, as Redis
// wants it.
func life(record *idem.Record) int64 {
	return max(1, record.Life().Milliseconds())
}
