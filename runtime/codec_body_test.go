package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// jsonList is a body that compresses well.
func jsonList(items int) []byte {
	body := []byte("[")
	for i := range items {
		body = fmt.Appendf(body, `{"sku":"SKU-%d","quantity":%d},`, i*7919, i%7)
	}
	return append(body[:len(body)-1], ']')
}

func TestRecordCodecCompresses(t *testing.T) {
	codec := &RecordCodec{CompressFrom: 1000}
	noise := make([]byte, 2000)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	for name, c := range map[string]struct {
		body    []byte
		smaller bool
	}{
		"short":                      {jsonList(20), false},
		"long":                       {jsonList(100), true},
		"long again":                 {jsonList(101), true},
		"long, without a regularity": {noise, false},
		"none":                       {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			want := sampleRecord()
			want.Answer.Body = c.body
			plain, data := AppendRecord(nil, want), codec.Append(nil, want)
			if smaller := len(data) < len(plain)/2; smaller != c.smaller || len(data) > len(plain) {
				t.Errorf("%d bytes, of %d", len(data), len(plain))
			}
			for _, decode := range []func([]byte) (*Record, error){codec.Decode, DecodeRecord} {
				got, err := decode(data)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("want -, got +:\n%s", diff)
				}
			}
		})
	}
}

func TestRecordCodecRoundTripOfAny(t *testing.T) {
	codec := &RecordCodec{CompressFrom: 1}
	rapid.Check(t, func(t *rapid.T) {
		want := anyRecord(t)
		got, err := codec.Decode(codec.Append(nil, want))
		if err != nil {
			t.Fatal(err)
		}
		plain, _ := DecodeRecord(AppendRecord(nil, want))
		if diff := cmp.Diff(plain, got); diff != "" {
			t.Errorf("want -, got +:\n%s", diff)
		}
	})
}

// A body that is not what its record says is not answered with.
func TestRecordCodecRefuses(t *testing.T) {
	codec := &RecordCodec{CompressFrom: 1}
	want := sampleRecord()
	want.Answer.Body = jsonList(50)
	whole := codec.Append(nil, want)
	length := []byte{byte(len(want.Answer.Body)) | 0x80, byte(len(want.Answer.Body) >> 7)}
	at := bytes.Index(whole, append([]byte{bodyDeflated}, length...)) + 1
	if at < 1 {
		t.Fatal("the body is not deflated")
	}
	for name, data := range map[string][]byte{
		"cut":                whole[:len(whole)-1],
		"bytes after it":     append(bytes.Clone(whole), 0),
		"shorter than said":  slicesOf(whole[:at], []byte{length[0] + 1, length[1]}, whole[at+2:]),
		"longer than said":   slicesOf(whole[:at], []byte{length[0] - 1, length[1]}, whole[at+2:]),
		"far too long":       slicesOf(whole[:at], []byte{0xff, 0xff, 0xff, 0xff, 0x7f}, whole[at+2:]),
		"not deflated":       slicesOf(whole[:at+2], bytes.Repeat([]byte{0xff}, 50)),
		"nothing after size": whole[:at+2],
	} {
		t.Run(name, func(t *testing.T) {
			if r, err := codec.Decode(data); !errors.Is(err, ErrUnreadable) {
				t.Errorf("got %+v, %v; want ErrUnreadable", r, err)
			}
		})
	}
	if _, err := codec.Decode(whole); err != nil {
		t.Error(err)
	}
}
