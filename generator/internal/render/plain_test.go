package render_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	openapi_types "github.com/oapi-codegen/runtime/types"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/testdata/cases/middleware"
	"github.com/idemgen/idemgen/testdata/cases/plain"
)

// plainServer answers each request with a digest of the body that it read. Calls
// come one after the other.
type plainServer struct{ effects int }

func (s *plainServer) serve(w http.ResponseWriter, r *http.Request) {
	s.effects++
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = io.WriteString(w, digest(string(body)))
}

func digest(body string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(body))) }

// ServeHTTP is the server without oapi-codegen.
func (s *plainServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/keyed" {
		s.PostKeyed(w, r)
		return
	}
	s.serve(w, r)
}

func (s *plainServer) PutLine(w http.ResponseWriter, r *http.Request, _ openapi_types.UUID, _ int, _ plain.PutLineParams) {
	s.serve(w, r)
}

func (s *plainServer) SearchLines(w http.ResponseWriter, r *http.Request, _ string) { s.serve(w, r) }

func (s *plainServer) PostForm(w http.ResponseWriter, r *http.Request, _ plain.PostFormParams) {
	s.serve(w, r)
}

func (s *plainServer) PostText(w http.ResponseWriter, r *http.Request, _ plain.PostTextParams) {
	s.serve(w, r)
}

func (s *plainServer) PostImage(w http.ResponseWriter, r *http.Request, _ plain.PostImageParams) {
	s.serve(w, r)
}

func (s *plainServer) PostParts(w http.ResponseWriter, r *http.Request, _ plain.PostPartsParams) {
	s.serve(w, r)
}

func (s *plainServer) PostSeveral(w http.ResponseWriter, r *http.Request, _ plain.PostSeveralParams) {
	s.serve(w, r)
}

func (s *plainServer) PostUntouched(w http.ResponseWriter, r *http.Request, _ plain.PostUntouchedParams) {
	s.serve(w, r)
}

func (s *plainServer) PostKeyed(w http.ResponseWriter, r *http.Request) {
	idem.SetReference(r.Context(), "order 1")
	s.serve(w, r)
}

// ReloadPostKeyed implements both generated interfaces.
func (s *plainServer) ReloadPostKeyed(w http.ResponseWriter, _ *http.Request, reference string) {
	w.Header().Set("X-Reloaded", reference)
	_, _ = io.WriteString(w, "the order")
}

// plainServers are the two ways to protect one API without a strict server.
func plainServers(t *testing.T) map[string]func() (client, *plainServer) {
	return map[string]func() (client, *plainServer){
		"wrapper": func() (client, *plainServer) {
			next := &plainServer{}
			server := plain.NewIdempotentServer(next, newEngine(t, idem.WithMaxUploadBytes(2<<20)), next)
			return newClient(t, plain.HandlerWithOptions(server, plain.StdHTTPServerOptions{
				ErrorHandlerFunc: plain.IdempotencyErrorHandler(nil),
			})), next
		},
		"middleware": func() (client, *plainServer) {
			next := &plainServer{}
			keep := middleware.NewIdempotencyMiddleware(newEngine(t, idem.WithMaxUploadBytes(2<<20)), next)
			return newClient(t, keep(next)), next
		},
	}
}

const (
	lineID   = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
	lineBody = `{"amount":9007199254740993,"due_at":"2026-01-31T12:00:00Z","due_on":"2026-01-31",` +
		`"device":"6ba7b811-9dad-11d1-80b4-00c04fd430c8","data":"aGk=","rate":1.5,"urgent":false,"note":"n","meta":{"a":1}}`
)

func line(body string) call {
	return call{method: "PUT", path: "/orders/" + lineID + "/lines/7?tags=a&tags=b", body: body}.
		withHeader("Idempotency-Key", "k").withHeader("X-Shop", "5")
}

func TestPlainLine(t *testing.T) {
	same := func(pairs ...string) call { return line(edit(lineBody, pairs...)) }
	for name, start := range plainServers(t) {
		t.Run(name, func(t *testing.T) {
			client, next := start()
			first := client.do(line(lineBody))
			if first.status != 200 || first.body != digest(lineBody) {
				t.Fatalf("the handler does not read the body again: %d %s", first.status, first.body)
			}
			client.run(scenario{
				first: line(lineBody).withHeader("Idempotency-Key", "k2"),
				same: []call{
					same("1.5", "15e-1").withHeader("Idempotency-Key", `"k2"`),
					same("12:00:00Z", "13:00:00+01:00").withHeader("Idempotency-Key", "k2"),
					same("6ba7b811", "6BA7B811").withHeader("Idempotency-Key", "k2"),
					same(`"urgent":false,`, ``).withHeader("Idempotency-Key", "k2"),
					same(`"note"`, `"Note"`).withHeader("Idempotency-Key", "k2"),
					same(`{"amount"`, `{ "unknown":1, "amount"`).withHeader("Idempotency-Key", "k2"),
					line(lineBody).withHeader("Idempotency-Key", "k2").withPath("/orders/" + strings.ToUpper(lineID) + "/lines/7?dry-run=false&tags=a&tags=b&x=1"),
				},
				different: map[string]call{
					"amount":        same("9007199254740993", "9007199254740992").withHeader("Idempotency-Key", "k2"),
					"due_at":        same("12:00:00Z", "12:00:01Z").withHeader("Idempotency-Key", "k2"),
					"due_on":        same(`"2026-01-31",`, `"2026-02-01",`).withHeader("Idempotency-Key", "k2"),
					"device":        same("6ba7b811", "6ba7b812").withHeader("Idempotency-Key", "k2"),
					"data":          same("aGk=", "aGo=").withHeader("Idempotency-Key", "k2"),
					"rate":          same("1.5", "1.25").withHeader("Idempotency-Key", "k2"),
					"urgent":        same(`"urgent":false`, `"urgent":true`).withHeader("Idempotency-Key", "k2"),
					"note":          same(`"n"`, `"N"`).withHeader("Idempotency-Key", "k2"),
					"meta":          same(`{"a":1}`, `{"a":2}`).withHeader("Idempotency-Key", "k2"),
					"path.line-no":  line(lineBody).withHeader("Idempotency-Key", "k2").withPath("/orders/" + lineID + "/lines/8?tags=a&tags=b"),
					"query.dry-run": line(lineBody).withHeader("Idempotency-Key", "k2").withPath("/orders/" + lineID + "/lines/7?tags=a&tags=b&dry-run=true"),
					"query.tags":    line(lineBody).withHeader("Idempotency-Key", "k2").withPath("/orders/" + lineID + "/lines/7?tags=b&tags=a"),
					"amount due_at due_on device data rate note meta": line("").withHeader("Idempotency-Key", "k2"),
				},
			}, &next.effects)
			for i, other := range []call{line(lineBody).withHeader("X-Shop", "6"), line(lineBody).withPath("/orders/7" + lineID[1:] + "/lines/7")} {
				if a := client.do(other); a.replayed || next.effects != i+2 {
					t.Errorf("scope %d: %d, replayed %t, %d effects", i, a.status, a.replayed, next.effects)
				}
			}
			if a := client.do(line(`{"amount":`)); a.status != 400 || a.problem != "" {
				t.Errorf("no JSON: %d %s", a.status, a.body)
			}
			search := call{method: "PUT", path: "/orders/" + lineID + "/lines/search", body: "{}"}
			for range 2 {
				if a := client.do(search); a.status != 200 || a.replayed {
					t.Errorf("an exempt operation: %d %s", a.status, a.body)
				}
			}
		})
	}
}

// upload is a multipart body of one file.
func upload(boundary, name, content string) call {
	body := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\n\r\n" +
		content + "\r\n--" + boundary + "--\r\n"
	return call{method: "POST", path: "/parts", body: body}.withHeader("Content-Type", "multipart/form-data; boundary="+boundary)
}

func TestPlainBodies(t *testing.T) {
	request := func(path, contentType, body string) call {
		return call{method: "POST", path: path, body: body}.withHeader("Content-Type", contentType)
	}
	const form, json = "application/x-www-form-urlencoded", "application/json"
	large := strings.Repeat("x", 1<<20)
	for name, s := range map[string]scenario{
		"form": {
			first:     request("/form", form, "item=a+b&count=1"),
			same:      []call{request("/form", form, "count=01&item=a%20b"), request("/form", form, "item=a+b&other=1")},
			different: map[string]call{"item": request("/form", form, "item=a"), "count": request("/form", form, "item=a+b&count=2")},
		},
		"text": {
			first:     request("/text", "text/plain", "a"),
			different: map[string]call{"$request.body": request("/text", "text/plain", "A")},
		},
		"image": {
			first: request("/image", "image/png", large+"1"),
			different: map[string]call{
				"$request.body":       request("/image", "image/png", large+"2"),
				"header.Content-Type": request("/image", "image/gif", large+"1"),
			},
		},
		"parts": {
			first:     upload("one", "a.txt", large+"1"),
			same:      []call{upload("two", "a.txt", large+"1")},
			different: map[string]call{"$request.body": upload("one", "b.txt", large+"1")},
		},
		"several": {
			first: request("/several", json, `{"item":"a"}`),
			same:  []call{request("/several", "Application/JSON", `{"count":1,"item":"a"}`)},
			different: map[string]call{
				"item":                request("/several", json, `{"item":"b"}`),
				"header.Content-Type": request("/several", form, "item=a"),
			},
		},
		"several, binary": {
			first:     request("/several", "application/pdf", "%PDF 1"),
			different: map[string]call{"$request.body": request("/several", "application/pdf", "%PDF 2")},
		},
		"untouched": {
			first:     request("/untouched?amount=1.5", json, `{"item":"a"}`),
			same:      []call{request("/untouched?amount=15e-1", json, `no JSON`)},
			different: map[string]call{"query.amount": request("/untouched?amount=2", json, `{"item":"a"}`)},
		},
	} {
		for kind, start := range plainServers(t) {
			t.Run(name+", "+kind, func(t *testing.T) {
				client, next := start()
				s.first = s.first.withHeader("Idempotency-Key", "k")
				for i := range s.same {
					s.same[i] = s.same[i].withHeader("Idempotency-Key", "k")
				}
				for names := range s.different {
					s.different[names] = s.different[names].withHeader("Idempotency-Key", "k")
				}
				client.run(s, &next.effects)
				if a := client.do(s.first.withHeader("Idempotency-Key", "other")); a.body != digest(s.first.body) {
					t.Error("the handler does not read the body again")
				}
			})
		}
	}
}

func TestPlainRefusals(t *testing.T) {
	tooLarge := strings.Repeat("x", 2<<20+1)
	for kind, start := range plainServers(t) {
		t.Run(kind, func(t *testing.T) {
			client, next := start()
			image := call{method: "POST", path: "/image", body: tooLarge}.withHeader("Content-Type", "image/png")
			if a := client.do(image.withHeader("Idempotency-Key", "k")); a.status != 413 || a.problem != "request-too-large" {
				t.Errorf("too large: %d %s", a.status, a.body)
			}
			empty := call{method: "POST", path: "/keyed"}
			if a := client.do(empty); a.status != 400 || next.effects != 0 {
				t.Errorf("no body: %d %s", a.status, a.body)
			}
			if a := client.do(image); a.status != 200 || a.body != digest(tooLarge) || a.header.Get("Idempotent-Unprotected") != "true" {
				t.Errorf("without a key, which is optional, nothing is read before: %d %s", a.status, a.body)
			}
			missing := call{method: "POST", path: "/text", body: "a"}
			if a := client.do(missing); a.problem != "missing-key" {
				t.Errorf("no key: %d %s", a.status, a.body)
			}
			if next.effects != 1 {
				t.Errorf("%d effects", next.effects)
			}
		})
	}
}

func TestPlainUnknownMediaType(t *testing.T) {
	other := call{method: "POST", path: "/several", body: "<a/>"}.withHeader("Content-Type", "application/xml").withHeader("Idempotency-Key", "k")
	servers := plainServers(t)
	client, next := servers["wrapper"]()
	if a := client.do(other); a.status != 415 || next.effects != 0 {
		t.Errorf("wrapper: %d %s", a.status, a.body)
	}
	// A handler of unknown origin may know what to do with it.
	client, next = servers["middleware"]()
	if a := client.do(other); a.status != 200 {
		t.Errorf("middleware: %d %s", a.status, a.body)
	}
	if a := client.do(other); !a.replayed || next.effects != 1 {
		t.Errorf("middleware: %d %s", a.status, a.body)
	}
	if a := client.do(other.withBody("<b/>")); a.problem != "key-reused" {
		t.Errorf("middleware, another body: %d %s", a.status, a.body)
	}
}

func TestPlainKeyInBody(t *testing.T) {
	keyed := func(key, account, item string) call {
		return call{method: "POST", path: "/keyed", body: `{"meta":{"request_id":"` + key + `"},"account":"` + account + `","item":"` + item + `"}`}
	}
	for kind, start := range plainServers(t) {
		t.Run(kind, func(t *testing.T) {
			client, next := start()
			first, again := client.do(keyed("k1", "a", "x")), client.do(keyed("k1", "a", "x"))
			if first.header.Get("X-Reloaded") != "" || again.header.Get("X-Reloaded") != "order 1" || !again.replayed || again.body != "the order" {
				t.Errorf("%d %s, then %d %s, %v", first.status, first.body, again.status, again.body, again.header)
			}
			if a := client.do(keyed("k1", "a", "y")); a.problem != "key-reused" || strings.Join(a.fields, " ") != "item" {
				t.Errorf("another item: %d %s", a.status, a.body)
			}
			if a := client.do(keyed("k1", "b", "x")); a.replayed {
				t.Errorf("another account: %d %s", a.status, a.body)
			}
			if a := client.do(keyed("", "a", "x")); a.problem != "invalid-key" {
				t.Errorf("empty key: %d %s", a.status, a.body)
			}
			if a := client.do(keyed("k1", "", "x")); a.problem != "missing-scope" {
				t.Errorf("no account: %d %s", a.status, a.body)
			}
			if next.effects != 2 {
				t.Errorf("%d effects", next.effects)
			}
		})
	}
}
