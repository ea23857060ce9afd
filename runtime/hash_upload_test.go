package runtime

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"mime/multipart"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func digestUpload(body io.Reader) (Fingerprint, *Upload) {
	u := NewUpload(body)
	return digest(func(h *Hasher) { h.Upload(u) }), u
}

func TestUploadCountsByContent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.SliceOfN(rapid.Byte(), 0, 9000).Draw(t, "content")
		a, u := digestUpload(bytes.NewReader(content))
		defer u.Close()
		b, _ := digestUpload(iotest.HalfReader(bytes.NewReader(content)))
		wantEqual(t, "read in other pieces", a, b)
		for range 2 {
			got, err := io.ReadAll(u.Reader())
			if err != nil || !bytes.Equal(got, content) {
				t.Fatalf("the handler reads %d bytes, %v, want %d", len(got), err, len(content))
			}
		}
		other := append(slices.Clone(content), 0)
		c, _ := digestUpload(bytes.NewReader(other))
		wantDifferent(t, "one more byte", a, c)
	})
}

// A large body is kept in a file, and all of it.
func TestUploadSpills(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), spoolMemory/8)
	_, u := digestUpload(iotest.HalfReader(bytes.NewReader(content)))
	if u.kept.file == nil {
		t.Fatal("a body above the limit of memory is in memory")
	}
	got, err := io.ReadAll(u.Reader())
	if err != nil || !bytes.Equal(got, content) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	if err := errors.Join(u.Close(), u.Close()); err != nil {
		t.Error(err)
	}
}

func TestUploadNone(t *testing.T) {
	none, u := digestUpload(nil)
	wantEqual(t, "no body", none, digest((*Hasher).Null))
	if u.Reader() != nil || u.Close() != nil {
		t.Error("no body has a reader")
	}
	empty, _ := digestUpload(strings.NewReader(""))
	wantDifferent(t, "an empty one", none, empty)
}

// Until a fingerprint is made the body is untouched: a request without a key
// does not pay for one.
func TestUploadUntouched(t *testing.T) {
	body := strings.NewReader("content")
	u := NewUpload(body)
	if u.Reader() != io.Reader(body) {
		t.Error("the reader is not the body itself")
	}
	if err := u.Close(); err != nil || body.Len() != 7 {
		t.Error("closed or read", err)
	}
}

func TestUploadTooLarge(t *testing.T) {
	h := newHasher(testSecret)
	h.maxUpload = 10
	h.Upload(NewUpload(strings.NewReader("0123456789")))
	if h.failed != nil {
		t.Fatal("at the limit:", h.failed)
	}
	h.Upload(NewUpload(strings.NewReader("0123456789a")))
	if code := CodeOf(refusalOf(h.failed)); code != CodeRequestTooLarge {
		t.Errorf("above the limit: %q", code)
	}
}

// A testPart is one part of a form.
type testPart struct{ name, file, media, encoding, content string }

// encodeForm encodes parts under a boundary.
func encodeForm(t rapid.TB, boundary string, parts []testPart) *multipart.Reader {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.SetBoundary(boundary); err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		disposition := multipart.FileContentDisposition(p.name, p.file)
		if p.file == "" {
			disposition = `form-data; name="` + p.name + `"`
		}
		header := textproto.MIMEHeader{"Content-Disposition": {disposition}}
		if p.media != "" {
			header.Set("Content-Type", p.media)
		}
		if p.encoding != "" {
			header.Set("Content-Transfer-Encoding", p.encoding)
		}
		out, err := w.CreatePart(header)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(out, p.content)
	}
	w.Close()
	return multipart.NewReader(&b, boundary)
}

func digestForm(t rapid.TB, boundary string, parts ...testPart) (Fingerprint, *MultipartUpload) {
	t.Helper()
	u := NewMultipartUpload(encodeForm(t, boundary, parts))
	return digest(func(h *Hasher) { h.MultipartUpload(u) }), u
}

func drawParts(t *rapid.T) []testPart {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) testPart {
		return testPart{
			name:    rapid.StringMatching(`[a-z]{1,6}`).Draw(t, "name"),
			file:    rapid.SampledFrom([]string{"", "a.png", "b.png"}).Draw(t, "file"),
			media:   rapid.SampledFrom([]string{"", "image/png", "text/plain; charset=utf-8"}).Draw(t, "media"),
			content: rapid.StringOfN(rapid.SampledFrom([]rune("a-\r\n=")), 0, 40, -1).Draw(t, "content"),
		}
	}), 0, 4).Draw(t, "parts")
}

func TestMultipartUpload(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := drawParts(t)
		a, u := digestForm(t, "one", parts...)
		defer u.Close()
		b, _ := digestForm(t, "another-boundary", parts...)
		wantEqual(t, "another boundary", a, b)
		if d := cmp.Diff(parts, readParts(t, u.Reader()), cmp.AllowUnexported(testPart{})); len(parts) > 0 && d != "" {
			t.Fatalf("the handler gets other parts (-sent +got):\n%s", d)
		}
		if len(parts) == 0 {
			return
		}
		i := rapid.IntRange(0, len(parts)-1).Draw(t, "changed")
		for what, change := range map[string]func(*testPart){
			"name":    func(p *testPart) { p.name += "x" },
			"file":    func(p *testPart) { p.file += "x.png" },
			"media":   func(p *testPart) { p.media = "application/pdf" },
			"content": func(p *testPart) { p.content += "x" },
		} {
			other := slices.Clone(parts)
			change(&other[i])
			c, _ := digestForm(t, "one", other...)
			wantDifferent(t, what, a, c)
		}
	})
}

func readParts(t rapid.TB, r *multipart.Reader) []testPart {
	t.Helper()
	var parts []testPart
	for {
		part, err := r.NextPart()
		if err == io.EOF {
			return parts
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, testPart{part.FormName(), part.FileName(), part.Header.Get("Content-Type"), "", string(content)})
	}
}

// The order of parts counts, how a part is encoded for transfer does not.
func TestMultipartSpelling(t *testing.T) {
	a, b := testPart{name: "a", content: "x=y"}, testPart{name: "b", content: "2"}
	first, _ := digestForm(t, "one", a, b)
	swapped, _ := digestForm(t, "one", b, a)
	wantDifferent(t, "other order", first, swapped)

	quoted := testPart{name: "a", encoding: "quoted-printable", content: "x=3Dy"}
	encoded, u := digestForm(t, "one", quoted, b)
	wantEqual(t, "quoted-printable", first, encoded)
	if got := readParts(t, u.Reader()); got[0].content != "x=y" {
		t.Errorf("the handler decodes %q", got[0].content)
	}

	a.media = "Text/Plain; Charset=UTF-8; format=flowed"
	typed, _ := digestForm(t, "one", a, b)
	a.media = `text/plain;format="flowed";charset=utf-8`
	retyped, _ := digestForm(t, "one", a, b)
	wantEqual(t, "spelling of the media type", typed, retyped)
}

func TestMultipartBroken(t *testing.T) {
	u := NewMultipartUpload(multipart.NewReader(strings.NewReader("--b\r\nContent-Disposition: form-data; name=a\r\n\r\nhalf"), "b"))
	h := newHasher(testSecret)
	h.MultipartUpload(u)
	if h.failed == nil || CodeOf(refusalOf(h.failed)) != "" {
		t.Errorf("a body that ends too soon: %v", h.failed)
	}
}

func TestMediaType(t *testing.T) {
	same := map[string]string{
		"Application/JSON":                 "application/json",
		"text/plain; charset=UTF-8":        `text/plain;charset="utf-8"`,
		"multipart/form-data; boundary=aa": "multipart/form-data; boundary=bb",
		"a/b; y=1; x=2":                    "a/b;x=2;y=1",
	}
	for _, a := range slices.Sorted(maps.Keys(same)) {
		wantEqual(t, a, digest(func(h *Hasher) { h.MediaType(a) }), digest(func(h *Hasher) { h.MediaType(same[a]) }))
	}
	wantDifferent(t, "another type", digest(func(h *Hasher) { h.MediaType("image/png") }), digest(func(h *Hasher) { h.MediaType("image/gif") }))
	wantEqual(t, "no media type", digest(func(h *Hasher) { h.MediaType("a b") }), digest(func(h *Hasher) { h.String("a b") }))
}
