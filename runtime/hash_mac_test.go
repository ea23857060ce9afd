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
			whole := sha256.Sum256(bytes.Join(parts, nil))
			if got := mac.inner(parts[last]); got != whole {
				t.Fatalf("inner hash %x, want %x", got, whole)
			}
			for _, part := range parts[:last] {
				mac.write(part)
			}
			if got := mac.sum(parts[last]); !bytes.Equal(got[:], want.Sum(nil)) {
				t.Fatalf("got %x, want %x", got, want.Sum(nil))
			}
		}
	})
}
