package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A demo has two nodes, a provider, and a client.
type demo struct {
	ctx      context.Context
	cluster  cluster
	a, b     *node
	provider *provider
	client   *http.Client
}

func newDemo(ctx context.Context, c cluster, p *provider) (*demo, error) {
	a, err := c.start()
	if err != nil {
		return nil, err
	}
	b, err := c.start()
	if err != nil {
		a.stop()
		return nil, err
	}
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	return &demo{ctx: ctx, cluster: c, a: a, b: b, provider: p, client: client}, nil
}

func (d *demo) close() {
	d.client.CloseIdleConnections()
	d.a.stop()
	d.b.stop()
}

func (d *demo) send(o order, to *node) response { return o.send(d.ctx, d.client, to) }

func (d *demo) sendAsync(o order, to *node) <-chan response {
	c := make(chan response, 1)
	go func() { c <- d.send(o, to) }()
	return c
}

// printTable runs the scenarios and prints a row for each as it is observed.
func (d *demo) printTable(list []scenario, out io.Writer) error {
	row := func(cells ...any) {
		fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf("%-30s%-15s%-10v%s", cells...), " "))
	}
	row("scenario", "responses", "charges", "what it shows")
	var broken []error
	for _, s := range list {
		d.provider.reset(s.fail, s.dedupe)
		got, err := s.run(d)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		charges := d.provider.charged()
		shows := s.shows
		if s.shown != nil {
			shows = s.shown(got)
		}
		row(s.name, alignResponses(got), charges, shows)
		if err := s.check(got, charges); err != nil {
			broken = append(broken, err)
		}
	}
	for _, err := range broken {
		fmt.Fprintf(out, "\nBROKEN: %v", err)
	}
	if broken != nil {
		fmt.Fprintln(out)
		return errBroken
	}
	return nil
}

// alignResponses gives each response three columns, so that a missing one can
// be told from the others.
func alignResponses(responses []response) string {
	var b bytes.Buffer
	for _, r := range responses {
		fmt.Fprintf(&b, "%-4s", r)
	}
	return b.String()
}

// countPairs sends n orders twice, to the two nodes in turn, for each of wait
// and reject, and counts what came of them.
func (d *demo) countPairs(n int, out io.Writer) error {
	const row = "%-20s%-10v%-10v%v\n"
	fmt.Fprintf(out, row, "policy", "pairs", "charges", "pairs answered as promised")
	broken := false
	for _, policy := range []pairs{
		{"wait", newPayment, false, func(first, second response) bool {
			return first.status == 201 && second.status == 201 && bytes.Equal(first.body, second.body)
		}},
		{"reject", newRefund, true, func(first, second response) bool {
			return first.status == 201 && second.status == 409
		}},
	} {
		d.provider.reset(false, false)
		kept := d.sendPairs(n, policy)
		charges := d.provider.charged()
		fmt.Fprintf(out, row, "in flight: "+policy.name, n, charges, kept)
		broken = broken || charges != n || kept != n
	}
	if broken {
		return errBroken
	}
	return nil
}

// pairs are requests that are sent twice.
type pairs struct {
	name  string
	order func() order
	// held says that the first is kept in flight until the second is answered.
	held bool
	kept func(first, second response) bool
}

// sendPairs sends each second request when the first has charged.
func (d *demo) sendPairs(n int, p pairs) int {
	const atOnce = 32
	var good atomic.Int64
	var wg sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			first, second := d.a, d.b
			if i%2 == 1 {
				first, second = second, first
			}
			o := p.order()
			charge := d.provider.watch(o.charge, p.held)
			answer := d.sendAsync(o, first)
			<-charge.made
			again := d.send(o, second)
			if p.held {
				close(charge.release)
			}
			if p.kept(<-answer, again) {
				good.Add(1)
			}
		})
	}
	wg.Wait()
	return int(good.Load())
}
