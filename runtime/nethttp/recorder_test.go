package nethttp

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	idem "github.com/idemgen/idemgen/runtime"
)

func TestRecorderInformational(t *testing.T) {
	r := newRecorder(10)
	r.Header().Set("Link", "</style.css>; rel=preload")
	r.WriteHeader(http.StatusEarlyHints)
	r.WriteHeader(http.StatusAccepted)
	r.WriteHeader(http.StatusTeapot)
	got, err := r.answer()
	want := &idem.Answer{Status: http.StatusAccepted, Header: []idem.HeaderLine{{Name: "Link", Value: "</style.css>; rel=preload"}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, answer (-want +got):\n%s", err, diff)
	}
}

func TestRecorderTrailers(t *testing.T) {
	r := newRecorder(10)
	r.Header().Set("Trailer", "X-Sum")
	r.Header().Set(http.TrailerPrefix+"X-Early", "1")
	io.WriteString(r, "body")
	r.Header().Set("X-Sum", "1")
	got, err := r.answer()
	want := &idem.Answer{Status: http.StatusOK, Header: []idem.HeaderLine{}, Body: []byte("body")}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, answer (-want +got):\n%s", err, diff)
	}
}

func TestRecorderInvalidStatus(t *testing.T) {
	for _, status := range []int{0, 99, 1000} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("status %d is taken", status)
				}
			}()
			newRecorder(10).WriteHeader(status)
		}()
	}
}

// A flush fixes the header, as on a connection.
func TestRecorderFlush(t *testing.T) {
	r := newRecorder(10)
	if err := http.NewResponseController(r).Flush(); err != nil {
		t.Fatal(err)
	}
	r.Header().Set("X-Late", "1")
	r.WriteHeader(http.StatusCreated)
	if got, _ := r.answer(); got.Status != http.StatusOK || len(got.Header) > 0 {
		t.Errorf("got %+v", got)
	}
}

// What is written belongs to its writer.
func TestRecorderCopiesBody(t *testing.T) {
	r := newRecorder(10)
	p := []byte("abc")
	r.Write(p)
	p[0] = 'x'
	if got, _ := r.answer(); string(got.Body) != "abc" {
		t.Errorf("body %q", got.Body)
	}
}

func TestRecorderLimit(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, write := range []func(io.Writer, string) (int, error){
		io.WriteString, func(w io.Writer, s string) (int, error) { return w.Write([]byte(s)) },
	} {
		r := newRecorder(6)
		write(r, "abc")
		write(r, "def")
		if r.overflow != nil {
			t.Error("a body as large as the limit is spilled")
		}
		write(r, "g")
		write(r, "hi")
		got, err := r.answer()
		if err != nil || !got.Oversized || got.Body != nil || r.body != nil {
			t.Errorf("error %v, answer %+v", err, got)
		}
		w := httptest.NewRecorder()
		reply := &Reply{status: r.status, overflow: r.overflow}
		if err := reply.Visit(w); err != nil || w.Body.String() != "abcdefghi" {
			t.Errorf("error %v, body %q", err, w.Body)
		}
		if _, err := r.overflow.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
			t.Errorf("the file is open after Visit: %v", err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("error %v, files left: %v", err, entries)
	}
}

// Where there is no room for a large body its writer learns of it.
func TestRecorderNoRoom(t *testing.T) {
	t.Setenv("TMPDIR", "/nowhere")
	r := newRecorder(3)
	if _, err := io.Copy(r, bytes.NewReader(make([]byte, 10))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestRecorderSwitchingProtocols(t *testing.T) {
	r := newRecorder(10)
	r.WriteHeader(http.StatusSwitchingProtocols)
	if _, err := io.WriteString(r, "x"); err != http.ErrBodyNotAllowed {
		t.Errorf("got %v", err)
	}
	if _, _, err := http.NewResponseController(r).Hijack(); !errors.Is(err, http.ErrNotSupported) {
		t.Errorf("hijack: %v", err)
	}
}
