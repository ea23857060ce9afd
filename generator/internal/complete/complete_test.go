package complete

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// operations are those with a contract in testdata/complete/layouts.
func operations() []Operation {
	var list []Operation
	for _, route := range []string{
		"POST /null", "POST /alias", "PUT /merge", "POST /flow", "POST /long", "POST /item",
	} {
		method, path, _ := strings.Cut(route, " ")
		list = append(list, Operation{
			Name: route, Method: method, Path: path, Key: &Key{Name: "Idempotency-Key", In: "header", Required: true},
			Keeps: func(status string) bool { return strings.HasPrefix(status, "2") },
		})
	}
	return list
}

// lines reads a document that has every layout there is.
func lines(t interface{ Fatal(...any) }) []string {
	text, err := os.ReadFile("../../../testdata/complete/layouts/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(string(text), "\n")
}

// Wherever comments and blank lines stand, whatever the line ends are: what is
// missing goes in, no byte goes away, and there is nothing to do the next time.
func TestDocumentInAnyLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for _, line := range lines(t) {
			b.WriteString(line)
			if rapid.IntRange(0, 3).Draw(t, "between") > 0 {
				continue
			}
			b.WriteString(strings.Repeat(" ", rapid.IntRange(0, 24).Draw(t, "indent")))
			b.WriteString(rapid.SampledFrom([]string{"", "# why", "#", "# [not: {a, 'list"}).Draw(t, "comment") + "\n")
		}
		text := []byte(b.String())
		if rapid.Bool().Draw(t, "windows") {
			text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
		}
		if _, err := parse(text); err != nil {
			t.Skip("a comment changed the structure")
		}
		got, err := Document(text, operations())
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !got.Added || !subsequence(text, got.Text) {
			t.Fatal(cmp.Diff(string(text), string(got.Text)))
		}
		if bytes.Count(text, []byte("\r\n")) > 0 && bytes.Count(got.Text, []byte("\n")) != bytes.Count(got.Text, []byte("\r\n")) {
			t.Fatalf("line ends are mixed:\n%q", got.Text)
		}
		again, err := Document(got.Text, operations())
		if err != nil || again.Added || !bytes.Equal(again.Text, got.Text) {
			t.Fatalf("a second run: %v\n%s", err, cmp.Diff(string(got.Text), string(again.Text)))
		}
	})
}

// subsequence reports whether the bytes of a text are all in another one, in
// their order.
func subsequence(text, whole []byte) bool {
	for _, c := range whole {
		if len(text) > 0 && text[0] == c {
			text = text[1:]
		}
	}
	return len(text) == 0
}

// Each node ends where its text ends.
func TestEnds(t *testing.T) {
	for text, want := range map[string]string{
		"a: plain\nb: 1":                        "plain",
		"a: plain # why\nb: 1":                  "plain",
		"a: two\n  lines\nb: 1":                 "two\n  lines",
		"a: two\n\n  lines  \n# why\nb: 1":      "two\n\n  lines",
		"a: 'it''s'\nb: 1":                      "'it''s'",
		"a: \"q\\\" # no\"\nb: 1":               "\"q\\\" # no\"",
		"a: |\n  text\n\n\nb: 1":                "|\n  text",
		"a: |+\n  text\n\nb: 1":                 "|+\n  text\n",
		"a: >-\n  text\n   more\n # why\nb: 1":  ">-\n  text\n   more\n # why", // one column in is inside
		"a: {x: '}', y: [1, 2]} # z\nb: 1":      "{x: '}', y: [1, 2]}",
		"a: {x: it's} # }\nb: 1":                "{x: it's}",
		"a: [ # ]\n  1 ]\nb: 1":                 "[ # ]\n  1 ]",
		"a:\n- 1\n- b: 2\n  c: x y\nb: 1":       "- 1\n- b: 2\n  c: x y",
		"a: &x !!str text\nb: 1":                "text",
		"a: &x\n  c: d\nb: *x":                  "c: d",
		"a: über\u0085\n  ende\nb: 1":           "über\u0085\n  ende",
		"a:\n  \"k\": {}\n  'l':   v\n\n\nb: 1": "\"k\": {}\n  'l':   v",
	} {
		root, err := parse([]byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		n, _ := root.get("a")
		if got := text[n.start:n.end]; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// JSON that is no YAML is read all the same, with the same places.
func TestEndsInJSON(t *testing.T) {
	const text = `{ "a" : {"x": [1, "\ud83d\ude00", null ], "y":true}, "b": 1.50 }`
	root, err := parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	a, _ := root.get("a")
	b, _ := root.get("b")
	got := []string{text[a.start:a.end], text[b.start:b.end], text[root.start:root.end]}
	if d := cmp.Diff([]string{`{"x": [1, "\ud83d\ude00", null ], "y":true}`, "1.50", text}, got); d != "" {
		t.Error(d)
	}
	if _, err := parseJSON([]byte(text + "{}")); err == nil {
		t.Error("text behind the document is taken")
	}
}

// A text that cannot be added to is refused, and comes out as it was.
func TestDocumentRefuses(t *testing.T) {
	for _, text := range []string{
		"openapi: 3.0.3\npaths:\n  /a:\n    post:\n      parameters: 7\n      responses: {}\n",
		"openapi: 3.0.3\npaths:\n  /a:\n    post:\n      ? responses\n      : '204': {description: d}\n",
	} {
		key := &Key{Name: "Idempotency-Key", In: "header"}
		got, err := Document([]byte(text), []Operation{{Name: "a", Method: "POST", Path: "/a", Key: key, Keeps: func(string) bool { return false }}})
		if err == nil || len(got.Text) > 0 {
			t.Errorf("%s: error %v, text\n%s", text, err, got.Text)
		}
	}
}

func TestJSONPath(t *testing.T) {
	if got := jsonPath([]string{"paths", `/a"b\c`, "post", "x-y"}); got != `$.paths["/a\"b\\c"].post["x-y"]` {
		t.Error(got)
	}
}
