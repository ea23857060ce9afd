package runtime

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
	"sync"
)

// Codecs of bodies.
const (
	bodyPlain    = 0
	bodyDeflated = 1 // its length, then DEFLATE (RFC 1951)

	// maxInflation is how much longer than its data a deflated body can be.
	maxInflation = 1032
	// maxPooled is the largest buffer that is kept for another record.
	maxPooled = 64 << 10
)

// A RecordCodec writes and reads records as [AppendRecord] and [DecodeRecord] do.
// It can compress bodies, and keeps what that takes for the next record. The zero
// RecordCodec is ready for use and compresses nothing. Its methods may be called
// concurrently.
type RecordCodec struct {
	// CompressFrom is the length in bytes from which a body is compressed,
	// unless it is not shorter afterwards. Zero or less means never.
	CompressFrom int

	deflaters, inflaters sync.Pool // of *deflater, *inflater
}

// Append is [AppendRecord].
func (c *RecordCodec) Append(dst []byte, r *Record) []byte { return appendRecord(dst, r, c) }

// Decode is [DecodeRecord]. Like that it reads every body, compressed or not.
func (c *RecordCodec) Decode(data []byte) (*Record, error) { return decodeRecord(data, c) }

// appendBody appends a body and its codec.
func (c *RecordCodec) appendBody(dst, body []byte) []byte {
	if c != nil && c.CompressFrom > 0 && len(body) >= c.CompressFrom {
		packed := binary.AppendUvarint(append(dst, bodyDeflated), uint64(len(body)))
		packed = c.deflate(packed, body)
		if len(packed) < len(dst)+1+len(body) {
			return packed
		}
	}
	return append(append(dst, bodyPlain), body...)
}

// A deflater compresses one body after the other.
type deflater struct {
	writer *flate.Writer
	out    bytes.Buffer
}

func (c *RecordCodec) deflate(dst, body []byte) []byte {
	d, ok := c.deflaters.Get().(*deflater)
	if !ok {
		d = new(deflater)
		d.writer, _ = flate.NewWriter(&d.out, flate.DefaultCompression) // a level that there is
	} else {
		d.out.Reset()
		d.writer.Reset(&d.out)
	}
	d.writer.Write(body) // a bytes.Buffer never fails
	d.writer.Close()
	dst = append(dst, d.out.Bytes()...)
	if d.out.Cap() <= maxPooled {
		c.deflaters.Put(d)
	}
	return dst
}

// An inflater is a flate reader that can be used again.
type inflater struct {
	reader io.ReadCloser
	in     bytes.Reader
	end    []byte // what comes after the body is read into
}

// inflate returns the body of size bytes that data was made of. It reports false
// where that is not so.
func (c *RecordCodec) inflate(data []byte, size uint64) ([]byte, bool) {
	if size > uint64(len(data))*maxInflation {
		return nil, false
	}
	if c == nil {
		c = new(RecordCodec)
	}
	i, ok := c.inflaters.Get().(*inflater)
	if !ok {
		i = &inflater{end: make([]byte, 1)}
		i.reader = flate.NewReader(&i.in)
	}
	body := make([]byte, size)
	ok = i.read(data, body)
	i.in.Reset(nil)
	c.inflaters.Put(i)
	return body, ok
}

// read reports whether data inflates to what fills body, and nothing more.
func (i *inflater) read(data, body []byte) bool {
	i.in.Reset(data)
	i.reader.(flate.Resetter).Reset(&i.in, nil) // without a dictionary it never fails
	if _, err := io.ReadFull(i.reader, body); err != nil {
		return false
	}
	n, err := i.reader.Read(i.end)
	return n == 0 && err == io.EOF && i.in.Len() == 0
}
