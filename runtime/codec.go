package runtime

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"
)

// The binary form of a record, version 1. Integers are unsigned varints if not
// said otherwise, times zigzag varints of Unix milliseconds.
//
//	version   1 byte
//	state     1 byte
//	token     16 bytes
//	flags     1 byte
//	ttl       in milliseconds
//	lease     in milliseconds
//	attempt
//	contract  8 bytes
//	sum       16 bytes, of the fingerprint
//	fields    a count, then 8 bytes each: id and sum
//	claimed   a time, if flagClaimed says so
//	settled   likewise for flagSettled; the time since claimed, if that is there
//
// and if the record has an answer:
//
//	status
//	header    a count, then for each line its number in headerTable, or zero
//	          and its name; then its value, unless the table has it. Name and
//	          value each have a length before them.
//	codec     1 byte
//	body      the rest, a reference if flagReference says so; of a deflated
//	          body its length first
//
// Version, state, token, flags and ttl keep their places in every version:
// scripts of stores read them there.
const (
	recordVersion = 1

	fieldDigestSize = len(FieldDigest{}.ID) + len(FieldDigest{}.Sum)
	maxMillis       = math.MaxInt64 / uint64(time.Millisecond)

	// maxHeaderLines bounds what decoding allocates for lines whose decoded
	// form is larger than their encoded one.
	maxHeaderLines = 1024

	// headRoom and lineRoom are what the parts of fixed length take at most.
	headRoom = 96
	lineRoom = 8
)

const (
	flagHold = 1 << iota
	flagNotRetained
	flagClaimed
	flagSettled
	flagAnswer
	flagOversized
	flagReference
	flagUnknown // the first bit without a meaning
)

// AppendRecord appends the binary form of r to dst and returns the result.
// [DecodeRecord] reads it. Durations and times are cut to whole milliseconds,
// negative durations to zero. A record whose answer has more than 1,024 header
// lines or an impossible status becomes one whose answer is not retained.
func AppendRecord(dst []byte, r *Record) []byte { return appendRecord(dst, r, nil) }

// appendRecord is AppendRecord by a codec, nil for one that compresses nothing.
func appendRecord(dst []byte, r *Record, c *RecordCodec) []byte {
	answer, flags := r.Answer, recordFlags(r)
	if answer != nil && (len(answer.Header) > maxHeaderLines || answer.Status < 0 || answer.Status > math.MaxInt32) {
		answer, flags = nil, flags&^(flagAnswer|flagOversized|flagReference)|flagNotRetained
	}
	dst = slices.Grow(dst, headRoom+len(r.Fingerprint.Fields)*fieldDigestSize+answerRoom(answer))
	dst = append(dst, recordVersion, byte(r.State))
	dst = append(dst, r.Token[:]...)
	dst = append(dst, flags)
	dst = appendMillis(dst, r.TTL)
	dst = appendMillis(dst, r.Lease)
	dst = binary.AppendUvarint(dst, uint64(r.Attempt))
	dst = append(dst, r.Contract[:]...)
	dst = append(dst, r.Fingerprint.Sum[:]...)
	dst = binary.AppendUvarint(dst, uint64(len(r.Fingerprint.Fields)))
	for i := range r.Fingerprint.Fields {
		field := &r.Fingerprint.Fields[i]
		dst = append(dst, field.ID[:]...)
		dst = append(dst, field.Sum[:]...)
	}
	if flags&flagClaimed != 0 {
		dst = binary.AppendVarint(dst, r.Claimed.UnixMilli())
	}
	if flags&flagSettled != 0 {
		dst = binary.AppendVarint(dst, r.Settled.UnixMilli()-r.sinceMillis())
	}
	if answer != nil {
		dst = c.appendAnswer(dst, answer)
	}
	return dst
}

// sinceMillis is what Settled is counted from.
func (r *Record) sinceMillis() int64 {
	if r.Claimed.IsZero() {
		return 0
	}
	return r.Claimed.UnixMilli()
}

func recordFlags(r *Record) byte {
	var flags byte
	set := func(flag byte, on bool) {
		if on {
			flags |= flag
		}
	}
	set(flagHold, r.Hold)
	set(flagNotRetained, r.NotRetained)
	set(flagClaimed, !r.Claimed.IsZero())
	set(flagSettled, !r.Settled.IsZero())
	set(flagAnswer, r.Answer != nil)
	set(flagOversized, r.Answer != nil && r.Answer.Oversized)
	set(flagReference, r.Answer != nil && r.Answer.Reference != "")
	return flags
}

func appendMillis(dst []byte, d time.Duration) []byte {
	return binary.AppendUvarint(dst, uint64(max(d.Milliseconds(), 0)))
}

// DecodeRecord reads what [AppendRecord] wrote. The body of the answer aliases
// data, everything else is copied; so data must not change afterwards. Decoding
// allocates at most the size of data and a constant (under 64 KiB), and of a
// compressed body the body. An error wraps [ErrUnreadable]: data is no record,
// or one of a newer version.
func DecodeRecord(data []byte) (*Record, error) { return decodeRecord(data, nil) }

func decodeRecord(data []byte, c *RecordCodec) (*Record, error) {
	d := decoder{rest: data, codec: c}
	r := d.record()
	if d.problem != "" {
		return nil, fmt.Errorf("%w: %s", ErrUnreadable, d.problem)
	}
	return r, nil
}

// A decoder reads from the front of rest. After the first problem it returns
// zero values.
type decoder struct {
	rest    []byte
	problem string
	codec   *RecordCodec // nil for a new one
	memory  *decoded
}

// A decoded is the memory of a record with all its parts, if they fit: one piece
// instead of four.
type decoded struct {
	record Record
	answer Answer
	fields [4]FieldDigest
	header [4]HeaderLine
}

func (d *decoder) fail(problem string) {
	if d.problem == "" {
		d.problem = problem
	}
	d.rest = nil
}

func (d *decoder) record() *Record {
	if version := d.byte(); version != recordVersion {
		d.fail(fmt.Sprintf("format version %d is not %d", version, recordVersion))
		return nil
	}
	d.memory = new(decoded)
	r := &d.memory.record
	r.State = State(d.byte())
	switch r.State {
	case Pending, Done, Held, Released:
	default:
		d.fail("unknown state")
	}
	copy(r.Token[:], d.take(uint64(len(r.Token))))
	flags := d.byte()
	if flags >= flagUnknown {
		d.fail("unknown flag")
	}
	r.Hold, r.NotRetained = flags&flagHold != 0, flags&flagNotRetained != 0
	r.TTL, r.Lease = d.millis(), d.millis()
	r.Attempt = uint32(d.number(math.MaxUint32))
	copy(r.Contract[:], d.take(uint64(len(r.Contract))))
	copy(r.Fingerprint.Sum[:], d.take(uint64(len(r.Fingerprint.Sum))))
	r.Fingerprint.Fields = d.fields()
	if flags&flagClaimed != 0 {
		r.Claimed = time.UnixMilli(d.varint()).UTC()
	}
	if flags&flagSettled != 0 {
		r.Settled = time.UnixMilli(d.varint() + r.sinceMillis()).UTC()
	}
	if flags&flagAnswer != 0 {
		r.Answer = d.answer()
		r.Answer.Oversized = flags&flagOversized != 0
		if flags&flagReference != 0 {
			r.Answer.Reference, r.Answer.Body = string(r.Answer.Body), nil
		}
	} else if len(d.rest) > 0 {
		d.fail("bytes after the end")
	}
	return r
}

func (d *decoder) fields() []FieldDigest {
	n := d.count(fieldDigestSize)
	if n == 0 {
		return nil
	}
	fields := slices.Grow(d.memory.fields[:0], n)[:n]
	for i := range fields {
		copy(fields[i].ID[:], d.take(uint64(len(fields[i].ID))))
		copy(fields[i].Sum[:], d.take(uint64(len(fields[i].Sum))))
	}
	return fields
}

// take returns the next n bytes, nil if there are not that many.
func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.rest)) {
		d.fail("cut short")
		return nil
	}
	head := d.rest[:n]
	d.rest = d.rest[n:]
	return head
}

func (d *decoder) byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) number(limit uint64) uint64 {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 || n > limit {
		d.fail("number out of range")
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

// count reads a number of items that take at least size bytes each.
func (d *decoder) count(size int) int {
	n := d.number(math.MaxInt64)
	if n > uint64(len(d.rest)/size) {
		d.fail("count out of range")
		return 0
	}
	return int(n)
}

func (d *decoder) millis() time.Duration {
	return time.Duration(d.number(maxMillis)) * time.Millisecond
}

func (d *decoder) varint() int64 {
	n, size := binary.Varint(d.rest)
	if size <= 0 {
		d.fail("time out of range")
		return 0
	}
	d.rest = d.rest[size:]
	return n
}
