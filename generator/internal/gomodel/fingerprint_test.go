package gomodel

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/contract"
)

// buildOne builds the usual operation with the given body members, in Go, and
// contract.
func buildOne(t *testing.T, members string, c contract.Contract) Operation {
	t.Helper()
	source := generated + usualRequest + "type PayJSONRequestBody struct {\n" + members + "\n}\n" + `
type Text string
type Id openapi_types.UUID
type Moment time.Time
type Inner struct { Leaf *string "json:\"leaf\""; Need string "json:\"need\"" }
`
	file, findings := Build([]contract.Contract{c}, readPackage(t, source), Options{})
	if len(findings) > 0 {
		t.Fatalf("%s: %v", members, findings)
	}
	return file.Operations[0]
}

func TestValues(t *testing.T) {
	for _, test := range []struct {
		typ, path, json     string // path "" for a; json is the default
		guard, write, other string // without "body != nil"; other "" for h.Null()
	}{
		{"string", "", "", "", "h.String(body.A)", ""},
		{"*string", "", `"x\"y"`, "body.A != nil", "h.String(*body.A)", `h.String("x\"y")`},
		{"Text", "", "", "", "h.String(string(body.A))", ""},
		{"**Text", "", "", "body.A != nil && (*body.A) != nil", "h.String(string(*(*body.A)))", ""},
		{"*openapi_types.Email", "", `"a@b"`, "body.A != nil", "h.String(string(*body.A))", `h.String("a@b")`},
		{"*bool", "", "true", "body.A != nil", "h.Bool(*body.A)", "h.Bool(true)"},
		{"*int32", "", "-7", "body.A != nil", "h.Int(int64(*body.A))", "h.Int(-7)"},
		{"*int64", "", "9007199254740993", "body.A != nil", "h.Int(*body.A)", "h.Int(9007199254740993)"},
		{"*uint64", "", "18446744073709551615", "body.A != nil", "h.Uint(*body.A)", "h.Uint(18446744073709551615)"},
		{"*float32", "", "0.1", "body.A != nil", "h.Float(float64(*body.A))", "h.Float(float64(float32(0.1)))"},
		{"*float64", "", "1e3", "body.A != nil", "h.Float(*body.A)", "h.Float(1e3)"},
		{"*[]byte", "", `"AAEC"`, "body.A != nil", "h.Bytes(*body.A)", `h.Bytes([]byte("\x00\x01\x02"))`},
		{"json.RawMessage", "", `{"n":1.0}`, "len(body.A) != 0", "h.JSON(body.A)", `h.JSON([]byte("{\"n\":1.0}"))`},
		{"*openapi_types.UUID", "", `"6BA7B810-9dad-11d1-80b4-00c04fd430c8"`, "body.A != nil", "h.String(body.A.String())", `h.String("6ba7b810-9dad-11d1-80b4-00c04fd430c8")`},
		{"*Id", "", "", "body.A != nil", "h.String(openapi_types.UUID(*body.A).String())", ""},
		{"*openapi_types.Date", "", `"2026-02-28"`, "body.A != nil", "h.Date(body.A.Time)", "h.Date(time.Date(2026, time.February, 28, 0, 0, 0, 0, time.UTC))"},
		{"*time.Time", "", `"2026-02-28T01:00:00.5+02:00"`, "body.A != nil", "h.Time(*body.A)", "h.Time(time.Date(2026, time.February, 27, 23, 0, 0, 500000000, time.UTC))"},
		{"Moment", "", "", "", "h.Time(time.Time(body.A))", ""},
		{"*[]string", "", `["a",1,2.5,{"b":null,"a":true}]`, "body.A != nil", "h.Any(body.A)", `h.Any([]any{"a", int64(1), float64(2.5), map[string]any{"a": true, "b": nil}})`},
		{"map[string]Text", "", "", "", "h.Any(body.A)", ""},
		{"*decimal.Decimal", "", `"1.50"`, "body.A != nil", "h.Any(body.A)", `h.Any("1.50")`},
		{"*int", "", "null", "body.A != nil", "h.Int(int64(*body.A))", ""},
		{"nullable.Nullable[string]", "", "", "", "h.Any(body.A)", ""},
		{"nullable.Nullable[Text]", "", `"x"`, "body.A.IsSpecified()", "h.Any(body.A)", `h.String("x")`},
		{"Inner", "need", "", "", "h.String(body.A.Need)", ""},
		{"*Inner", "need", `"x"`, "body.A != nil", "h.String(body.A.Need)", `h.String("x")`},
		{"*Inner", "leaf", "", "body.A != nil && body.A.Leaf != nil", "h.String(*body.A.Leaf)", ""},
		{"nullable.Nullable[Inner]", "need", "", "body.A.IsSpecified() && !body.A.IsNull()", "h.String(body.A.MustGet().Need)", ""},
		{"nullable.Nullable[*Inner]", "leaf", "", "body.A.IsSpecified() && !body.A.IsNull() && body.A.MustGet() != nil && body.A.MustGet().Leaf != nil", "h.String(*body.A.MustGet().Leaf)", ""},
		{"struct { *Inner }", "need", "", "body.A.Inner != nil", "h.String(body.A.Inner.Need)", ""},
	} {
		f := body("a")
		if test.path != "" {
			f = body("a/" + test.path)
		}
		if test.json != "" {
			f.Default = []byte(test.json)
		}
		c := payContract()
		c.BodyRequired = true
		c.Fingerprint = []contract.Field{f}
		op := buildOne(t, "A "+test.typ+" \"json:\\\"a,omitempty\\\"\"\nB int \"json:\\\"b\\\"\"", c)
		if test.other == "" {
			test.other = "h.Null()"
		}
		want := Value{Name: quote(f.Name), Guard: test.guard, Write: test.write, Absent: test.other}
		if diff := cmp.Diff(want, op.Fingerprint[0]); diff != "" {
			t.Errorf("%s: %s", test.typ, diff)
		}
	}
}

func TestOptionalBody(t *testing.T) {
	c := payContract()
	c.Fingerprint = []contract.Field{body("a"), body("")}
	op := buildOne(t, `A *int "json:\"a\""`, c)
	if got := op.Fingerprint[0].Guard; got != "body != nil && body.A != nil" {
		t.Errorf("guard %q", got)
	}
	if got := op.Fingerprint[1]; got.Guard != "body != nil" || got.Write != "h.Any(body)" {
		t.Errorf("whole body %+v", got)
	}
	if !op.Body {
		t.Error("no variable body")
	}
}

func TestKeyAndScope(t *testing.T) {
	const a = " \"json:\\\"a\\\"\""
	for _, test := range []struct {
		typ        string
		required   bool
		key, scope Part
	}{
		{"string", true, Part{Var: "key", Expr: "idem.KeyOf(request.Body.A)"}, Part{Var: "scope1", Expr: "request.Body.A"}},
		{"Text", true, Part{Var: "key", Expr: "idem.KeyOf(string(request.Body.A))"}, Part{Var: "scope1", Expr: "string(request.Body.A)"}},
		{"string", false, Part{Guard: "request.Body != nil", Var: "key", Expr: "idem.KeyOf(request.Body.A)"}, Part{Guard: "request.Body != nil", Var: "scope1", Expr: "request.Body.A"}},
		{"*string", true, Part{Guard: "request.Body.A != nil", Var: "key", Expr: "idem.KeyOf(*request.Body.A)"}, Part{Guard: "request.Body.A != nil", Var: "scope1", Expr: "*request.Body.A"}},
		{"nullable.Nullable[string]", true, Part{Guard: "request.Body.A.IsSpecified() && !request.Body.A.IsNull()", Var: "key", Expr: "idem.KeyOf(request.Body.A.MustGet())"},
			Part{Guard: "request.Body.A.IsSpecified() && !request.Body.A.IsNull()", Var: "scope1", Expr: "request.Body.A.MustGet()"}},
		{"Id", true, Part{Var: "key", Expr: "idem.KeyOf(openapi_types.UUID(request.Body.A).String())"}, Part{Var: "scope1", Expr: "openapi_types.UUID(request.Body.A).String()"}},
		{"uint32", true, Part{Var: "key", Expr: "idem.KeyOf(strconv.FormatUint(uint64(request.Body.A), 10))"}, Part{Var: "scope1", Expr: "strconv.FormatUint(uint64(request.Body.A), 10)"}},
	} {
		f := body("a")
		f.Required = test.required
		c := payContract()
		c.BodyRequired = test.required
		c.Key, c.Scope = f, []contract.Field{f}
		op := buildOne(t, "A "+test.typ+a, c)
		if diff := cmp.Diff(test.key, op.KeyValue); diff != "" {
			t.Errorf("key of %s: %s", test.typ, diff)
		}
		if diff := cmp.Diff([]Part{test.scope}, op.ScopeParts); diff != "" {
			t.Errorf("scope of %s: %s", test.typ, diff)
		}
	}
}

func TestHeaderKey(t *testing.T) {
	for _, test := range []struct {
		typ      string
		required bool
		want     Part
	}{
		{"string", true, Part{Var: "key", Expr: "nethttp.HeaderKey(request.Params.Key)"}},
		{"*string", false, Part{Expr: "nethttp.OptionalHeaderKey(request.Params.Key)"}},
		{"*Text", false, Part{Expr: "nethttp.OptionalHeaderKey((*string)(request.Params.Key))"}},
		{"string", false, Part{Var: "key", Expr: "nethttp.HeaderKey(request.Params.Key)"}},
		{"string omitempty", false, Part{Guard: `request.Params.Key != ""`, Var: "key", Expr: "nethttp.HeaderKey(request.Params.Key)"}},
		{"*openapi_types.UUID", false, Part{Guard: "request.Params.Key != nil", Var: "key", Expr: "nethttp.HeaderKey(request.Params.Key.String())"}},
	} {
		typ, option, _ := strings.Cut(test.typ, " ")
		source := strings.Replace(generated+usualRequest, "Key string \"json:\\\"Idempotency-Key", "Key "+typ+" \"json:\\\"Idempotency-Key,"+option, 1) + "type Text string\ntype PayJSONRequestBody int"
		c := payContract()
		c.Key.Required = test.required
		file, findings := Build([]contract.Contract{c}, readPackage(t, source), Options{})
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		if diff := cmp.Diff(test.want, file.Operations[0].KeyValue); diff != "" {
			t.Errorf("%s: %s", test.typ, diff)
		}
	}
}
