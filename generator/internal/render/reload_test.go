package render_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/testdata/cases/reload"
)

// A chargeServer keeps its charges and builds answers of them again.
type chargeServer struct {
	effects
	charges map[string]reload.Charge
	silent  bool // sets no reference
	reloads []string
	failure error
}

func (s *chargeServer) CreateCharge(ctx context.Context, r reload.CreateChargeRequestObject) (reload.CreateChargeResponseObject, error) {
	s.n++
	charge := reload.Charge{Id: "ch_1", Amount: r.Body.Amount, Secret: "4111"}
	s.charges[charge.Id] = charge
	if !s.silent {
		idem.SetReference(ctx, charge.Id)
	}
	return reload.CreateCharge201JSONResponse(charge), nil
}

func (s *chargeServer) DeleteCharge(ctx context.Context, r reload.DeleteChargeRequestObject) (reload.DeleteChargeResponseObject, error) {
	idem.SetReference(ctx, r.Id)
	return done[reload.DeleteChargeResponseObject](&s.effects, reload.DeleteCharge204Response{})
}

func (s *chargeServer) CreateRefund(context.Context, reload.CreateRefundRequestObject) (reload.CreateRefundResponseObject, error) {
	return done[reload.CreateRefundResponseObject](&s.effects, reload.CreateRefund204Response{})
}

func (s *chargeServer) ReloadCreateCharge(_ context.Context, reference string) (reload.CreateChargeResponseObject, error) {
	s.reloads = append(s.reloads, reference)
	if s.failure != nil {
		return nil, s.failure
	}
	return reload.CreateCharge201JSONResponse(s.charges[reference]), nil
}

func (s *chargeServer) ReloadDeleteCharge(_ context.Context, reference string) (reload.DeleteChargeResponseObject, error) {
	s.reloads = append(s.reloads, reference)
	return reload.DeleteCharge204Response{}, nil
}

func newChargeServer(t *testing.T) (*chargeServer, client) {
	t.Helper()
	next := &chargeServer{charges: map[string]reload.Charge{}}
	principal := func(context.Context) (string, error) { return "alice", nil }
	server := reload.NewIdempotentServer(next, newEngine(t), principal, next)
	return next, newClient(t, reload.Handler(reload.NewStrictHandler(server, nil)))
}

func charge() call {
	return call{method: "POST", path: "/charges", body: `{"amount":5}`}.withHeader("Idempotency-Key", "k")
}

func TestReload(t *testing.T) {
	next, client := newChargeServer(t)
	client.run(scenario{first: charge(), different: map[string]call{"amount": charge().withBody(`{"amount":6}`)}}, &next.n)
	if got := strings.Join(next.reloads, " "); got != "ch_1" {
		t.Errorf("reloaded %q: once for the replay, never for the first call or a refusal", got)
	}
	deleted := call{method: "DELETE", path: "/charges/ch_1"}.withHeader("Idempotency-Key", "d")
	client.run(scenario{first: deleted}, &next.n)
	refund := call{method: "POST", path: "/refunds"}.withHeader("Idempotency-Key", "r")
	client.run(scenario{first: refund}, &next.n)
	if got := strings.Join(next.reloads, " "); got != "ch_1 ch_1" {
		t.Errorf("reloaded %q: an answer that is kept is not reloaded", got)
	}
}

// An answer that is built again is the present one: that is what reload is for.
func TestReloadFailure(t *testing.T) {
	next, client := newChargeServer(t)
	client.do(charge())
	next.failure = errors.New("database is down")
	if a := client.do(charge()); a.status != http.StatusInternalServerError || a.replayed {
		t.Errorf("reload fails: %d %s", a.status, a.body)
	}
	next.failure = nil
	if a := client.do(charge()); a.status != 201 || !a.replayed || !strings.Contains(a.body, "4111") {
		t.Errorf("and then does not: %d %s", a.status, a.body)
	}
	if next.n != 1 {
		t.Errorf("%d effects", next.n)
	}
}

func TestReloadWithoutReference(t *testing.T) {
	next, client := newChargeServer(t)
	next.silent = true
	if a := client.do(charge()); a.status != 201 {
		t.Fatalf("first: %d %s", a.status, a.body)
	}
	if a := client.do(charge()); a.problem != "response-not-retained" || next.n != 1 {
		t.Errorf("%d %s, %d effects", a.status, a.body, next.n)
	}
}

func TestReloadIsRequired(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic without a reloader")
		}
	}()
	reload.NewIdempotentServer(&chargeServer{}, newEngine(t), nil, nil)
}
