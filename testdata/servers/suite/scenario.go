package suite

import "testing"

// A Scenario is a story that has the same end on every server.
type Scenario struct {
	Name string
	// What it shows, for readers of the table.
	What string
	run  func(t *testing.T, s *Subject)
	// disconnect says that the server must notice that its client leaves.
	disconnect bool
}

// Applies reports whether the scenario can happen on the server.
func (s Scenario) Applies(subject *Subject) bool {
	return subject.NoticesDisconnect || !s.disconnect
}

// Run runs the scenario against a server that nobody has used yet.
func (s Scenario) Run(t *testing.T, subject *Subject) { s.run(t, subject) }

// Scenarios returns the suite.
func Scenarios() []Scenario {
	return []Scenario{
		{Name: "first answer", What: "a first request runs and gets its handler's answer", run: firstAnswer},
		{Name: "replay", What: "the same request again, bare or quoted key, gets the same answer: status, header lines, body", run: replay},
		{Name: "kept failure", What: "a failure whose status the contract lists is replayed too", run: keptFailure},
		{Name: "other request", What: "another body or path under the key: 422 that names the fields", run: otherRequest},
		{Name: "other caller", What: "the key of another caller is another key; an unknown caller: 401", run: otherCaller},
		{Name: "wait", What: "a second request in flight waits and gets the first one's answer", run: wait},
		{Name: "reject", What: "a second request in flight: 409 with Retry-After", run: reject},
		{Name: "run", What: "a second request in flight runs as well; one answer for both", run: runAlso},
		{Name: "error, retry", What: "a handler's error gives the key back, and the retry runs", run: errorRetry},
		{Name: "missing key", What: "400 missing-key, through the framework's own hook", run: missingKey},
		{Name: "malformed key", What: "400 invalid-key: empty, two header lines, no uuid, not visible ASCII", run: malformedKey},
		{Name: "other 400", What: "requests refused for another reason are answered as before", run: otherRefusal},
		{Name: "optional key", What: "without a key, where that is allowed, every request runs and says so", run: optionalKey},
		{Name: "204", What: "an answer without a body", run: noContent},
		{Name: "header lines", What: "repeated lines in order; lines of middleware stay, Vary is joined", run: headerLines},
		{Name: "text", What: "an answer of text", run: text},
		{Name: "gzip", What: "a binary answer, byte for byte", run: compressed},
		{Name: "too large", What: "a larger answer than is kept reaches its client; a retry: 409", run: tooLarge},
		{Name: "handler's context", What: "it knows the key, and the server's own context", run: handlerContext},
		{Name: "client leaves", What: "the handler goes on, and the retry gets its answer", run: clientLeaves},
		{Name: "client leaves, cancel", What: "under onDisconnect: cancel the handler's context ends", run: clientLeavesCancel, disconnect: true},
		{Name: "waiter leaves", What: "a request that waits ends with its client", run: waiterLeaves, disconnect: true},
	}
}
