package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/speakeasy-api/openapi/overlay"
	"gopkg.in/yaml.v3"
)

const overlaidDocument = `openapi: 3.0.3
info: {title: a, version: "1"}
tags: [one, two]
paths:
  /a:
    post: {operationId: a, tags: [x], x-idempotency: {ttl: 1h, scope: [principal]}}
  /b:
    post: {operationId: b, deprecated: true}
`

// The library makes the same changes, without places.
func TestOverlayAgreesWithLibrary(t *testing.T) {
	for _, head := range []string{"overlay: 1.0.0", "overlay: 1.1.0", "overlay: 1.0.0\nx-speakeasy-jsonpath: rfc9535"} {
		for _, action := range []string{
			`{target: "$.paths['/a'].post", update: {x-idempotency: {ttl: 2h, lease: 5s}}}`,
			`{target: "$.paths['/a'].post", update: {tags: [y], x-idempotency: {scope: [x]}}}`,
			`{target: "$.paths.*.post", update: {x-idempotency: true}}`,
			`{target: "$.paths['/b'].post.deprecated", remove: true}`,
			`{target: "$.paths['/a']", remove: true}`,
			`{target: "$.tags[0]", remove: true}`,
			`{target: "$.info", update: {title: b}}`,
			`{target: "$.tags", update: [three]}`,
			`{target: "$", update: {x-idempotency-defaults: {ttl: 3h}}}`,
			`{target: "$.paths['/b'].post", copy: "$.paths['/a'].post"}`,
		} {
			text := head + "\ninfo: {title: o, version: '1'}\nactions: [" + action + "]\n"
			got, gotErr := applyOurs(t, text)
			want, wantErr := applyTheirs(t, text)
			if (gotErr == nil) != (wantErr == nil) {
				t.Errorf("%s, %s: error %v, the library's %v", head, action, gotErr, wantErr)
				continue
			}
			if d := cmp.Diff(want, got); d != "" && gotErr == nil {
				t.Errorf("%s, %s: %s", head, action, d)
			}
		}
	}
}

func applyOurs(t *testing.T, text string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "overlay.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := parseSource("openapi.yaml", []byte(overlaidDocument))
	if err != nil {
		t.Fatal(err)
	}
	if err := src.applyOverlay(file); err != nil {
		return "", err
	}
	return string(compactJSON(node{src, src.root})), nil
}

func applyTheirs(t *testing.T, text string) (string, error) {
	t.Helper()
	o, err := overlay.ParseReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(overlaidDocument), &document); err != nil {
		t.Fatal(err)
	}
	if _, err := o.ApplyToStrict(&document); err != nil {
		return "", err
	}
	return string(compactJSON(node{Node: document.Content[0]})), nil
}

func TestOverlayRefuses(t *testing.T) {
	for action, want := range map[string]string{
		`{target: "$.paths['/c']", remove: true}`:              "nothing there",
		`{target: "$.paths"}`:                                  "neither update, remove nor copy",
		`{target: "$.paths", copy: "$.nowhere"}`:               "0 places",
		`{target: "$.[", update: {a: 1}}`:                      "action 1",
		`{target: "", update: {a: 1}}`:                         "no OpenAPI Overlay",
		`{target: "$.info", update: [a], x-note: of any type}`: "different types",
	} {
		_, err := applyOurs(t, "overlay: 1.1.0\ninfo: {title: o, version: '1'}\nactions: ["+action+"]\n")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", action, err, want)
		}
	}
}
