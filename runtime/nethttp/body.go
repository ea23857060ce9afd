package nethttp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	idem "github.com/idemgen/idemgen/runtime"
)

// bodyMemory is how much of a request body is held in memory. A larger one
// moves to a file.
const bodyMemory = 1 << 20

// A Body is a request body that was read to its end before its handler runs,
// because the contract compares it. It can be read as often as one likes, but
// not concurrently.
type Body struct {
	contentType string
	size        int64
	memory      []byte
	file        *spill // nil as long as memory does
}

// ReceiveBody reads the body of a request and has decode take from it what the
// contract needs. The handler reads the same bytes from r.Body again. Close must
// be called after that. If ok is false, the request was answered: with status
// 413 where the body is larger than [idem.WithMaxUploadBytes] allows, with 400
// where it could not be read or decode returned an error.
func ReceiveBody(w http.ResponseWriter, r *http.Request, op *idem.Operation, decode func(*Body) error) (body *Body, ok bool) {
	body = &Body{contentType: r.Header.Get("Content-Type")}
	err := body.read(r.Body, op.MaxUploadBytes())
	if err == nil {
		r.Body = io.NopCloser(body.Reader())
		err = decode(body)
	}
	if err == nil {
		return body, true
	}
	body.Close()
	if idem.CodeOf(err) != "" {
		refuse(w, op, err)
	} else {
		status := http.StatusBadRequest
		if errors.Is(err, ErrMediaType) {
			status = http.StatusUnsupportedMediaType
		}
		http.Error(w, "the body cannot be read: "+err.Error(), status)
	}
	return nil, false
}

// ErrMediaType is what a decoding function returns for a body of none of the
// media types that the operation takes. The request is answered with status 415.
var ErrMediaType = errors.New("its media type is none of those that the operation takes")

// read reads everything.
func (b *Body) read(from io.Reader, limit int64) error {
	if from == nil {
		return nil
	}
	from = io.LimitReader(from, limit+1)
	memory, err := io.ReadAll(io.LimitReader(from, bodyMemory+1))
	b.memory, b.size = memory, int64(len(memory))
	if err == nil && b.size > bodyMemory {
		err = b.readFile(from)
	}
	if err == nil && b.size > limit {
		return &idem.Error{Code: idem.CodeRequestTooLarge,
			Detail: "The body of the request is too large to be compared with others."}
	}
	return err
}

// readFile moves to a file what was read and reads the rest there.
func (b *Body) readFile(rest io.Reader) error {
	file, err := newSpill()
	if err != nil {
		return err
	}
	b.file = file
	if _, err := file.Write(b.memory); err != nil {
		return err
	}
	b.memory = nil
	n, err := io.Copy(file, rest)
	b.size += n
	return err
}

// Reader reads the body from its start.
func (b *Body) Reader() io.Reader {
	if b.file != nil {
		return io.NewSectionReader(b.file.file, 0, b.size)
	}
	return bytes.NewReader(b.memory)
}

// Close frees the body. Its readers must not be used afterwards.
func (b *Body) Close() error {
	if b.file == nil {
		return nil
	}
	return b.file.Close()
}

// Empty reports whether there is no body.
func (b *Body) Empty() bool { return b.size == 0 }

// Is reports whether the body is of a media type, which may be a range such as
// image/*. Parameters count where mediaType has them.
func (b *Body) Is(mediaType string) bool {
	want, parameters, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return false
	}
	got, have, err := mime.ParseMediaType(b.contentType)
	if err != nil {
		return false
	}
	for name, value := range parameters {
		if !strings.EqualFold(have[name], value) {
			return false
		}
	}
	kind, isRange := strings.CutSuffix(want, "*")
	return got == want || isRange && (kind == "*/" || strings.HasPrefix(got, kind))
}

// DecodeJSON decodes the first JSON value of the body into v, which is a pointer.
// It fails on an empty body.
func (b *Body) DecodeJSON(v any) error {
	err := json.NewDecoder(b.Reader()).Decode(v)
	if errors.Is(err, io.EOF) {
		return errors.New("a body is required")
	}
	return err
}

// Form returns the values of a URL-encoded form.
func (b *Body) Form() (url.Values, error) {
	text, err := b.Text()
	if err != nil {
		return nil, err
	}
	return url.ParseQuery(text)
}

// Text returns the body as it is.
func (b *Body) Text() (string, error) {
	text, err := io.ReadAll(b.Reader())
	return string(text), err
}

// Multipart returns the parts of a multipart body.
func (b *Body) Multipart() (*multipart.Reader, error) {
	kind, parameters, err := mime.ParseMediaType(b.contentType)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(kind, "multipart/") || parameters["boundary"] == "" {
		return nil, http.ErrMissingBoundary
	}
	return multipart.NewReader(b.Reader(), parameters["boundary"]), nil
}
