package redisstore_test

import (
	"bytes"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/storetest"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// Long bodies take less in Redis where that is wanted, and are read by stores
// that do not want it.
func TestCompressFrom(t *testing.T) {
	t.Parallel()
	client := redistest.Start(t).Client(t)
	plain, packed := open(t, client), openWith(t, client, redisstore.Config{CompressFrom: 1000})
	for name, c := range map[string]struct {
		body    []byte
		smaller bool
	}{
		"short": {bytes.Repeat([]byte("body"), 100), false},
		"long":  {bytes.Repeat([]byte("body"), 1000), true},
	} {
		key, stored := newKey(t)
		done := in(idem.Done, newPending())
		done.Answer.Body = c.body
		mustAccept(t)(packed.Complete(t.Context(), key, done))
		size, err := client.StrLen(t.Context(), stored).Result()
		if err != nil {
			t.Fatal(err)
		}
		if smaller := size < int64(len(c.body)); smaller != c.smaller {
			t.Errorf("%s: a body of %d bytes takes %d", name, len(c.body), size)
		}
		mustRefuse(t, done)(packed.Load(t.Context(), key))
		mustRefuse(t, done)(plain.Load(t.Context(), key))
	}
}

func TestConformanceCompressing(t *testing.T) {
	t.Parallel()
	client := redistest.Start(t).Client(t)
	storetest.Run(t, func(t *testing.T) idem.Store {
		return openWith(t, client, redisstore.Config{CompressFrom: 1})
	})
}
