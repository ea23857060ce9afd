package runtime

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"strings"
)

// Upload writes the content of a body that reaches the handler as a stream. It
// reads the body to its end and keeps it, see [Upload.Reader]. The content
// counts by its own SHA-256, so it equals no value that another method writes.
// A body that cannot be read, or is larger than [WithMaxUploadBytes] allows,
// refuses the request.
func (h *Hasher) Upload(u *Upload) {
	h.begin()
	if u.body == nil {
		h.tag(tagNull)
		return
	}
	u.kept = &spool{limit: h.maxUpload}
	content := sha256.New()
	if _, err := io.Copy(io.MultiWriter(u.kept, content), u.body); err != nil {
		h.fail(err)
		return
	}
	h.content(content)
}

// MultipartUpload writes a multipart body: of each part, in order, its name, its
// file name, its media type and its content. The boundary does not count, nor
// how a part's content is encoded for transfer. Otherwise as [Hasher.Upload].
func (h *Hasher) MultipartUpload(u *MultipartUpload) {
	h.begin()
	if u.parts == nil {
		h.tag(tagNull)
		return
	}
	u.kept = &spool{limit: h.maxUpload}
	out := multipart.NewWriter(u.kept)
	u.boundary = out.Boundary()
	h.tag(tagArray)
	for {
		part, err := u.parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = h.part(part, out)
		}
		if err != nil {
			h.fail(err)
			return
		}
	}
	h.tag(tagArrayEnd)
	if err := out.Close(); err != nil {
		h.fail(err)
	}
}

// part writes one part and copies it, as it was sent, to out.
func (h *Hasher) part(part *multipart.Part, out *multipart.Writer) error {
	kept, err := out.CreatePart(part.Header)
	if err != nil {
		return err
	}
	h.writeString(tagString, part.FormName())
	h.writeString(tagString, part.FileName())
	h.writeString(tagString, normalMediaType(part.Header.Get("Content-Type")))
	raw := io.TeeReader(part, kept)
	decoded := raw
	if strings.EqualFold(part.Header.Get("Content-Transfer-Encoding"), "quoted-printable") {
		decoded = quotedprintable.NewReader(raw) // as multipart.Reader.NextPart does
	}
	content := sha256.New()
	if _, err := io.Copy(content, decoded); err != nil {
		return err
	}
	h.content(content)
	return nil
}

// content writes a content by its digest.
func (h *Hasher) content(content hash.Hash) {
	h.tag(tagContent)
	h.buf = content.Sum(h.buf)
}

// MediaType writes a media type, as of a Content-Type header: names without
// case, parameters in any order, without the boundary of a multipart body.
func (h *Hasher) MediaType(v string) { h.String(normalMediaType(v)) }

func normalMediaType(v string) string {
	essence, parameters, err := mime.ParseMediaType(v)
	if err != nil {
		return v
	}
	if strings.HasPrefix(essence, "multipart/") {
		delete(parameters, "boundary")
	}
	if charset, ok := parameters["charset"]; ok {
		parameters["charset"] = strings.ToLower(charset) // RFC 9110, section 8.3.2
	}
	return mime.FormatMediaType(essence, parameters)
}

// fail has the request refused: no fingerprint can be made of it.
func (h *Hasher) fail(err error) {
	if h.failed == nil {
		h.failed = err
	}
}

// refusalOf is what a request is refused with whose body could not be read: an
// error of the engine where it is too large, else the reader's own.
func refusalOf(failed error) error {
	if errors.Is(failed, errSpoolFull) {
		return &Error{Code: CodeRequestTooLarge, Err: failed, Detail: "The body of the request is too large to be compared with others."}
	}
	return failed
}
