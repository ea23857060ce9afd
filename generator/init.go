package generator

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// ConfigFile is the name of the configuration file.
const ConfigFile = "idemgen.yaml"

// A Start is what [Init] found and wrote.
type Start struct {
	// Config is the file that was written.
	Config string
	// Specs are the OpenAPI documents, as slash paths relative to the folder.
	Specs []string
	// Generate are the lines to paste into a Go file of the folder.
	Generate []string
	// Wanted are the operations that want a contract: POST or PATCH, and
	// neither one nor an exemption.
	Wanted []string
	// Notes are what to change before the first run.
	Notes []string
}

// Init writes a configuration file, with comments, into a folder that has an
// OpenAPI document. It never overwrites one: that there is one already is an
// error, for which errors.Is reports [fs.ErrExist].
func Init(folder string) (*Start, error) {
	start := &Start{Config: filepath.Join(folder, ConfigFile)}
	if _, err := os.Lstat(start.Config); err == nil {
		return nil, fmt.Errorf("%s: %w", start.Config, fs.ErrExist)
	}
	found, err := look(folder)
	if err != nil {
		return nil, err
	}
	if len(found.documents) == 0 {
		return nil, fmt.Errorf("no OpenAPI document in %s, and none that a go:generate line there names: give the folder that has one", folder)
	}
	server := found.server(start)
	for _, document := range found.documents {
		start.Specs = append(start.Specs, document.name)
		start.Wanted = append(start.Wanted, wanted(document.Document)...)
		if server == nil {
			start.Generate = append(start.Generate, "//go:generate go tool oapi-codegen -config oapi-codegen.yaml "+document.name)
		}
	}
	start.Generate = append(start.Generate, "//go:generate go tool idemgen generate")
	return start, writeNew(start.Config, found.config(server))
}

// writeNew writes a file that must not be there yet.
func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// wanted lists the operations of a document that want a contract.
func wanted(document *spec.Document) []string {
	var list []string
	for i := range document.Operations {
		o := &document.Operations[i]
		if (o.Method != "POST" && o.Method != "PATCH") || o.Contract != nil {
			continue
		}
		name := o.Method + " " + o.Path
		if o.ID != "" {
			name += " (" + o.ID + ")"
		}
		list = append(list, name)
	}
	return list
}

// A folderContent is what a folder has that idemgen can start from.
type folderContent struct {
	documents []foundDocument
	servers   []foundServer
}

type foundDocument struct {
	*spec.Document
	name string // slash path relative to the folder
}

// A foundServer is a configuration of oapi-codegen.
type foundServer struct {
	name   string
	strict bool
	output string // slash path, "" for none
}

// look reads the YAML and JSON files of a folder, and those that go:generate
// lines of its Go files hand to oapi-codegen.
func look(folder string) (folderContent, error) {
	var found folderContent
	entries, err := os.ReadDir(folder)
	if err != nil {
		return found, err
	}
	var named []string
	for _, entry := range entries {
		switch name := entry.Name(); {
		case entry.IsDir():
		case strings.HasSuffix(name, ".go"):
			named = append(named, generatedFrom(filepath.Join(folder, name))...)
		case slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)):
			found.add(folder, name)
		}
	}
	for _, name := range named {
		found.add(folder, name)
	}
	return found, nil
}

// generatedFrom lists the documents that go:generate lines of a Go file hand to
// oapi-codegen: its last argument.
func generatedFrom(file string) []string {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil // a file that cannot be read names nothing
	}
	var list []string
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) > 1 && words[0] == "//go:generate" && strings.Contains(line, "oapi-codegen") {
			list = append(list, strings.Trim(words[len(words)-1], `"`))
		}
	}
	return list
}

// add notes a file if it is of use.
func (f *folderContent) add(folder, name string) {
	name = filepath.ToSlash(filepath.Clean(name))
	path := filepath.Join(folder, filepath.FromSlash(name))
	text, err := os.ReadFile(path)
	if err != nil || slices.ContainsFunc(f.documents, func(d foundDocument) bool { return d.name == name }) {
		return
	}
	if bytes.Contains(text[:min(len(text), 1<<16)], []byte("openapi")) {
		if document, err := spec.Load(path); err == nil {
			f.documents = append(f.documents, foundDocument{document, name})
			return
		}
	}
	if server, ok := readServer(path, name); ok {
		f.servers = append(f.servers, server)
	}
}

// readServer reads a configuration of oapi-codegen, which names a package and
// what to generate.
func readServer(path, name string) (foundServer, bool) {
	server := foundServer{name: name}
	root, err := spec.LoadValue(path)
	if err != nil {
		return server, false
	}
	var named, generates bool
	for _, member := range root.Entries {
		switch member.Name {
		case "package":
			named = true
		case "output":
			server.output = filepath.ToSlash(member.Value.Text)
		case "generate":
			generates = true
			for _, option := range member.Value.Entries {
				server.strict = server.strict || option.Name == "strict-server" && option.Value.Text == "true"
			}
		}
	}
	return server, named && generates
}

// server chooses the configuration that belongs to the only document, the
// strict one of several, and notes what keeps it from being used. Nil means that
// oapi-codegen has to be run by itself.
func (f *folderContent) server(start *Start) *foundServer {
	if len(f.documents) != 1 || len(f.servers) == 0 {
		return nil
	}
	server := &f.servers[max(0, slices.IndexFunc(f.servers, func(s foundServer) bool { return s.strict }))]
	if !server.strict {
		start.Notes = append(start.Notes, server.name+" generates no strict server: set strict-server: true below generate")
	}
	if server.output == "" {
		start.Notes = append(start.Notes, server.name+" has no output: say there which file oapi-codegen writes")
	}
	return server
}

// config writes the configuration file.
func (f *folderContent) config(server *foundServer) []byte {
	var b bytes.Buffer
	b.WriteString(`# What idemgen generates from, and which findings of lint are accepted. Paths
# are relative to this folder. For completion in an editor run
#   idemgen schema config > idemgen.schema.json
# and put this line at the top: "# yaml-language-server: $schema=idemgen.schema.json"

specs:
`)
	for _, document := range f.documents {
		fmt.Fprintf(&b, "  - spec: %s\n", yamlText(document.name))
		b.WriteString("    # Configuration of oapi-codegen, which is run first.\n")
		if server != nil {
			fmt.Fprintf(&b, "    server: %s\n", yamlText(server.name))
		} else {
			b.WriteString("    # server: oapi-codegen.yaml\n")
		}
		b.WriteString(`    # Folder of oapi-codegen's output, if it is neither known from server nor the
    # document's folder.
    # package: internal/api
    # A package of its own for the generated code, and its file.
    # package-name: idempotent
    # output: internal/idempotent/idempotency.gen.go
    # OpenAPI Overlays to apply first: contracts for a document that is not yours.
    # overlay: [contracts.overlay.yaml]
`)
	}
	b.WriteString(`
# Findings to accept, each with the reason. Errors cannot be accepted, and an
# entry that accepts nothing is reported.
# lint:
#   suppress:
#     - rule: unprotected-operation
#       operation: searchPayments # left out: everywhere
#       reason: reads only
`)
	return b.Bytes()
}

// yamlText writes a path in YAML, with quotes where it may need them.
func yamlText(path string) string {
	if strings.ContainsAny(path, ":#'\"{}[],&*!|>%@` ") {
		return "'" + strings.ReplaceAll(path, "'", "''") + "'"
	}
	return path
}
