package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/runtime/redisstore"
)

// sizeRows weigh a record in Redis: with three fingerprint fields, Content-Type
// and Location, against a string that is the body alone.
func sizeRows(p plan, t *table) error {
	srv, err := startServer()
	if err != nil {
		return err
	}
	defer srv.stop()
	var sent atomic.Int64
	client := srv.client(&sent)
	for _, c := range []struct {
		size, compressFrom int
		how                string
	}{{smallBody, 0, ""}, {2000, 0, ""}, {2000, 1000, " deflated"}} {
		what := fmt.Sprintf("bytes of record, %d B%s", c.size, c.how)
		if !p.wants(what, 0, "") {
			continue
		}
		store := redisstore.New(client, redisstore.Config{CompressFrom: c.compressFrom})
		body := jsonBody(c.size)
		record := done(pending(), answerOf(body))
		ours, err := srv.weigh(p.records, func(n int) error {
			_, err := store.Complete(context.Background(), keyOf(keyText(uint64(n))), record)
			return err
		})
		if err != nil {
			return err
		}
		bare, err := srv.weigh(p.records, func(n int) error {
			return client.Set(context.Background(), "idem:"+keyText(uint64(n)), body, ttl).Err()
		})
		if err != nil {
			return err
		}
		t.print(row{
			what: what, ratio: bare / ours,
			note: fmt.Sprintf("%.0f B in Redis; the body as a bare string %.0f B", ours, bare),
		})
	}
	return nil
}

// weigh returns what each of n records takes in the server's memory.
func (s *server) weigh(n int, write func(n int) error) (float64, error) {
	if err := s.flush(); err != nil {
		return 0, err
	}
	before := s.memory()
	if err := fill(loadCallers, 0, n, write); err != nil {
		return 0, err
	}
	return (s.memory() - before) / float64(n), nil
}

// fill has callers call write for every number from one to another.
func fill(callers, from, to int, write func(n int) error) error {
	var next atomic.Int64
	next.Store(int64(from))
	operations := make([]func() error, callers)
	for i := range operations {
		operations[i] = func() error {
			n := int(next.Add(1)) - 1
			if n >= to {
				return errFilled
			}
			return write(n)
		}
	}
	if _, err := together(operations, farAway()); err != nil && err != errFilled {
		return err
	}
	return nil
}

// errFilled ends a fill.
var errFilled = errors.New("filled")

func farAway() time.Time { return time.Now().Add(time.Hour) }
