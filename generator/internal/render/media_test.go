package render_test

import (
	"context"
	"io"
	"mime/multipart"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/testdata/cases/media"
)

// A mediaServer keeps what its handlers read last.
type mediaServer struct {
	effects
	read string
}

func (s *mediaServer) PostForm(_ context.Context, r media.PostFormRequestObject) (media.PostFormResponseObject, error) {
	s.read = r.Body.Item
	return done[media.PostFormResponseObject](&s.effects, media.PostForm204Response{})
}

func (s *mediaServer) PatchOrder(_ context.Context, r media.PatchOrderRequestObject) (media.PatchOrderResponseObject, error) {
	s.read = r.Body.Item
	return done[media.PatchOrderResponseObject](&s.effects, media.PatchOrder204Response{})
}

func (s *mediaServer) PostText(_ context.Context, r media.PostTextRequestObject) (media.PostTextResponseObject, error) {
	if s.read = ""; r.Body != nil {
		s.read = *r.Body
	}
	return done[media.PostTextResponseObject](&s.effects, media.PostText204Response{})
}

func (s *mediaServer) PostBinary(_ context.Context, r media.PostBinaryRequestObject) (media.PostBinaryResponseObject, error) {
	s.readAll(r.Body)
	return done[media.PostBinaryResponseObject](&s.effects, media.PostBinary204Response{})
}

func (s *mediaServer) PutImage(_ context.Context, r media.PutImageRequestObject) (media.PutImageResponseObject, error) {
	s.readAll(r.Body)
	return done[media.PutImageResponseObject](&s.effects, media.PutImage204Response{})
}

func (s *mediaServer) PostParts(_ context.Context, r media.PostPartsRequestObject) (media.PostPartsResponseObject, error) {
	s.readParts(r.Body)
	return done[media.PostPartsResponseObject](&s.effects, media.PostParts204Response{})
}

func (s *mediaServer) PostSeveral(_ context.Context, r media.PostSeveralRequestObject) (media.PostSeveralResponseObject, error) {
	switch s.read = ""; {
	case r.JSONBody != nil:
		s.read = r.JSONBody.Item
	case r.FormdataBody != nil:
		s.read = r.FormdataBody.Item
	case r.TextBody != nil:
		s.read = *r.TextBody
	case r.MultipartBody != nil:
		s.readParts(r.MultipartBody)
	case r.Body != nil:
		s.readAll(r.Body)
	}
	return done[media.PostSeveralResponseObject](&s.effects, media.PostSeveral204Response{})
}

func (s *mediaServer) PostKeyed(context.Context, media.PostKeyedRequestObject) (media.PostKeyedResponseObject, error) {
	return done[media.PostKeyedResponseObject](&s.effects, media.PostKeyed204Response{})
}

func (s *mediaServer) PutUntouched(_ context.Context, r media.PutUntouchedRequestObject) (media.PutUntouchedResponseObject, error) {
	s.readAll(r.Body)
	return done[media.PutUntouchedResponseObject](&s.effects, media.PutUntouched204Response{})
}

func (s *mediaServer) readAll(r io.Reader) {
	text, err := io.ReadAll(r)
	if s.read = string(text); err != nil {
		s.read = err.Error()
	}
}

func (s *mediaServer) readParts(r *multipart.Reader) {
	var list []string
	for {
		part, err := r.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			s.read = err.Error()
			return
		}
		s.readAll(part)
		list = append(list, part.FormName()+" "+part.FileName()+" "+s.read)
	}
	s.read = strings.Join(list, "\n")
}

const (
	formType = "application/x-www-form-urlencoded"
	jsonType = "application/json"
)

// parts encodes a title and a file as a form under a boundary.
func parts(boundary, title, file string) (contentType, body string) {
	var b strings.Builder
	for _, part := range []string{
		"Content-Disposition: form-data; name=\"title\"\r\n\r\n" + title,
		"content-disposition: form-data; filename=\"a.txt\"; name=\"file\"\r\nContent-Type: text/plain\r\n\r\n" + file,
	} {
		b.WriteString("--" + boundary + "\r\n" + part + "\r\n")
	}
	return "multipart/form-data; boundary=" + boundary, b.String() + "--" + boundary + "--\r\n"
}

// of is a call with a body of a content type.
func of(method, path, contentType, body string) call {
	return call{method: method, path: path, body: body}.withHeader("Idempotency-Key", "k").withHeader("Content-Type", contentType)
}

func TestMedia(t *testing.T) {
	formA, partsA := parts("aaaa", "Title", "content")
	formB, partsB := parts("bbbb", "Title", "content")
	formC, partsC := parts("aaaa", "Title", "other")
	large := strings.Repeat("0123456789", 200_000)
	for _, test := range []struct {
		name      string
		first     call
		read      string // by the handler
		same      []call
		different map[string]call
	}{
		{"form", of("POST", "/form", formType, "item=tea&tags=a&tags=b"), "tea",
			[]call{of("POST", "/form", formType, "tags=a&tags=%62&item=t%65a&count=1"), of("POST", "/form", formType+"; charset=UTF-8", "item=tea&tags=a&tags=b")},
			map[string]call{"item": of("POST", "/form", formType, "item=Tea&tags=a&tags=b"), "count tags": of("POST", "/form", formType, "item=tea&count=2")}},
		{"merge patch", of("PATCH", "/patch", "application/merge-patch+json", `{"item":"tea"}`), "tea",
			[]call{of("PATCH", "/patch", "application/merge-patch+json", `{"count":1,"item":"tea"}`)},
			map[string]call{"item": of("PATCH", "/patch", "application/merge-patch+json", `{"item":"coffee"}`)}},
		{"text", of("POST", "/text", "text/plain", " tea\n"), " tea\n", nil,
			map[string]call{"$request.body": of("POST", "/text", "text/plain", " tea")}},
		{"binary", of("POST", "/binary", "application/octet-stream", "\x00\x01"), "\x00\x01",
			[]call{of("POST", "/binary", "application/pdf", "\x00\x01")},
			map[string]call{"$request.body": of("POST", "/binary", "application/octet-stream", "\x00\x02")}},
		{"large binary", of("POST", "/binary", "application/octet-stream", large), large, nil,
			map[string]call{"$request.body": of("POST", "/binary", "application/octet-stream", large+"0")}},
		{"range", of("PUT", "/image", "image/png", "p"), "p",
			[]call{of("PUT", "/image", "Image/PNG", "p")},
			map[string]call{"header.Content-Type": of("PUT", "/image", "image/gif", "p"), "$request.body": of("PUT", "/image", "image/png", "q")}},
		{"multipart", of("POST", "/parts", formA, partsA), "title  Title\nfile a.txt content",
			[]call{of("POST", "/parts", formB, partsB)},
			map[string]call{"$request.body": of("POST", "/parts", formC, partsC)}},
		{"one of several, JSON", of("POST", "/several", jsonType, `{"item":"tea"}`), "tea",
			[]call{of("POST", "/several", jsonType+"; charset=utf-8", `{"count":1,"item":"tea"}`)},
			map[string]call{
				"header.Content-Type":       of("POST", "/several", formType, "item=tea"),
				"item":                      of("POST", "/several", jsonType, `{"item":"x"}`),
				"header.Content-Type count": of("POST", "/several", "application/vnd.orders.v2+json", `{"item":"tea","count":2}`),
				"header.Content-Type item":  of("POST", "/several", "text/unknown", ""),
			}},
		{"one of several, multipart", of("POST", "/several", formA, partsA), "title  Title\nfile a.txt content",
			[]call{of("POST", "/several", formB, partsB)},
			map[string]call{"$request.body": of("POST", "/several", formC, partsC)}},
		{"one of several, binary", of("POST", "/several", "application/pdf", "p"), "p", nil,
			map[string]call{"header.Content-Type $request.body": of("POST", "/several", "text/plain", "p")}},
		{"key in either", of("POST", "/keyed", jsonType, `{"request_id":"k","account":"a","item":"tea"}`), "",
			[]call{of("POST", "/keyed", formType, "request_id=k&account=a&item=tea")},
			map[string]call{"item": of("POST", "/keyed", formType, "request_id=k&account=a&item=x")}},
		{"not in the fingerprint", of("PUT", "/untouched/1", "application/octet-stream", "p"), "p",
			[]call{of("PUT", "/untouched/1", "application/octet-stream", "q")}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			next := &mediaServer{}
			server := media.NewIdempotentServer(next, newEngine(t))
			client := newClient(t, media.Handler(media.NewStrictHandler(server, nil)))
			client.run(scenario{first: test.first, same: test.same, different: test.different}, &next.n)
			if next.read != test.read {
				t.Errorf("the handler read %.80q, want %.80q", next.read, test.read)
			}
		})
	}
}

// A body beyond the server's limit is refused before it takes effect. Without a
// key nothing is read in advance, so nothing is refused.
func TestMediaLimit(t *testing.T) {
	next := &mediaServer{}
	server := media.NewIdempotentServer(next, newEngine(t), idem.WithMaxUploadBytes(4))
	client := newClient(t, media.Handler(media.NewStrictHandler(server, nil)))
	if a := client.do(of("POST", "/binary", "application/octet-stream", "12345")); a.problem != "request-too-large" || a.status != 413 {
		t.Errorf("too large: %d %s", a.status, a.body)
	}
	contentType, body := parts("aaaa", "Title", "content")
	if a := client.do(of("POST", "/parts", contentType, body)); a.problem != "request-too-large" {
		t.Errorf("too large a form: %d %s", a.status, a.body)
	}
	if next.n != 0 {
		t.Errorf("%d effects", next.n)
	}
	unprotected := call{method: "POST", path: "/binary", body: "12345"}
	if a := client.do(unprotected); a.status != 204 || next.read != "12345" {
		t.Errorf("without a key: %d %s, read %q", a.status, a.body, next.read)
	}
}
