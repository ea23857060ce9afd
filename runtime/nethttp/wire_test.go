package nethttp

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wire sends a request and returns every byte of the response.
func wire(t *testing.T, server *httptest.Server, method, key, body string) string {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	request := method + " /op HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"
	if key != "" {
		request += "Idempotency-Key: " + key + "\r\n"
	}
	fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n%s", request, len(body), body)
	response, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(response)
}

// without returns a raw response without the lines of a header.
func without(response, name string) string {
	head, body, _ := strings.Cut(response, "\r\n\r\n")
	lines := slices.DeleteFunc(strings.Split(head, "\r\n"), func(line string) bool {
		return strings.HasPrefix(line, name+":")
	})
	return strings.Join(lines, "\r\n") + "\r\n\r\n" + body
}

func gzipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.Bytes()
}

// The first answer is what the server would send without the engine, and the
// replay is that answer: byte for byte on the connection.
func TestServeBytesOnTheWire(t *testing.T) {
	for name, visit := range map[string]VisitFunc{
		"JSON": func(w http.ResponseWriter) error {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusOK)
			return json.NewEncoder(w).Encode(map[string]any{"amount": 1200, "note": "<é>"})
		},
		"created, location, links, disposition": func(w http.ResponseWriter) error {
			w.Header().Set("Location", "/payments/1")
			w.Header().Add("Link", `</a>; rel="next"`)
			w.Header().Add("Link", `</b>; rel="last"`)
			w.Header().Set("Content-Disposition", `attachment; filename="a,b.txt"`)
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusCreated)
			_, err := io.WriteString(w, "created")
			return err
		},
		"no content":   func(w http.ResponseWriter) error { w.WriteHeader(http.StatusNoContent); return nil },
		"not modified": func(w http.ResponseWriter) error { w.Header().Set("Etag", `"1"`); w.WriteHeader(304); return nil },
		"nothing":      func(http.ResponseWriter) error { return nil },
		"empty created": func(w http.ResponseWriter) error {
			w.WriteHeader(http.StatusCreated)
			return nil
		},
		"sniffed text": func(w http.ResponseWriter) error { _, err := io.WriteString(w, "plain text"); return err },
		"sniffed HTML": func(w http.ResponseWriter) error { _, err := io.WriteString(w, "<html>"); return err },
		"in two writes": func(w http.ResponseWriter) error {
			io.WriteString(w, "<ht")
			_, err := io.WriteString(w, "ml>")
			return err
		},
		"with a length": func(w http.ResponseWriter) error {
			w.Header().Set("Content-Length", "3")
			_, err := w.Write([]byte("abc"))
			return err
		},
		"large": func(w http.ResponseWriter) error {
			_, err := w.Write(bytes.Repeat([]byte("0123456789"), 5000))
			return err
		},
		"unusual status": func(w http.ResponseWriter) error { w.WriteHeader(299); _, err := io.WriteString(w, "x"); return err },
		"header twice":   func(w http.ResponseWriter) error { w.WriteHeader(202); w.Header().Set("X-Late", "1"); return nil },
		"empty value":    func(w http.ResponseWriter) error { w.Header().Set("X-Empty", ""); return nil },
		"raw name":       func(w http.ResponseWriter) error { w.Header()["x-raw"] = []string{"b", "a"}; return nil },
		"a line break":   func(w http.ResponseWriter) error { w.Header().Set("X-Break", "a\r\nb"); return nil },
		"an error":       func(w http.ResponseWriter) error { http.Error(w, "refused", http.StatusPaymentRequired); return nil },
		"gzip": func(w http.ResponseWriter) error {
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "text/plain")
			_, err := w.Write(gzipped("some text"))
			return err
		},
		"gzip without a type": func(w http.ResponseWriter) error {
			w.Header().Set("Content-Encoding", "gzip")
			_, err := w.Write(gzipped("some text"))
			return err
		},
	} {
		for _, method := range []string{"POST", "HEAD"} {
			t.Run(name+"/"+method, func(t *testing.T) {
				plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { visit(w) }))
				defer plain.Close()
				server := httptest.NewServer(protect(t, testContract(), visiting(visit)))
				defer server.Close()
				want := without(wire(t, plain, method, "", ""), "Date")
				first := without(wire(t, server, method, "k", ""), "Date")
				if diff := cmp.Diff(want, first); diff != "" {
					t.Errorf("first answer (-plain server +first):\n%s", diff)
				}
				replay := without(wire(t, server, method, "k", ""), "Date")
				if !strings.Contains(replay, "\r\nIdempotent-Replayed: true\r\n") {
					t.Errorf("the replay is not marked:\n%s", replay)
				}
				if diff := cmp.Diff(first, without(replay, "Idempotent-Replayed")); diff != "" {
					t.Errorf("replay (-first +replay):\n%s", diff)
				}
			})
		}
	}
}
