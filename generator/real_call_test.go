package generator

import (
	"bytes"
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/idemgen/idemgen/generator/internal/server"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// A replayedOperation is an operation that is called.
type replayedOperation struct {
	Method, Target, Body, ContentType string
	Name, Request, Response, Visit    string
}

// writeReplayTest writes a test that calls three operations, or all where there
// are fewer, twice each.
func (d realDocument) writeReplayTest(t *testing.T, dir string, operations []*spec.Operation) []string {
	t.Helper()
	pkg, err := server.Read(filepath.Join(dir, "api"))
	if err != nil {
		t.Fatal(err)
	}
	var view []replayedOperation
	var names []string
	headers := map[string]string{d.key: "key-1"}
	for _, op := range operations {
		generated, ok := pkg.Operation(op.Method, op.Path)
		if !ok {
			t.Fatalf("%s is not generated", op.Name())
		}
		if len(view) == 3 {
			break
		}
		call := sampleCall(t, op, headers)
		call.Name, call.Request, call.Response, call.Visit = generated.Name, generated.Request, generated.Response, generated.Visit
		view = append(view, call)
		names = append(names, op.Name())
	}
	var text bytes.Buffer
	data := struct {
		Operations []replayedOperation
		Headers    map[string]string
	}{view, headers}
	if err := template.Must(template.New("").Parse(replayTest)).Execute(&text, data); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "api", "replay_test.go"), text.Bytes())
	return names
}

// sampleCall is a request that the generated server lets through. It adds the
// headers that the operation requires.
func sampleCall(t *testing.T, op *spec.Operation, headers map[string]string) replayedOperation {
	t.Helper()
	call := replayedOperation{Method: op.Method, Target: op.Path}
	parameters, _ := op.Parameters()
	query := map[string]string{}
	for i := range parameters {
		p := &parameters[i]
		value := sampleText(t, p)
		switch {
		case p.In == "path":
			call.Target = strings.ReplaceAll(call.Target, "{"+p.Name+"}", value)
		case p.Required && p.In == "query":
			query[p.Name] = value
		case p.Required && p.In == "header" && !strings.EqualFold(p.Name, "Content-Type"):
			headers[p.Name] = cmp.Or(headers[p.Name], value)
		}
	}
	for i, name := range slices.Sorted(maps.Keys(query)) {
		call.Target += map[bool]string{true: "?", false: "&"}[i == 0] + name + "=" + query[name]
	}
	if body, _ := op.Body(); body != nil {
		call.ContentType = body.Content[0].MediaType
		if body.Content[0].JSON() {
			call.Body = "{}"
		}
	}
	return call
}

func sampleText(t *testing.T, p *spec.Parameter) string {
	t.Helper()
	schema, problem := p.Schema()
	if problem != nil {
		t.Fatal(problem.Message)
	}
	switch {
	case schema.Type == "integer" || schema.Type == "number":
		return "1"
	case schema.Type == "boolean":
		return "true"
	case schema.Format == "uuid":
		return "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
	case schema.Format == "date-time":
		return "2026-01-01T00:00:00Z"
	}
	return "x"
}

const replayTest = `package api

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

type fake struct {
	StrictServerInterface
	effects int
}

type answer int
{{range .Operations}}
func (f *fake) {{.Name}}(context.Context, {{.Request}}) ({{.Response}}, error) {
	f.effects++
	return answer(f.effects), nil
}

func (a answer) {{.Visit}}(w http.ResponseWriter) error {
	w.WriteHeader(201)
	_, err := fmt.Fprint(w, "effect ", int(a))
	return err
}
{{end}}
func TestReplay(t *testing.T) {
	next := &fake{}
	principal := func(context.Context) (string, error) { return "caller", nil }
	engine := idem.New(memstore.New(memstore.Config{}))
	handler := Handler(NewStrictHandler(NewIdempotentServer(next, engine, principal), nil))
	for i, call := range []struct{ method, target, contentType, body string }{
		{{- range .Operations}}
		{ {{- printf "%q, %q, %q, %q" .Method .Target .ContentType .Body -}} },
		{{- end}}
	} {
		for _, replayed := range []string{"", "true"} {
			r := httptest.NewRequest(call.method, call.target, strings.NewReader(call.body))
			r.Header.Set("Content-Type", call.contentType)
			{{- range $name, $value := .Headers}}
			r.Header.Set({{printf "%q, %q" $name $value}})
			{{- end}}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != 201 || w.Body.String() != fmt.Sprint("effect ", i+1) || w.Header().Get("Idempotent-Replayed") != replayed {
				t.Errorf("%s %s: %d %s, replayed %q", call.method, call.target, w.Code, w.Body, w.Header().Get("Idempotent-Replayed"))
			}
		}
	}
}
`
