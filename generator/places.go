package generator

import (
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/idemgen/idemgen/generator/internal/gomodel"
)

// defaultOutput is the name of the generated file.
const defaultOutput = "idempotency.gen.go"

// places are the files and folders of a run.
type places struct {
	pkg    string   // folder of the generated server
	skip   []string // files in it that are no input
	output string
	model  gomodel.Options
}

// places fills in the defaults and compares the options with each other.
func (o Options) places() (places, error) {
	p := places{pkg: o.Package, output: o.Output}
	if p.pkg == "" {
		p.pkg = filepath.Dir(o.Spec)
	}
	if p.output == "" {
		p.output = filepath.Join(p.pkg, defaultOutput)
	}
	beside, err := sameFolder(filepath.Dir(p.output), p.pkg)
	if err != nil {
		return p, err
	}
	p.model = gomodel.Options{Source: relative(filepath.Dir(p.output), o.Spec), PackageName: o.PackageName}
	switch {
	case o.PackageName == "" && !beside:
		return p, fmt.Errorf("%s is outside the package in %s: give its package a name with --package-name", p.output, p.pkg)
	case o.PackageName == "":
		p.skip = []string{filepath.Base(p.output)}
		return p, nil
	case beside:
		return p, fmt.Errorf("a package named %s needs a folder of its own: give a file in it with --output", o.PackageName)
	case !token.IsIdentifier(o.PackageName):
		return p, fmt.Errorf("%q is no name for a Go package", o.PackageName)
	}
	p.model.ImportPath, err = importPath(p.pkg)
	return p, err
}

func sameFolder(a, b string) (bool, error) {
	a, errA := filepath.Abs(a)
	b, errB := filepath.Abs(b)
	return a == b, errors.Join(errA, errB)
}

// relative is the slash path from a folder to a file, so that the generated
// file does not depend on where the project lies. Across volumes there is none.
func relative(folder, file string) string {
	folder, errFolder := filepath.Abs(folder)
	absolute, errFile := filepath.Abs(file)
	rel, err := filepath.Rel(folder, absolute)
	if errors.Join(errFolder, errFile, err) != nil {
		return filepath.Base(file)
	}
	return filepath.ToSlash(rel)
}

// importPath is the import path of the package in a folder: that of its module
// and the way down from there.
func importPath(folder string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	for root := folder; ; root = filepath.Dir(root) {
		data, err := os.ReadFile(filepath.Join(root, "go.mod"))
		if err == nil {
			module := modfile.ModulePath(data)
			if module == "" {
				return "", fmt.Errorf("%s names no module", filepath.Join(root, "go.mod"))
			}
			return path.Join(module, relative(root, folder)), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if root == filepath.Dir(root) {
			return "", fmt.Errorf("no go.mod in %s or above: the import path of the package is not known", folder)
		}
	}
}
