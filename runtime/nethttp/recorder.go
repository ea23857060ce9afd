package nethttp

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	idem "github.com/idemgen/idemgen/runtime"
)

// A recorder is the http.ResponseWriter that an answer is written to before its
// client gets a byte of it. It takes what net/http would take and refuses what
// net/http would refuse, so that a Visit sees no difference.
//
// What net/http adds by itself (Date, Content-Length, a sniffed Content-Type) is
// not recorded: both the first answer and its replay go through net/http in the
// same single write, which adds the same. The exception is a header set to nil
// to suppress one of these: that is not kept, for the first answer neither.
// Trailers are kept for neither as well, and informational statuses are dropped.
type recorder struct {
	limit int64 // of the body in memory, in bytes

	header   http.Header
	status   int               // zero until the header is written
	lines    []idem.HeaderLine // of the header as it was then
	declared int64             // Content-Length, -1 for none
	written  int64
	body     []byte
	overflow *spill // has the whole body once that is larger than limit
}

var (
	_ http.ResponseWriter = (*recorder)(nil)
	_ http.Flusher        = (*recorder)(nil)
	_ io.StringWriter     = (*recorder)(nil)
)

func newRecorder(limit int64) *recorder {
	r := new(recorder)
	r.start(limit)
	return r
}

// start makes a zero recorder ready.
func (r *recorder) start(limit int64) {
	r.limit, r.header, r.declared = limit, make(http.Header, 4), -1
}

// Header implements http.ResponseWriter.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter. Like that of net/http it counts
// once, fixes the header lines and panics on a status that is none.
func (r *recorder) WriteHeader(status int) {
	if status < 100 || status > 999 {
		panic(fmt.Sprintf("invalid WriteHeader code %v", status))
	}
	informational := status < 200 && status != http.StatusSwitchingProtocols
	if r.status != 0 || informational {
		return
	}
	r.status = status
	if values := r.header["Content-Length"]; len(values) > 0 && values[0] != "" {
		if n, err := strconv.ParseInt(values[0], 10, 64); err == nil && n >= 0 {
			r.declared = n
		} else {
			r.header.Del("Content-Length") // net/http does not send it either
		}
	}
	r.lines = headerLines(r.header)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(p []byte) (int, error) {
	if err := r.beforeWrite(len(p)); err != nil || len(p) == 0 {
		return 0, err
	}
	if r.overflow == nil && r.written <= r.limit {
		r.body = append(r.body, p...)
		return len(p), nil
	}
	if err := r.spill(); err != nil {
		return 0, err
	}
	return r.overflow.Write(p)
}

// WriteString implements io.StringWriter.
func (r *recorder) WriteString(s string) (int, error) {
	if r.overflow != nil || r.written+int64(len(s)) > r.limit {
		return r.Write([]byte(s))
	}
	if err := r.beforeWrite(len(s)); err != nil {
		return 0, err
	}
	r.body = append(r.body, s...)
	return len(s), nil
}

// beforeWrite does for n bytes of body what net/http does before it takes them.
func (r *recorder) beforeWrite(n int) error {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	if n == 0 {
		return nil
	}
	if !bodyAllowed(r.status) {
		return http.ErrBodyNotAllowed
	}
	r.written += int64(n)
	if r.declared >= 0 && r.written > r.declared {
		return http.ErrContentLength
	}
	return nil
}

// spill moves the body to a file, unless it is there.
func (r *recorder) spill() error {
	if r.overflow != nil {
		return nil
	}
	overflow, err := newSpill()
	if err != nil {
		return err
	}
	r.overflow = overflow
	body := r.body
	r.body = nil
	_, err = overflow.Write(body)
	return err
}

// Flush implements http.Flusher: it fixes the header and sends nothing.
func (r *recorder) Flush() {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
}

// answer ends the recording and returns what is kept of it. An answer that is
// shorter than it says is an error: net/http would break its connection.
func (r *recorder) answer() (*idem.Answer, error) {
	r.Flush()
	if r.declared >= 0 && r.written != r.declared && bodyAllowed(r.status) {
		return nil, fmt.Errorf("idem: answer of %d bytes has a Content-Length of %d: %w", r.written, r.declared, io.ErrUnexpectedEOF)
	}
	return &idem.Answer{
		Status:    r.status,
		Header:    keptLines(r.lines),
		Body:      r.body,
		Oversized: r.overflow != nil,
	}, nil
}

// discard frees what the recorder holds outside of memory.
func (r *recorder) discard() {
	if r != nil && r.overflow != nil {
		r.overflow.Close()
	}
}

func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

// headerLines returns the lines of a header sorted by name, as net/http sends
// them, the lines of one name in order. Trailers are left out.
func headerLines(h http.Header) []idem.HeaderLine {
	n := 0
	for _, values := range h {
		n += len(values)
	}
	lines := make([]idem.HeaderLine, 0, n)
	for name, values := range h {
		if name == "Trailer" || strings.HasPrefix(name, http.TrailerPrefix) {
			continue
		}
		for _, value := range values {
			lines = append(lines, idem.HeaderLine{Name: name, Value: value})
		}
	}
	slices.SortStableFunc(lines, func(a, b idem.HeaderLine) int { return strings.Compare(a.Name, b.Name) })
	return lines
}
