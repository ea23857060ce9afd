package nethttp

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	idem "github.com/idemgen/idemgen/runtime"
)

func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		code   idem.Code
		millis int
		want   int64
	}{
		{idem.CodeInProgress, 0, 1}, {idem.CodeInProgress, 1, 1}, {idem.CodeInProgress, 1000, 1}, {idem.CodeInProgress, 1001, 2},
		{idem.CodeInProgress, -5000, 1}, {idem.CodeStoreUnavailable, 0, 1}, {idem.CodeKeyReused, 0, 0}, {idem.CodeKeyReused, -1, 0},
	} {
		e := &idem.Error{Code: c.code, RetryAfter: time.Duration(c.millis) * time.Millisecond}
		if got := retryAfter(e); got != c.want {
			t.Errorf("%s after %d ms: %d", c.code, c.millis, got)
		}
	}
}

// Every code of the engine has its status and a title of its own.
func TestDescribe(t *testing.T) {
	titles := map[string]idem.Code{}
	for code, want := range map[idem.Code]int{
		idem.CodeMissingKey: 400, idem.CodeInvalidKey: 400, idem.CodeMissingScope: 400, idem.CodeNoPrincipal: 401,
		idem.CodeInProgress: 409, idem.CodeOutcomeUnknown: 409, idem.CodeResponseNotRetained: 409,
		idem.CodeKeyReused: 422, idem.CodeStoreUnavailable: 503, idem.CodeRecordUnreadable: 503,
	} {
		status, title := describe(code)
		if status != want {
			t.Errorf("%s: status %d, want %d", code, status, want)
		}
		if other, ok := titles[title]; ok {
			t.Errorf("%s and %s have one title", code, other)
		}
		titles[title] = code
	}
}

func TestServeProblems(t *testing.T) {
	required := testContract()
	formatted := testContract()
	formatted.KeyFormat = "uuid"
	scoped := testContract()
	scoped.Scope = []string{idem.ScopePrincipal}
	for name, c := range map[string]struct {
		contract idem.Contract
		key      string
		want     problem
	}{
		"missing":     {required, "", problem{Status: 400, Type: "urn:idemgen:problem:missing-key"}},
		"broken":      {required, `"secret`, problem{Status: 400, Type: "urn:idemgen:problem:invalid-key"}},
		"empty":       {required, `""`, problem{Status: 400, Type: "urn:idemgen:problem:invalid-key"}},
		"long":        {required, strings.Repeat("k", 256), problem{Status: 400, Type: "urn:idemgen:problem:invalid-key"}},
		"two":         {required, `"secret", "b"`, problem{Status: 400, Type: "urn:idemgen:problem:invalid-key"}},
		"format":      {formatted, "secret", problem{Status: 400, Type: "urn:idemgen:problem:invalid-key"}},
		"nobody":      {scoped, "secret", problem{Status: 401, Type: "urn:idemgen:problem:no-principal"}},
		"reused":      {required, "secret", problem{Status: 422, Type: "urn:idemgen:problem:key-reused", Fields: []string{"body"}}},
		"not ASCII":   {required, "secret\u00e9", problem{Status: 400, Type: "urn:idemgen:problem:invalid-key"}},
		"with blanks": {required, "secret b", problem{Status: 400, Type: "urn:idemgen:problem:invalid-key"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := protect(t, c.contract, visiting(nil))
			if name == "reused" {
				post(t, h, c.key, "first")
			}
			w := post(t, h, c.key, "second")
			var got problem
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if w.Code != c.want.Status || w.Header().Get("Content-Type") != "application/problem+json" {
				t.Errorf("status %d, header %v", w.Code, w.Header())
			}
			if got.Title == "" || got.Detail == "" || c.key != "" && strings.Contains(got.Detail, c.key) {
				t.Errorf("title %q, detail %q", got.Title, got.Detail)
			}
			got.Title, got.Detail = "", ""
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("problem (-want +got):\n%s", diff)
			}
		})
	}
}

func TestServeProblemBase(t *testing.T) {
	h := protect(t, testContract(), visiting(nil), idem.WithProblemBase("https://docs.example.com/"))
	if body := post(t, h, "", "").Body.String(); !strings.Contains(body, `"type":"https://docs.example.com/missing-key"`) {
		t.Error(body)
	}
}
