package runtime

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	openapi "github.com/oapi-codegen/runtime/types"
	"pgregory.net/rapid"
)

// The shapes below are those that oapi-codegen generates.

type money struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

type source struct{ union json.RawMessage }

func (s source) MarshalJSON() ([]byte, error)  { return s.union.MarshalJSON() }
func (s *source) UnmarshalJSON(b []byte) error { return s.union.UnmarshalJSON(b) }

type labels struct {
	Name                 string             `json:"name"`
	Note                 *string            `json:"note,omitempty"`
	AdditionalProperties map[string]float64 `json:"-"`
}

func (l labels) MarshalJSON() ([]byte, error) {
	object := map[string]any{"name": l.Name}
	if l.Note != nil {
		object["note"] = *l.Note
	}
	for name, v := range l.AdditionalProperties {
		object[name] = v
	}
	return json.Marshal(object)
}

// nullable is github.com/oapi-codegen/nullable's Nullable.
type nullable[T any] map[bool]T

func (n nullable[T]) MarshalJSON() ([]byte, error) {
	if v, ok := n[true]; ok {
		return json.Marshal(v)
	}
	if len(n) == 0 {
		return nil, errors.New("value is not specified")
	}
	return []byte("null"), nil
}

type status string

type payment struct {
	money
	ID       uuid.UUID         `json:"id"`
	Email    openapi.Email     `json:"email"`
	Status   status            `json:"status"`
	Due      openapi.Date      `json:"due"`
	Created  time.Time         `json:"created"`
	Note     *string           `json:"note,omitempty"`
	Tags     *[]string         `json:"tags,omitempty"`
	Parent   *payment          `json:"parent,omitempty"`
	Source   source            `json:"source"`
	Labels   *labels           `json:"labels,omitempty"`
	Meta     map[string]any    `json:"meta,omitempty"`
	Raw      json.RawMessage   `json:"raw,omitempty"`
	Data     []byte            `json:"data,omitempty"`
	Limit    nullable[int]     `json:"limit,omitempty"`
	Internal string            `json:"-"`
	private  map[string]string // neither decoded nor compared
}

func samplePayment() payment {
	return payment{
		money: money{Amount: 1<<53 + 1, Currency: "EUR"}, ID: uuid.MustParse("7d444840-9dc0-11d1-b245-5ffdce74fad2"),
		Email: "a@example.com", Status: "open", Due: openapi.Date{Time: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)},
		Created: time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC), Note: new("hello"), Tags: &[]string{"a", "b"},
		Source: source{json.RawMessage(`{"kind":"card","limit":1.0}`)},
		Labels: &labels{Name: "n", AdditionalProperties: map[string]float64{"a": 1, "z": 2.5}},
		Meta:   map[string]any{"k": []any{1.0, "x"}}, Raw: json.RawMessage(`{"x":1.0}`), Data: []byte{1, 2},
		Limit: nullable[int]{true: 5},
	}
}

// Each change that a handler can see changes the digest, and no other.
func TestAnyMembers(t *testing.T) {
	original := digestAny(samplePayment())
	for name, change := range map[string]func(*payment){
		"embedded member":  func(p *payment) { p.Amount-- },
		"uuid":             func(p *payment) { p.ID[15]++ },
		"email":            func(p *payment) { p.Email = "b@example.com" },
		"enum":             func(p *payment) { p.Status = "closed" },
		"date":             func(p *payment) { p.Due.Time = p.Due.AddDate(0, 0, 1) },
		"instant":          func(p *payment) { p.Created = p.Created.Add(1) },
		"note":             func(p *payment) { p.Note = new("") },
		"no note":          func(p *payment) { p.Note = nil },
		"order of tags":    func(p *payment) { p.Tags = &[]string{"b", "a"} },
		"no tags":          func(p *payment) { p.Tags = nil },
		"empty tags":       func(p *payment) { p.Tags = &[]string{} },
		"nested":           func(p *payment) { p.Parent = &payment{} },
		"union":            func(p *payment) { p.Source.union = json.RawMessage(`{"kind":"card","limit":2}`) },
		"declared label":   func(p *payment) { p.Labels.Name = "m" },
		"additional label": func(p *payment) { p.Labels.AdditionalProperties["z"] = 2 },
		"further label":    func(p *payment) { p.Labels.AdditionalProperties["m"] = 2 },
		"free-form":        func(p *payment) { p.Meta["k"] = []any{1.0, "y"} },
		"free-form null":   func(p *payment) { p.Meta["null"] = nil },
		"raw number":       func(p *payment) { p.Raw = json.RawMessage(`{"x":1}`) },
		"bytes":            func(p *payment) { p.Data = []byte{1, 3} },
		"nullable":         func(p *payment) { p.Limit = nullable[int]{true: 6} },
		"nullable null":    func(p *payment) { p.Limit = nullable[int]{false: 0} },
		"nullable absent":  func(p *payment) { p.Limit = nil },
	} {
		changed := samplePayment()
		change(&changed)
		wantDifferent(t, name, original, digestAny(changed))
	}
	for name, change := range map[string]func(*payment){
		"offset":         func(p *payment) { p.Created = p.Created.In(time.FixedZone("", 3600)) },
		"union spelling": func(p *payment) { p.Source.union = json.RawMessage(` {"limit":1e0, "kind":"c\u0061rd"}`) },
		"raw spelling":   func(p *payment) { p.Raw = json.RawMessage(`{ "\u0078":1.0 }`) },
		"no json name":   func(p *payment) { p.Internal = "x" },
		"unexported":     func(p *payment) { p.private = map[string]string{"a": "b"} },
	} {
		changed := samplePayment()
		change(&changed)
		wantEqual(t, name, original, digestAny(changed))
	}
	p := samplePayment()
	wantEqual(t, "pointer", original, digestAny(&p))
}

func TestAnyAbsentAndNull(t *testing.T) {
	null := digest((*Hasher).Null)
	for name, v := range map[string]any{
		"nil": nil, "pointer": (*payment)(nil), "slice": []string(nil), "map": map[string]int(nil), "bytes": []byte(nil),
		"raw": json.RawMessage(nil), "absent nullable": nullable[int]{}, "free-form object": map[string]any(nil), "free-form array": []any(nil),
	} {
		wantEqual(t, name, null, digestAny(v))
	}
	wantDifferent(t, "null of a nullable", null, digestAny(nullable[int]{false: 0}))
	wantEqual(t, "value of a nullable", digest(func(h *Hasher) { h.Int(0) }), digestAny(nullable[int]{true: 0}))
}

// event is a union with declared members and additional ones.
type event struct {
	Kind                 string         `json:"kind"`
	AdditionalProperties map[string]any `json:"-"`
	source
}

func (e event) MarshalJSON() ([]byte, error) {
	object := map[string]any{"kind": e.Kind, "union": e.source}
	maps.Copy(object, e.AdditionalProperties)
	return json.Marshal(object)
}

func TestAnyUnionWithAdditionalMembers(t *testing.T) {
	of := func(kind, extra, union string) Fingerprint {
		return digestAny(event{kind, map[string]any{"extra": extra}, source{json.RawMessage(union)}})
	}
	original := of("a", "b", "1")
	wantEqual(t, "spelling", original, of("a", "b", "1.0"))
	wantDifferent(t, "member", original, of("x", "b", "1"))
	wantDifferent(t, "additional member", original, of("a", "x", "1"))
	wantDifferent(t, "union", original, of("a", "b", "2"))
}

// Typed methods and Any give one digest, so that generated code may choose.
func TestAnyAgreesWithTypedMethods(t *testing.T) {
	p := samplePayment()
	for name, both := range map[string]struct {
		value any
		typed func(*Hasher)
	}{
		"string":    {"x", func(h *Hasher) { h.String("x") }},
		"enum":      {p.Status, func(h *Hasher) { h.String("open") }},
		"email":     {p.Email, func(h *Hasher) { h.String("a@example.com") }},
		"no email":  {openapi.Email(""), func(h *Hasher) { h.String("") }},
		"uuid":      {p.ID, func(h *Hasher) { h.String("7d444840-9dc0-11d1-b245-5ffdce74fad2") }},
		"date":      {p.Due, func(h *Hasher) { h.Date(p.Due.Time) }},
		"time":      {p.Created, func(h *Hasher) { h.Time(p.Created) }},
		"own time":  {struct{ time.Time }{p.Created}, func(h *Hasher) { h.Time(p.Created) }},
		"bool":      {true, func(h *Hasher) { h.Bool(true) }},
		"int":       {int32(-4), func(h *Hasher) { h.Int(-4) }},
		"uint":      {uint8(4), func(h *Hasher) { h.Uint(4) }},
		"float":     {float32(0.1), func(h *Hasher) { h.Float(float64(float32(0.1))) }},
		"bytes":     {p.Data, func(h *Hasher) { h.Bytes(p.Data) }},
		"raw":       {p.Raw, func(h *Hasher) { h.JSON(p.Raw) }},
		"raw null":  {json.RawMessage("null"), func(h *Hasher) { h.JSON([]byte("null")) }},
		"pointer":   {p.Note, func(h *Hasher) { h.String("hello") }},
		"interface": {[]any{p.Status}[0], func(h *Hasher) { h.String("open") }},
		"file": {func() any { var f openapi.File; f.InitFromBytes([]byte{1}, "a.png"); return f }(),
			func(h *Hasher) { h.Bytes([]byte{1}) }},
	} {
		wantEqual(t, name, digest(both.typed), digestAny(both.value))
	}
}

// A struct equals the object that its JSON is, union and additional members
// included, so that a type may change its Go form between two versions.
func TestAnyEqualsItsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"", "a", "é", "<&>"})
		v := struct {
			money
			Name   string         `json:"name"`
			Note   *string        `json:"note,omitempty"`
			List   []money        `json:"list"`
			Labels labels         `json:"labels"`
			Source source         `json:"source"`
			Counts map[string]int `json:"counts"`
			Size   float64
		}{
			money:  money{rapid.Int64().Draw(t, "amount"), text.Draw(t, "currency")},
			Name:   text.Draw(t, "name"),
			Note:   rapid.Ptr(text, true).Draw(t, "note"),
			List:   []money{{Amount: rapid.Int64().Draw(t, "element")}},
			Labels: labels{Name: "l", AdditionalProperties: rapid.MapOf(text, rapid.Float64Range(-1e9, 1e9)).Draw(t, "labels")},
			Source: source{json.RawMessage(spell(t, jsonValue().Draw(t, "union")))},
			Counts: rapid.MapOf(text, rapid.Int()).Draw(t, "counts"),
			Size:   rapid.Float64Range(-1e15, 1e15).Draw(t, "size"),
		}
		encoded, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := decodeJSON(encoded)
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, string(encoded), digestAny(v), digestAny(decoded))
	})
}

func TestAnyFreeForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := jsonValue().Draw(t, "a"), jsonValue().Draw(t, "b")
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		var p, q any
		if json.Unmarshal(x, &p) != nil || json.Unmarshal(y, &q) != nil {
			t.Fatal("not JSON")
		}
		if equal := digestAny(p).Sum == digestAny(q).Sum; equal != (string(x) == string(y)) {
			t.Errorf("%s and %s: equal digests %v", x, y, equal)
		}
	})
}

func TestAnyMapKeys(t *testing.T) {
	want := digestAny(map[string]any{"1": "a", "-2": "b", "10": "c"})
	wantEqual(t, "int keys", want, digestAny(map[int]string{1: "a", -2: "b", 10: "c"}))
	wantEqual(t, "named keys", want, digestAny(map[status]string{"1": "a", "-2": "b", "10": "c"}))
	id := uuid.New()
	wantEqual(t, "text keys", digestAny(map[string]int{id.String(): 1}), digestAny(map[uuid.UUID]int{id: 1}))
}

type cycle struct {
	Left, Right *cycle
	Children    []any
}

// What cannot be compared equals nothing, not even itself, and ends.
func TestAnyIncomparable(t *testing.T) {
	loop := &cycle{}
	loop.Left, loop.Right, loop.Children = loop, loop, []any{loop, loop}
	values := map[string]any{
		"channel": make(chan int), "function": func() {}, "cycle": loop, "reader": strings.NewReader("x"),
		"failing union": source{json.RawMessage("{")}, "complex": complex(1, 2),
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		wantDifferent(t, name, digestAny(v), digestAny(v))
		wantDifferent(t, name+" in an object", digestAny(map[string]any{"a": v}), digestAny(map[string]any{"a": v}))
	}
	after := func() Fingerprint {
		h := newHasher(testSecret)
		h.Field("loop")
		h.Any(loop)
		h.Field("amount")
		h.Any([]int{1})
		return h.sum(nil)
	}
	if first, second := after(), after(); first.Fields[1] != second.Fields[1] {
		t.Error("a field after an incomparable one is incomparable too")
	}
}
