package spec

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/diag"
)

// maxReferences bounds a chain of references that lead to references.
const maxReferences = 64

// files holds the files of a document, each read once and only when something
// refers to it.
type files struct {
	open Reader
	read map[string]*source
	fail map[string]error
}

func newFiles(first *source) *files {
	return &files{open: first.open, read: map[string]*source{first.file: first}, fail: map[string]error{}}
}

func (f *files) source(file string) (*source, error) {
	if src, ok := f.read[file]; ok {
		return src, nil
	}
	if err, ok := f.fail[file]; ok {
		return nil, err
	}
	src, err := readSource(f.open, file)
	if err != nil {
		f.fail[file] = err
		return nil, err
	}
	f.read[file] = src
	return src, nil
}

// resolve follows the $ref of n, and those it leads to, to what they stand
// for. A node without a $ref is its own answer.
func (f *files) resolve(n node) (node, *diag.Diagnostic) {
	for range maxReferences {
		ref, ok := n.member("$ref")
		if !ok || !ref.value.is(yaml.ScalarNode) {
			return n, nil
		}
		next, problem := f.target(ref.value)
		if problem != nil {
			return node{}, problem
		}
		n = next
	}
	return node{}, broken(n.place(), "this $ref leads back to itself", "let one of the references stand for a value")
}

// target finds what one $ref points at.
func (f *files) target(ref node) (node, *diag.Diagnostic) {
	file, fragment, _ := strings.Cut(ref.Value, "#")
	src := ref.src
	if file != "" {
		var problem *diag.Diagnostic
		if src, problem = f.file(ref, file); problem != nil {
			return node{}, problem
		}
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return node{}, broken(ref.place(), fmt.Sprintf("$ref %q is not a valid URL", ref.Value), "write a % as %25")
	}
	n := node{src, follow(src.root)}
	tokens, ok := PointerTokens(fragment)
	if !ok {
		return node{}, broken(ref.place(), fmt.Sprintf("$ref %q is not a file with a JSON Pointer behind #", ref.Value),
			"write it like #/components/schemas/Name")
	}
	for _, token := range tokens {
		next := n.child(token)
		if !next.present() {
			return node{}, broken(ref.place(), fmt.Sprintf("$ref %q leads nowhere: %s has no %q there", ref.Value, src.file, token),
				"name something that the document has")
		}
		n = next
	}
	return n, nil
}

// file opens the file of a reference.
func (f *files) file(ref node, file string) (*source, *diag.Diagnostic) {
	if u, err := url.Parse(file); err == nil && u.Scheme != "" {
		return nil, broken(ref.place(), fmt.Sprintf("$ref %q leaves this machine, and idemgen reads local files only", ref.Value),
			"keep a copy beside the document and refer to that")
	}
	file, err := url.PathUnescape(file)
	if err != nil {
		return nil, broken(ref.place(), fmt.Sprintf("$ref %q is not a valid URL", ref.Value), "write a % as %25")
	}
	if !path.IsAbs(file) {
		file = path.Join(path.Dir(ref.src.file), file)
	}
	src, err := f.source(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, broken(ref.place(), fmt.Sprintf("$ref %q leads nowhere: there is no file %s", ref.Value, file), "name a file that exists")
	}
	if err != nil {
		return nil, broken(ref.place(), fmt.Sprintf("$ref %q: %v", ref.Value, err), "name a readable YAML or JSON file")
	}
	return src, nil
}

// child is the part of a node that one token of a JSON Pointer names.
func (n node) child(token string) node {
	if !n.is(yaml.SequenceNode) {
		return n.get(token)
	}
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i >= len(n.Content) {
		return node{}
	}
	return n.in(n.Content[i])
}

// PointerTokens splits a JSON Pointer (RFC 6901) into its unescaped tokens. It
// reports false for a text that is none.
func PointerTokens(pointer string) ([]string, bool) {
	if pointer == "" {
		return nil, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		for rest := token; ; {
			_, after, found := strings.Cut(rest, "~")
			if !found {
				break
			}
			if !strings.HasPrefix(after, "0") && !strings.HasPrefix(after, "1") {
				return nil, false
			}
			rest = after
		}
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	}
	return tokens, true
}
