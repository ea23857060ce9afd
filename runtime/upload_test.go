package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	idem "github.com/idemgen/idemgen/runtime"
)

// uploadCall is a call whose body is part of its fingerprint.
func uploadCall(u *idem.Upload) idem.Call {
	return idem.Call{Key: idem.KeyOf("k"), Fingerprint: func(h *idem.Hasher) {
		h.Field("$request.body")
		h.Upload(u)
	}}
}

// A body that cannot be read runs nothing and leaves no trace of its key.
func TestUploadRefused(t *testing.T) {
	broken := errors.New("connection lost")
	b := newBench(t, nil, idem.WithMaxUploadBytes(8))
	for _, test := range []struct {
		name string
		body *idem.Upload
		want func(error) bool
	}{
		{"unreadable", idem.NewUpload(iotest.ErrReader(broken)), func(err error) bool { return errors.Is(err, broken) && idem.CodeOf(err) == "" }},
		{"too large", idem.NewUpload(strings.NewReader("123456789")), func(err error) bool { return idem.CodeOf(err) == idem.CodeRequestTooLarge }},
	} {
		if _, err := b.op.Run(context.Background(), uploadCall(test.body), b.charge(0)); !test.want(err) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if b.charges() != 0 || b.count(idem.Rejected) != 2 {
		t.Errorf("%d effects, %d rejected", b.charges(), b.count(idem.Rejected))
	}
	result, err := b.op.Run(context.Background(), uploadCall(idem.NewUpload(strings.NewReader("12345678"))), b.charge(0))
	if err != nil || result.Replayed || b.charges() != 1 {
		t.Errorf("the key is not free: %+v, %v", result, err)
	}
}
