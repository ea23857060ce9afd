package memstore

import (
	"context"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// Claim implements [idem.Store].
func (s *Store) Claim(ctx context.Context, key idem.StoreKey, record *idem.Record) (idem.Reply, error) {
	return s.claim(ctx, key, nil, record)
}

// Takeover implements [idem.Store]. Without a record seen it is Claim.
func (s *Store) Takeover(ctx context.Context, key idem.StoreKey, seen, record *idem.Record) (idem.Reply, error) {
	return s.claim(ctx, key, seen, record)
}

// claim is Takeover, and Claim where seen is nil.
func (s *Store) claim(ctx context.Context, key idem.StoreKey, seen, record *idem.Record) (idem.Reply, error) {
	reply, err := s.tryClaim(ctx, key, seen, record)
	if err == idem.ErrFull && s.makeRoom() {
		return s.tryClaim(ctx, key, seen, record)
	}
	return reply, err
}

func (s *Store) tryClaim(ctx context.Context, key idem.StoreKey, seen, record *idem.Record) (idem.Reply, error) {
	sh, now, e, err := s.begin(ctx, key)
	if err != nil {
		return idem.Reply{}, err
	}
	defer sh.mu.Unlock()
	switch {
	case e == nil && seen != nil:
		return idem.Reply{}, nil
	case e == nil:
		if !s.reserve() {
			return idem.Reply{}, idem.ErrFull
		}
		s.add(sh, now, key, record)
	case seen != nil && e.record.Token == seen.Token && e.record.Claimable(e.leaseLeft(now)):
		s.put(sh, now, key, e, record)
	case e.record.State != record.State || e.record.Token != record.Token:
		return refused(e, now), nil
	}
	return accepted(), nil
}

// Renew implements [idem.Store].
func (s *Store) Renew(ctx context.Context, key idem.StoreKey, record *idem.Record) (idem.Reply, error) {
	sh, now, e, err := s.begin(ctx, key)
	if err != nil {
		return idem.Reply{}, err
	}
	defer sh.mu.Unlock()
	if e != nil && (e.record.State != idem.Pending || e.record.Token != record.Token) {
		return refused(e, now), nil
	}
	s.put(sh, now, key, e, record)
	return accepted(), nil
}

// Complete implements [idem.Store].
func (s *Store) Complete(ctx context.Context, key idem.StoreKey, record *idem.Record) (idem.Reply, error) {
	sh, now, e, err := s.begin(ctx, key)
	if err != nil {
		return idem.Reply{}, err
	}
	defer sh.mu.Unlock()
	if e != nil && e.record.State != idem.Released {
		if e.record.Token != record.Token {
			return refused(e, now), nil
		}
		if e.record.State == idem.Done {
			return accepted(), nil
		}
	}
	s.put(sh, now, key, e, record)
	sh.changed(key)
	return accepted(), nil
}

// Release implements [idem.Store].
func (s *Store) Release(ctx context.Context, key idem.StoreKey, record *idem.Record, trace bool) (idem.Reply, error) {
	sh, now, e, err := s.begin(ctx, key)
	if err != nil {
		return idem.Reply{}, err
	}
	defer sh.mu.Unlock()
	switch {
	case e == nil && !trace, e != nil && e.record.State == idem.Released:
		return accepted(), nil
	case e != nil && (e.record.State == idem.Done || e.record.Token != record.Token):
		return refused(e, now), nil
	case trace:
		s.put(sh, now, key, e, record)
	default:
		s.remove(sh, e)
	}
	sh.changed(key)
	return accepted(), nil
}

// Load implements [idem.Store].
func (s *Store) Load(ctx context.Context, key idem.StoreKey) (idem.Reply, error) {
	sh, now, e, err := s.begin(ctx, key)
	if err != nil {
		return idem.Reply{}, err
	}
	defer sh.mu.Unlock()
	if e == nil {
		return idem.Reply{}, nil
	}
	return refused(e, now), nil
}

func accepted() idem.Reply { return idem.Reply{Accepted: true} }

// refused is the reply to a step that is not, and e the reason.
func refused(e *entry, now time.Duration) idem.Reply {
	return idem.Reply{Record: e.record, LeaseLeft: e.leaseLeft(now)}
}
