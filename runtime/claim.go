package runtime

// A claim is a request that asks the store for its key, as others of this process
// with the same key see it: they wait for the reply, which serves them too,
// instead of asking as well. So a key whose first retry comes a thousandfold at
// once costs the store no more than one.
//
// Only contracts under which a request waits share a claim. It ends with the
// store's reply at the latest, so nobody waits for longer than for a claim of
// their own.
type claim struct {
	r    *request      // that asks; set with asking
	done chan struct{} // made by the first who waits, under the shard's mutex; closed when it has ended

	// What the store said, set before done is closed.
	said

	asking bool // it has not ended; of the request's own goroutine
}

// ask has r ask the store for its key, unless the process knows something of the
// key, or another request asks for it: then it returns that.
func (t *flightTable) ask(r *request) (reply Reply, known bool, other *claim) {
	s := t.lock(r.id.store)
	defer s.mu.Unlock()
	if f := s.m[r.id.store.sum]; f != nil {
		if reply, ok := f.reply(); ok {
			return reply, true, nil
		}
	}
	if r.op.contract.InFlight != Wait {
		return Reply{}, false, nil
	}
	for _, c := range s.claims {
		if c.r.id.store == r.id.store {
			if c.done == nil {
				c.done = make(chan struct{})
			}
			return Reply{}, false, c
		}
	}
	r.asked.r, r.asked.asking = r, true
	s.claims = append(s.claims, &r.asked)
	return Reply{}, false, nil
}

// said is what a store said to a claim: its reply, or its error. It is neither
// where the key has become this process's, or where whoever asked has nothing to
// say that holds for others.
type said struct {
	reply   Reply
	replied bool
	err     error
}

// tell ends the claim of r, if it has one that has not ended, and tells those who
// wait for it.
func (r *request) tell(what said) {
	if !r.asked.asking {
		return
	}
	s := r.op.engine.flights.lock(r.id.store)
	defer s.mu.Unlock()
	s.end(&r.asked, what)
}

// end is tell for one who holds the mutex.
func (s *flightShard) end(c *claim, what said) {
	if !c.asking {
		return
	}
	c.asking = false
	for i, other := range s.claims {
		if other == c {
			last := len(s.claims) - 1
			s.claims[i], s.claims[last] = s.claims[last], nil
			s.claims = s.claims[:last]
			break
		}
	}
	if c.done != nil {
		c.said = what
		close(c.done)
	}
}
