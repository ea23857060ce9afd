package render_test

import (
	"context"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/testdata/cases/bodies"
)

type bodyServer struct{ effects }

func (s *bodyServer) OptionalBody(context.Context, bodies.OptionalBodyRequestObject) (bodies.OptionalBodyResponseObject, error) {
	return done[bodies.OptionalBodyResponseObject](&s.effects, bodies.OptionalBody204Response{})
}

func (s *bodyServer) IntegerBody(context.Context, bodies.IntegerBodyRequestObject) (bodies.IntegerBodyResponseObject, error) {
	return done[bodies.IntegerBodyResponseObject](&s.effects, bodies.IntegerBody204Response{})
}

func (s *bodyServer) ArrayBody(context.Context, bodies.ArrayBodyRequestObject) (bodies.ArrayBodyResponseObject, error) {
	return done[bodies.ArrayBodyResponseObject](&s.effects, bodies.ArrayBody204Response{})
}

func (s *bodyServer) MapBody(context.Context, bodies.MapBodyRequestObject) (bodies.MapBodyResponseObject, error) {
	return done[bodies.MapBodyResponseObject](&s.effects, bodies.MapBody204Response{})
}

func (s *bodyServer) UnionBody(context.Context, bodies.UnionBodyRequestObject) (bodies.UnionBodyResponseObject, error) {
	return done[bodies.UnionBodyResponseObject](&s.effects, bodies.UnionBody204Response{})
}

// NoBody has no typed answer: the generated server then answers an empty 200.
func (s *bodyServer) NoBody(context.Context, bodies.NoBodyRequestObject) (bodies.NoBodyResponseObject, error) {
	return done[bodies.NoBodyResponseObject](&s.effects, nil)
}

func TestBodies(t *testing.T) {
	for _, test := range []struct {
		path, first string
		same        []string
		different   map[string]string
	}{
		{"/optional", ``, []string{}, map[string]string{"amount": `{"amount":1}`, "amount note": `{"amount":1,"note":"x"}`}},
		{"/optional", `{"amount":1}`, []string{`{"amount":1,"note":"none"}`}, map[string]string{"amount": ``, "note": `{"amount":1,"note":""}`}},
		{"/integer", `9007199254740992`, []string{` 9007199254740992 `}, map[string]string{"$request.body": `9007199254740993`}},
		{"/array", `["a","b"]`, []string{`[ "a", "\u0062" ]`}, map[string]string{"$request.body": `["b","a"]`}},
		{"/map", `{"a":1,"b":2}`, []string{`{"b":2,"a":1}`}, map[string]string{"$request.body": `{"a":1}`}},
		{"/map", ``, nil, map[string]string{"$request.body": `{"a":1}`}},
		{"/union", `{"number":"1","x":[1,{"y":2,"z":3}]}`, []string{`{"x":[1,{"z":3,"y":2}],"number":"1"}`}, map[string]string{"$request.body": `{"iban":"1"}`}},
		{"/none", ``, nil, nil},
	} {
		t.Run(strings.Trim(test.path, "/"), func(t *testing.T) {
			next := &bodyServer{}
			server := bodies.NewIdempotentServer(next, newEngine(t))
			client := newClient(t, bodies.Handler(bodies.NewStrictHandler(server, nil)))
			base := call{method: "POST", path: test.path}.withHeader("Idempotency-Key", "k")
			s := scenario{first: base.withBody(test.first), different: make(map[string]call)}
			for _, body := range test.same {
				s.same = append(s.same, base.withBody(body))
			}
			for names, body := range test.different {
				s.different[names] = base.withBody(body)
			}
			client.run(s, &next.n)
		})
	}
}
