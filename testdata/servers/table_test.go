package servers_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/testdata/servers/suite"
)

var update = flag.Bool("update", false, "write the table into the documentation")

// page is the documentation that the tables are in, each between two markers.
const page = "../../docs/servers.md"

const notApplicable = "–"

func result(passed bool) string {
	if passed {
		return "✓"
	}
	return "✗"
}

// A table has what came of each scenario on each server.
type table struct {
	kind    string
	servers []server
	cells   map[[2]string]string
}

func newTable(kind string, servers []server) *table {
	return &table{kind: kind, servers: servers, cells: make(map[[2]string]string)}
}

func (t *table) set(scenario, server, result string) { t.cells[[2]string{scenario, server}] = result }

// markdown writes the table, scenarios down and servers across.
func (t *table) markdown() string {
	var b strings.Builder
	b.WriteString("| scenario |")
	for _, server := range t.servers {
		fmt.Fprintf(&b, " %s |", server.name)
	}
	b.WriteString(" what it shows |\n|---|" + strings.Repeat(":-:|", len(t.servers)) + "---|\n")
	for _, scenario := range suite.Scenarios() {
		fmt.Fprintf(&b, "| %s |", scenario.Name)
		for _, server := range t.servers {
			fmt.Fprintf(&b, " %s |", t.cells[[2]string{scenario.Name, server.name}])
		}
		fmt.Fprintf(&b, " %s |\n", scenario.What)
	}
	return b.String()
}

// check compares the documentation with the table, or writes it there.
func (t *table) check(test *testing.T) {
	test.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		test.Fatal(err)
	}
	begin := "<!-- table of " + t.kind + " servers: begin -->\n"
	end := "<!-- table of " + t.kind + " servers: end -->\n"
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		test.Fatalf("%s has no markers for %s servers", page, t.kind)
	}
	if *update {
		err := os.WriteFile(page, []byte(before+begin+"\n"+t.markdown()+"\n"+end+after), 0o644)
		if err != nil {
			test.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.TrimSpace(old), strings.TrimSpace(t.markdown())); diff != "" {
		test.Errorf("%s is out of date, run the test with -update:\n%s", page, diff)
	}
}
