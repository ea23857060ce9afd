package runtime

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"testing"

	"pgregory.net/rapid"
)

func TestHMACAgreesWithCryptoHMAC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SliceOfN(rapid.Byte(), 0, sha256.BlockSize).Draw(t, "key")
		var mac hmacSHA256
		mac.key(key)
		for range 3 { // under one key, held and streamed
			parts := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 200), 1, 4).Draw(t, "parts")
			want := hmac.New(sha256.New, key)
			want.Write(bytes.Join(parts, nil))
			parts[0] = append(mac.innerPad[:], parts[0]...)
			last := len(parts) - 1
			for _, part := range parts[:last] {
				mac.write(part)
			}
			held := last == 0 && !mac.streaming
			if got := sha256.Sum256(parts[0]); held && mac.inner(parts[0]) != got {
				t.Fatalf("inner hash %x, want %x", mac.inner(parts[0]), got)
			}
			if got := mac.sum(parts[last]); !bytes.Equal(got[:], want.Sum(nil)) {
				t.Fatalf("got %x, want %x", got, want.Sum(nil))
			}
		}
	})
}
