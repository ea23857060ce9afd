package nethttp

import (
	"net/http"
	"testing"
)

// The names that are never kept are found whatever their spelling.
func TestMayBeDropped(t *testing.T) {
	for _, name := range []string{
		"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Transfer-Encoding", "Upgrade",
		"Date", "Set-Cookie", replayedHeader, unprotectedHeader,
	} {
		if !alwaysDropped(http.CanonicalHeaderKey(name)) || !mayBeDropped(len(name)) {
			t.Errorf("%s is kept", name)
		}
	}
}
