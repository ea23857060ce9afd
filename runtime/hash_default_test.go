package runtime

import (
	"encoding/json"
	"testing"
)

type defaultAddress struct {
	City    string  `json:"city"`
	Country *string `json:"country,omitempty"`
}

type defaultOrder struct {
	Address *defaultAddress            `json:"address,omitempty"`
	Lines   []defaultAddress           `json:"lines,omitempty"`
	ByName  *map[string]defaultAddress `json:"by_name,omitempty"`
	Open    *defaultOpen               `json:"open,omitempty"`
	Free    any                        `json:"free,omitempty"`
	Union   *defaultUnion              `json:"union,omitempty"`
}

type defaultOpen struct {
	A                    *int           `json:"a,omitempty"`
	AdditionalProperties map[string]int `json:"-"`
}

type defaultUnion struct{ union json.RawMessage }

func (u defaultUnion) MarshalJSON() ([]byte, error)  { return u.union, nil }
func (u *defaultUnion) UnmarshalJSON(b []byte) error { u.union = append(u.union, b...); return nil }

// orderDefaults says that a country is de and that a is 1, wherever they are.
func orderDefaults() *Defaults {
	address := &Defaults{Members: map[string]*Defaults{"country": {Absent: func(h *Hasher) { h.String("de") }}}}
	open := &Defaults{Members: map[string]*Defaults{"a": {Absent: func(h *Hasher) { h.Int(1) }}}}
	return &Defaults{Members: map[string]*Defaults{
		"address": address,
		"lines":   {Elements: address},
		"by_name": {Elements: address},
		"open":    open,
		"free":    address,
		"union":   address,
	}}
}

func digestOrder(t *testing.T, text string) Fingerprint {
	t.Helper()
	var order defaultOrder
	if err := json.Unmarshal([]byte(text), &order); err != nil {
		t.Fatal(err)
	}
	return digest(func(h *Hasher) { h.AnyWithDefaults(&order, orderDefaults()) })
}

func TestAnyWithDefaults(t *testing.T) {
	for _, test := range []struct{ a, same, other string }{
		{`{"address":{"city":"x"}}`, `{"address":{"country":"de","city":"x"}}`, `{"address":{"city":"x","country":"fr"}}`},
		{`{"lines":[{"city":"x"},{"city":"y","country":"de"}]}`, `{"lines":[{"city":"x","country":"de"},{"city":"y"}]}`, `{"lines":[{"city":"x"}]}`},
		{`{"by_name":{"b":{"city":"x"}}}`, `{"by_name":{"b":{"city":"x","country":"de"}}}`, `{"by_name":{"c":{"city":"x"}}}`},
		{`{"open":{}}`, `{"open":{"a":1}}`, `{"open":{"a":2}}`},
		{`{"free":{"x":[1]}}`, `{"free":{"country":"de","x":[1]}}`, `{"free":{"x":[1],"country":null}}`},
	} {
		wantEqual(t, test.same, digestOrder(t, test.a), digestOrder(t, test.same))
		wantDifferent(t, test.other, digestOrder(t, test.a), digestOrder(t, test.other))
	}
	// An object that is not there is no empty one.
	wantDifferent(t, "no address", digestOrder(t, `{}`), digestOrder(t, `{"address":{"city":""}}`))
	// Which schema of a union applies is not known.
	wantDifferent(t, "union", digestOrder(t, `{"union":{}}`), digestOrder(t, `{"union":{"country":"de"}}`))
}

// Defaults that are not met change nothing, and are over with their value.
func TestAnyWithDefaultsUnmet(t *testing.T) {
	order := defaultOrder{Free: map[string]any{"country": "de", "list": []any{"a", nil}}}
	plain := digestAny(&order)
	wantEqual(t, "all is there", plain, digest(func(h *Hasher) { h.AnyWithDefaults(&order, orderDefaults()) }))
	wantEqual(t, "no defaults", plain, digest(func(h *Hasher) { h.AnyWithDefaults(&order, nil) }))
	twice := func(first func(h *Hasher)) Fingerprint {
		return digest(func(h *Hasher) {
			first(h)
			h.Any(defaultAddress{City: "x"})
		})
	}
	wantEqual(t, "a value after it",
		twice(func(h *Hasher) { h.AnyWithDefaults(&order, orderDefaults()) }),
		twice(func(h *Hasher) { h.Any(&order) }))
}
