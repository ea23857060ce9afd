package runtime

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"
)

// A Hasher takes the fields of a request's fingerprint. Generated code starts
// each field with [Hasher.Field] and writes its value with the method of its
// type. Two values that a handler cannot tell apart give the same digest, and
// the same value gives the same digest whichever method writes it:
//
//   - numbers are compared by value and exactly: 1, 1.0 and 1e0 are equal, 2^53
//     and 2^53+1 are not;
//   - times are compared by instant, dates and UUIDs by their text, bytes by
//     content, strings as they are;
//   - objects are compared by sorted member, arrays in order.
//
// A Hasher belongs to one call of a [Call]'s Fingerprint function and must not
// be used after it, nor concurrently.
type Hasher struct {
	mac hmacSHA256
	buf []byte // of the field, from innerPad on, what mac.stream has not been given

	open     bool // a field has been started and not ended
	verbatim bool // numbers of decoded JSON count as written
	tooDeep  bool // the value being written is nested deeper than maxDepth
	depth    int

	maxUpload int64     // of a body that is a stream, in bytes
	failed    error     // why no fingerprint can be made
	defaults  *Defaults // inside the value being written, nil for none

	fieldNames []string
	digests    [][sha256.Size]byte // one per ended field
	list       *fieldList          // a guess at the fields until sum, nil for none

	// Backing arrays of the slices above: most fingerprints fit.
	bufArray    [384]byte
	nameArray   [6]string
	digestArray [6][sha256.Size]byte
}

// hashVersion is the first byte of everything that is digested. It changes when
// the encoding does, so that old and new digests cannot meet by accident.
const hashVersion = 2

// Domains of the digests, their second byte.
const (
	fieldDomain = 'F' // a field: name and values
	sumDomain   = 'S' // the digests of all fields
)

// Tags of the encoded values. A tag, together with the length that follows it
// where its value has no fixed one, makes every encoding prefix-free.
const (
	tagNull         = 'n'
	tagExplicitNull = 'z' // null, where the Go type tells it from absent
	tagFalse        = 'f'
	tagTrue         = 't'
	tagInteger      = 'i'
	tagDecimal      = 'd'
	tagVerbatim     = 'w' // a number as it was written
	tagString       = 's'
	tagBytes        = 'b'
	tagTime         = 'T'
	tagArray        = '['
	tagArrayEnd     = ']'
	tagObject       = '{'
	tagObjectEnd    = '}'
	tagInvalid      = 'x' // raw JSON that is none
	tagContent      = 'c' // of an upload: its SHA-256
	tagIncomparable = '?'
)

// sumSize is how much of a digest counts, in bytes.
const sumSize = 16

// flushSize bounds what the hasher buffers of a large value.
const flushSize = 4096

// newHasher returns a hasher under a secret of 32 bytes.
func newHasher(secret []byte) *Hasher {
	h := &Hasher{}
	h.buf = h.bufArray[:0]
	h.fieldNames = h.nameArray[:0]
	h.digests = h.digestArray[:0]
	h.reset(secret)
	return h
}

// reset makes h ready for another request. It keeps the memory it has.
func (h *Hasher) reset(secret []byte) {
	h.mac.key(secret)
	h.buf, h.fieldNames, h.digests = h.buf[:0], h.fieldNames[:0], h.digests[:0]
	h.open, h.verbatim, h.tooDeep, h.depth = false, false, false, 0
	h.maxUpload, h.failed, h.defaults = DefaultMaxUploadBytes, nil, nil
}

// sum ends the last field and returns the fingerprint, whose Fields are those of
// list, in the memory of fields if they fit. It is called once.
func (h *Hasher) sum(fields []FieldDigest) Fingerprint {
	h.endField()
	if h.list == nil || !slices.Equal(h.list.names, h.fieldNames) {
		h.list = newFieldList(h.fieldNames)
	}
	f := Fingerprint{Fields: slices.Grow(fields, len(h.digests))}
	for i := range h.digests {
		f.Fields = append(f.Fields, FieldDigest{ID: h.list.ids[i], Sum: [5]byte(h.digests[i][:5])})
	}
	// Sorted, so that a contract whose fields change places still compares.
	slices.SortFunc(h.digests, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	h.buf = append(append(h.buf[:0], h.mac.innerPad[:]...), hashVersion, sumDomain)
	for i := range h.digests {
		h.buf = append(h.buf, h.digests[i][:sumSize]...)
	}
	sum := h.mac.sum(h.buf)
	f.Sum = [sumSize]byte(sum[:sumSize])
	return f
}

// Field starts the field with the given name and ends the one before. The
// values written until the next call belong to it. A name is used once.
func (h *Hasher) Field(name string) {
	h.endField()
	h.open = true
	h.fieldNames = append(h.fieldNames, name)
	h.buf = append(append(h.buf[:0], h.mac.innerPad[:]...), hashVersion, fieldDomain)
	h.writeString(tagString, name)
}

func (h *Hasher) endField() {
	if !h.open {
		return
	}
	h.open = false
	h.digests = append(h.digests, h.mac.inner(h.buf))
}

// begin is called before each value. One that is written before any field
// belongs to a field without a name, rather than to none.
func (h *Hasher) begin() {
	if !h.open {
		h.Field("")
	}
}

// Null writes an absent value, or a null that the handler cannot tell from one.
func (h *Hasher) Null() {
	h.begin()
	h.tag(tagNull)
}

// Bool writes a boolean.
func (h *Hasher) Bool(v bool) {
	h.begin()
	if v {
		h.tag(tagTrue)
	} else {
		h.tag(tagFalse)
	}
}

// String writes a string as it is, without Unicode folding. Dates, UUIDs and
// everything else that marshals to text are strings too.
func (h *Hasher) String(v string) {
	h.begin()
	h.writeString(tagString, v)
}

// Bytes writes binary content.
func (h *Hasher) Bytes(v []byte) {
	h.begin()
	h.writeBytes(tagBytes, v)
}

// Time writes an instant. The offset does not count: 12:00Z and 14:00+02:00
// are equal.
func (h *Hasher) Time(v time.Time) {
	h.begin()
	h.tag(tagTime)
	h.buf = binary.BigEndian.AppendUint64(h.buf, uint64(v.Unix()))
	h.buf = binary.BigEndian.AppendUint32(h.buf, uint32(v.Nanosecond()))
}

// Date writes the calendar day of v in v's own location. It equals the string
// of its ISO form, such as 2026-02-28.
func (h *Hasher) Date(v time.Time) {
	h.begin()
	var text [24]byte
	h.writeShort(tagString, v.AppendFormat(text[:0], time.DateOnly))
}

// incomparable writes a value that equals nothing, not even itself. A retry is
// then refused, which beats answering it with the answer of another request.
func (h *Hasher) incomparable() {
	var unique [16]byte
	rand.Read(unique[:]) // never fails, says crypto/rand
	h.tag(tagIncomparable)
	h.buf = append(h.buf, unique[:]...)
}

// tag appends a tag, after making room for it and a value of fixed length.
func (h *Hasher) tag(tag byte) {
	if len(h.buf) >= flushSize {
		h.flush()
	}
	h.buf = append(h.buf, tag)
}

func (h *Hasher) flush() {
	h.mac.write(h.buf)
	h.buf = h.buf[:0]
}

func (h *Hasher) writeString(tag byte, v string) {
	h.tag(tag)
	h.buf = binary.AppendUvarint(h.buf, uint64(len(v)))
	for len(v) > flushSize {
		h.buf = append(h.buf, v[:flushSize]...)
		h.flush()
		v = v[flushSize:]
	}
	h.buf = append(h.buf, v...)
}

// writeShort is writeBytes for a value of no great length, which it leaves on its
// caller's stack.
func (h *Hasher) writeShort(tag byte, v []byte) {
	h.tag(tag)
	h.buf = binary.AppendUvarint(h.buf, uint64(len(v)))
	h.buf = append(h.buf, v...)
}

func (h *Hasher) writeBytes(tag byte, v []byte) {
	h.tag(tag)
	h.buf = binary.AppendUvarint(h.buf, uint64(len(v)))
	if len(v) <= flushSize {
		h.buf = append(h.buf, v...)
		return
	}
	h.flush()
	h.mac.write(v)
}
