package spec

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// checkVersion refuses what is no OpenAPI document of version 3.
func checkVersion(root node) error {
	file := root.src.file
	if !root.is(yaml.MappingNode) {
		return fmt.Errorf("%s: this is no OpenAPI document: it is not a mapping", file)
	}
	if version := root.text("openapi"); strings.HasPrefix(version, "3.") {
		return nil
	} else if version != "" {
		return fmt.Errorf("%s: OpenAPI %s is not supported, 3.0 and 3.1 are", file, version)
	}
	if version := root.text("swagger"); version != "" {
		return fmt.Errorf("%s: Swagger %s is not supported, convert the document to OpenAPI 3", file, version)
	}
	return fmt.Errorf("%s: this is no OpenAPI document: it has no openapi member at its root", file)
}

// allowsSiblings reports whether members beside a schema's $ref count: since
// OpenAPI 3.1 they do.
func allowsSiblings(root node) bool { return !strings.HasPrefix(root.text("openapi"), "3.0") }
