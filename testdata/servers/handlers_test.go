package servers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHandlers keeps the handlers of servers of one kind the same: only their
// packages differ.
func TestHandlers(t *testing.T) {
	servers, err := filepath.Glob("*/api.gen.go")
	if err != nil || len(servers) == 0 {
		t.Fatal("no servers", err)
	}
	for _, server := range servers {
		folder := filepath.Dir(server)
		file := filepath.Join(folder, "handler.gen.go")
		from := "suite/handler.go.txt"
		if strings.HasPrefix(folder, "plain") {
			from = "suite/handler_plain.go.txt"
		}
		source, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(string(source), "package PACKAGE", "package "+folder, 1)
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s differs from %s, run the test with -update:\n%s", file, from, diff)
		}
	}
}
