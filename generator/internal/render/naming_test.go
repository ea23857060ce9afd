package render_test

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/testdata/cases/naming"
)

type namingServer struct{ effects }

func (s *namingServer) CreateAccountTransfer(context.Context, naming.CreateAccountTransferRequestObject) (naming.CreateAccountTransferResponseObject, error) {
	return done[naming.CreateAccountTransferResponseObject](&s.effects, naming.CreateAccountTransfer204Response{})
}

func (s *namingServer) PostAccountsAccountIDClosures(context.Context, naming.PostAccountsAccountIDClosuresRequestObject) (naming.PostAccountsAccountIDClosuresResponseObject, error) {
	return done[naming.PostAccountsAccountIDClosuresResponseObject](&s.effects, naming.PostAccountsAccountIDClosures204Response{})
}

// Names are taken from the generated package, whatever options made them. Here
// optional fields have no pointers, so that an absent one is the zero value.
func TestNaming(t *testing.T) {
	next := &namingServer{}
	server := naming.NewIdempotentServer(next, newEngine(t))
	client := newClient(t, naming.Handler(naming.NewStrictHandler(server, nil)))
	transfer := call{method: "POST", path: "/accounts/1/transfers?dry-run=true", body: `{"id":"1","payee":{"url":"x"}}`}.withHeader("Idempotency-Key", "k")
	client.run(scenario{first: transfer,
		same: []call{transfer.withBody(`{"id":"1","payee":{"url":"x"},"amount":0,"iban":""}`)},
		different: map[string]call{
			"path.account-id": transfer.withPath("/accounts/2/transfers?dry-run=true"),
			"query.dry-run":   transfer.withPath("/accounts/1/transfers"),
			"iban amount":     transfer.withBody(`{"id":"1","payee":{"url":"x"},"amount":1,"iban":"DE"}`),
			"payee":           transfer.withBody(`{"id":"1"}`),
		},
	}, &next.n)
	closure := call{method: "POST", path: "/accounts/1/closures", body: `{"close-id":"c","reason-code":"a"}`}
	client.run(scenario{first: closure, different: map[string]call{
		"reason-code": closure.withBody(`{"close-id":"c","reason-code":"b"}`),
	}}, &next.n)
	if a := client.do(transfer.withHeader("Idempotency-Key", "")); a.problem != "missing-key" {
		t.Errorf("an empty key, which is no other than none here: %d %s", a.status, a.body)
	}
}
