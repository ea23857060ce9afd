package runtime

import (
	"context"
	"errors"
	"fmt"
)

// Info is what a handler can know of the call it runs for.
type Info struct {
	// Key is the client's key. Do not log it.
	Key string
	// Attempt is 1 for the first attempt of the key and grows while the
	// store has any trace of it. It is no lasting fence: after that it
	// starts again.
	Attempt uint32
	// Operation is the operation's name in its contract.
	Operation string
}

type infoKey struct{}

// running is what the context of a handler carries.
type running struct {
	info      Info
	id        *identity
	reference *reference
}

// FromContext returns what is known of the call that ctx belongs to. It reports
// false outside a protected handler, and where the call carries no key.
func FromContext(ctx context.Context) (Info, bool) {
	r, ok := ctx.Value(infoKey{}).(*running)
	if !ok {
		return Info{}, false
	}
	return r.info, true
}

// ErrNoKey is what [DownstreamKey] returns where there is no key to derive from.
var ErrNoKey = errors.New("idem: no idempotency key in this context")

// DownstreamKey derives a key for a call that the handler makes to another
// service, so that the other's idempotency joins in: it is the same in every
// attempt of this key, and another one for every step name, operation and scope.
// It has the form of a UUID (version 8, RFC 9562), which every provider's limits
// allow. Outside a protected handler, or without a key, it returns ErrNoKey:
// a constant would merge the effects of all such calls.
func DownstreamKey(ctx context.Context, step string) (string, error) {
	r, ok := ctx.Value(infoKey{}).(*running)
	if !ok {
		return "", ErrNoKey
	}
	b := r.id.derive("downstream key", step)
	b[6] = b[6]&0x0f | 0x80
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
}
