package render_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/testdata/cases/types"
)

type typeServer struct{ effects }

func (s *typeServer) PostValues(context.Context, types.PostValuesRequestObject) (types.PostValuesResponseObject, error) {
	return done[types.PostValuesResponseObject](&s.effects, types.PostValues204Response{})
}

func (s *typeServer) PostNamesV1all(context.Context, types.PostNamesV1allRequestObject) (types.PostNamesV1allResponseObject, error) {
	return done[types.PostNamesV1allResponseObject](&s.effects, types.PostNamesV1all204Response{})
}

func newTypeHandler(t *testing.T) http.Handler {
	return types.Handler(types.NewStrictHandler(types.NewIdempotentServer(&typeServer{}, newEngine(t)), nil))
}

// fieldTypes has the values of every field of the case's schema.
func fieldTypes() map[string]*rapid.Generator[value] {
	tree := objects(nil, map[string]*rapid.Generator[value]{
		"value": integers(math.MinInt64, math.MaxInt64), "children": lists(objects(nil, map[string]*rapid.Generator[value]{"value": integers(0, 3)})),
	})
	return map[string]*rapid.Generator[value]{
		"int":       integers(math.MinInt64, math.MaxInt64),
		"int32":     integers(math.MinInt32, math.MaxInt32),
		"int64":     integers(math.MinInt64, math.MaxInt64),
		"uint64":    integers(0, math.MaxInt64),
		"number":    numbers(32),
		"float":     numbers(32),
		"double":    numbers(64),
		"string":    texts(),
		"boolean":   words("true", "false"),
		"date":      dates(),
		"instant":   instants(),
		"uuid":      ids(),
		"byte":      base64s(),
		"file":      base64s(),
		"email":     words(`"a@example.com"`, `"A@example.com"`, `"b@example.com"`),
		"json":      free(words("1", "1.0", "1e0", "9007199254740993", "9007199254740992"), 2),
		"enum":      words(`"a"`, `"b"`, `"A"`),
		"nullable":  rapid.OneOf(texts(), rapid.Just[value](null{})),
		"defaulted": words("6", "7", "8"),
		"list":      lists(numbers(64)),
		"instants":  lists(instants()),
		"uuids":     lists(ids()),
		"map":       mapsOf(integers(math.MinInt64, math.MaxInt64)),
		"free":      mapsOf(free(numbers(64), 2)),
		"any":       free(numbers(64), 2),
		"object":    objects([]string{"a"}, map[string]*rapid.Generator[value]{"a": texts(), "b": integers(math.MinInt64, math.MaxInt64)}),
		"open":      objects(nil, map[string]*rapid.Generator[value]{"a": texts(), "b": integers(math.MinInt64, math.MaxInt64), "c": integers(0, 3)}),
		"union":     rapid.OneOf(texts(), numbers(64), objects(nil, map[string]*rapid.Generator[value]{"a": texts()})),
		"pet":       objects([]string{"kind"}, map[string]*rapid.Generator[value]{"kind": words(`"cat"`, `"dog"`), "lives": integers(0, 9), "tricks": lists(texts())}),
		"raw":       free(words("1", "1.0", "1e0"), 2),
		"duration":  integers(math.MinInt64, math.MaxInt64),
		"renamed":   texts(),
		"tree":      tree,
	}
}

// TestEveryTypeHasValues keeps fieldTypes and the document together.
func TestEveryTypeHasValues(t *testing.T) {
	var declared map[string]any
	text, err := json.Marshal(types.Values{})
	if err != nil || json.Unmarshal(text, &declared) != nil {
		t.Fatal(err)
	}
	contracts, _ := load(t, casesDir+"/types", goldenOf("types"))
	var names []string
	for _, f := range contracts[0].Fingerprint {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	if got := slices.Sorted(maps.Keys(fieldTypes())); !slices.Equal(got, names) {
		t.Errorf("values of %v, fields %v", got, names)
	}
}

// TestFingerprintsByType sends, for every type of a schema, a value, the same in
// another spelling, and another value: what means the same is replayed, what
// does not is refused, and the refusal names the field.
func TestFingerprintsByType(t *testing.T) {
	key := 0
	for name, values := range fieldTypes() {
		t.Run(name, func(t *testing.T) {
			handler := newTypeHandler(t)
			rapid.Check(t, func(t *rapid.T) {
				key++
				v, w := values.Draw(t, "value"), values.Draw(t, "other")
				first := post(t, handler, key, name, v)
				if first.status != 204 || first.replayed {
					t.Fatalf("first: %+v", first)
				}
				if again := post(t, handler, key, name, v); !again.replayed {
					t.Fatalf("the same in another spelling: %+v", again)
				}
				wantSame(t, name, v, w, post(t, handler, key, name, w))
				wantSame(t, name, v, absent(name), post(t, handler, key, name, nil))
			})
		})
	}
}

// absent is what the absence of a field means.
func absent(name string) value {
	if name == "defaulted" {
		return literal("7")
	}
	return null{}
}

// wantSame checks the answer to w after v under one key.
func wantSame(t *rapid.T, name string, v, w value, a answer) {
	t.Helper()
	if v.meaning() == w.meaning() {
		if !a.replayed {
			t.Fatalf("%s and %s mean the same: %+v", v.meaning(), w.meaning(), a)
		}
	} else if a.problem != "key-reused" || !slices.Equal(a.fields, []string{name}) {
		t.Fatalf("%s and %s differ: %+v", v.meaning(), w.meaning(), a)
	}
}

// post sends a body with one field, between members that nobody declared.
func post(t *rapid.T, handler http.Handler, key int, name string, v value) answer {
	t.Helper()
	body := object{"undeclared": literal(strconv.Itoa(rapid.IntRange(0, 9).Draw(t, "undeclared")))}
	if v != nil {
		body[name] = v
	}
	text := body.spell(t)
	r := httptest.NewRequest("POST", "/values", strings.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", fmt.Sprint("k", key))
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	a := answer{status: w.Code, replayed: w.Header().Get("Idempotent-Replayed") == "true", body: w.Body.String()}
	if w.Code == http.StatusUnprocessableEntity {
		var problem struct {
			Type   string
			Fields []string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil {
			t.Fatal(err)
		}
		a.problem, a.fields = strings.TrimPrefix(problem.Type, "urn:idemgen:problem:"), problem.Fields
	}
	return a
}

// TestNames calls an operation whose names are no identifiers of Go.
func TestNames(t *testing.T) {
	base := call{method: "POST", path: "/names/1?filter.from=a&$top=3"}.withHeader("Idempotency-Key", "k").withHeader("X-Request-Source", "s")
	base.body = `{"line-items":["x"],"a.b":"1","a/b":"2","$ref":"3","2fa":true,"type":"t","ünï":"u","my name":"n","_private":"p"}`
	replace := func(old, new string) call { return base.withBody(strings.Replace(base.body, old, new, 1)) }
	server := &typeServer{}
	handler := types.Handler(types.NewStrictHandler(types.NewIdempotentServer(server, newEngine(t)), nil))
	client := newClient(t, handler)
	client.run(scenario{first: base, same: []call{base.withPath("/names/1?%24top=3&filter.from=a&more=1")}, different: map[string]call{
		"path.order-id":           base.withPath("/names/2?filter.from=a&$top=3"),
		"query.filter.from":       base.withPath("/names/1?filter.from=b&$top=3"),
		"query.$top":              base.withPath("/names/1?filter.from=a"),
		"header.x-request-source": base.withHeader("X-Request-Source", "S"),
		"line-items":              replace(`["x"]`, `[]`),
		"a.b":                     replace(`"1"`, `"9"`),
		"a~1b":                    replace(`"2"`, `"9"`),
		"$ref":                    replace(`"3"`, `"9"`),
		"2fa":                     replace(`true`, `false`),
		"type":                    replace(`"t"`, `"T"`),
		"ünï":                     replace(`"u"`, `"ü"`),
		"my name":                 replace(`"n"`, `null`),
		"_private":                replace(`"p"`, `""`),
	}}, &server.n)
}
