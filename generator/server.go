package generator

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/idemgen/idemgen/generator/internal/codegen"
	"github.com/idemgen/idemgen/generator/internal/output"
	"github.com/idemgen/idemgen/generator/internal/server"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// A serverRun is a run of oapi-codegen and what its configuration says that
// matters here.
type serverRun struct {
	config   string
	folder   string
	output   string   // what it writes
	overlays []string // that it applies to the document
}

// serverRun reads the configuration of oapi-codegen, nil for none.
func (o Options) serverRun() (*serverRun, error) {
	if o.Server == "" {
		return nil, nil
	}
	root, err := spec.LoadValue(o.Server)
	if err != nil {
		return nil, err
	}
	run := &serverRun{config: o.Server, folder: o.Folder}
	written, ok := textAt(root, "output")
	if !ok {
		return nil, fmt.Errorf("%s has no output: say which file oapi-codegen writes", o.Server)
	}
	run.output = run.path(written)
	if overlay, ok := textAt(root, "output-options", "overlay", "path"); ok {
		run.overlays = []string{run.path(overlay)}
	}
	return run, nil
}

// path is a path of the configuration as seen from here.
func (r *serverRun) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(r.folder, filepath.FromSlash(name))
}

// textAt returns the text behind the names of nested mappings.
func textAt(v spec.Value, path ...string) (string, bool) {
	for _, name := range path {
		found := false
		for _, e := range v.Entries {
			if e.Name == name {
				v, found = e.Value, true
				break
			}
		}
		if !found {
			return "", false
		}
	}
	return v.Text, v.Kind == spec.String && v.Text != ""
}

// after returns the options as they are once oapi-codegen has run.
func (o Options) after(run *serverRun) Options {
	if run != nil {
		o.Package = cmp.Or(o.Package, filepath.Dir(run.output))
		o.Overlays = slices.Concat(run.overlays, o.Overlays)
	}
	return o
}

// generatePackage runs oapi-codegen on a document and reads the package with
// what it generated, which is not on disk yet.
func (r *serverRun) generatePackage(document string, where places) packageRead {
	file, log, err := r.generate(document)
	if err != nil {
		return packageRead{err: err}
	}
	pkg, err := readFresh(where, file)
	return packageRead{pkg, []output.File{file}, log, err}
}

func (r *serverRun) generate(document string) (file output.File, log string, err error) {
	config, err := spec.WithoutMember(r.config, "output")
	if err != nil {
		return file, "", err
	}
	code, log, err := codegen.Run{
		Folder:   r.folder,
		Config:   config,
		Document: filepath.FromSlash(relative(r.folder, document)),
		Output:   r.output,
	}.Generate(context.Background())
	return output.File{Path: r.output, Content: code}, log, err
}

func readFresh(where places, generated output.File) (*server.Package, error) {
	fresh := map[string][]byte{}
	if beside, err := sameFolder(filepath.Dir(generated.Path), where.pkg); err != nil {
		return nil, err
	} else if beside {
		fresh[filepath.Base(generated.Path)] = generated.Content
	}
	return server.ReadFresh(where.pkg, fresh, where.skip...)
}

// makeFolder makes the folder of a file, as oapi-codegen would.
func makeFolder(file output.File) error { return os.MkdirAll(filepath.Dir(file.Path), 0o755) }
