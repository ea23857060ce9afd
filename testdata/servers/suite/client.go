package suite

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	idem "github.com/idemgen/idemgen/runtime"
)

// A Subject is one running server.
type Subject struct {
	// URL is where it listens, without a slash at the end.
	URL  string
	Desk *Desk
	// Transport sends requests. It keeps connections, so that servers use
	// their memory again.
	Transport *http.Transport
	// Events gets what the engine tells.
	Events <-chan idem.Event
	// NoticesDisconnect says that the server's contexts end when the client
	// leaves.
	NoticesDisconnect bool
}

// Patience bounds how long a test waits for what must happen.
const Patience = 10 * time.Second

// A request is one HTTP request.
type request struct {
	method, path, body string
	header             http.Header
}

func post(path, key, body string) request {
	r := request{method: http.MethodPost, path: path, body: body, header: make(http.Header)}
	r.header.Set("Idempotency-Key", key)
	r.header.Set(CallerHeader, "alice")
	r.header.Set("Content-Type", "application/json")
	return r
}

// payment is a request of the operation that waits.
func payment(key, order string) request {
	return post("/accounts/a1/payments", key, `{"order":"`+order+`","amount":9007199254740993}`)
}

// with returns the request with another header; no values take it away.
func (r request) with(name string, values ...string) request {
	r.header = maps.Clone(r.header)
	r.header[name] = values
	return r
}

// A response is what came back.
type response struct {
	Status   int
	Header   http.Header
	Body     string
	Replayed bool
	Problem  problem
}

type problem struct {
	Name   string // the last part of its type
	Status int
	Fields []string
}

func (s *Subject) do(t *testing.T, r request) response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	answer, err := s.send(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// start sends a request from a goroutine of its own.
func (s *Subject) start(t *testing.T, r request) <-chan response {
	t.Helper()
	done := make(chan response, 1)
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	go func() {
		defer cancel()
		answer, err := s.send(ctx, r)
		if err != nil {
			t.Error(err)
		}
		done <- answer
	}()
	return done
}

func (s *Subject) send(ctx context.Context, r request) (response, error) {
	sent, err := http.NewRequestWithContext(ctx, r.method, s.URL+r.path, strings.NewReader(r.body))
	if err != nil {
		return response{}, err
	}
	maps.Copy(sent.Header, r.header)
	sent.Header.Set("Accept-Encoding", "identity") // show gzip as it is
	got, err := s.Transport.RoundTrip(sent)
	if err != nil {
		return response{}, err
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		return response{}, err
	}
	a := response{Status: got.StatusCode, Header: got.Header, Body: string(body)}
	a.Replayed = got.Header.Get("Idempotent-Replayed") == "true"
	if strings.HasPrefix(got.Header.Get("Content-Type"), "application/problem+json") {
		var p struct {
			Type   string
			Status int
			Fields []string
		}
		if err := json.Unmarshal(body, &p); err != nil {
			return a, err
		}
		a.Problem = problem{Name: strings.TrimPrefix(p.Type, "urn:idemgen:problem:"), Status: p.Status, Fields: p.Fields}
	}
	return a, nil
}

// await waits for a value.
func await[T any](t *testing.T, values <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-values:
		return v
	case <-time.After(Patience):
		t.Fatalf("%s: nothing happened", what)
		panic("unreachable")
	}
}

// awaitEvent waits for an event of the given outcome.
func (s *Subject) awaitEvent(t *testing.T, outcome idem.Outcome) idem.Event {
	t.Helper()
	for {
		if event := await(t, s.Events, outcome.String()); event.Outcome == outcome {
			return event
		}
	}
}

// refused checks that an answer is a problem.
func refused(t *testing.T, a response, status int, name string, fields ...string) {
	t.Helper()
	want := problem{Name: name, Status: status, Fields: fields}
	if diff := cmp.Diff(want, a.Problem); diff != "" || a.Status != status || a.Replayed {
		t.Errorf("answer %d %q, want the problem %s (-want +got):\n%s", a.Status, a.Body, name, diff)
	}
}

// replays checks that an answer is that of an earlier request, but for the mark.
func replays(t *testing.T, first, again response) {
	t.Helper()
	if !again.Replayed || first.Replayed {
		t.Errorf("replayed %t, then %t", first.Replayed, again.Replayed)
	}
	clean := func(r response) response {
		r.Replayed = false
		r.Header = r.Header.Clone()
		r.Header.Del("Idempotent-Replayed")
		r.Header.Del("Date")
		return r
	}
	if diff := cmp.Diff(clean(first), clean(again)); diff != "" {
		t.Errorf("the replay differs (-first +replay):\n%s", diff)
	}
}

func (s *Subject) effects(t *testing.T, want int) {
	t.Helper()
	if got := s.Desk.Effects(); got != want {
		t.Errorf("%d effects, want %d", got, want)
	}
}
