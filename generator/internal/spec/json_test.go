package spec

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"
)

func TestParseJSONAgreesWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := jsonValue(3).Draw(t, "value")
		indent := rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent")
		text, err := json.MarshalIndent(value, "", indent)
		if err != nil {
			t.Fatal(err)
		}
		root, err := parseJSON(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var got any
		if err := json.Unmarshal(compactJSON(node{Node: root}), &got); err != nil {
			t.Fatal(err)
		}
		var want any
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	})
}

// jsonValue draws values that are nested to a depth.
func jsonValue(depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{
		rapid.String().AsAny(), rapid.Int().AsAny(), rapid.Float64().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil),
	}
	if depth > 0 {
		kinds = append(kinds,
			rapid.SliceOfN(jsonValue(depth-1), 0, 4).AsAny(),
			rapid.MapOfN(rapid.String(), jsonValue(depth-1), 0, 4).AsAny())
	}
	return rapid.OneOf(kinds...)
}

// Both readers give the same tree, places included, where both can read.
func TestParseJSONAgreesWithYAML(t *testing.T) {
	const text = "{\n  \"a\": [1, -2.5e3, true, null, \"ü\", {}], \"ß\": {\"b\": [],\n  \"c\": \"d\"}\n}"
	got, err := parseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(document.Content[0], got); d != "" {
		t.Error(d)
	}
}

func TestParseJSONRefuses(t *testing.T) {
	for _, text := range []string{
		"", "{", "[", "{]", "[}", "[1,]", "{,}", `{"a"}`, `{"a":}`, `{"a":1,}`, `{a: 1}`, `"a`, "\"a\nb\"", `"\x"`, "01", "1 2", "tru", "nul", "+1", "[1 2]",
		strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2),
	} {
		if _, err := parseJSON([]byte(text)); err == nil {
			t.Errorf("%.20q is taken for JSON", text)
		}
	}
}

func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{`{"a": [1, "b\u00fc", null]}`, "[]", "0", `{"a":{"b":{}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := parseJSON(text)
		if valid := json.Valid(text); err == nil && !valid {
			t.Errorf("%q is taken for JSON", text)
		}
	})
}
