// Package runtime is the engine of idemgen: it keeps the promise that an
// x-idempotency contract makes. Import it as idem.
//
// A request with a key is claimed in a [Store], run once, and its answer is
// recorded before the first byte of it leaves. Every further request with that
// key is compared with the first and gets the recorded answer, waits for it, or
// is refused, as the [Contract] says.
//
// Generated wrappers and [Do] call the engine; a program only builds it:
//
//	engine := idem.New(memstore.New(memstore.Config{}))
//	defer engine.Close(ctx)
//
// The package imports the standard library alone. The net/http edge is in
// runtime/nethttp, the stores are in runtime/memstore and runtime/redisstore.
package runtime
