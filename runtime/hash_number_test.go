package runtime

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func digestNumber(text string) Fingerprint { return digestAny(json.Number(text)) }

func TestNumberSpellings(t *testing.T) {
	for _, group := range [][]string{
		{"0", "-0", "0.0", "0e5", "-0.000e-3", "00"},
		{"1", "1.0", "1e0", "10e-1", "0.1e1", "1E+0", "0.0000001e0000007", "1.00000000000000000000000000000"},
		{"-1", "-1.0", "-10e-1"},
		{"0.1", "1e-1", "0.10", "0.01e1"},
		{"1200", "12e2", "1.2e3", "1200.00"},
		{"9007199254740992", "9007199254740992.0", "9.007199254740992e15"},
		{"9007199254740993", "9007199254740993.00", "9.007199254740993e15"},
		{"9223372036854775807"}, {"9223372036854775808"}, {"-9223372036854775808"},
		{"18446744073709551615", "1844674407370955161.5e1"}, {"18446744073709551616"}, {"18446744073709551617"},
		{"99999999999999999999"}, {"100000000000000000000", "1e20"}, {"-1e20"},
		{"1e300", "10e299"}, {"1e301"}, {"1e-300"}, {"1.5e300"}, {"1.5e-300"}, {"2e300"},
		{"1e99999999999999999"}, {"1e99999999999999998"}, {"1e999999999999999999999"}, {"1e-999999999999999999999"},
		{"12.5"}, {"1.25"}, {"125"}, {"12.05"},
	} {
		first := digestNumber(group[0])
		for _, other := range group[1:] {
			wantEqual(t, group[0]+" and "+other, first, digestNumber(other))
		}
	}
	seen := map[[16]byte]string{}
	for _, text := range []string{"0", "1", "-1", "0.1", "0.01", "1e20", "1e21", "-1e20", "1.5e300", "1.5e-300", "1e99999999999999999",
		"1e99999999999999998", "1e999999999999999999999", "12.5", "1.25", "125", "9007199254740992", "9007199254740993",
		"18446744073709551615", "18446744073709551616", "18446744073709551617", "9223372036854775807", "-9223372036854775808"} {
		sum := digestNumber(text).Sum
		if other, ok := seen[sum]; ok {
			t.Errorf("%s equals %s", text, other)
		}
		seen[sum] = text
	}
}

func TestNumberTypesAgree(t *testing.T) {
	one := digest(func(h *Hasher) { h.Int(1) })
	for what, v := range map[string]any{
		"int8": int8(1), "uint": uint(1), "uint64": uint64(1), "float32": float32(1), "float64": 1.0,
		"json.Number": json.Number("1.0"), "big.Int": big.NewInt(1),
	} {
		wantEqual(t, what, one, digestAny(v))
	}
	wantEqual(t, "Uint", one, digest(func(h *Hasher) { h.Uint(1) }))
	wantEqual(t, "least int64", digest(func(h *Hasher) { h.Int(math.MinInt64) }), digest(func(h *Hasher) { h.Float(math.MinInt64) }))
	wantEqual(t, "greatest uint64", digest(func(h *Hasher) { h.Uint(math.MaxUint64) }), digestNumber("18446744073709551615"))
	wantEqual(t, "2^64", digest(func(h *Hasher) { h.Float(1 << 64) }), digestNumber("18446744073709552000"))
	wantEqual(t, "minus zero", digest(func(h *Hasher) { h.Float(math.Copysign(0, -1)) }), digest(func(h *Hasher) { h.Int(0) }))
	wantEqual(t, "float32 is converted", digestAny(float32(0.1)), digest(func(h *Hasher) { h.Float(float64(float32(0.1))) }))
	wantDifferent(t, "2^53 and 2^53+1", digest(func(h *Hasher) { h.Int(1 << 53) }), digest(func(h *Hasher) { h.Int(1<<53 + 1) }))
	wantDifferent(t, "infinities", digest(func(h *Hasher) { h.Float(math.Inf(1)) }), digest(func(h *Hasher) { h.Float(math.Inf(-1)) }))
}

// Two decimal texts have one digest exactly if they are one rational number.
func TestNumberByValue(t *testing.T) {
	texts := rapid.StringMatching(`-?(0|[1-9][0-9]{0,22})(\.[0-9]{1,6})?([eE][+-]?[0-9]{1,2})?`)
	near := rapid.StringMatching(`-?[01]{1,2}(\.[01]{1,2})?(e-?[01])?`) // often equal
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(texts, near)
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		x, okX := new(big.Rat).SetString(a)
		y, okY := new(big.Rat).SetString(b)
		if !okX || !okY {
			t.Fatal("not numbers")
		}
		if equal := digestNumber(a).Sum == digestNumber(b).Sum; equal != (x.Cmp(y) == 0) {
			t.Errorf("%s and %s: equal digests %v", a, b, equal)
		}
	})
}

// What encoding/json prints of a float64 is the float's number, and so is the
// integer of that value.
func TestFloatAgreesWithItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Draw(t, "f")
		typed := digest(func(h *Hasher) { h.Float(f) })
		if math.Abs(f) < 1<<53 || math.Abs(f) >= 1<<64 {
			wantEqual(t, "shortest text", typed, digestNumber(strconv.FormatFloat(f, 'g', -1, 64)))
		}
		if f == math.Trunc(f) && math.Abs(f) < 1<<62 {
			wantEqual(t, "integer", typed, digest(func(h *Hasher) { h.Int(int64(f)) }))
		}
	})
}

func TestIntegersDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		of := func(v int64) [16]byte { return digest(func(h *Hasher) { h.Int(v) }).Sum }
		if (of(a) == of(b)) != (a == b) {
			t.Errorf("%d and %d", a, b)
		}
	})
}
