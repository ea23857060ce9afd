package render_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// A value is a JSON value that knows how many ways there are to write it.
type value interface {
	// spell writes the value in one of the ways that mean the same.
	spell(t *rapid.T) string
	// meaning is the same for two values that a handler cannot tell apart.
	meaning() string
}

type null struct{}

func (null) spell(*rapid.T) string { return "null" }
func (null) meaning() string       { return "null" }

// literal has one spelling, itself.
type literal string

func (v literal) spell(*rapid.T) string { return string(v) }
func (v literal) meaning() string       { return string(v) }

// text is a string. Every character of it can be escaped.
type text string

func (v text) spell(t *rapid.T) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range string(v) {
		if r < 0x10000 && (r < ' ' || r == '"' || r == '\\' || rapid.Bool().Draw(t, "escape")) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func (v text) meaning() string { return strconv.Quote(string(v)) }

// number is a decimal number of 32 or 64 bits.
type number struct {
	float64
	bits int
}

func (v number) spell(t *rapid.T) string {
	form := rapid.SampledFrom([]byte("gef")).Draw(t, "form")
	s := strconv.FormatFloat(v.float64, form, -1, v.bits)
	if strings.ContainsAny(s, ".e") {
		return s
	}
	return s + rapid.SampledFrom([]string{"", ".0", ".000", "e0", "E+00"}).Draw(t, "zeros")
}

func (v number) meaning() string {
	return strconv.FormatFloat(v.float64+0, 'g', -1, 64) // -0 is 0
}

// instant is a date-time, in any time zone.
type instant struct{ time.Time }

func (v instant) spell(t *rapid.T) string {
	offset := rapid.SampledFrom([]int{0, 2 * 3600, -5*3600 - 1800}).Draw(t, "offset")
	return strconv.Quote(v.In(time.FixedZone("", offset)).Format(time.RFC3339Nano))
}

func (v instant) meaning() string { return strconv.FormatInt(v.UnixNano(), 10) }

// id is a UUID, of either case.
type id [16]byte

func (v id) spell(t *rapid.T) string {
	s := v.meaning()
	if rapid.Bool().Draw(t, "upper") {
		s = strings.ToUpper(s)
	}
	return strconv.Quote(s)
}

func (v id) meaning() string {
	s := hex.EncodeToString(v[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

type list []value

func (v list) spell(t *rapid.T) string {
	parts := make([]string, len(v))
	for i := range v {
		parts[i] = v[i].spell(t)
	}
	return "[" + strings.Join(parts, rapid.SampledFrom([]string{",", " ,\n"}).Draw(t, "comma")) + "]"
}

func (v list) meaning() string {
	var b strings.Builder
	for _, e := range v {
		b.WriteString(e.meaning() + ",")
	}
	return "[" + b.String() + "]"
}

// object is an object, its members in any order.
type object map[string]value

func (v object) spell(t *rapid.T) string {
	names := rapid.Permutation(slices.Sorted(maps.Keys(v))).Draw(t, "order")
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = text(name).spell(t) + ":" + v[name].spell(t)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (v object) meaning() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(v)) {
		b.WriteString(strconv.Quote(name) + ":" + v[name].meaning() + ",")
	}
	return "{" + b.String() + "}"
}

// The generators draw from few values, so that equal ones meet, and from all.

func integers(from, to int64) *rapid.Generator[value] {
	return rapid.Map(rapid.OneOf(rapid.Int64Range(max(from, -3), min(to, 3)), rapid.SampledFrom([]int64{from, to, to - 1}), rapid.Int64Range(from, to)),
		func(n int64) value { return literal(strconv.FormatInt(n, 10)) })
}

func numbers(bits int) *rapid.Generator[value] {
	limit := 1e300
	if bits == 32 {
		limit = 1e30
	}
	return rapid.Map(rapid.OneOf(rapid.SampledFrom([]float64{0, 1, -1, 1.5, 0.1, 1e21, 1e-7, 16777216}), rapid.Float64Range(-limit, limit)), func(f float64) value {
		if bits == 32 {
			f = float64(float32(f))
		}
		return number{f, bits}
	})
}

func texts() *rapid.Generator[value] {
	return rapid.Map(rapid.OneOf(rapid.SampledFrom([]string{"", "a", "A", "é", "e\u0301", "1", "null"}), rapid.String()), func(s string) value { return text(s) })
}

func words(words ...string) *rapid.Generator[value] {
	return rapid.Map(rapid.SampledFrom(words), func(s string) value { return literal(s) })
}

func instants() *rapid.Generator[value] {
	return rapid.Map(rapid.OneOf(rapid.Int64Range(0, 2), rapid.Int64Range(0, 4e18)), func(n int64) value { return instant{time.Unix(0, n)} })
}

func dates() *rapid.Generator[value] {
	return rapid.Map(rapid.IntRange(0, 50_000), func(n int) value {
		return literal(strconv.Quote(time.Unix(int64(n)*86400, 0).UTC().Format(time.DateOnly)))
	})
}

func ids() *rapid.Generator[value] {
	return rapid.Map(rapid.OneOf(rapid.Uint8Range(0, 2), rapid.Uint8()), func(n uint8) value { return id{15: n, 0: 0xab} })
}

func base64s() *rapid.Generator[value] {
	return rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 6), func(b []byte) value {
		text, _ := json.Marshal(b)
		return literal(text)
	})
}

func lists(of *rapid.Generator[value]) *rapid.Generator[value] {
	return rapid.Map(rapid.SliceOfN(of, 0, 3), func(l []value) value { return list(l) })
}

func mapsOf(of *rapid.Generator[value]) *rapid.Generator[value] {
	return rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "ä", "$ref", ""}), of, 0, 3), func(m map[string]value) value { return object(m) })
}

// objects has some of the members, all of those that are required.
func objects(required []string, members map[string]*rapid.Generator[value]) *rapid.Generator[value] {
	return rapid.Custom(func(t *rapid.T) value {
		v := object{}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if slices.Contains(required, name) || rapid.Bool().Draw(t, name) {
				v[name] = members[name].Draw(t, name)
			}
		}
		return v
	})
}

// free is any JSON, its numbers those of the given generator.
func free(numbers *rapid.Generator[value], depth int) *rapid.Generator[value] {
	kinds := []*rapid.Generator[value]{numbers, texts(), words("true", "false")}
	if depth > 0 {
		kinds = append(kinds, lists(free(numbers, depth-1)), mapsOf(free(numbers, depth-1)))
	}
	return rapid.OneOf(kinds...)
}
