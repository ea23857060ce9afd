package runtime

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func digestJSON(text string) Fingerprint {
	return digest(func(h *Hasher) { h.JSON([]byte(text)) })
}

func TestJSON(t *testing.T) {
	for _, equal := range [][2]string{
		{`{"a":1,"b":[true,null]}`, " {\n \"b\" : [ true , null ] , \"a\" : 1 } "},
		{`"\u00e9\/\n"`, `"é/\u000a"`},
		{`{"\u0061":1}`, `{"a":1}`},
		{`{"a":1,"a":2}`, `{"a":2}`},
	} {
		wantEqual(t, equal[0], digestJSON(equal[0]), digestJSON(equal[1]))
	}
	for _, different := range [][2]string{
		{`1`, `1.0`}, {`1`, `1e0`}, {`9007199254740992`, `9007199254740993`}, {`0`, `-0`},
		{`1`, `"1"`}, {`null`, `"null"`}, {`[]`, `{}`}, {`[1,2]`, `[2,1]`}, {`{"a":null}`, `{}`},
		{`"e\u0301"`, `"\u00e9"`}, {`{"a":{"b":1}}`, `{"a":{},"b":1}`}, {`{`, `[`}, {`1 2`, `1`},
	} {
		wantDifferent(t, different[0]+" "+different[1], digestJSON(different[0]), digestJSON(different[1]))
	}
	wantEqual(t, "nothing", digestJSON(""), digest((*Hasher).Null))
	wantDifferent(t, "the literal null", digestJSON("null"), digest((*Hasher).Null))
}

// The deepest JSON that encoding/json decodes is still compared.
func TestJSONDepth(t *testing.T) {
	deep := func(n int, inside string) string { return strings.Repeat("[", n) + inside + strings.Repeat("]", n) }
	wantEqual(t, "deep", digestJSON(deep(9999, "1")), digestJSON(deep(9999, " 1")))
	wantDifferent(t, "deep", digestJSON(deep(9999, "1")), digestJSON(deep(9999, "2")))
}

// spell prints a decoded value as JSON with other spacing, order and escapes.
func spell(t *rapid.T, v any) string {
	space := func() string { return rapid.SampledFrom([]string{"", " ", "\n\t"}).Draw(t, "space") }
	switch v := v.(type) {
	case string:
		var b strings.Builder
		for _, r := range v {
			if r < 0x10000 && (r < ' ' || r == '"' || r == '\\' || rapid.Bool().Draw(t, "escape")) {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				b.WriteRune(r)
			}
		}
		return `"` + b.String() + `"`
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, space()+spell(t, e)+space())
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		var parts []string
		names := rapid.Permutation(slices.Sorted(maps.Keys(v))).Draw(t, "order")
		for _, name := range names {
			parts = append(parts, space()+spell(t, name)+space()+":"+spell(t, v[name]))
		}
		return "{" + strings.Join(parts, ",") + space() + "}"
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// jsonValue generates decoded JSON values, small ones, so that two are often
// equal or nearly so.
func jsonValue() *rapid.Generator[any] {
	scalar := rapid.OneOf(
		rapid.Just[any](nil), rapid.Bool().AsAny(),
		rapid.SampledFrom([]string{"", "a", "ab", "\"", "é", "\u2028", "😀"}).AsAny(),
		rapid.SampledFrom([]json.Number{"0", "1", "-1", "12", "1.5", "9007199254740993"}).AsAny(),
	)
	value := scalar
	for range 3 {
		inner := value
		value = rapid.OneOf(scalar,
			rapid.SliceOfN(inner, 0, 3).AsAny(),
			rapid.MapOfN(rapid.SampledFrom([]string{"", "a", "b", "é"}), inner, 0, 3).AsAny())
	}
	return value
}

func TestJSONSpellings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := jsonValue().Draw(t, "a"), jsonValue().Draw(t, "b")
		first, second := spell(t, a), spell(t, a)
		wantEqual(t, first, digestJSON(first), digestJSON(second))
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if equal := digestJSON(string(x)).Sum == digestJSON(string(y)).Sum; equal != bytes.Equal(x, y) {
			t.Errorf("%s and %s: equal digests %v", x, y, equal)
		}
	})
}
