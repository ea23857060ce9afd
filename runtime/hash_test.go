package runtime

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var testSecret = bytes.Repeat([]byte{7}, 32)

// digest returns the fingerprint of one field that write fills.
func digest(write func(*Hasher)) Fingerprint {
	h := newHasher(testSecret)
	h.Field("f")
	write(h)
	return h.sum(nil)
}

func digestAny(v any) Fingerprint { return digest(func(h *Hasher) { h.Any(v) }) }

func wantEqual(t rapid.TB, what string, a, b Fingerprint) {
	t.Helper()
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("%s: digests differ (-a +b):\n%s", what, diff)
	}
}

func wantDifferent(t rapid.TB, what string, a, b Fingerprint) {
	t.Helper()
	if a.Sum == b.Sum || a.Fields[0].Sum == b.Fields[0].Sum {
		t.Errorf("%s: digests are equal", what)
	}
}

// The encoding, spelled out: records of every process in a fleet are compared
// by these digests. If this test fails, hashVersion must change.
func TestHasherEncoding(t *testing.T) {
	h := newHasher(testSecret)
	h.Field("amount")
	h.Int(-1200)
	h.Field("items")
	h.Any(map[string]any{"b": "x", "a": []any{true, nil}})
	got := h.sum(nil)

	inner := func(text string) []byte {
		block := make([]byte, sha256.BlockSize)
		copy(block, testSecret)
		for i := range block {
			block[i] ^= 0x36
		}
		sum := sha256.Sum256(append(block, text...))
		return sum[:16]
	}
	amount := inner("\x02Fs\x06amount" + "i-\x00\x00\x00\x00\x00\x00\x04\xb0")
	items := inner("\x02Fs\x05items" + "{s\x01a[tn]s\x01bs\x01x}")
	mac := hmac.New(sha256.New, testSecret)
	low, high := amount, items
	if bytes.Compare(low, high) > 0 {
		low, high = high, low
	}
	amountID, itemsID := sha256.Sum256([]byte("amount")), sha256.Sum256([]byte("items"))
	io.WriteString(mac, "\x02S"+string(low)+string(high))
	want := Fingerprint{
		Sum: [16]byte(mac.Sum(nil)),
		Fields: []FieldDigest{
			{ID: [3]byte(amountID[:]), Sum: [5]byte(amount)},
			{ID: [3]byte(itemsID[:]), Sum: [5]byte(items)},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("digests (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"amount", "items"}, h.list.names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestHasherSecretAndNameCount(t *testing.T) {
	of := func(secret byte, name string) Fingerprint {
		h := newHasher(bytes.Repeat([]byte{secret}, 32))
		h.Field(name)
		h.String("v")
		return h.sum(nil)
	}
	wantDifferent(t, "secrets", of(1, "a"), of(2, "a"))
	wantDifferent(t, "names", of(1, "a"), of(1, "b"))
	if of(1, "a").Fields[0].ID != of(2, "a").Fields[0].ID {
		t.Error("the ID of a field depends on the secret")
	}
}

func TestHasherFieldOrderDoesNotCount(t *testing.T) {
	of := func(names ...string) Fingerprint {
		h := newHasher(testSecret)
		for _, name := range names {
			h.Field(name)
			h.String("value of " + name)
		}
		return h.sum(nil)
	}
	if of("a", "b", "c").Sum != of("c", "a", "b").Sum {
		t.Error("a contract whose fields change places refuses honest retries")
	}
	if of("a", "b").Sum == of("a", "b", "c").Sum {
		t.Error("a further field does not count")
	}
}

func TestHasherFraming(t *testing.T) {
	two := func(a, b string) Fingerprint {
		return digest(func(h *Hasher) { h.String(a); h.String(b) })
	}
	wantDifferent(t, "strings", two("a", "bc"), two("ab", "c"))
	wantDifferent(t, "arrays", digestAny([][]int{{1}, {2, 3}}), digestAny([][]int{{1, 2}, {3}}))
	wantDifferent(t, "objects", digestAny(map[string]any{"a": map[string]any{}, "b": 1}),
		digestAny(map[string]any{"a": map[string]any{"b": 1}}))

	fields := func(a, b string) Fingerprint {
		h := newHasher(testSecret)
		h.Field("x")
		h.String(a)
		h.Field("y")
		h.String(b)
		return h.sum(nil)
	}
	if fields("a", "bc").Sum == fields("ab", "c").Sum {
		t.Error("the border between fields does not count")
	}
	wantDifferent(t, "no value and null", digest(func(*Hasher) {}), digest((*Hasher).Null))
}

// Every method writes what no other one does, unless the values are equal.
func TestHasherKinds(t *testing.T) {
	kinds := map[string]func(*Hasher){
		"null":          (*Hasher).Null,
		"true":          func(h *Hasher) { h.Bool(true) },
		"false":         func(h *Hasher) { h.Bool(false) },
		"zero":          func(h *Hasher) { h.Int(0) },
		"one":           func(h *Hasher) { h.Int(1) },
		"minus one":     func(h *Hasher) { h.Int(-1) },
		"1.5":           func(h *Hasher) { h.Float(1.5) },
		"15":            func(h *Hasher) { h.Float(15) },
		"-1.5":          func(h *Hasher) { h.Float(-1.5) },
		"1e300":         func(h *Hasher) { h.Float(1e300) },
		"empty":         func(h *Hasher) { h.String("") },
		"text one":      func(h *Hasher) { h.String("1") },
		"text null":     func(h *Hasher) { h.String("null") },
		"no bytes":      func(h *Hasher) { h.Bytes(nil) },
		"bytes 1":       func(h *Hasher) { h.Bytes([]byte("1")) },
		"epoch":         func(h *Hasher) { h.Time(time.Unix(0, 0)) },
		"a nanosecond":  func(h *Hasher) { h.Time(time.Unix(0, 1)) },
		"no elements":   func(h *Hasher) { h.Any([]int{}) },
		"no members":    func(h *Hasher) { h.Any(map[string]int{}) },
		"null element":  func(h *Hasher) { h.Any([]any{nil}) },
		"null member":   func(h *Hasher) { h.JSON([]byte(`{"a":null}`)) },
		"raw null":      func(h *Hasher) { h.JSON([]byte(`null`)) },
		"raw one":       func(h *Hasher) { h.JSON([]byte(`1`)) },
		"raw 1.0":       func(h *Hasher) { h.JSON([]byte(`1.0`)) },
		"raw no JSON":   func(h *Hasher) { h.JSON([]byte(`{`)) },
		"raw two":       func(h *Hasher) { h.JSON([]byte(`1 1`)) },
		"nothing":       func(*Hasher) {},
		"null and null": func(h *Hasher) { h.Null(); h.Null() },
	}
	seen := map[[16]byte]string{}
	for name, write := range kinds {
		sum := digest(write).Sum
		if other, ok := seen[sum]; ok {
			t.Errorf("%s equals %s", name, other)
		}
		seen[sum] = name
	}
}

func TestHasherTime(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 5, time.UTC)
	of := func(v time.Time) Fingerprint { return digest(func(h *Hasher) { h.Time(v) }) }
	wantEqual(t, "offset", of(at), of(at.In(time.FixedZone("", 2*3600))))
	wantDifferent(t, "a nanosecond", of(at), of(at.Add(1)))
	wantDifferent(t, "before the epoch", of(time.Time{}), of(time.Time{}.Add(-time.Second)))
	wantDifferent(t, "beyond UnixNano", of(time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC)),
		of(time.Date(3000, 1, 1, 0, 0, 1, 0, time.UTC)))

	day := digest(func(h *Hasher) { h.Date(at) })
	wantEqual(t, "date and its text", day, digest(func(h *Hasher) { h.String("2026-03-01") }))
	wantEqual(t, "hour of the date", day, digest(func(h *Hasher) { h.Date(at.Add(time.Hour)) }))
	wantDifferent(t, "next day", day, digest(func(h *Hasher) { h.Date(at.AddDate(0, 0, 1)) }))
}

// Values beyond the buffer are digested whole, and only their content counts.
func TestHasherLongValues(t *testing.T) {
	long := strings.Repeat("x", 3*flushSize+1)
	of := func(s string) Fingerprint {
		return digest(func(h *Hasher) { h.String("a"); h.String(s); h.String("b") })
	}
	wantEqual(t, "same", of(long), of(long))
	for _, at := range []int{0, flushSize - 1, flushSize, 2 * flushSize, len(long) - 1} {
		changed := []byte(long)
		changed[at] = 'y'
		wantDifferent(t, "string", of(long), of(string(changed)))
		bytesOf := func(b []byte) Fingerprint { return digest(func(h *Hasher) { h.Int(1); h.Bytes(b); h.Int(2) }) }
		wantDifferent(t, "bytes", bytesOf([]byte(long)), bytesOf(changed))
	}
	many := make([]int, 5000)
	sum := digestAny(many)
	many[4999] = 1
	wantDifferent(t, "many elements", sum, digestAny(many))
}

func TestHasherDifferentStringsDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.SliceOfN(rapid.String(), 2, 2).Draw(t, "a"), rapid.SliceOfN(rapid.String(), 2, 2).Draw(t, "b")
		same := cmp.Equal(a, b)
		of := func(s []string) [16]byte {
			return digest(func(h *Hasher) { h.String(s[0]); h.String(s[1]) }).Sum
		}
		if (of(a) == of(b)) != same {
			t.Errorf("%q and %q: equal digests %v", a, b, !same)
		}
	})
}

func BenchmarkHasher(b *testing.B) {
	type item struct {
		SKU      string `json:"sku"`
		Quantity int    `json:"quantity"`
	}
	items := []item{{"a", 1}, {"b", 2}}
	var boxed any = items
	h := newHasher(testSecret)
	b.Run("three scalar fields", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h.reset(testSecret)
			h.Field("order_id")
			h.String("order-2026-000123")
			h.Field("amount")
			h.Int(129900)
			h.Field("currency")
			h.String("EUR")
			h.sum(nil)
		}
	})
	b.Run("a slice of structs", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h.reset(testSecret)
			h.Field("items")
			h.Any(boxed)
			h.sum(nil)
		}
	})
	b.Run("raw JSON", func(b *testing.B) {
		raw, _ := json.Marshal(items)
		b.ReportAllocs()
		for b.Loop() {
			h.reset(testSecret)
			h.Field("items")
			h.JSON(raw)
			h.sum(nil)
		}
	})
}

// A hasher that was used before, for long values too, is as good as a new one.
func TestHasherReset(t *testing.T) {
	used := newHasher(bytes.Repeat([]byte{7}, 32))
	used.Field("text")
	used.String(strings.Repeat("x", 3*flushSize))
	used.Any(make(chan int))
	used.sum(nil)
	for range 2 {
		used.reset(testSecret)
		fresh := newHasher(testSecret)
		for _, h := range []*Hasher{used, fresh} {
			h.Field("amount")
			h.Int(100)
			h.Field("text")
			h.String(strings.Repeat("y", 2*flushSize))
		}
		if diff := cmp.Diff(fresh.sum(nil), used.sum(nil)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestHasherAllocations(t *testing.T) {
	h := newHasher(testSecret)
	var fields [4]FieldDigest
	got := testing.AllocsPerRun(100, func() {
		h.reset(testSecret)
		h.Field("order_id")
		h.String("order-2026-000123")
		h.Field("amount")
		h.Int(129900)
		h.Field("due")
		h.Date(time.Time{})
		h.Field("rate")
		h.Float(1.5)
		h.sum(fields[:0])
	})
	if got > 0 {
		t.Errorf("%v allocations, want none", got)
	}
}
