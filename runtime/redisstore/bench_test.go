package redisstore_test

import (
	"context"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// stepLimit is the time limit that the engine gives a step by default.
const stepLimit = 250 * time.Millisecond

func BenchmarkClaimComplete(b *testing.B) {
	_, client, store := start(b)
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, name := newKey(b)
			ctx, cancel := context.WithTimeout(context.Background(), stepLimit)
			if err := client.SetNX(ctx, name, "pending", time.Minute).Err(); err != nil {
				b.Fatal(err)
			}
			if err := client.Set(ctx, name, "done", time.Minute).Err(); err != nil {
				b.Fatal(err)
			}
			cancel()
		}
	})
	b.Run("store", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			key, _ := newKey(b)
			r := newPending()
			ctx, cancel := context.WithTimeout(context.Background(), stepLimit)
			mustAccept(b)(store.Claim(ctx, key, r))
			mustAccept(b)(store.Complete(ctx, key, in(idem.Done, r)))
			cancel()
		}
	})
}

func BenchmarkReplay(b *testing.B) {
	_, client, store := start(b)
	key, name := newKey(b)
	done := in(idem.Done, newPending())
	mustAccept(b)(store.Complete(context.Background(), key, done))
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ctx, cancel := context.WithTimeout(context.Background(), stepLimit)
			if err := client.Get(ctx, name).Err(); err != nil {
				b.Fatal(err)
			}
			cancel()
		}
	})
	b.Run("store", func(b *testing.B) {
		b.ReportAllocs()
		other := newPending()
		for b.Loop() {
			ctx, cancel := context.WithTimeout(context.Background(), stepLimit)
			mustRefuse(b, done)(store.Claim(ctx, key, other))
			cancel()
		}
	})
}
