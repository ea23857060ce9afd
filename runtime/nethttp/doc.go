// Package nethttp is the edge between a runtime engine and servers of net/http
// and everything built on it: it reads the client's key, records what a handler
// answers, writes answers, replays and problem details.
//
// Generated code calls [Serve] and [KeyErrorHandler], and for servers with
// contexts of their own [ServePooled] and [KeyBinding]; for servers that are not
// strict [ServeHTTP] and [ReceiveBody]; without a generated server [Middleware].
// A program rarely needs this package itself, but for [ServerContext].
//
// An answer is recorded whole before its first byte leaves, so a handler cannot
// stream: [http.Flusher] does nothing, and informational statuses, hijacking and
// trailers are not passed on.
package nethttp
