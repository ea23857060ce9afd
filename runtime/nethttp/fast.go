package nethttp

import (
	"io"
	"maps"
	"net/http"
	"slices"
)

// A FastResponse is what this package needs of a response of fasthttp, on which
// Fiber is built: a *fasthttp.Response. It is an interface so that programs
// with other servers do not link fasthttp.
type FastResponse interface {
	StatusCode() int
	SetStatusCode(status int)
	BodyWriteTo(w io.Writer) error
	BodyWriter() io.Writer
}

// A FastHeader is the header of a [FastResponse]: a *fasthttp.ResponseHeader.
type FastHeader interface {
	VisitAll(line func(name, value []byte))
	SetNoDefaultContentType(bool)
	Add(name, value string)
	Del(name string)
}

// WriteFast copies an answer that was made with fasthttp to w. It keeps nothing
// of response and header, whose memory fasthttp uses again.
func WriteFast(w http.ResponseWriter, response FastResponse, header FastHeader) error {
	header.SetNoDefaultContentType(true) // that is added on the way out, not by the handler
	lines := w.Header()
	maps.Copy(lines, fastLines(header))
	lines.Del("Content-Length") // fasthttp counts for itself, whatever the handler says
	w.WriteHeader(response.StatusCode())
	if !bodyAllowed(response.StatusCode()) {
		return nil
	}
	return response.BodyWriteTo(w)
}

// NewFastWriter returns an http.ResponseWriter that writes to a response of
// fasthttp. Its header has the lines that the response has already.
func NewFastWriter(response FastResponse, header FastHeader) http.ResponseWriter {
	lines := fastLines(header)
	return &fastWriter{response: response, header: header, lines: lines, before: maps.Clone(lines)}
}

// fastLines returns a copy of a header's lines.
func fastLines(header FastHeader) http.Header {
	lines := make(http.Header)
	header.VisitAll(func(name, value []byte) {
		lines[string(name)] = append(lines[string(name)], string(value))
	})
	return lines
}

// A fastWriter holds header lines back until the status is written, as net/http
// does.
type fastWriter struct {
	response FastResponse
	header   FastHeader
	lines    http.Header
	before   http.Header // what header had at first
	sent     bool
}

// Header implements http.ResponseWriter.
func (w *fastWriter) Header() http.Header { return w.lines }

// WriteHeader implements http.ResponseWriter.
func (w *fastWriter) WriteHeader(status int) {
	if w.sent {
		return
	}
	w.sent = true
	w.response.SetStatusCode(status)
	changed := func(name string) bool { return !slices.Equal(w.lines[name], w.before[name]) }
	for name := range w.before {
		if changed(name) {
			w.header.Del(name)
		}
	}
	for _, line := range headerLines(w.lines) {
		if changed(line.Name) {
			w.header.Add(line.Name, line.Value)
		}
	}
}

// Write implements http.ResponseWriter.
func (w *fastWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.response.BodyWriter().Write(p)
}
