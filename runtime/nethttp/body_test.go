package nethttp

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	idem "github.com/idemgen/idemgen/runtime"
)

func TestBodyIs(t *testing.T) {
	for _, c := range []struct {
		contentType, mediaType string
		want                   bool
	}{
		{"application/json", "application/json", true},
		{"Application/JSON; charset=utf-8", "application/json", true},
		{"application/json", "application/json; version=2", false},
		{"application/json; version=2", "application/json; version=2", true},
		{"image/png", "image/*", true},
		{"image/png", "*/*", true},
		{"imagery/png", "image/*", false},
		{"", "application/json", false},
		{"application/json", ";", false},
	} {
		body := Body{contentType: c.contentType}
		if got := body.Is(c.mediaType); got != c.want {
			t.Errorf("%q is %q: %t", c.contentType, c.mediaType, got)
		}
	}
}

func TestReceiveBody(t *testing.T) {
	op := newTestEngine(t, idem.WithMaxUploadBytes(3<<20)).MustOperation(testContract())
	for _, size := range []int{0, 1, bodyMemory, bodyMemory + 1, 3 << 20} {
		text := strings.Repeat("x", size)
		r := httptest.NewRequest("POST", "/", strings.NewReader(text))
		body, ok := ReceiveBody(httptest.NewRecorder(), r, op, func(body *Body) error {
			if got, err := body.Text(); err != nil || got != text || body.Empty() != (size == 0) {
				t.Errorf("%d bytes: got %d, empty %t, error %v", size, len(got), body.Empty(), err)
			}
			return nil
		})
		if !ok {
			t.Fatalf("%d bytes are refused", size)
		}
		if got, err := io.ReadAll(r.Body); err != nil || string(got) != text {
			t.Errorf("%d bytes: the handler reads %d, error %v", size, len(got), err)
		}
		if err := body.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestReceiveBodyRefuses(t *testing.T) {
	op := newTestEngine(t, idem.WithMaxUploadBytes(8)).MustOperation(testContract())
	broken := errors.New("broken")
	for _, c := range []struct {
		name   string
		body   io.Reader
		decode error
		status int
	}{
		{"too large", strings.NewReader("123456789"), nil, http.StatusRequestEntityTooLarge},
		{"unreadable", iotest.ErrReader(broken), nil, http.StatusBadRequest},
		{"undecodable", strings.NewReader("1"), broken, http.StatusBadRequest},
		{"of another type", strings.NewReader("1"), ErrMediaType, http.StatusUnsupportedMediaType},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/", c.body)
		if _, ok := ReceiveBody(w, r, op, func(*Body) error { return c.decode }); ok || w.Code != c.status {
			t.Errorf("%s: ok %t, status %d, want %d", c.name, ok, w.Code, c.status)
		}
	}
}

func TestBodyMultipart(t *testing.T) {
	for contentType, want := range map[string]bool{
		"multipart/form-data; boundary=x": true,
		"multipart/form-data":             false,
		"text/plain; boundary=x":          false,
		"":                                false,
	} {
		body := Body{contentType: contentType}
		if _, err := body.Multipart(); (err == nil) != want {
			t.Errorf("%q: error %v", contentType, err)
		}
	}
}
