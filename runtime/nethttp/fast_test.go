package nethttp

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	idem "github.com/idemgen/idemgen/runtime"
)

// fakeFast stands for a response of fasthttp and its header. It overwrites what
// it has handed out, as fasthttp does sooner or later.
type fakeFast struct {
	status    int
	lines     []idem.HeaderLine
	body      bytes.Buffer
	noDefault bool
	failed    error // of BodyWriteTo
}

func (f *fakeFast) StatusCode() int          { return max(f.status, 200) }
func (f *fakeFast) SetStatusCode(status int) { f.status = status }
func (f *fakeFast) BodyWriter() io.Writer    { return &f.body }
func (f *fakeFast) Add(name, value string) {
	f.lines = append(f.lines, idem.HeaderLine{Name: name, Value: value})
}
func (f *fakeFast) SetNoDefaultContentType(v bool) { f.noDefault = v }

func (f *fakeFast) BodyWriteTo(w io.Writer) error {
	if f.failed != nil {
		return f.failed
	}
	_, err := w.Write(f.body.Bytes())
	return err
}

func (f *fakeFast) Del(name string) {
	f.lines = slices.DeleteFunc(f.lines, func(l idem.HeaderLine) bool { return l.Name == name })
}

func (f *fakeFast) VisitAll(visit func(name, value []byte)) {
	lines := append([]idem.HeaderLine{{Name: "Content-Length", Value: strconv.Itoa(f.body.Len() + 1)}}, f.lines...)
	typed := slices.ContainsFunc(lines, func(l idem.HeaderLine) bool { return l.Name == "Content-Type" })
	if !typed && !f.noDefault {
		lines = append(lines, idem.HeaderLine{Name: "Content-Type", Value: "text/default"})
	}
	for _, line := range lines {
		name, value := []byte(line.Name), []byte(line.Value)
		visit(name, value)
		clear(name)
		clear(value)
	}
}

func TestWriteFast(t *testing.T) {
	from := &fakeFast{status: 201, lines: []idem.HeaderLine{{Name: "Link", Value: "b"}, {Name: "X-Id", Value: "1"}, {Name: "Link", Value: "a"}}}
	from.body.WriteString("text")
	w := newRecorder(100)
	if err := WriteFast(w, from, from); err != nil {
		t.Fatal(err)
	}
	got, err := w.answer()
	if err != nil {
		t.Fatal(err)
	}
	want := &idem.Answer{
		Status: 201, Body: []byte("text"),
		Header: []idem.HeaderLine{{Name: "Link", Value: "b"}, {Name: "Link", Value: "a"}, {Name: "X-Id", Value: "1"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWriteFastWithoutBody(t *testing.T) {
	from := &fakeFast{status: http.StatusNoContent}
	w := newRecorder(100)
	if err := WriteFast(w, from, from); err != nil || w.status != http.StatusNoContent || len(w.lines) != 0 {
		t.Errorf("status %d, lines %v, error %v", w.status, w.lines, err)
	}
}

func TestWriteFastError(t *testing.T) {
	from := &fakeFast{failed: io.ErrUnexpectedEOF}
	if err := WriteFast(newRecorder(100), from, from); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
}

func TestFastWriter(t *testing.T) {
	to := &fakeFast{lines: []idem.HeaderLine{
		{Name: "X-Node", Value: "1"}, {Name: "Vary", Value: "Origin"}, {Name: "X-Replaced", Value: "old"}, {Name: "X-Gone", Value: "1"},
	}}
	w := NewFastWriter(to, to)
	w.Header().Add("Vary", "Accept")
	w.Header().Set("X-Replaced", "new")
	w.Header().Del("X-Gone")
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(402)
	w.Header().Set("X-Late", "1")
	w.WriteHeader(500)
	if _, err := io.WriteString(w, "declined"); err != nil {
		t.Fatal(err)
	}
	want := []idem.HeaderLine{
		{Name: "X-Node", Value: "1"},
		{Name: "Content-Type", Value: "text/plain"},
		{Name: "Vary", Value: "Origin"}, {Name: "Vary", Value: "Accept"},
		{Name: "X-Replaced", Value: "new"},
	}
	if diff := cmp.Diff(want, to.lines); diff != "" || to.status != 402 || to.body.String() != "declined" {
		t.Errorf("status %d, body %q\n%s", to.status, to.body.String(), diff)
	}
}

// A body without a status before it has status 200, as net/http has it.
func TestFastWriterImpliesStatus(t *testing.T) {
	to := &fakeFast{}
	w := NewFastWriter(to, to)
	w.Header().Set("X-Id", "1")
	if _, err := io.WriteString(w, "ok"); err != nil || to.status != 200 || len(to.lines) != 1 {
		t.Errorf("status %d, lines %v, error %v", to.status, to.lines, err)
	}
}
