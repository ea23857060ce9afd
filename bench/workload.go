package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
)

const (
	// loadCallers is how many callers a workload has unless it says otherwise.
	loadCallers = 64
	// loadSteps is how many requests a turn of it is: few, so that it adds
	// little to what is there.
	loadSteps = 2048
	// recent is among how many of the latest records replays are: a retry
	// comes soon after its request.
	recent = 10_000
)

// A workload takes the steps of first requests and of replays from some stores on
// some servers that have so many records.
type workload struct {
	servers []*server
	stores  []*redisstore.Store
	sent    *atomic.Int64
	record  *idem.Record
	done    *idem.Record
	callers int
	records int
	last    atomic.Uint64 // replay
	fresh   atomic.Uint64 // key of a first request
}

func newWorkload(servers []*server, sent *atomic.Int64, stores ...*redisstore.Store) *workload {
	record := pending()
	return &workload{
		servers: servers, stores: stores, sent: sent, callers: loadCallers,
		record: record, done: done(record, answerOf(jsonBody(smallBody))),
	}
}

// grow writes records until there are so many.
func (l *workload) grow(records int) error {
	err := fill(loadCallers, l.records, records, func(n int) error {
		_, err := l.stores[0].Complete(context.Background(), keyOf(keyText(uint64(n))), l.done)
		return err
	})
	l.records = records
	return err
}

// freshKeys is where the keys of first requests begin, far above those of the
// records.
const freshKeys = 1 << 40

func (l *workload) first(n int) error {
	store, key := l.stores[n%len(l.stores)], keyOf(keyText(freshKeys+l.fresh.Add(1)))
	ctx := newStep()
	ctx.begin()
	defer ctx.end()
	reply, err := store.Claim(ctx, key, l.record)
	if err == nil && !reply.Accepted {
		err = errRefused
	}
	if err != nil {
		return err
	}
	_, err = store.Complete(ctx, key, l.done)
	return err
}

func (l *workload) replay(n int) error {
	ctx := newStep()
	ctx.begin()
	defer ctx.end()
	key := keyOf(l.recent())
	reply, err := l.stores[n%len(l.stores)].Claim(ctx, key, l.record)
	if err == nil && reply.Record == nil {
		err = errRefused
	}
	return err
}

// recent returns one of the latest records.
func (l *workload) recent() string {
	span := uint64(min(recent, l.records))
	return keyText(uint64(l.records) - 1 - l.last.Add(7919)%span)
}

// bare returns what the server takes at least for a request: for two bare commands
// that write, and for a GET, in pipelines as large as the load.
func (l *workload) bare(p plan) (first, replay float64, err error) {
	client := l.servers[0].admin
	pipe := func(add func(redis.Pipeliner)) func(int) error {
		return func(n int) error {
			if n%loadCallers != 0 {
				return nil
			}
			_, err := client.Pipelined(context.Background(), func(p redis.Pipeliner) error {
				for range loadCallers {
					add(p)
				}
				return nil
			})
			return err
		}
	}
	ctx, body := context.Background(), l.done.Answer.Body
	a, err := l.median(p, pipe(func(p redis.Pipeliner) {
		name := redisstore.DefaultPrefix + keyText(freshKeys+l.fresh.Add(1))
		p.SetNX(ctx, name, body[:100], ttl)
		p.Set(ctx, name, body, ttl)
	}))
	if err != nil {
		return 0, 0, err
	}
	b, err := l.median(p, pipe(func(p redis.Pipeliner) { p.Get(ctx, redisstore.DefaultPrefix+l.recent()) }))
	return a.cpu, b.cpu, err
}

// A cost is what a request takes, in medians.
type cost struct{ first, replay sample }

func (c cost) String() string {
	return fmt.Sprintf("first %.2f cmds %.1f µs of Redis; replay %.2f cmds %.1f µs",
		c.first.commands, c.first.cpu, c.replay.commands, c.replay.cpu)
}

// measure returns the costs of a request.
func (l *workload) measure(p plan) (c cost, err error) {
	if c.first, err = l.median(p, l.first); err != nil {
		return c, err
	}
	c.replay, err = l.median(p, l.replay)
	return c, err
}

func (l *workload) median(p plan, step func(n int) error) (sample, error) {
	var samples []sample
	for range p.rounds {
		freshBefore := l.fresh.Load()
		cpuBefore, sentBefore := l.cpu(), l.sent.Load()
		if err := fill(l.callers, 0, loadSteps, step); err != nil {
			return sample{}, err
		}
		samples = append(samples, sample{
			cpu:      (l.cpu() - cpuBefore) / loadSteps,
			commands: float64(l.sent.Load()-sentBefore) / loadSteps,
		})
		l.forget(freshBefore, l.fresh.Load())
	}
	return sample{cpu: median(collect(samples, cpu)), commands: median(collect(samples, commands))}, nil
}

// forget deletes the records of first requests, so that there are no more than
// there were: tables that grow would be measured too.
func (l *workload) forget(from, to uint64) {
	for n := from + 1; n <= to; n++ {
		for _, s := range l.servers { // in a Cluster, one of them has it
			s.admin.Del(context.Background(), redisstore.DefaultPrefix+keyText(freshKeys+n))
		}
	}
}

// cpu is what all servers have used, in µs.
func (l *workload) cpu() float64 {
	var sum float64
	for _, s := range l.servers {
		sum += float64(s.cpu()) / 1e3
	}
	return sum
}
