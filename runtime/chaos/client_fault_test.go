//go:build unix

package chaos

import (
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

func clientFaults() []fault {
	return []fault{
		{name: "clients leave at random points", may: "nothing", run: clientsLeave},
		{name: "nothing (for comparison)", may: "nothing", long: true, run: nothing},
	}
}

// clientsLeave has clients close their connection while their request runs, and
// come back with the same key.
func clientsLeave(s *scenario) {
	s.serveAt(4, redistest.Start(s))
	l := s.load()
	l.failures, l.disconnects = true, true
	l.send(s.pick(300, 6_000), nil)
	s.finish(l)
}

func nothing(s *scenario) {
	s.serveAt(4, redistest.Start(s))
	l := s.load()
	l.longWork = 0
	l.send(4_000, nil)
	s.finish(l)
	if extra := s.row.effects - s.row.keys; extra != 0 {
		s.Errorf("%d keys had %d effects", s.row.keys, s.row.effects)
	}
}
