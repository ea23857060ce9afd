package contract

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// readText reads a document that is given without its head.
func readText(t *testing.T, paths string) ([]Contract, diag.List) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "openapi.yaml")
	text := "openapi: 3.0.3\ninfo: {title: Payments, version: '1'}\n" + paths
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	document, err := spec.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return Read(document)
}

// readGood reads a document without mistakes.
func readGood(t *testing.T, paths string) []Contract {
	t.Helper()
	contracts, findings := readText(t, paths)
	if len(findings) > 0 {
		t.Fatalf("findings: %v", findings)
	}
	return contracts
}

const keyParameter = `
        - {name: idempotency-key, in: header, schema: {type: string}}`

var ignoreRanges = cmpopts.IgnoreTypes(diag.Range{})

func TestReadDefaults(t *testing.T) {
	contracts := readGood(t, `
paths:
  /orders/{id}/payments:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string, format: uuid}}
    post:
      x-idempotency: true
      parameters:`+keyParameter+`
        - {name: dryRun, in: query, schema: {type: boolean, default: false}}
        - {name: X-Trace, in: header, schema: {type: string}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [amount]
              properties:
                amount: {type: integer, format: int64}
                note: {type: string, default: "none"}
      responses: {"201": {description: created}}
`)
	want := []Contract{{
		API: "Payments", Operation: "POST /orders/{id}/payments", Method: "POST", Path: "/orders/{id}/payments",
		Key:       Field{Expression: "$request.header.idempotency-key", Name: "header.idempotency-key", Source: Header, Tokens: []string{"idempotency-key"}, Type: "string"},
		Required:  true,
		KeyFormat: "any",
		Fingerprint: []Field{
			{Expression: "$request.path.id", Name: "path.id", Source: Path, Tokens: []string{"id"}, Type: "string", Format: "uuid", Required: true},
			{Expression: "$request.query.dryRun", Name: "query.dryRun", Source: Query, Tokens: []string{"dryRun"}, Type: "boolean", Default: []byte("false")},
			{Expression: "$request.body#/amount", Name: "amount", Tokens: []string{"amount"}, Type: "integer", Format: "int64", Required: true},
			{Expression: "$request.body#/note", Name: "note", Tokens: []string{"note"}, Type: "string", Default: []byte(`"none"`)},
		},
		BodyRequired: true,
		Contents: []Content{{MediaType: "application/json", Fingerprint: []Field{
			{Expression: "$request.body#/amount", Name: "amount", Tokens: []string{"amount"}, Type: "integer", Format: "int64", Required: true},
			{Expression: "$request.body#/note", Name: "note", Tokens: []string{"note"}, Type: "string", Default: []byte(`"none"`)},
		}}},
		TTL: 24 * time.Hour, WaitTimeout: 35 * time.Second, Lease: 30 * time.Second, MaxRun: 15 * time.Minute,
		InFlight: "wait", OnStoreError: "run", OnCrash: "rerun", OnDisconnect: "finish", Replay: "stored",
		Remember:         []StatusRange{{200, 299}},
		MaxResponseBytes: 1 << 20,
	}}
	if d := cmp.Diff(want, contracts, ignoreRanges, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
}

func TestReadFieldByField(t *testing.T) {
	contracts := readGood(t, `
security: [{bearer: []}]
x-idempotency-defaults:
  scope: [principal, $request.header.X-Account-Id]
  onStoreError: reject
  ttl: P7D
  lease: 1m
paths:
  /payments:
    post:
      operationId: createPayment
      x-idempotency:
        key: request_id
        keyFormat: uuid
        fingerprint: [$request.body#/customer/id, amount, x-account-id]
        ttl: PT36H
        inFlight: reject
        maxRun: 5m
        remember: [402, 201, 2XX]
        onCrash: hold
        onDisconnect: cancel
        maxResponseBytes: 4096
      parameters:
        - {name: X-Account-Id, in: header, required: true, schema: {type: integer}}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Payment"}
      responses: {"201": {description: created}}
components:
  schemas:
    Payment:
      required: [customer, amount]
      allOf:
        - type: object
          properties: {request_id: {type: string}, amount: {type: number}}
        - properties:
            customer: {$ref: "#/components/schemas/Customer"}
    Customer: {type: object, required: [id], properties: {id: {type: string}}}
`)
	want := []Contract{{
		API: "Payments", Operation: "createPayment", OperationID: "createPayment", Method: "POST", Path: "/payments",
		Key:      Field{Expression: "$request.body#/request_id", Name: "request_id", Tokens: []string{"request_id"}, Type: "string"},
		Required: true, KeyFormat: "uuid",
		Principal: true,
		Scope: []Field{
			{Expression: "$request.header.X-Account-Id", Name: "header.X-Account-Id", Source: Header, Tokens: []string{"X-Account-Id"}, Type: "integer", Required: true},
		},
		Fingerprint: []Field{
			{Expression: "$request.body#/customer/id", Name: "customer/id", Tokens: []string{"customer", "id"}, Type: "string", Required: true},
			{Expression: "$request.body#/amount", Name: "amount", Tokens: []string{"amount"}, Type: "number", Required: true},
			{Expression: "$request.header.X-Account-Id", Name: "header.X-Account-Id", Source: Header, Tokens: []string{"X-Account-Id"}, Type: "integer", Required: true},
		},
		BodyRequired: true,
		Contents: []Content{{MediaType: "application/json", Fingerprint: []Field{
			{Expression: "$request.body#/customer/id", Name: "customer/id", Tokens: []string{"customer", "id"}, Type: "string", Required: true},
			{Expression: "$request.body#/amount", Name: "amount", Tokens: []string{"amount"}, Type: "number", Required: true},
		}}},
		TTL: 36 * time.Hour, WaitTimeout: 65 * time.Second, Lease: time.Minute, MaxRun: 5 * time.Minute,
		InFlight: "reject", OnStoreError: "reject", OnCrash: "hold", OnDisconnect: "cancel", Replay: "stored",
		Remember:         []StatusRange{{200, 299}, {402, 402}},
		MaxResponseBytes: 4096,
	}}
	if d := cmp.Diff(want, contracts, ignoreRanges, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
}

// What a list of known members would miss, the whole body does not.
func TestWholeRequest(t *testing.T) {
	tests := map[string]struct {
		schema string
		want   string
	}{
		"fixed":             {`{type: object, properties: {b: {type: string}, a: {type: string}}}`, "$request.body#/b $request.body#/a"},
		"further members":   {`{type: object, properties: {a: {type: string}}, additionalProperties: true}`, "$request.body"},
		"typed members":     {`{type: object, properties: {a: {type: string}}, additionalProperties: {type: integer}}`, "$request.body"},
		"no further member": {`{type: object, properties: {a: {type: string}}, additionalProperties: false}`, "$request.body#/a"},
		"branches": {`{type: object, properties: {a: {type: string}}, oneOf: [{properties: {b: {type: string}}}, {properties: {c: {type: string}}}]}`,
			"$request.body"},
		"free form":  {`{type: object}`, "$request.body"},
		"list":       {`{type: array, items: {type: string}}`, "$request.body"},
		"any":        {`{}`, "$request.body"},
		"the key":    {`{type: object, properties: {key: {type: string}, a: {type: string}}}`, "$request.body#/a"},
		"odd names":  {`{type: object, properties: {"a/b": {type: string}, "c~d": {type: string}, "": {type: string}}}`, "$request.body#/a~1b $request.body#/c~0d $request.body#/"},
		"merged all": {`{allOf: [{properties: {a: {type: string}}}, {properties: {b: {type: string}, a: {type: string}}}]}`, "$request.body#/a $request.body#/b"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			key := "Idempotency-Key"
			if name == "the key" {
				key = "$request.body#/key"
			}
			contracts := readGood(t, `
paths:
  /payments:
    post:
      x-idempotency: {key: "`+key+`"}
      parameters:`+keyParameter+`
      requestBody: {content: {application/json: {schema: `+test.schema+`}}}
      responses: {"201": {description: created}}
`)
			var got []string
			for _, f := range contracts[0].Fingerprint {
				got = append(got, f.Expression)
			}
			if d := cmp.Diff(test.want, strings.Join(got, " ")); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRequired(t *testing.T) {
	const paths = `
paths:
  /payments:
    post:
      x-idempotency: {fingerprint: [$request.body#/a/b]}
      parameters:` + keyParameter + `
      requestBody:
        required: BODY
        content: {application/json: {schema: {type: object, required: OUTER, properties: {a: {type: object, required: INNER, properties: {b: {type: string}}}}}}}
      responses: {"201": {description: created}}
`
	for _, test := range []struct {
		body, outer, inner string
		want               bool
	}{
		{"true", "[a]", "[b]", true},
		{"false", "[a]", "[b]", false},
		{"true", "[]", "[b]", false},
		{"true", "[a]", "[]", false},
	} {
		text := strings.NewReplacer("BODY", test.body, "OUTER", test.outer, "INNER", test.inner).Replace(paths)
		if got := readGood(t, text)[0].Fingerprint[0].Required; got != test.want {
			t.Errorf("body %s, outer %s, inner %s: required is %v", test.body, test.outer, test.inner, got)
		}
	}
}

func TestExempt(t *testing.T) {
	contracts := readGood(t, `
paths:
  /search:
    post:
      x-idempotency: {exempt: "reads only"}
      responses: {"200": {description: found}}
    get:
      x-idempotency: false
      responses: {"200": {description: found}}
`)
	if len(contracts) != 0 {
		t.Errorf("contracts: %v", contracts)
	}
}

// The place of an expanded field is that of the word, else of the extension.
func TestRanges(t *testing.T) {
	const paths = `paths:
  /a/{id}:
    post:
      x-idempotency: EXTENSION
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
        - {name: Idempotency-Key, in: header, schema: {type: string}}
      responses: {"201": {description: created}}
`
	for extension, want := range map[string]diag.Position{
		"true":                   {Line: 6, Column: 7},
		"{fingerprint: request}": {Line: 6, Column: 36},
		"{fingerprint: [id]}":    {Line: 6, Column: 37},
	} {
		c := readGood(t, strings.Replace(paths, "EXTENSION", extension, 1))[0]
		if got := c.Fingerprint[0].Range.Start; got != want {
			t.Errorf("%s: the field is at %v, want %v", extension, got, want)
		}
		if got := c.Range.Start; got != (diag.Position{Line: 6, Column: 7}) {
			t.Errorf("%s: the contract is at %v", extension, got)
		}
	}
}
