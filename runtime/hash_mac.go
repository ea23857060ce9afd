package runtime

import (
	"crypto/sha256"
	"hash"
)

// hmacSHA256 is HMAC (RFC 2104) of many short messages under one short key. That
// of crypto/hmac costs seven allocations for each key, 700 bytes; a
// fingerprint's key is new in every request and its fields fit into a buffer.
// A message starts with innerPad, which the caller puts there.
type hmacSHA256 struct {
	innerPad, outerPad [sha256.BlockSize]byte

	stream    hash.Hash // of messages that outgrow the buffer; nil until one does
	streaming bool      // stream has the beginning of the message
}

// key sets the key, of at most one block.
func (m *hmacSHA256) key(key []byte) {
	var block [sha256.BlockSize]byte
	copy(block[:], key)
	for i, b := range block {
		m.innerPad[i] = b ^ 0x36
		m.outerPad[i] = b ^ 0x5c
	}
}

// write takes the next part of a message that is too long to be held.
func (m *hmacSHA256) write(part []byte) {
	if m.stream == nil {
		m.stream = sha256.New()
	}
	m.streaming = true
	m.stream.Write(part)
}

// inner takes the rest of a message, or all of it, and returns the inner hash of
// its code: a pseudorandom function of messages none of which begins with another
// (Bellare, Canetti and Krawczyk, "Pseudorandom functions revisited", 1996), at
// half the cost. Who sees all of it could go on with the message, so it is either
// cut short or not shown.
func (m *hmacSHA256) inner(rest []byte) [sha256.Size]byte {
	if !m.streaming {
		return sha256.Sum256(rest)
	}
	m.stream.Write(rest)
	hash := m.stream.Sum(nil)
	m.stream.Reset()
	m.streaming = false
	return [sha256.Size]byte(hash)
}

// sum takes the rest of a message, or all of it, and returns its code.
func (m *hmacSHA256) sum(rest []byte) [sha256.Size]byte {
	inner := m.inner(rest)
	var outer [sha256.BlockSize + sha256.Size]byte
	copy(outer[:], m.outerPad[:])
	copy(outer[sha256.BlockSize:], inner[:])
	return sha256.Sum256(outer[:])
}
