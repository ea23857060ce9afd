package runtime

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"time"
)

// Defaults of a [Contract], used where a field is zero.
const (
	DefaultTTL              = 24 * time.Hour
	DefaultLease            = 30 * time.Second
	DefaultMaxRun           = 15 * time.Minute
	DefaultMaxResponseBytes = 1 << 20

	// waitMargin is what the default wait adds to the lease, so that a waiter
	// lives to see a dead worker's lease end.
	waitMargin = 5 * time.Second
)

// InFlight says what a second request does while the first with its key runs.
type InFlight string

const (
	// Wait has it wait for the first one's answer. The default.
	Wait InFlight = "wait"
	// Reject answers it at once: in progress.
	Reject InFlight = "reject"
	// RunAlso runs it as well: a plain result cache, in which the answer that
	// is stored first is everybody's, and the effect may happen twice.
	RunAlso InFlight = "run"
)

// OnStoreError says what happens when the store cannot be reached to claim a key.
type OnStoreError string

const (
	// RunUnprotected runs the request without protection. The default.
	RunUnprotected OnStoreError = "run"
	// RefuseRequest refuses the request: store unavailable.
	RefuseRequest OnStoreError = "reject"
)

// OnCrash says what becomes of a key whose worker died or lost its lease.
type OnCrash string

const (
	// Rerun lets the next request run again. The default.
	Rerun OnCrash = "rerun"
	// Hold refuses every request until an operator settles or releases the
	// key, or its ttl is over.
	Hold OnCrash = "hold"
)

// OnDisconnect says what becomes of a running handler whose client went away.
type OnDisconnect string

const (
	// Finish lets it run to its end and keeps the answer. The default.
	Finish OnDisconnect = "finish"
	// Cancel cancels its context.
	Cancel OnDisconnect = "cancel"
)

// StatusRange is a range of response statuses, both ends included.
type StatusRange struct{ From, To int }

// A Contract is what one operation promises about requests that carry the same
// key. Generated code declares one for each protected operation; a program that
// uses [Do] declares its own. Only API and Operation must be set: every other
// field has a default, which its zero value stands for. The meaning of each
// field is that of the x-idempotency field of the same name.
type Contract struct {
	// API and Operation name the operation. Keys of different operations
	// never meet. Renaming either forgets all keys.
	API, Operation string

	// OptionalKey runs a request without a key unprotected, instead of
	// refusing it.
	OptionalKey bool
	// KeyFormat is what a key must look like: "" or "any", "uuid", or a
	// regular expression that must match the whole key.
	KeyFormat string

	// Scope names the parts of the scope, in the order in which a [Call]
	// gives their values; ScopePrincipal, if there, is first. Empty means
	// that all callers share their keys.
	Scope []string

	InFlight    InFlight      // default Wait
	TTL         time.Duration // how long an answer is kept; default DefaultTTL
	WaitTimeout time.Duration // longest wait of a second request; default Lease + 5s
	Lease       time.Duration // how long a silent worker keeps a key; default DefaultLease
	MaxRun      time.Duration // longest run of a handler; default DefaultMaxRun

	// Remember lists the statuses whose answers are kept. Nil means 2XX.
	// Answers without a status (of [Do]) are always kept.
	Remember []StatusRange

	OnStoreError OnStoreError // default RunUnprotected
	OnCrash      OnCrash      // default Rerun
	OnDisconnect OnDisconnect // default Finish
	Replay       Replay       // default Stored

	// MaxResponseBytes bounds the body of a kept answer, or its reference. A
	// larger one is delivered, but a retry is refused. Default
	// DefaultMaxResponseBytes.
	MaxResponseBytes int64
}

// ScopePrincipal is the name of the scope part that a [PrincipalFunc] supplies.
const ScopePrincipal = "principal"

// withDefaults returns c with every zero field replaced by its default.
func (c Contract) withDefaults() Contract {
	setDefault(&c.InFlight, Wait)
	setDefault(&c.TTL, DefaultTTL)
	setDefault(&c.Lease, DefaultLease)
	setDefault(&c.WaitTimeout, c.Lease+waitMargin)
	setDefault(&c.MaxRun, max(DefaultMaxRun, c.Lease))
	setDefault(&c.OnStoreError, RunUnprotected)
	setDefault(&c.OnCrash, Rerun)
	setDefault(&c.OnDisconnect, Finish)
	setDefault(&c.Replay, Stored)
	setDefault(&c.MaxResponseBytes, DefaultMaxResponseBytes)
	if c.Remember == nil {
		c.Remember = []StatusRange{{From: 200, To: 299}}
	}
	return c
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// validate reports what is wrong with a contract whose defaults are filled in.
func (c *Contract) validate() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("idem: contract of %q: "+format, append([]any{c.Operation}, args...)...)
	}
	switch {
	case c.API == "" || c.Operation == "":
		return bad("API and Operation must be set")
	case c.InFlight != Wait && c.InFlight != Reject && c.InFlight != RunAlso:
		return bad("unknown InFlight %q", c.InFlight)
	case c.OnStoreError != RunUnprotected && c.OnStoreError != RefuseRequest:
		return bad("unknown OnStoreError %q", c.OnStoreError)
	case c.OnCrash != Rerun && c.OnCrash != Hold:
		return bad("unknown OnCrash %q", c.OnCrash)
	case c.OnDisconnect != Finish && c.OnDisconnect != Cancel:
		return bad("unknown OnDisconnect %q", c.OnDisconnect)
	case c.Replay != Stored && c.Replay != Reload:
		return bad("unknown Replay %q", c.Replay)
	case c.Lease < time.Millisecond:
		return bad("Lease %v is below 1ms", c.Lease)
	case c.TTL < c.Lease:
		return bad("TTL %v is below Lease %v", c.TTL, c.Lease)
	case c.MaxRun < c.Lease:
		return bad("MaxRun %v is below Lease %v", c.MaxRun, c.Lease)
	case c.WaitTimeout < 0 || c.MaxResponseBytes < 0:
		return bad("WaitTimeout and MaxResponseBytes must not be negative")
	case slices.Contains(c.Scope, ScopePrincipal) && c.Scope[0] != ScopePrincipal:
		return bad("%q must be the first part of Scope", ScopePrincipal)
	}
	for _, r := range c.Remember {
		if r.From > r.To {
			return bad("Remember: range %d to %d is empty", r.From, r.To)
		}
	}
	return nil
}

// keyPattern compiles KeyFormat. Nil means that any key fits.
func (c *Contract) keyPattern() (*regexp.Regexp, error) {
	switch c.KeyFormat {
	case "", "any":
		return nil, nil
	case "uuid":
		return uuidPattern, nil
	}
	re, err := regexp.Compile(`\A(?:` + c.KeyFormat + `)\z`)
	if err != nil {
		return nil, fmt.Errorf("idem: contract of %q: KeyFormat: %w", c.Operation, err)
	}
	return re, nil
}

var uuidPattern = regexp.MustCompile(`\A[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}\z`)

// remembers reports whether an answer with this status is kept. Zero, the
// status of a call without HTTP, always is.
func (c *Contract) remembers(status int) bool {
	if status == 0 {
		return true
	}
	for _, r := range c.Remember {
		if r.From <= status && status <= r.To {
			return true
		}
	}
	return false
}

// ContractDigest identifies a version of a contract, so that an operator can
// see that a record was written under another one.
type ContractDigest [8]byte

func (c *Contract) digest() ContractDigest {
	sum := sha256.Sum256(fmt.Appendf(nil, "%#v", *c))
	return ContractDigest(sum[:8])
}
