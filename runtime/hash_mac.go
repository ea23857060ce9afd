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

// sum takes the rest of a message, or all of it, and returns its code.
func (m *hmacSHA256) sum(rest []byte) [sha256.Size]byte {
	var outer [sha256.BlockSize + sha256.Size]byte
	copy(outer[:], m.outerPad[:])
	if m.streaming {
		m.stream.Write(rest)
		copy(outer[sha256.BlockSize:], m.stream.Sum(nil))
		m.stream.Reset()
		m.streaming = false
	} else {
		inner := sha256.Sum256(rest)
		copy(outer[sha256.BlockSize:], inner[:])
	}
	return sha256.Sum256(outer[:])
}
