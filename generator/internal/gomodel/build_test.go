package gomodel

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/server"
)

// generated is a package as oapi-codegen would write it, of one operation,
// POST /pay/{id}, with declarations to fill in.
const generated = `package api

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/oapi-codegen/nullable"
	openapi_types "github.com/oapi-codegen/runtime/types"
	"github.com/shopspring/decimal"
)

type StrictServerInterface interface {
	// (POST /pay/{id})
	Pay(ctx context.Context, request PayRequestObject) (PayResponseObject, error)
}

type PayResponseObject interface{ VisitPayResponse(w http.ResponseWriter) error }
`

const usualRequest = `
type PayRequestObject struct {
	Id string "json:\"id\""
	Params PayParams
	Body *PayJSONRequestBody
}
type PayParams struct { Key string "json:\"Idempotency-Key\"" }
`

func readPackage(t *testing.T, source string) *server.Package {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "api.gen.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	pkg, err := server.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// at is a place that tells fields apart.
func at(line int) diag.Range {
	return diag.Range{File: "openapi.yaml", Start: diag.Position{Line: line, Column: 1}}
}

func header(name string) contract.Field {
	return contract.Field{Expression: "$request.header." + name, Name: "header." + name, Source: contract.Header, Tokens: []string{name}, Required: true, Range: at(2)}
}

func body(pointer string) contract.Field {
	f := contract.Field{Expression: "$request.body#/" + pointer, Name: pointer, Source: contract.Body, Range: at(3)}
	if pointer != "" {
		f.Tokens = strings.Split(pointer, "/")
	}
	return f
}

func payContract() contract.Contract {
	return contract.Contract{
		API: "Pay", Operation: "pay", OperationID: "pay", Method: "POST", Path: "/pay/{id}", Range: at(1),
		Key: header("Idempotency-Key"), Required: true, KeyFormat: "any",
		TTL: 24 * time.Hour, WaitTimeout: 35 * time.Second, Lease: 30 * time.Second, MaxRun: 15 * time.Minute,
		InFlight: "wait", OnStoreError: "run", OnCrash: "rerun", OnDisconnect: "finish",
		Remember: []contract.StatusRange{{From: 200, To: 299}}, MaxResponseBytes: 1 << 20,
	}
}

func TestFindings(t *testing.T) {
	const object = usualRequest + `type PayJSONRequestBody struct {
		Amount int "json:\"amount\""
		Money decimal.Decimal "json:\"money\""
		Union Union "json:\"union\""
		Lost Lost "json:\"lost\""
		File io.Reader "json:\"file\""
		List []string "json:\"list\""
	}
	type Union struct { union json.RawMessage }
	func (u *Union) UnmarshalJSON(b []byte) error { return nil }
	type Lost Union
	`
	for _, test := range []struct {
		name, source string
		change       func(c *contract.Contract)
		want         string
	}{
		{"no operation", object, func(c *contract.Contract) { c.Path = "/other" }, "1 operation-not-generated"},
		{"name taken", object + "\nvar PayContract = 1", func(*contract.Contract) {}, "1 name-clash"},
		{"import taken", object + "\nfunc idem() {}", func(*contract.Contract) {}, "1 name-clash"},
		{"unknown header", object, func(c *contract.Contract) { c.Key = header("Key") }, "2 unreachable-field"},
		{"unknown member", object, func(c *contract.Contract) { c.Fingerprint = []contract.Field{body("nothing")} }, "3 unreachable-field"},
		{"into a list", object, func(c *contract.Contract) { c.Fingerprint = []contract.Field{body("list/0")} }, "3 unreachable-field"},
		{"into a union", object, func(c *contract.Contract) { c.Fingerprint = []contract.Field{body("union/a")} }, "3 unreachable-field"},
		{"lost union", object, func(c *contract.Contract) { c.Fingerprint = []contract.Field{body("lost")} }, "3 field-go-type"},
		{"foreign as a whole", object, func(c *contract.Contract) { c.Fingerprint = []contract.Field{body("money")} }, ""},
		{"through foreign", object, func(c *contract.Contract) { c.Fingerprint = []contract.Field{body("money/units")} }, "3 foreign-type"},
		{"file", object, func(c *contract.Contract) { c.Fingerprint = []contract.Field{body("file")} }, "3 field-go-type"},
		{"key of a list", object, func(c *contract.Contract) { c.Key = body("list") }, "3 key-go-type"},
		{"scope of a list", object, func(c *contract.Contract) { c.Scope = []contract.Field{body("list")} }, "3 scope-go-type"},
		{"bad default", strings.Replace(object, "Amount int", "Amount *int", 1), func(c *contract.Contract) {
			f := body("amount")
			f.Default = []byte(`"many"`)
			c.Fingerprint = []contract.Field{f}
		}, "3 default-mismatch"},
		{"several bodies", "type PayRequestObject struct { Params PayParams; JSONBody *int; TextBody *string }\n" + `type PayParams struct { Key string "json:\"Idempotency-Key\"" }`,
			func(c *contract.Contract) { c.Fingerprint = []contract.Field{body("")} }, "3 unreachable-field"},
		{"stream", "type PayRequestObject struct { Params PayParams; Body io.Reader }\n" + `type PayParams struct { Key string "json:\"Idempotency-Key\"" }`,
			func(c *contract.Contract) { c.Scope = []contract.Field{body("")} }, "3 body-go-type"},
		{"all at once", object, func(c *contract.Contract) {
			c.Key = header("Key")
			c.Fingerprint = []contract.Field{body("nothing"), body("file")}
		}, "2 unreachable-field, 3 field-go-type, 3 unreachable-field"},
	} {
		c := payContract()
		test.change(&c)
		file, findings := Build([]contract.Contract{c}, readPackage(t, generated+test.source), Options{})
		var got []string
		for _, f := range findings {
			got = append(got, string(rune('0'+f.Range.Start.Line))+" "+f.Rule)
			if f.Message == "" || f.Hint == "" || f.Operation != "pay" {
				t.Errorf("%s: incomplete finding %+v", test.name, f)
			}
		}
		if joined := strings.Join(got, ", "); joined != test.want {
			t.Errorf("%s: findings %q, want %q", test.name, joined, test.want)
		}
		if (file == nil) != findings.HasErrors() {
			t.Errorf("%s: file %v, findings %v", test.name, file, findings)
		}
	}
}

func TestMethodClash(t *testing.T) {
	source := strings.Replace(generated, "type PayResponseObject", `type PayAgain interface{}
type PayResponseObject`, 1) + usualRequest + "type PayJSONRequestBody int"
	source = strings.Replace(source, "	// (POST /pay/{id})", "	// (POST /pay)\n	Pay(ctx context.Context, request PayRequestObject) (PayResponseObject, error)\n	// (POST /pay/{id})", 1)
	one, two := payContract(), payContract()
	two.Path, two.Operation, two.Range = "/pay", "Pay", at(9)
	file, findings := Build([]contract.Contract{one, two}, readPackage(t, source), Options{})
	if file != nil || len(findings) != 1 || findings[0].Rule != RuleMethodClash || findings[0].Range != at(9) || !strings.Contains(findings[0].Message, "openapi.yaml:1:1") {
		t.Errorf("findings %+v", findings)
	}
}

// Without a strict server, only handlers of net/http can be wrapped.
func TestUnsupportedServer(t *testing.T) {
	pkg := readPackage(t, `package api

import "github.com/gofiber/fiber/v2"

type ServerInterface interface {
	// (POST /pay/{id})
	Pay(c *fiber.Ctx, id string) error
}
`)
	_, findings := Build([]contract.Contract{{Method: "POST", Path: "/pay/{id}", Operation: "pay"}}, pkg, Options{})
	if len(findings) != 1 || findings[0].Rule != RuleUnsupportedServer || !strings.Contains(findings[0].Message, "fiber") {
		t.Errorf("findings %v", findings)
	}
}

func TestOwnPackage(t *testing.T) {
	for _, test := range []struct{ name, want string }{{"api", "api"}, {"http", "api"}, {"petstore", "petstore"}} {
		source := strings.Replace(generated, "package api", "package "+test.name, 1) + usualRequest + "type PayJSONRequestBody int\nvar PayContract int"
		opts := Options{PackageName: "keep", ImportPath: "example.com/gen/v2"}
		file, findings := Build([]contract.Contract{payContract()}, readPackage(t, source), opts)
		if len(findings) > 0 {
			t.Errorf("%s: %v", test.name, findings)
			continue
		}
		if file.Package != "keep" || file.API != test.want+"." || file.Operations[0].Request != test.want+".PayRequestObject" {
			t.Errorf("%s: package %s, qualifier %s, request %s", test.name, file.Package, file.API, file.Operations[0].Request)
		}
		if !slices.Contains(file.Imports[1], Import{Name: test.want, Path: "example.com/gen/v2"}) {
			t.Errorf("%s: imports %v", test.name, file.Imports)
		}
	}
}

func TestTerms(t *testing.T) {
	c := payContract()
	c.Required = false
	c.Principal = true
	c.Scope = []contract.Field{header("X-A")}
	c.TTL, c.Lease, c.WaitTimeout, c.MaxRun = 7*24*time.Hour, 90*time.Second, 1500*time.Millisecond, 24*time.Hour
	c.InFlight, c.OnStoreError, c.OnCrash, c.OnDisconnect = "run", "reject", "hold", "cancel"
	c.Remember = nil
	want := []Term{
		{"API", `"Pay"`}, {"Operation", `"pay"`}, {"OptionalKey", "true"}, {"KeyFormat", `"any"`},
		{"Scope", `[]string{idem.ScopePrincipal, "$request.header.X-A"}`}, {"InFlight", "idem.RunAlso"},
		{"TTL", "7 * 24 * time.Hour"}, {"WaitTimeout", "1500 * time.Millisecond"}, {"Lease", "90 * time.Second"}, {"MaxRun", "24 * time.Hour"},
		{"Remember", "[]idem.StatusRange{}"}, {"OnStoreError", "idem.RefuseRequest"}, {"OnCrash", "idem.Hold"}, {"OnDisconnect", "idem.Cancel"},
		{"MaxResponseBytes", "1048576"},
	}
	if diff := cmp.Diff(want, terms(&c)); diff != "" {
		t.Error(diff)
	}
}

// A key in the body needs no handler of binding errors, and for echo nothing of
// the framework then.
func TestKeyInBodyNeedsNoHook(t *testing.T) {
	source := strings.Replace(generated, `"github.com/oapi-codegen/nullable"`, `"github.com/labstack/echo/v4"`, 1) + usualRequest +
		"type PayJSONRequestBody struct { Key string }\ntype ServerInterface interface {\n// (POST /pay/{id})\nPay(ctx echo.Context, id string) error\n}\n"
	for _, inBody := range []bool{false, true} {
		c := payContract()
		if inBody {
			c.Key = contract.Field{Source: contract.Body, Tokens: []string{"Key"}, Expression: "$request.body#/Key", Required: true}
		}
		file, findings := Build([]contract.Contract{c}, readPackage(t, source), Options{})
		if file == nil {
			t.Fatal(findings)
		}
		echo := slices.ContainsFunc(file.Imports[1], func(i Import) bool { return strings.Contains(i.Path, "echo") })
		if echo == inBody || (file.ErrorHandler != nil) == inBody {
			t.Errorf("in body %t: imports echo %t, handler %v", inBody, echo, file.ErrorHandler)
		}
	}
}
