package storetest

import (
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

func loadChecks() []check {
	return []check{
		{"returns nothing where there is nothing", loadFindsNothing},
		{"never accepts", loadNeverAccepts},
		{"changes nothing", loadChangesNothing},
		{"returns every field of a done record", loadReturnsDone},
		{"returns every field of a held record and of a tombstone", loadReturnsHeldAndReleased},
		{"returns a large answer", loadReturnsLarge},
	}
}

func loadFindsNothing(s *subject) {
	reply := s.load(s.newKey())
	if reply.Accepted || reply.Record != nil {
		s.Fatalf("got %+v, want the zero reply", reply)
	}
}

func loadNeverAccepts(s *subject) {
	for _, step := range []transition{stay, s.toDone, s.toHeld, s.toReleased} {
		key, r := s.newKey(), newPending(long, long)
		s.claim(key, r)
		now := step(key, r)
		s.refused(s.load(key), now)
	}
}

func loadChangesNothing(s *subject) {
	key, r := s.newKey(), newPending(long, long)
	s.claim(key, r)
	claimed := time.Now()
	for past := time.Duration(0); past < 10*slack; past = time.Since(claimed) {
		left := s.load(key).LeaseLeft
		if most := r.Lease - past + slack; left > most {
			s.Fatalf("%v of the lease is left %v after the claim, want %v at most", left, past, most)
		}
		time.Sleep(slack)
	}
	s.has(key, r)
}

func loadReturnsDone(s *subject) {
	key, r := s.newKey(), fullRecord()
	s.claim(key, r)
	s.has(key, r)
	settled := done(r)
	settled.NotRetained = true
	settled.Answer = &idem.Answer{
		Status: 207,
		Header: []idem.HeaderLine{
			{Name: "Link", Value: "</a>; rel=next"}, {Name: "Set-Thing", Value: ""},
			{Name: "Link", Value: "</b>; rel=prev"}, {Name: "X-Latin", Value: "caf\xe9"},
		},
		Body: []byte("\x00\r\n\xff binary"),
	}
	s.accepted(s.complete(key, settled))
	s.has(key, settled)
}

func loadReturnsHeldAndReleased(s *subject) {
	key, r := s.newKey(), fullRecord()
	s.claim(key, r)
	s.has(key, s.toHeld(key, r))
	s.has(key, s.toReleased(key, r))
}

func loadReturnsLarge(s *subject) {
	key, r := s.newKey(), newPending(long, long)
	settled := done(r)
	settled.Answer.Body = make([]byte, 1<<20)
	for i := range settled.Answer.Body {
		settled.Answer.Body[i] = byte(i * i)
	}
	s.accepted(s.complete(key, settled))
	s.has(key, settled)
}

// fullRecord returns a pending record in which no field is zero that may be
// set.
func fullRecord() *idem.Record {
	r := newPending(90*time.Second, 61*time.Second)
	r.Attempt = 300
	r.Hold = true
	r.Contract = idem.ContractDigest{1, 0, 3, 4, 5, 6, 7, 0xff}
	r.Fingerprint.Sum = [16]byte{0xff, 1, 2, 15: 9}
	r.Fingerprint.Fields = []idem.FieldDigest{
		{ID: [3]byte{1, 2, 3}, Sum: [5]byte{5, 6, 7}},
		{ID: [3]byte{0, 2, 0xff}, Sum: [5]byte{4: 1}},
	}
	return r
}
