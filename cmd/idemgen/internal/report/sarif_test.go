package report

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/idemgen/idemgen/generator/diag"
)

// sampleText is a document, and sample what is found in it.
func sampleText(string) []string { return []string{"paths:", "  post:", "    ttl: 5", "    ttl: 5"} }

func sample() diag.List {
	return diag.List{
		{Rule: "bad", Range: at(3, 10, 11), Operation: "createPayment", Message: "50% wrong, twice: \"no\"", Hint: "yes"},
		{Rule: "bad", Range: at(4, 10, 11), Operation: "createPayment", Message: "no"},
		{Rule: "odd", Severity: diag.Warning, Range: at(2, 3, 7), Message: "hm", Hurts: "clients"},
		{Rule: "unheard", Severity: diag.Advice, Range: at(1, 1, 1), Message: "think"},
	}
}

func sampleTool() Tool {
	return Tool{Version: "v1.2.3", Rules: []Rule{
		{ID: "bad", Title: "Bad", Why: "It is.", Fix: "Mend it."},
		{ID: "odd", Title: "Odd", Why: "It looks it.", Fix: "Look.", Severity: diag.Warning},
	}}
}

func printSARIF(t *testing.T, findings diag.List, lines func(string) []string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := SARIF(&b, sampleTool(), findings, lines); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The schema is that of the standard, OASIS SARIF 2.1.0 with its errata 01.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	file, err := os.Open("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	document, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("sarif.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestSARIFIsValid(t *testing.T) {
	schema := sarifSchema(t)
	for _, findings := range []diag.List{nil, sample()} {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(printSARIF(t, findings, sampleText)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(document); err != nil {
			t.Errorf("%d findings: %v", len(findings), err)
		}
	}
	broken := bytes.Replace(printSARIF(t, sample(), sampleText), []byte(`"level": "note"`), []byte(`"level": "advice"`), 1)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(broken))
	if err != nil {
		t.Fatal(err)
	}
	if schema.Validate(document) == nil {
		t.Error("a level that SARIF does not have is valid")
	}
}

// results decodes what a code scanning service shows.
func results(t *testing.T, log []byte) []sarifResult {
	t.Helper()
	var decoded sarifLog
	if err := json.Unmarshal(log, &decoded); err != nil {
		t.Fatal(err)
	}
	return decoded.Runs[0].Results
}

func TestSARIFResults(t *testing.T) {
	got := results(t, printSARIF(t, sample(), sampleText))
	var levels, texts []string
	for _, r := range got {
		levels = append(levels, r.Level)
		texts = append(texts, r.Message.Text)
	}
	if d := cmp.Diff([]string{"error", "error", "warning", "note"}, levels); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"50% wrong, twice: \"no\"\nhint: yes", "no", "hm\nhurts: clients", "think"}, texts); d != "" {
		t.Error(d)
	}
	if got[0].RuleIndex == nil || *got[0].RuleIndex != 0 || *got[2].RuleIndex != 1 || got[3].RuleIndex != nil {
		t.Error("rule indexes are not those of the catalogue")
	}
	region := got[0].Locations[0].Physical.Region
	if d := cmp.Diff(sarifRegion{3, 10, 3, 11}, region); d != "" {
		t.Error(d)
	}
}

// Lines above a finding do not change its fingerprint; two findings never share
// one.
func TestSARIFFingerprints(t *testing.T) {
	moved := sample()
	for i := range moved {
		moved[i].Range.Start.Line += 2
		moved[i].Range.End.Line += 2
	}
	before := results(t, printSARIF(t, sample(), sampleText))
	after := results(t, printSARIF(t, moved, func(file string) []string { return append([]string{"# a", "# b"}, sampleText(file)...) }))
	seen := map[string]bool{}
	for i := range before {
		print := before[i].Fingerprints["idemgen/v1"]
		if print == "" || seen[print] {
			t.Errorf("finding %d has no fingerprint of its own", i)
		}
		seen[print] = true
		if d := cmp.Diff(before[i].Fingerprints, after[i].Fingerprints); d != "" {
			t.Error(d)
		}
	}
}

func TestFileURI(t *testing.T) {
	for file, want := range map[string]string{
		"api/openapi.yaml":  "api/openapi.yaml",
		"my api/50%.yaml":   "my%20api/50%25.yaml",
		"../up/a.yaml":      "../up/a.yaml",
		"a:b.yaml":          "./a:b.yaml",
		"/abs/openapi.yaml": "file:///abs/openapi.yaml",
	} {
		if got := fileURI(file); got != want {
			t.Errorf("fileURI(%q) = %q, not %q", file, got, want)
		}
	}
}
