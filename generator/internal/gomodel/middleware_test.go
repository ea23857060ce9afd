package gomodel

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/contract"
)

func TestGoName(t *testing.T) {
	for operation, want := range map[string]string{
		"createPayment":        "CreatePayment",
		"create-payment":       "CreatePayment",
		"payments.create_v2":   "PaymentsCreateV2",
		"POST /payments/{id}":  "PostPaymentsId",
		"2fa":                  "Operation2fa",
		"\u00fcbertragen":      "\u00dcbertragen",
		"\u652f\u6255":         "Operation\u652f\u6255",
		"DELETE /":             "Delete",
		"GET the thing at /me": "GetTheThingAtMe",
	} {
		if got := goName(operation); got != want {
			t.Errorf("%s: %s, want %s", operation, got, want)
		}
	}
}

func TestUnprotected(t *testing.T) {
	contracts := []contract.Contract{{Method: "POST", Path: "/a/{x}"}, {Method: "POST", Path: "/b"}}
	all := []Path{
		{"POST", "/a/{x}"}, {"POST", "/b"}, {"POST", "/a/search"}, {"PUT", "/a/search"}, {"POST", "/{y}/z"},
		{"POST", "/a"}, {"POST", "/c"}, {"POST", "/a/{x}.json"},
	}
	var got []string
	for _, r := range unprotected(contracts, all) {
		got = append(got, r.Method+" "+r.Path)
	}
	want := []string{`"POST" "/a/search"`, `"POST" "/{y}/z"`, `"POST" "/a/{x}.json"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPlace(t *testing.T) {
	f := contract.Field{Source: contract.Body, Tokens: []string{"a/b", "c~d"}, Name: "a/b", Type: "integer", Default: []byte("1")}
	want := []Term{
		{"Name", `"a/b"`}, {"In", `"body"`}, {"Field", `"/a~1b/c~0d"`}, {"Type", `"integer"`}, {"Default", `"1"`},
	}
	if diff := cmp.Diff(want, comparedTerms(f)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Term{{"In", `"body"`}}, place(contract.Field{Source: contract.Body})); diff != "" {
		t.Error(diff)
	}
}
