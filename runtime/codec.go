package runtime

import (
	"encoding/binary"
	"fmt"
	"math"
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
//	fields    a count, then 12 bytes each: id and sum
//	claimed   a time, if flagSet says so
//	settled   a time, if flagSet says so
//
// and if the record has an answer:
//
//	status
//	header    a count, then name and value each with a length before it
//	codec     1 byte
//	body      the rest, a reference if flagReference says so
//
// Version, state, token, flags and ttl keep their places in every version:
// scripts of stores read them there.
const (
	recordVersion = 1
	bodyPlain     = 0

	fieldDigestSize = len(FieldDigest{}.ID) + len(FieldDigest{}.Sum)
	maxMillis       = math.MaxInt64 / uint64(time.Millisecond)

	// maxHeaderLines bounds what decoding allocates for lines whose decoded
	// form is larger than their encoded one.
	maxHeaderLines = 1024
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
func AppendRecord(dst []byte, r *Record) []byte {
	answer, flags := r.Answer, recordFlags(r)
	if answer != nil && (len(answer.Header) > maxHeaderLines || answer.Status < 0 || answer.Status > math.MaxInt32) {
		answer, flags = nil, flags&^(flagAnswer|flagOversized|flagReference)|flagNotRetained
	}
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
		dst = binary.AppendVarint(dst, r.Settled.UnixMilli())
	}
	if answer != nil {
		dst = appendAnswer(dst, answer)
	}
	return dst
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

func appendAnswer(dst []byte, a *Answer) []byte {
	dst = binary.AppendUvarint(dst, uint64(a.Status))
	dst = binary.AppendUvarint(dst, uint64(len(a.Header)))
	for _, line := range a.Header {
		dst = appendText(dst, line.Name)
		dst = appendText(dst, line.Value)
	}
	dst = append(dst, bodyPlain)
	if a.Reference != "" {
		return append(dst, a.Reference...)
	}
	return append(dst, a.Body...)
}

func appendText(dst []byte, text string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// DecodeRecord reads what [AppendRecord] wrote. The body of the answer aliases
// data, everything else is copied; so data must not change afterwards. Decoding
// allocates at most the size of data and a constant (under 64 KiB). An error
// wraps [ErrUnreadable]: data is no record, or one of a newer version.
func DecodeRecord(data []byte) (*Record, error) {
	d := decoder{rest: data}
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
	r := &Record{State: State(d.byte())}
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
		r.Claimed = d.time()
	}
	if flags&flagSettled != 0 {
		r.Settled = d.time()
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
	fields := make([]FieldDigest, n)
	for i := range fields {
		copy(fields[i].ID[:], d.take(uint64(len(fields[i].ID))))
		copy(fields[i].Sum[:], d.take(uint64(len(fields[i].Sum))))
	}
	return fields
}

func (d *decoder) answer() *Answer {
	a := &Answer{Status: int(d.number(math.MaxInt32)), Header: d.header()}
	if codec := d.byte(); codec != bodyPlain {
		d.fail("unknown body codec")
	}
	if len(d.rest) > 0 {
		a.Body = d.rest[:len(d.rest):len(d.rest)]
	}
	return a
}

// header reads the header lines. They share the memory of one string.
func (d *decoder) header() []HeaderLine {
	n := d.count(2)
	if n == 0 {
		return nil
	}
	if n > maxHeaderLines {
		d.fail("too many header lines")
		return nil
	}
	at := *d // a second reading finds the ends, so that only the lines are copied
	for range 2 * n {
		at.take(at.number(math.MaxInt64))
	}
	text := string(d.rest[:len(d.rest)-len(at.rest)])
	size := len(d.rest)
	lines := make([]HeaderLine, n)
	for i := range lines {
		for _, part := range [...]*string{&lines[i].Name, &lines[i].Value} {
			length := len(d.take(d.number(math.MaxInt64)))
			end := size - len(d.rest)
			if d.problem != "" {
				return nil
			}
			*part = text[end-length : end]
		}
	}
	return lines
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

func (d *decoder) time() time.Time {
	ms, size := binary.Varint(d.rest)
	if size <= 0 {
		d.fail("time out of range")
		return time.Time{}
	}
	d.rest = d.rest[size:]
	return time.UnixMilli(ms).UTC()
}
