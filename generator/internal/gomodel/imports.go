package gomodel

import (
	"path"
	"slices"
	"strings"
)

// Paths of the runtime's packages.
const (
	runtimePath = "github.com/idemgen/idemgen/runtime"
	nethttpPath = runtimePath + "/nethttp"
)

// use enters an import; name is "" where the path's last part is the name.
func (b *builder) use(importPath, name string) {
	if name == path.Base(importPath) {
		name = ""
	}
	b.imports[importPath] = name
}

// importAPI enters the import of the generated server's package and returns the
// name to qualify with.
func (b *builder) importAPI() string {
	name := b.pkg.Name
	if slices.Contains(reservedNames(), name) {
		name = "api"
	}
	b.use(b.opts.ImportPath, name)
	return name
}

// reservedNames are the names that the generated code gives to imports,
// parameters and variables.
func reservedNames() []string {
	return []string{
		"context", "errors", "http", "idem", "nethttp", "strconv", "time",
		"body", "call", "ctx", "e", "engine", "err", "h", "key", "next", "opts", "ok",
		"principal", "r", "reply", "request", "response", "s", "w",
	}
}

// importGroups returns the imports that file needs: the standard library's
// first, then all others.
func (b *builder) importGroups(file *File) [][]Import {
	b.use("context", "")
	b.use("net/http", "")
	b.use("time", "")
	b.use(runtimePath, "idem")
	b.use(nethttpPath, "")
	if file.ErrorHandler != nil {
		b.use("errors", "")
	}
	var standard, others []Import
	for _, importPath := range sortedKeys(b.imports) {
		i := Import{Name: b.imports[importPath], Path: importPath}
		if first, _, _ := strings.Cut(importPath, "/"); strings.Contains(first, ".") {
			others = append(others, i)
		} else {
			standard = append(standard, i)
		}
	}
	return [][]Import{standard, others}
}

// importName returns the name that an import has in its file.
func importName(i Import) string {
	if i.Name != "" {
		return i.Name
	}
	return path.Base(i.Path)
}

// sortedKeys is the one place where a map becomes a slice.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
