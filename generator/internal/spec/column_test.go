package spec

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A long line has its marks, and they lead where counting from the start leads.
func TestOffset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.StringOfN(rapid.SampledFrom([]rune("a{ü€😀 ")), 1, 40, -1).Draw(t, "piece")
		src := &source{lines: []string{"", strings.Repeat(piece, 1+longLine/len(piece))}}
		column := rapid.IntRange(1, len(src.lines[1])+2).Draw(t, "column")
		if got, want := src.offset(2, column), columnOffset(src.lines[1], column); got != want {
			t.Errorf("column %d begins at byte %d, want %d", column, got, want)
		}
	})
}

// A document in one line takes about as long for each of its bytes as a small
// one does.
func TestOneLine(t *testing.T) {
	took := func(paths int) time.Duration {
		var b strings.Builder
		b.WriteString(`{"openapi":"3.0.3","info":{"title":"ü"},"paths":{`)
		for i := range paths {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`"/` + strings.Repeat("p", i%50+1) + `":{"post":{"x-idempotency":true,"parameters":[{"name":"K","in":"header"}]}}`)
		}
		b.WriteString(`}}`)
		best := time.Hour
		for range 3 {
			started := time.Now()
			src, err := parseSource("openapi.json", []byte(b.String()))
			if err != nil {
				t.Fatal(err)
			}
			document, err := newDocument(src)
			if err != nil {
				t.Fatal(err)
			}
			for i := range document.Operations {
				document.Operations[i].Parameters()
			}
			best = min(best, time.Since(started))
		}
		return best
	}
	small, large := took(200), took(6400)
	if large > 32*8*small {
		t.Errorf("32 times the text took %v, %.0f times as long as %v", large, float64(large)/float64(small), small)
	}
}
