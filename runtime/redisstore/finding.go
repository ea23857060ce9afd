package redisstore

import "fmt"

// A Severity says what a [Finding] means for the promise that a key runs once.
type Severity int

const (
	// Note: something could not be checked.
	Note Severity = iota + 1
	// Warning: records may be lost, or steps will fail.
	Warning
)

// String returns "note" or "warning".
func (s Severity) String() string {
	switch s {
	case Note:
		return "note"
	case Warning:
		return "warning"
	}
	return fmt.Sprintf("Severity(%d)", int(s))
}

// The names of checks, as in [Finding.Check].
const (
	CheckAnswer      = "answer"      // the server answers
	CheckVersion     = "version"     // Redis 7.0 or newer
	CheckRole        = "role"        // the server is a master
	CheckEviction    = "eviction"    // records are not evicted
	CheckPersistence = "persistence" // records survive a restart
	CheckReplicas    = "replicas"    // what a failover can lose is bounded
	CheckRights      = "rights"      // the user may do what a store does
	CheckWrite       = "write"       // the server takes a write
	CheckInfo        = "info"        // the server tells of itself
)

// A Finding is something about a server that is not as records need it.
type Finding struct {
	// Check is the name of the check, such as [CheckEviction].
	Check    string
	Severity Severity
	// Server is the address of the server, as far as the client knows it.
	Server string
	// Problem says what is wrong and what comes of it, Fix what to do.
	Problem, Fix string
}

// String is the finding as one line of text.
func (f Finding) String() string {
	return fmt.Sprintf("%s (%s): %s: %s; fix: %s", f.Check, f.Severity, f.Server, f.Problem, f.Fix)
}
