//go:build unix

package chaos

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

func waitFaults() []fault {
	return []fault{
		{name: "1,000 clients wait for one key", may: "nothing", timed: true, run: manyWait},
		{name: "waiting: Pub/Sub connections killed", may: "nothing", timed: true, run: waitPubSubKilled},
		{name: "waiting: resharding", may: "nothing", long: true, timed: true, run: waitResharding},
		{name: "waiting: Sentinel failover", may: "nothing", long: true, timed: true, run: waitFailover},
	}
}

// manyWait has clients wait for one key over four processes. One connection and
// one subscription per process must do.
func manyWait(s *scenario) {
	server := redistest.Start(s)
	s.contract.WaitTimeout = time.Minute
	s.serveAt(4, server)
	l := s.load()
	l.tryLimit = time.Minute
	const waiters = 1_000
	key, o := "popular", order{Order: "popular", Work: lease}
	l.books.open(key, o)
	var all sync.WaitGroup
	for i := range waiters + 1 {
		all.Go(func() {
			got, err := l.try(s.fleet.at(i%4).url, key, o, false, time.Minute)
			if err != nil || got.status != http.StatusCreated {
				s.Errorf("waiter: %d %s %v", got.status, got.body, err)
			}
			l.books.note(key, got)
		})
	}
	subscriptions, connections := s.countSubscriptions(server.Client(s), s.recordName(key), &all)
	if subscriptions == 0 || subscriptions > 4 || connections > 4 {
		s.Errorf("%d subscriptions on %d connections, want 1 to 4", subscriptions, connections)
	}
	if n := s.ledger.effects(); n != 1 {
		s.Errorf("%d effects", n)
	}
	if n := len(l.books.answers[key]); n != 1 {
		s.Errorf("%d distinct answers", n)
	}
	s.finish(l)
	s.notef("%d answers are equal, %d subscriptions on %d connections of 4 processes", l.books.statuses[201]-1, subscriptions, connections)
}

// countSubscriptions watches until everybody is done. It returns the most
// subscribers that a channel had, and the most connections that subscribe.
func (s *scenario) countSubscriptions(client *redis.Client, channel string, all *sync.WaitGroup) (most, connections int) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		all.Wait()
	}()
	for {
		numbers, err := client.PubSubShardNumSub(s.Context(), channel).Result()
		if err != nil {
			s.Fatal(err)
		}
		list, err := client.Do(s.Context(), "client", "list", "type", "pubsub").Text()
		if err != nil {
			s.Fatal(err)
		}
		most = max(most, int(numbers[channel]))
		connections = max(connections, strings.Count(list, "\n"))
		select {
		case <-done:
			return most, connections
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// wakeLimit is how long after the owner's end a waiter may return at worst: the
// poll interval and a tenth, and the time limit of the poll itself.
const wakeLimit = idem.DefaultPollInterval*11/10 + idem.DefaultStoreTimeout

// waiting has several clients wait for each of some keys, does something once
// all of them wait, and measures how long after the owner's end each returns.
func (s *scenario) waiting(keys int, work time.Duration, disturb func(l *load)) *latencies {
	l := s.load()
	late := &latencies{}
	var all sync.WaitGroup
	for n := range keys {
		key := fmt.Sprintf("waited-%d", n)
		o := order{Order: key, Work: work}
		l.books.open(key, o)
		all.Go(func() { s.wait(l, n, key, o, nil) })
		for i := range 3 {
			all.Go(func() {
				s.ledgerHas(key)
				s.wait(l, n+i+1, key, o, late)
			})
		}
	}
	for s.ledger.effects() < keys || l.requests.Load() < int64(4*keys) {
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(lease / 5) // until the last has found its key in flight
	disturb(l)
	all.Wait()
	s.finish(l)
	if late.quantile(1) > wakeLimit {
		s.Errorf("waiters returned late: %s; the limit is %v", late, wakeLimit)
	}
	s.notef("after the owner's end %s", late)
	return late
}

// ledgerHas waits until a key has had its effect.
func (s *scenario) ledgerHas(key string) {
	for len(s.ledger.of(key)) == 0 {
		time.Sleep(5 * time.Millisecond)
	}
}

// wait sends one order and waits for its answer.
func (s *scenario) wait(l *load, place int, key string, o order, late *latencies) {
	got, err := l.try(s.fleet.at(place%4).url, key, o, false, time.Minute)
	returned := time.Now()
	if err != nil || got.status != http.StatusCreated {
		s.Errorf("%s: %d %s %v", key, got.status, got.body, err)
		return
	}
	l.books.note(key, got)
	attempts := s.ledger.of(key)
	if late == nil || len(attempts) == 0 {
		return
	}
	if end := attempts[0].Ended; end.IsZero() {
		late.add(0) // the waiter was quicker than the owner's last line
	} else {
		late.add(max(0, returned.Sub(end)))
	}
}

func waitPubSubKilled(s *scenario) {
	server := redistest.Start(s)
	s.contract.WaitTimeout = time.Minute
	s.serveAt(4, server)
	client := server.Client(s)
	killed := 0
	s.waiting(s.pick(10, 40), lease, func(*load) {
		for end := time.Now().Add(lease * 2 / 3); time.Now().Before(end); {
			n, err := client.Do(s.Context(), "client", "kill", "type", "pubsub").Int()
			if err != nil {
				s.Fatal(err)
			}
			killed += n
			time.Sleep(50 * time.Millisecond)
		}
	})
	if killed == 0 {
		s.Error("no connection was killed")
	}
	s.notef("%d connections killed", killed)
}

// waitResharding moves the slot of every key that is waited for.
func waitResharding(s *scenario) {
	cluster := startCluster(s)
	s.contract.WaitTimeout = time.Minute
	s.serveCluster(4, cluster)
	s.waiting(30, 8*lease, func(l *load) {
		for i, key := range l.books.keys() {
			cluster.MoveSlot(s, s.recordName(key), cluster.Masters[i%3])
		}
	})
}

// waitFailover kills the master while everyone waits.
func waitFailover(s *scenario) {
	sentinels := startSentinels(s, 1)
	s.contract.WaitTimeout = time.Minute
	s.contract.Lease = 10 * time.Second // beyond the failover: the owners live
	s.serve(4, func(int) workerConfig { return workerConfig{Store: sentinels.url()} })
	s.waiting(30, 10*time.Second, func(*load) {
		began, back := time.Now(), s.fleet.takeAllAway()
		master := sentinels.master()
		master.Kill(s)
		sentinels.promoted(master)
		s.untilProtected("", func() (string, order) {
			key := fmt.Sprintf("fresh-%d", s.rng.Uint64())
			return key, order{Order: key}
		})
		back()
		s.writesLost(began.Add(-time.Second), time.Now())
		s.notef("no master for %v", time.Since(began).Round(time.Millisecond))
	})
}

// untilProtected sends new orders to one worker, or to any, until one is carried
// out under protection. It returns how many were sent before.
func (s *scenario) untilProtected(url string, next func() (string, order)) (tries int) {
	s.Helper()
	client := &http.Client{}
	for end := time.Now().Add(startLimit); time.Now().Before(end); tries++ {
		at := url
		if at == "" {
			at = s.fleet.url(s.rng)
		}
		key, o := next()
		got, err := post(context.Background(), client, at, key, o, false)
		if err == nil && got.status == http.StatusCreated && !got.unprotected {
			return tries
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.Fatalf("no protection within %v", startLimit)
	return tries
}
