package runtime

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
)

// maxKeyLength is the longest key a client may send, in bytes.
const maxKeyLength = 255

// A Key is the key of one request as its client sent it: a value, none, or
// something that could not be read as a key. Edges build it.
type Key struct {
	value   string
	present bool
	problem string
}

// KeyOf returns the key with the given value. An empty value is a malformed
// key, not an absent one.
func KeyOf(value string) Key { return Key{value: value, present: true} }

// NoKey returns the key of a request that carries none. It is the zero Key.
func NoKey() Key { return Key{} }

// MalformedKey returns the key of a request whose key cannot be read. The
// problem is told to the client; it must not repeat the key.
func MalformedKey(problem string) Key { return Key{present: true, problem: problem} }

// check returns what is wrong with a present key, "" for nothing.
func (k Key) check() string {
	switch {
	case k.problem != "":
		return k.problem
	case k.value == "":
		return "the key is empty"
	case len(k.value) > maxKeyLength:
		return "the key is longer than 255 characters"
	}
	for i := range len(k.value) {
		if c := k.value[i]; c <= ' ' || c > '~' {
			return "the key has a character that is not visible ASCII"
		}
	}
	return ""
}

// A StoreKey is the name of one record: API, operation, scope and key together.
// Of scope and key it holds a digest only.
type StoreKey struct {
	name string
	sum  [sha256.Size]byte
}

// String returns the name under which a store keeps the record: API and
// operation in readable form, then the digest. It has no braces (which a Redis
// Cluster would take for a hash tag), no spaces and at most 128 bytes.
func (k StoreKey) String() string {
	var text [128]byte
	return string(k.appendTo(text[:0]))
}

// AppendText implements encoding.TextAppender. It appends what String returns,
// and never fails.
func (k StoreKey) AppendText(b []byte) ([]byte, error) { return k.appendTo(b), nil }

func (k StoreKey) appendTo(b []byte) []byte {
	b = append(append(b, k.name...), ':')
	return base64.RawURLEncoding.AppendEncode(b, k.sum[:])
}

// ParseStoreKey reads what [StoreKey.String] wrote: the key of a record whose
// name is known, as in a listing of a store.
func ParseStoreKey(text string) (StoreKey, error) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return StoreKey{}, fmt.Errorf("idem: store key %q has no colon", text)
	}
	sum, err := base64.RawURLEncoding.Strict().DecodeString(text[at+1:])
	key := StoreKey{name: text[:at]}
	if err != nil || len(sum) != len(key.sum) {
		return StoreKey{}, fmt.Errorf("idem: store key %q does not end in a digest", text)
	}
	copy(key.sum[:], sum)
	return key, nil
}

// Digest returns what the name ends in. It covers API and operation as well, so
// it tells keys apart without the rest.
func (k StoreKey) Digest() [sha256.Size]byte { return k.sum }

// Hash returns 64 evenly distributed bits of the key, to pick a shard by.
func (k StoreKey) Hash() uint64 {
	return binary.BigEndian.Uint64(k.sum[:])
}

// identity is what a request's key means within one operation: where its record
// is, and the secret under which its fingerprint and downstream keys are made.
// The secret never leaves the process.
type identity struct {
	store  StoreKey
	secret [sha256.Size]byte
}

// newIdentity derives an identity from length-framed parts.
func newIdentity(op *Operation, scope []string, key string) identity {
	frame := append(make([]byte, 0, 256), op.frame...)
	frame = append(frame, byte(len(scope)))
	for _, part := range scope {
		frame = appendFramed(frame, part)
	}
	frame = appendFramed(frame, key)
	id := identity{store: StoreKey{name: op.name, sum: sha256.Sum256(frame)}}
	// The record's name is public and the frame is not: a second, differently
	// tagged digest of it is as secret as the raw key.
	id.secret = sha256.Sum256(append(frame, "idem fingerprint secret 1"...))
	return id
}

func appendFramed(b []byte, part string) []byte {
	n := len(part)
	b = append(b, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	return append(b, part...)
}

// derive returns the first 16 bytes of an HMAC-SHA-256 under the secret.
func (id *identity) derive(label, text string) [16]byte {
	mac := hmac.New(sha256.New, id.secret[:])
	mac.Write(appendFramed(nil, label))
	mac.Write([]byte(text))
	return [16]byte(mac.Sum(nil)[:16])
}

// readableName joins API and operation for [StoreKey.String]: at most 40 bytes
// of each, everything but letters, digits, dot and hyphen replaced.
func readableName(api, operation string) string {
	clean := func(s string) string {
		out := []byte(s[:min(len(s), 40)])
		for i, c := range out {
			ok := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-'
			if !ok {
				out[i] = '_'
			}
		}
		return string(out)
	}
	return clean(api) + ":" + clean(operation)
}
