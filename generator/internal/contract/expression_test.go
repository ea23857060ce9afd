package contract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/generator/diag"
)

func TestParseExpression(t *testing.T) {
	for text, want := range map[string]expression{
		"amount":                         {bare: true},
		"a/b":                            {bare: true},
		"$request.body":                  {source: Body},
		"$request.body#":                 {source: Body},
		"$request.body#/":                {source: Body, tokens: []string{""}},
		"$request.body#/customer/id":     {source: Body, tokens: []string{"customer", "id"}},
		"$request.body#/a~1b/c~0d/~01":   {source: Body, tokens: []string{"a/b", "c~d", "~1"}},
		"$request.path.orderId":          {source: Path, tokens: []string{"orderId"}},
		"$request.query.a.b":             {source: Query, tokens: []string{"a.b"}},
		"$request.header.X-Account-Id":   {source: Header, tokens: []string{"X-Account-Id"}},
		"$request.query.filter[created]": {source: Query, tokens: []string{"filter[created]"}},
	} {
		e := expression{text: text}
		if problem, _ := e.parse(); problem != "" {
			t.Errorf("%s: %s", text, problem)
		}
		want.text = text
		if d := cmp.Diff(want, e, cmp.AllowUnexported(expression{})); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
}

// The full expression of any field reads back as that field.
func TestExpressionOfField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := rapid.SampledFrom([]Source{Body, Path, Query, Header}).Draw(t, "source")
		tokens := []string{rapid.StringMatching(`[A-Za-z~/.\-]{1,8}`).Draw(t, "name")}
		if source == Body {
			tokens = rapid.SliceOf(rapid.String()).Draw(t, "tokens")
		}
		f := newField(source, tokens, diag.Range{})
		e := expression{text: f.Expression}
		if problem, _ := e.parse(); problem != "" {
			t.Fatalf("%s: %s", f.Expression, problem)
		}
		if e.source != source || strings.Join(e.tokens, "\x00") != strings.Join(tokens, "\x00") || len(e.tokens) != len(tokens) {
			t.Fatalf("%s reads as %v %q, want %v %q", f.Expression, e.source, e.tokens, source, tokens)
		}
	})
}

func FuzzParseExpression(f *testing.F) {
	for _, seed := range []string{"amount", "$request.body#/a~1b", "$request.header.X", "{$url}", "$request.body#a", "$", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e := expression{text: text}
		problem, hint := e.parse()
		if (problem == "") != (hint == "") {
			t.Errorf("problem %q and hint %q do not go together", problem, hint)
		}
		if problem == "" && !e.bare && e.source != Body && len(e.tokens) != 1 {
			t.Errorf("a parameter has the tokens %q", e.tokens)
		}
	})
}
