//go:build unix

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

func clusterFaults() []fault {
	return []fault{
		{name: "Cluster: resharding", may: "nothing", long: true, run: resharding},
		{
			name: "Cluster: master killed", long: true, run: clusterMasterKilled,
			may:     "effects and answers: writes that the old master acknowledged and the new one does not have",
			excuses: []string{lostWrites, wasAway, lostLease},
		},
		{
			name: "Cluster: one of three masters hangs", long: true, run: masterHangs,
			may:     "effects and answers: an attempt whose record is on the master that hangs for a lease",
			excuses: []string{wasAway, lostLease},
		},
	}
}

// startCluster starts three masters with a replica each, and waits until every
// replica has its master's data.
func startCluster(t testing.TB) *redistest.ClusterServers {
	t.Helper()
	cluster := redistest.Cluster(t, 3, 1, syncAtOnce()...)
	for _, replica := range cluster.Replicas {
		waitFor(t, "the replica is in step", func(ctx context.Context) bool { return inStep(ctx, replica) })
	}
	return cluster
}

func (s *scenario) serveCluster(n int, c *redistest.ClusterServers) {
	s.Helper()
	s.serve(n, func(int) workerConfig {
		return workerConfig{Store: "redis+cluster://" + strings.Join(c.Options().Addrs, ",")}
	})
}

// resharding moves slots of living records from master to master under load.
func resharding(s *scenario) {
	cluster := startCluster(s)
	s.serveCluster(4, cluster)
	l := s.load()
	l.failures = true
	requests := 4_000
	moved := 0
	s.during(l, requests, func(<-chan struct{}) {
		for moved < 80 || l.requests.Load() < int64(requests) {
			from := s.rng.IntN(3)
			if key := s.randomKey(cluster.Masters[from]); key != "" {
				cluster.MoveSlot(s, key, cluster.Masters[(from+1)%3])
				moved++
			}
		}
	})
	s.finish(l)
	s.notef("%d slots with living records moved", moved)
}

// randomKey returns a key that a server has, "" for none.
func (s *scenario) randomKey(server *redistest.Server) string {
	client := server.Client(s)
	defer client.Close()
	key, _ := client.RandomKey(s.Context()).Result()
	return key
}

// clusterMasterKilled kills a master for good; its replica takes over.
func clusterMasterKilled(s *scenario) {
	cluster := startCluster(s)
	s.serveCluster(4, cluster)
	l := s.load()
	var without time.Duration
	s.during(l, 2_000, func(<-chan struct{}) {
		began, back := time.Now(), s.fleet.takeAllAway()
		cluster.Masters[0].Kill(s)
		s.untilProtected("", func() (string, order) { return s.freshOrderOn(cluster, 0) })
		without = time.Since(began)
		back()
		s.writesLost(began.Add(-time.Second), time.Now())
	})
	s.finish(l)
	s.notef("a third of the keys without a master for %v", without.Round(time.Millisecond))
}

// masterHangs stops one of three masters. Keys of the two others stay
// protected, and quick; those of the first are refused soon.
func masterHangs(s *scenario) {
	cluster := redistest.Cluster(s, 3, 0, "--cluster-require-full-coverage", "no")
	s.serveCluster(4, cluster)
	l := s.load()
	var healthy, hung, refused latencies
	s.during(l, 1_000, func(<-chan struct{}) {
		back := s.fleet.takeAllAway()
		cluster.Masters[0].Pause(s)
		var both sync.WaitGroup
		end := time.Now().Add(3 * lease)
		both.Go(func() { s.probeMaster(cluster, 1, end, &healthy, &refused) })
		both.Go(func() { s.probeMaster(cluster, 2, end, &healthy, &refused) })
		both.Go(func() { s.probeMaster(cluster, 0, end, nil, &hung) })
		both.Wait()
		cluster.Masters[0].Continue(s)
		back()
	})
	s.finish(l)
	// On a busy machine one in a thousand may run out of its quarter second.
	if n := refused.count(); n > healthy.count()/1000 {
		s.Errorf("%d of %d requests with keys of living masters were refused", n, healthy.count())
	}
	if healthy.count() < 20 || healthy.quantile(0.95) > 300*time.Millisecond {
		s.Errorf("keys of living masters: %s", &healthy)
	}
	if hung.quantile(0.95) > 300*time.Millisecond {
		s.Errorf("keys of the hanging master, refused: %s", &hung)
	}
	s.notef("engine time of keys of the two others: %s; of refusals of the hanging one's: %s", &healthy, &hung)
}

// probeMaster sends one order after the other whose records are on one master.
func (s *scenario) probeMaster(cluster *redistest.ClusterServers, master int, end time.Time, served, refused *latencies) {
	client := &http.Client{}
	rng := rand.New(rand.NewPCG(s.seed, uint64(master)))
	for n := 0; time.Now().Before(end); n++ {
		key, o := s.orderOn(cluster, master, fmt.Sprintf("probe-%d-%d", master, n))
		got, err := post(context.Background(), client, s.fleet.url(rng), key, o, false)
		switch {
		case err != nil:
			s.Error(err)
			return
		case got.status == http.StatusCreated && served != nil:
			served.add(got.took)
		case got.status == http.StatusServiceUnavailable:
			refused.add(got.took)
			time.Sleep(5 * time.Millisecond) // as clients back off
		default:
			s.Errorf("master %d: %d %s", master, got.status, got.body)
			return
		}
	}
}

// freshOrderOn is orderOn with a key that was not used before.
func (s *scenario) freshOrderOn(cluster *redistest.ClusterServers, master int) (string, order) {
	return s.orderOn(cluster, master, fmt.Sprintf("fresh-%d", s.rng.Uint64()))
}

// orderOn returns an order whose record is in a slot that a master had when the
// cluster was made.
func (s *scenario) orderOn(cluster *redistest.ClusterServers, master int, name string) (string, order) {
	masters := len(cluster.Masters)
	for i := 0; ; i++ {
		key := fmt.Sprintf("%s-%d", name, i)
		slot := redistest.SlotOf(s.recordName(key))
		if master*redistest.Slots/masters <= slot && slot < (master+1)*redistest.Slots/masters {
			return key, order{Order: key}
		}
	}
}

// recordName is the Redis key of a client's key.
func (s *scenario) recordName(key string) string {
	engine := idem.New(memstore.New(memstore.Config{}))
	defer engine.Close(context.Background())
	in, err := engine.Inspect(context.Background(), s.contract, nil, key)
	if err != nil {
		s.Error(err)
	}
	return redisstore.DefaultPrefix + in.StoreKey
}
