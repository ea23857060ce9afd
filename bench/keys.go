package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
)

// stepLimit is the time limit that the engine gives each step of a store.
const stepLimit = idem.DefaultStoreTimeout

// ttl is the life of what the rows write.
const ttl = time.Hour

// A keyring has keys made beforehand, so that making them is not measured.
type keyring struct {
	names []string // as Redis has them
	keys  []idem.StoreKey
}

// ringSize is how many keys a turn uses at most without meeting one again.
const ringSize = 1 << 17

func newKeyring() *keyring {
	k := &keyring{names: make([]string, ringSize), keys: make([]idem.StoreKey, ringSize)}
	for i := range k.names {
		text := keyText(uint64(i))
		k.names[i], k.keys[i] = redisstore.DefaultPrefix+text, keyOf(text)
	}
	return k
}

// keyText is the name of the n-th key, as the engine would make it.
func keyText(n uint64) string {
	var sum [32]byte
	binary.LittleEndian.PutUint64(sum[:], n*0x9e3779b97f4a7c15)
	binary.LittleEndian.PutUint64(sum[8:], n)
	return "Payments:createPayment:" + base64.RawURLEncoding.EncodeToString(sum[:])
}

func keyOf(text string) idem.StoreKey {
	key, err := idem.ParseStoreKey(text)
	if err != nil {
		panic(err) // of a text made here
	}
	return key
}

// uuid writes n as a UUID, which is how fiber's middleware wants a key.
func uuid(n uint64) string {
	return fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(n>>48), n&(1<<48-1))
}

// pending returns the record of a new attempt, with the digests of three fields.
func pending() *idem.Record {
	r := &idem.Record{
		State: idem.Pending, Attempt: 1, TTL: ttl, Lease: 30 * time.Second, Claimed: time.Now(),
		Fingerprint: idem.Fingerprint{Fields: make([]idem.FieldDigest, 3)},
	}
	rand.Read(r.Token[:])
	return r
}

// done returns the record that settles an attempt with answer.
func done(r *idem.Record, answer *idem.Answer) *idem.Record {
	settled := *r
	settled.State, settled.Lease = idem.Done, 0
	settled.Settled, settled.Answer = time.Now(), answer
	return &settled
}

// answerOf is an answer with the header lines of a created resource.
func answerOf(body []byte) *idem.Answer {
	return &idem.Answer{Status: 201, Body: body, Header: []idem.HeaderLine{
		{Name: "Content-Type", Value: "application/json"},
		{Name: "Location", Value: "/payments/pay_1234567890"},
	}}
}

// A step is a context as the engine gives one to a step of a store: it is part of
// the request, has a deadline, and costs nothing until somebody asks to be told
// of its end.
type step struct {
	context.Context
	deadline time.Time
	real     context.Context
	cancel   context.CancelFunc
}

func newStep() *step { return &step{Context: context.Background()} }

// begin has s be the context of another step, which the caller ends.
func (s *step) begin() {
	s.deadline, s.real, s.cancel = time.Now().Add(stepLimit), nil, nil
}

// Deadline implements context.Context.
func (s *step) Deadline() (time.Time, bool) { return s.deadline, true }

// Done implements context.Context. It is called by one goroutine.
func (s *step) Done() <-chan struct{} {
	if s.real == nil {
		s.real, s.cancel = context.WithDeadline(s.Context, s.deadline)
	}
	return s.real.Done()
}

// Err implements context.Context.
func (s *step) Err() error {
	if time.Until(s.deadline) <= 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func (s *step) end() {
	if s.cancel != nil {
		s.cancel()
	}
}

// jsonBody is a JSON document of about size bytes, as APIs answer with it.
func jsonBody(size int) []byte {
	body := []byte(`{"id":"pay_1234567890","status":"succeeded","amount":1999,"currency":"EUR","items":[`)
	for i := 0; len(body) < size-80; i++ {
		if i > 0 {
			body = append(body, ',')
		}
		body = fmt.Appendf(body, `{"sku":"SKU-%05d","quantity":%d,"price":%d,"title":"Article number %d"}`, i*7919%100000, i%9+1, 100+i*37%900, i*31%1000)
	}
	body = append(body, `],"note":"`...)
	for len(body) < size-2 {
		body = append(body, byte('a'+len(body)*7%26))
	}
	return append(body, `"}`...)
}
