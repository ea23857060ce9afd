package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// A provider is the outside world: it takes its time, charges a card for every
// request, and counts. It ignores idempotency keys unless told otherwise.
type provider struct {
	takes time.Duration

	mu      sync.Mutex
	charges int
	ids     int
	fail    bool              // the next request fails
	dedupe  bool              // a key is charged once
	known   map[string]string // ids by key, under dedupe
	watched map[int64]*watch  // by amount
}

// A watch tells when a charge is made, and can hold its answer back.
type watch struct {
	made    chan struct{} // closed as the charge is made, or fails
	release chan struct{} // the answer leaves when this is closed; nil for at once
}

func newProvider(takes time.Duration) *provider {
	return &provider{takes: takes, watched: map[int64]*watch{}}
}

// watch watches for the next charge of an amount. If held is set its answer
// waits for release.
func (p *provider) watch(amount int64, held bool) *watch {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := &watch{made: make(chan struct{})}
	if held {
		w.release = make(chan struct{})
	}
	p.watched[amount] = w
	return w
}

// unwatch returns the watch of an amount and forgets it.
func (p *provider) unwatch(amount int64) *watch {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.watched[amount]
	delete(p.watched, amount)
	return w
}

// reset forgets everything and sets how the provider behaves from now on.
func (p *provider) reset(fail, dedupe bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.charges, p.fail, p.dedupe, p.known = 0, fail, dedupe, map[string]string{}
}

// charged returns how many charges were made since the last reset.
func (p *provider) charged() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.charges
}

// ServeHTTP makes a charge.
func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request chargeRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	id, err := p.charge(r.Header.Get("Idempotency-Key"))
	watch := p.unwatch(request.Amount)
	if watch != nil {
		close(watch.made)
	}
	time.Sleep(p.takes)
	if watch != nil && watch.release != nil {
		<-watch.release
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	json.NewEncoder(w).Encode(chargeReply{ID: id})
}

func (p *provider) charge(key string) (id string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail {
		p.fail = false
		return "", fmt.Errorf("the card network is down")
	}
	if id, ok := p.known[key]; p.dedupe && key != "" && ok {
		return id, nil
	}
	p.charges++
	p.ids++
	id = fmt.Sprintf("ch_%d", p.ids)
	p.known[key] = id
	return id, nil
}

type chargeRequest struct {
	Amount int64 `json:"amount"`
}

type chargeReply struct {
	ID string `json:"id"`
}

// A providerClient is how the payments service calls its provider.
type providerClient struct {
	url  string
	http *http.Client
}

// charge charges amount. The key it hands on is the same in every attempt of
// the request it is called for, so that a provider that knows keys charges once
// even where the first attempt died half way.
func (c *providerClient) charge(ctx context.Context, amount int64) (string, error) {
	key, err := idem.DownstreamKey(ctx, "charge")
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(chargeRequest{Amount: amount})
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/charges", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Idempotency-Key", key)
	response, err := c.http.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("provider answered %s", response.Status)
	}
	var reply chargeReply
	if err := json.NewDecoder(response.Body).Decode(&reply); err != nil {
		return "", err
	}
	return reply.ID, nil
}
