// Package proof has tests alone. They check the promise of [idem.Engine] and of
// the stores under faults: lost and late messages, servers that stop, stores
// that are broken on purpose.
//
//   - Histories of concurrent clients are recorded on each store and checked for
//     linearizability against a model of [idem.Store]. Histories of broken
//     stores must be rejected.
//   - Whole engines work through a proxy that loses or delays one message of
//     each step.
//   - No goroutine and no record outlives its use.
//
// `go test` runs a part that takes seconds; with IDEM_CHAOS_LONG=1 the tests run
// at full length, as in `make chaos`.
//
// [idem.Engine]: https://pkg.go.dev/github.com/idemgen/idemgen/runtime#Engine
// [idem.Store]: https://pkg.go.dev/github.com/idemgen/idemgen/runtime#Store
package proof
