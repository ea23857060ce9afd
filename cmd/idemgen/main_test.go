package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idemgen/idemgen/generator"
)

var update = flag.Bool("update", false, "write what commands print into the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"idemgen": main, "oapi-codegen": standInCodegen})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: *update})
}

func scriptOf(rule string) string {
	return "testdata/script/rule_" + strings.ReplaceAll(rule, "-", "_") + ".txtar"
}

// Every rule that generate checks has a script that breaks it. Those of lint
// have a folder, see TestLintRules.
func TestEveryRuleHasAScript(t *testing.T) {
	for _, rule := range generator.Rules() {
		if !rule.Generate {
			continue
		}
		file := scriptOf(rule.ID)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("no script for %s: %v", rule.ID, err)
			continue
		}
		if !strings.Contains(string(text), ": "+rule.Severity.String()+": ") || !strings.Contains(string(text), "["+rule.ID+"]") {
			t.Errorf("%s does not show %s as %v", file, rule.ID, rule.Severity)
		}
	}
}
