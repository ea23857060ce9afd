package runtime

import (
	"bytes"
	"errors"
	"math"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// sampleRecord returns a done record in which no field is zero.
func sampleRecord() *Record {
	return &Record{
		State:       Done,
		Token:       Token{1, 2, 15: 16},
		Attempt:     300,
		Hold:        true,
		NotRetained: true,
		TTL:         24 * time.Hour,
		Lease:       30 * time.Second,
		Contract:    ContractDigest{1, 2, 3, 4, 5, 6, 7, 8},
		Fingerprint: Fingerprint{
			Sum: [16]byte{9, 15: 9},
			Fields: []FieldDigest{
				{ID: [3]byte{1, 2, 3}, Sum: [5]byte{5, 4: 6}},
				{ID: [3]byte{3, 2, 1}, Sum: [5]byte{6, 4: 5}},
			},
		},
		Claimed: time.UnixMilli(1_764_000_000_123).UTC(),
		Settled: time.UnixMilli(1_764_000_000_456).UTC(),
		Answer: &Answer{
			Status: 201,
			Header: []HeaderLine{
				{"Content-Type", "application/json"}, {"Link", "</a>; rel=next"},
				{"Link", "</b>; rel=prev"}, {"X-Empty", ""}, {"X-Latin", "caf\xe9"},
			},
			Body:      []byte("{\"id\": 1}\x00\xff"),
			Oversized: true,
		},
	}
}

func TestRecordRoundTrip(t *testing.T) {
	want := sampleRecord()
	got, err := DecodeRecord(AppendRecord(nil, want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

func TestRecordKeepsReference(t *testing.T) {
	want := sampleRecord()
	want.Answer = &Answer{Status: 201, Reference: "ch_1"}
	got, err := DecodeRecord(AppendRecord(nil, want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

func TestRecordRoundTripOfAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyRecord(t)
		data := AppendRecord([]byte("before"), want)
		got, err := DecodeRecord(bytes.TrimPrefix(data, []byte("before")))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("want -, got +:\n%s", diff)
		}
	})
}

func anyRecord(t *rapid.T) *Record {
	state := rapid.SampledFrom([]State{Pending, Done, Held, Released}).Draw(t, "state")
	millis := rapid.Int64Range(0, int64(maxMillis))
	r := &Record{
		State:       state,
		Token:       Token(bytesOf(t, 16)),
		Attempt:     rapid.Uint32().Draw(t, "attempt"),
		Hold:        rapid.Bool().Draw(t, "hold"),
		NotRetained: rapid.Bool().Draw(t, "not retained"),
		TTL:         time.Duration(millis.Draw(t, "ttl")) * time.Millisecond,
		Lease:       time.Duration(millis.Draw(t, "lease")) * time.Millisecond,
		Contract:    ContractDigest(bytesOf(t, 8)),
		Fingerprint: Fingerprint{Sum: [16]byte(bytesOf(t, 16))},
		Claimed:     anyTime(t),
		Settled:     anyTime(t),
	}
	for range rapid.IntRange(0, 5).Draw(t, "fields") {
		r.Fingerprint.Fields = append(r.Fingerprint.Fields, FieldDigest{
			ID: [3]byte(bytesOf(t, 3)), Sum: [5]byte(bytesOf(t, 5)),
		})
	}
	if rapid.Bool().Draw(t, "answer") {
		r.Answer = &Answer{
			Status:    rapid.IntRange(0, math.MaxInt32).Draw(t, "status"),
			Body:      rapid.SliceOf(rapid.Byte()).Draw(t, "body"),
			Oversized: rapid.Bool().Draw(t, "oversized"),
		}
		for range rapid.IntRange(0, 5).Draw(t, "lines") {
			r.Answer.Header = append(r.Answer.Header, HeaderLine{
				rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"Content-Type", "Location", "Etag"})).Draw(t, "name"),
				rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "application/json"})).Draw(t, "value"),
			})
		}
	}
	return r
}

func bytesOf(t *rapid.T, n int) []byte {
	return rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "bytes")
}

func anyTime(t *rapid.T) time.Time {
	ms := rapid.Int64Range(-1<<41, 1<<42).Draw(t, "time")
	if ms%5 == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// TestRecordForm pins the places of what scripts of stores read.
func TestRecordForm(t *testing.T) {
	r := sampleRecord()
	data := AppendRecord(nil, r)
	if data[0] != 1 || data[1] != 'D' || !bytes.Equal(data[2:18], r.Token[:]) {
		t.Errorf("prefix % x, want version 1, state D and the token", data[:18])
	}
	if data[18]&1 != 1 {
		t.Errorf("flags %b, want hold as the lowest bit", data[18])
	}
	if want := []byte{0x80, 0xb8, 0x99, 0x29}; !bytes.Equal(data[19:23], want) { // 86,400,000
		t.Errorf("ttl % x, want % x", data[19:23], want)
	}
	r.Hold = false
	if data := AppendRecord(nil, r); data[18]&1 != 0 {
		t.Errorf("flags %b, want the lowest bit clear", data[18])
	}
}

// TestRecordFormIsStable decodes bytes that were written once: a program must
// read what its predecessor wrote.
func TestRecordFormIsStable(t *testing.T) {
	const written = "\x01D\x01\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x10" + // version, state, token
		"\x3f\x80\xb8\x99\x29\xb0\xea\x01\xac\x02" + // flags, ttl, lease, attempt
		"\x01\x02\x03\x04\x05\x06\x07\x08" + // contract
		"\x09\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x09" + // sum
		"\x02\x01\x02\x03\x05\x00\x00\x00\x06\x03\x02\x01\x06\x00\x00\x00\x05" + // fields
		"\xf6\xa1\xbf\xe9\xd6\x66\x9a\x05" + // claimed, settled
		"\xc9\x01\x05" + // status, header lines
		"\x01" + "\x0a\x0e</a>; rel=next" + "\x0a\x0e</b>; rel=prev" +
		"\x00\x07X-Empty\x00" + "\x00\x07X-Latin\x04caf\xe9" +
		"\x00{\"id\": 1}\x00\xff" // codec, body
	if data := AppendRecord(nil, sampleRecord()); string(data) != written {
		t.Errorf("got  %q\nwant %q", data, written)
	}
}

func TestDecodeRecordRefuses(t *testing.T) {
	whole := AppendRecord(nil, sampleRecord())
	pending := AppendRecord(nil, &Record{State: Pending})
	change := func(data []byte, at int, b byte) []byte {
		data = bytes.Clone(data)
		data[at] = b
		return data
	}
	bodyAt := len(whole) - len(sampleRecord().Answer.Body)
	cases := map[string][]byte{
		"nothing":             nil,
		"text":                []byte("not a record"),
		"version 0":           change(whole, 0, 0),
		"a newer version":     change(whole, 0, 2),
		"unknown state":       change(whole, 1, 'X'),
		"unknown flag":        change(whole, 18, flagUnknown),
		"unknown body codec":  change(whole, bodyAt-1, 1),
		"bytes after the end": append(bytes.Clone(pending), 0),
		"ttl too large":       slicesOf(whole[:19], bytes.Repeat([]byte{0xff}, 9), []byte{1}),
		"many fields":         slicesOf(pending[:len(pending)-1], []byte{0xff, 0xff, 0xff, 0xff, 0x0f}),
	}
	for name, data := range cases {
		t.Run(name, func(t *testing.T) {
			r, err := DecodeRecord(data)
			if !errors.Is(err, ErrUnreadable) || r != nil {
				t.Errorf("got %+v, %v; want ErrUnreadable", r, err)
			}
		})
	}
	for n := range bodyAt {
		if _, err := DecodeRecord(whole[:n]); !errors.Is(err, ErrUnreadable) {
			t.Errorf("cut after %d bytes: error %v, want ErrUnreadable", n, err)
		}
	}
}

func slicesOf(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func TestAppendRecordOfTooManyHeaderLines(t *testing.T) {
	r := sampleRecord()
	r.NotRetained = false
	r.Answer.Header = make([]HeaderLine, maxHeaderLines+1)
	got, err := DecodeRecord(AppendRecord(nil, r))
	if err != nil {
		t.Fatal(err)
	}
	if got.Answer != nil || !got.NotRetained {
		t.Errorf("got answer %v, not retained %v; want no answer", got.Answer, got.NotRetained)
	}
}

// TestDecodeRecordAllocation feeds values whose counts promise much.
func TestDecodeRecordAllocation(t *testing.T) {
	r := sampleRecord()
	r.Answer.Header = make([]HeaderLine, maxHeaderLines)
	r.Answer.Body = bytes.Repeat([]byte{'x'}, 1<<20)
	for name, data := range map[string][]byte{
		"empty header lines": AppendRecord(nil, r),
		"long header line":   slicesOf(AppendRecord(nil, sampleRecord()), bytes.Repeat([]byte{'x'}, 1<<20)),
	} {
		if got, limit := allocated(func() { DecodeRecord(data) }), uint64(len(data)+64<<10); got > limit {
			t.Errorf("%s: %d bytes allocated for a value of %d", name, got, len(data))
		}
	}
}

// allocated returns how many bytes do allocates.
func allocated(do func()) uint64 {
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	do()
	goruntime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func FuzzDecodeRecord(f *testing.F) {
	f.Add(AppendRecord(nil, sampleRecord()))
	f.Add(AppendRecord(nil, &Record{State: Pending, TTL: time.Hour, Lease: time.Minute}))
	f.Add(AppendRecord(nil, &Record{State: Released, Attempt: math.MaxUint32}))
	f.Add(AppendRecord(nil, &Record{State: Done, Answer: &Answer{Header: make([]HeaderLine, 100)}}))
	f.Add(AppendRecord(nil, &Record{State: Done, Answer: &Answer{Status: 201, Reference: "payment 1"}}))
	f.Add((&RecordCodec{CompressFrom: 1}).Append(nil, &Record{State: Done, Answer: &Answer{Status: 201, Body: bytes.Repeat([]byte("body"), 100)}}))
	f.Add([]byte{})
	f.Add([]byte("foreign value"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r *Record
		var err error
		// A deflated body may be so much larger.
		limit := uint64(len(data)*(1+maxInflation) + 128<<10)
		if got := allocated(func() { r, err = DecodeRecord(data) }); got > limit {
			t.Errorf("%d bytes allocated for a value of %d", got, len(data))
		}
		if err != nil {
			if !errors.Is(err, ErrUnreadable) {
				t.Errorf("error %v does not wrap ErrUnreadable", err)
			}
			return
		}
		again, err := DecodeRecord(AppendRecord(nil, r))
		if err != nil {
			t.Fatalf("a record that was read cannot be written: %v", err)
		}
		if diff := cmp.Diff(r, again); diff != "" {
			t.Errorf("first -, second +:\n%s", diff)
		}
	})
}

func TestParseStoreKey(t *testing.T) {
	want := StoreKey{name: "payments:createPayment", sum: [32]byte{1, 31: 255}}
	got, err := ParseStoreKey(want.String())
	if err != nil || got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for _, text := range []string{"", "payments", "payments:createPayment", "a:b:" + strings.Repeat("A", 42), "a:b:" + strings.Repeat("A", 44), "a:b:" + strings.Repeat("!", 43)} {
		if key, err := ParseStoreKey(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, key)
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	r := sampleRecord()
	data := AppendRecord(nil, r)
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		buf := make([]byte, 0, len(data))
		for b.Loop() {
			buf = AppendRecord(buf[:0], r)
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := DecodeRecord(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}
