package generator

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func docsOf(t *testing.T, file, format string) string {
	t.Helper()
	page, err := Docs(DocsOptions{Spec: file, Format: format})
	if err != nil {
		t.Fatal(err)
	}
	if page.Findings.HasErrors() {
		t.Fatal(page.Findings)
	}
	return string(page.Text)
}

func TestDocs(t *testing.T) {
	documents, err := filepath.Glob("../testdata/docs/*/openapi.yaml")
	if err != nil || len(documents) == 0 {
		t.Fatal("no cases", err)
	}
	for _, document := range documents {
		dir := filepath.Dir(document)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			golden(t, filepath.Join(dir, "want.md"), []byte(docsOf(t, document, "markdown")))
			golden(t, filepath.Join(dir, "want.html"), []byte(docsOf(t, document, "html")))
		})
	}
}

// Both forms say the same: every status, name and action of one is in the other.
func TestDocsFormsAgree(t *testing.T) {
	const file = "../examples/payments/openapi.yaml"
	text, page := docsOf(t, file, "markdown"), docsOf(t, file, "html")
	for _, name := range []string{
		"missing-key", "invalid-key", "missing-scope", "no-principal", "in-progress", "response-not-retained", "key-reused",
		"store-unavailable", "record-unreadable", "Payment Required", "Bad Gateway", "10 seconds", "24 hours", "order_id",
		"X-Account-Id", "Idempotent-Replayed: true", "createPayment", "/payments/{payment_id}/refunds",
	} {
		for form, got := range map[string]string{"markdown": text, "html": page} {
			if !strings.Contains(strings.ReplaceAll(got, `\`, ""), name) {
				t.Errorf("the %s page lacks %q", form, name)
			}
		}
	}
}

// The page loads nothing, and what a document says is text in it.
func TestDocsHTMLIsSelfContained(t *testing.T) {
	for _, file := range []string{"../examples/payments/openapi.yaml", "../testdata/docs/none/openapi.yaml", "../testdata/docs/many/openapi.yaml"} {
		page := docsOf(t, file, "html")
		for _, loads := range []string{"<script", "<link", "<img", "<iframe", "@import", "url(", "src="} {
			if strings.Contains(page, loads) {
				t.Errorf("%s: the page has %s", file, loads)
			}
		}
		if strings.Contains(page, "<beta>") || strings.Contains(page, "<internal>") || strings.Contains(page, "ZgotmplZ") {
			t.Errorf("%s: a text of the document is taken for HTML", file)
		}
		ids := map[string]bool{}
		for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
			if ids[m[1]] {
				t.Errorf("%s: two elements have the id %s", file, m[1])
			}
			ids[m[1]] = true
		}
		for _, m := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
			if !ids[m[1]] {
				t.Errorf("%s: a link leads to %s, which is not there", file, m[1])
			}
		}
	}
}

func TestDocsFormat(t *testing.T) {
	if _, err := Docs(DocsOptions{Spec: "../examples/payments/openapi.yaml", Format: "pdf"}); err == nil || !strings.Contains(err.Error(), "markdown and html") {
		t.Error(err)
	}
}
