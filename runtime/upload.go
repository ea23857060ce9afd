package runtime

import (
	"io"
	"mime/multipart"
)

// DefaultMaxUploadBytes is the default of [WithMaxUploadBytes].
const DefaultMaxUploadBytes = 64 << 20

// WithMaxUploadBytes bounds the request bodies that are read before their
// handler runs: those that reach it as a stream and are part of the fingerprint.
// A larger one is refused. Up to 1 MiB of each is held in memory, a larger one
// in a temporary file. Default DefaultMaxUploadBytes; values that are not
// positive mean the default.
//
// Bodies that a strict server decodes (JSON, forms, texts) are not bounded here:
// limit them before the server reads them, with [http.MaxBytesReader]. Wrappers
// of other servers, and the middleware, read every body that they compare
// within this bound.
//
// [http.MaxBytesReader]: https://pkg.go.dev/net/http#MaxBytesReader
func WithMaxUploadBytes(bytes int64) Option {
	return optionFunc(func(s *settings) { s.maxUpload = positive(bytes, DefaultMaxUploadBytes) })
}

// MaxUploadBytes returns what [WithMaxUploadBytes] says for the operation.
func (o *Operation) MaxUploadBytes() int64 { return o.engine.settings.maxUpload }

// An Upload is a request body that reaches the handler as a stream of bytes.
// [Hasher.Upload] reads it to its end and keeps it, so that the handler reads
// the same bytes again. An Upload belongs to one request; it is not safe for
// concurrent use.
type Upload struct {
	body io.Reader
	kept *spool // nil until the body was read
}

// NewUpload returns body as an Upload. A nil body is none.
func NewUpload(body io.Reader) *Upload { return &Upload{body: body} }

// Reader returns what the handler reads the body from: the body itself where no
// fingerprint was made of it, as of a request that carries no key.
func (u *Upload) Reader() io.Reader {
	if u.kept == nil {
		return u.body
	}
	return u.kept.reader()
}

// Close frees what was kept. The body itself stays open. Readers that were
// returned must not be used afterwards.
func (u *Upload) Close() error { return u.kept.close() }

// A MultipartUpload is a multipart request body, such as a form with files.
// [Hasher.MultipartUpload] reads it to its end and keeps it, so that the handler
// gets the same parts again. It belongs to one request; it is not safe for
// concurrent use.
type MultipartUpload struct {
	parts    *multipart.Reader
	kept     *spool // nil until the parts were read
	boundary string // of what is kept
}

// NewMultipartUpload returns parts as a MultipartUpload. Nil is no body.
func NewMultipartUpload(parts *multipart.Reader) *MultipartUpload {
	return &MultipartUpload{parts: parts}
}

// Reader returns what the handler reads the parts from: the body itself where
// no fingerprint was made of it, as of a request that carries no key.
func (u *MultipartUpload) Reader() *multipart.Reader {
	if u.kept == nil {
		return u.parts
	}
	return multipart.NewReader(u.kept.reader(), u.boundary)
}

// Close frees what was kept. Readers that were returned must not be used
// afterwards.
func (u *MultipartUpload) Close() error { return u.kept.close() }
