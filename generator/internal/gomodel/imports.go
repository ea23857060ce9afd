package gomodel

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/server"
)

// Paths of the runtime's packages.
const (
	runtimePath = "github.com/idemgen/idemgen/runtime"
	nethttpPath = runtimePath + "/nethttp"
)

// use enters an import; name is "" where the path's last part is the name.
func (b *builder) use(importPath, name string) {
	if name == packageName(importPath) {
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
		"context", "echo", "errors", "fasthttp", "fiber", "gin", "http", "idem", "io", "iris", "multipart", "nethttp", "runtime", "strconv", "strings", "time",
		"app", "body", "c", "call", "ctx", "e", "engine", "err", "form", "h", "key", "next", "opts", "ok", "own", "parts",
		"principal", "problem", "r", "received", "reference", "refused", "reload", "reply", "request", "response", "s", "text", "upload", "visit", "w",
	}
}

// importGroups returns the imports that file needs: the standard library's
// first, then all others.
func (b *builder) importGroups(file *File) [][]Import {
	if file.Strict {
		b.use("context", "")
	}
	b.use("net/http", "")
	b.use("time", "")
	b.use(runtimePath, "idem")
	b.use(nethttpPath, "")
	b.useFramework(file)
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

// useFramework enters the imports that only some frameworks need.
func (b *builder) useFramework(file *File) {
	framework := b.pkg.Framework
	if file.ErrorHandler != nil && framework != server.Gin && framework != server.Iris {
		b.use("errors", "")
	}
	// A wrapper for echo is one for net/http.
	onlyHandler := framework == server.Echo || framework == server.EchoV5
	if b.backend.name != "" && (file.ErrorHandler != nil || !onlyHandler) {
		b.use(b.pkg.FrameworkPath, b.backend.name)
	}
	if framework == server.Fiber || framework == server.FiberV3 {
		b.use("github.com/valyala/fasthttp", "")
	}
}

// importName returns the name that an import has in its file.
func importName(i Import) string {
	if i.Name != "" {
		return i.Name
	}
	return packageName(i.Path)
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// packageName is the name that the package with the given path has, as far as
// its path tells.
func packageName(importPath string) string {
	base := path.Base(importPath)
	if majorVersion.MatchString(base) {
		base = path.Base(path.Dir(importPath))
	}
	return base
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
