package redisstore

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
)

var errTimeout = errors.New("test: no answer in time")

// replyError is a server's error reply.
type replyError string

func (e replyError) Error() string { return string(e) }
func (replyError) RedisError()     {}

// twoNodes has the records that begin with b on one server, the others on
// another.
type twoNodes struct{ nodes }

func (twoNodes) addr(name string) string {
	if name[0] == 'b' {
		return "B"
	}
	return "A"
}

func (twoNodes) moved(context.Context) {}

// A bench is breakers whose probes are answered as the test wants.
type bench struct {
	*breakers
	probes atomic.Int32
	answer atomic.Pointer[error] // of probes
}

func newBench(t *testing.T, limit int) *bench {
	b := &bench{}
	b.answers(errTimeout)
	b.breakers = newBreakers(twoNodes{}, limit, slog.New(slog.NewTextHandler(io.Discard, nil)),
		func(context.Context, string) error {
			b.probes.Add(1)
			return *b.answer.Load()
		})
	t.Cleanup(b.close)
	return b
}

func (b *bench) answers(err error) { b.answer.Store(&err) }

// claims passes through the breaker of a record, and reports whether it was let
// through.
func (b *bench) claims(name string, result error) bool {
	p, err := b.enter(name)
	if err == nil {
		b.wrote(p, result)
	}
	return err == nil
}

func TestBreakerOpensAndCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 3)
		defer b.close()
		for range 3 {
			if !b.claims("a1", errTimeout) {
				t.Fatal("open before the third failure")
			}
		}
		_, err := b.enter("a2")
		if !errors.Is(err, idem.ErrNotApplied) || !errors.Is(err, errTimeout) {
			t.Fatalf("error %v, want ErrNotApplied and the cause", err)
		}
		if !b.claims("b1", nil) {
			t.Error("the breaker of another server is open")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := b.probes.Load(); n < 60 || n > 130 {
			t.Errorf("%d probes in a minute, want one or two a second", n)
		}
		b.answers(nil)
		time.Sleep(lastProbePause)
		synctest.Wait()
		if !b.claims("a1", nil) {
			t.Error("still open after a probe was answered")
		}
		n := b.probes.Load()
		time.Sleep(time.Minute)
		if b.probes.Load() != n {
			t.Error("it probes although it is closed")
		}
	})
}

func TestBreakerCountsFailuresInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 3)
		defer b.close()
		for range 10 {
			b.claims("a1", errTimeout)
			b.claims("a1", errTimeout)
			b.claims("a1", nil)
		}
		if !b.claims("a1", errTimeout) {
			t.Error("open after two failures in a row")
		}
	})
}

func TestBreakerIgnoresWhatIsNotTheServersFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 1)
		defer b.close()
		for _, err := range []error{context.Canceled, redis.ErrClosed, replyError("WRONGTYPE Operation against a key"),
			replyError("MOVED 1 127.0.0.1:1"), replyError("ASK 1 127.0.0.1:1"), replyError("TRYAGAIN"),
			replyError("CLUSTERDOWN Hash slot not served")} {
			b.claims("a1", err)
			if !b.claims("a1", nil) {
				t.Errorf("open after %v", err)
			}
		}
	})
}

func TestBreakerCounts(t *testing.T) {
	for _, err := range []error{errTimeout, context.DeadlineExceeded, &net.OpError{Op: "dial", Err: errTimeout}, io.EOF,
		replyError("OOM command not allowed"), replyError("READONLY"), replyError("LOADING"), replyError("NOPERM"),
		replyError("NOREPLICAS"), replyError("CLUSTERDOWN The cluster is down"), replyError("MASTERDOWN")} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, 1)
			defer b.close()
			b.claims("a1", err)
			if b.claims("a1", nil) {
				t.Errorf("not open after %v", err)
			}
		})
	}
}

// A server that has no memory left answers reads, which says nothing of its
// writes; one that hangs answers nothing.
func TestBreakerAfterARead(t *testing.T) {
	for err, open := range map[error]bool{replyError("OOM"): true, errTimeout: false} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, 1)
			defer b.close()
			p, _ := b.enter("a1")
			b.wrote(p, err)
			b.read(p, nil)
			if got := !b.claims("a1", nil); got != open {
				t.Errorf("after %v and a read: open is %t, want %t", err, got, open)
			}
		})
	}
}

// Steps that were sent to a server before it came to work again fail after it
// did.
func TestBreakerForgetsLateFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 2)
		defer b.close()
		late, _ := b.enter("a1")
		b.claims("a1", errTimeout)
		b.claims("a1", errTimeout)
		b.answers(nil)
		time.Sleep(time.Second)
		synctest.Wait()
		for range 5 {
			b.wrote(late, errTimeout)
		}
		if !b.claims("a1", nil) {
			t.Error("late failures open the breaker again")
		}
	})
}

func TestBreakerLearnsFromProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 1)
		defer b.close()
		b.claims("a1", errTimeout)
		b.answers(replyError("OOM"))
		time.Sleep(time.Second)
		synctest.Wait()
		if _, err := b.enter("a1"); !stillReads(err) {
			t.Errorf("error %v, want one that tells that the server can be read from", err)
		}
	})
}

func TestBreakerNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 0)
		defer b.close()
		for range 100 {
			if !b.claims("a1", errTimeout) {
				t.Fatal("open, although it is switched off")
			}
		}
	})
}

func TestBreakerCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 1)
		b.claims("a1", errTimeout)
		b.close() // the bubble fails if a goroutine stays
		b.claims("b1", errTimeout)
	})
}

func BenchmarkBreakerClosed(b *testing.B) {
	breakers := newBreakers(twoNodes{}, 5, slog.Default(), nil)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			p, _ := breakers.enter("a1")
			breakers.wrote(p, nil)
		}
	})
}
