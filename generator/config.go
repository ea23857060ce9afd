package generator

import (
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// ReadSpecs reads the section specs of a configuration file: what to generate
// from, with the flags of the command generate. Paths count from the file's
// folder.
//
//	specs:
//	  - spec: payments/openapi.yaml
//	    server: payments/oapi-codegen.yaml
//	  - spec: orders/openapi.yaml
//	    package: orders/api
//	    overlay: [orders/contracts.yaml]
//
// An error means that the file could not be read, or names the place where it
// makes no sense.
func ReadSpecs(file string) ([]Options, error) {
	root, err := spec.LoadValue(file)
	if err != nil {
		return nil, err
	}
	top, err := fields(root, "the configuration", "specs", "lint")
	if err != nil {
		return nil, err
	}
	list := top["specs"]
	switch {
	case list == nil:
		return nil, misfit(root.Range, "the configuration has no specs to generate from")
	case list.Kind != spec.List || len(list.Items) == 0:
		return nil, misfit(list.Range, "specs is a list of mappings with spec and flags of generate")
	}
	var all []Options
	for _, item := range list.Items {
		opts, err := readSpec(item, filepath.Dir(file))
		if err != nil {
			return nil, err
		}
		all = append(all, opts)
	}
	return all, nil
}

// readSpec reads one of the specs. Folder is where the configuration is.
func readSpec(item spec.Value, folder string) (Options, error) {
	opts := Options{Folder: folder}
	members, err := fields(item, "a spec", "spec", "package", "output", "package-name", "overlay", "server", "middleware")
	if err != nil {
		return opts, err
	}
	if members["spec"] == nil {
		return opts, misfit(item.Range, "a spec needs the field spec, which names the OpenAPI document")
	}
	for _, field := range []struct {
		name   string
		value  *string
		isPath bool
	}{{"spec", &opts.Spec, true}, {"package", &opts.Package, true}, {"output", &opts.Output, true},
		{"server", &opts.Server, true}, {"package-name", &opts.PackageName, false}} {
		v := members[field.name]
		switch {
		case v == nil:
		case v.Kind != spec.String || v.Text == "":
			return opts, misfit(v.Range, "%s must be a text", field.name)
		case field.isPath:
			*field.value = below(folder, v.Text)
		default:
			*field.value = v.Text
		}
	}
	if v := members["middleware"]; v != nil {
		if v.Kind != spec.Bool {
			return opts, misfit(v.Range, "middleware must be true or false")
		}
		opts.Middleware = strings.EqualFold(v.Text, "true")
	}
	opts.Overlays, err = readOverlays(members["overlay"], folder)
	return opts, err
}

func readOverlays(list *spec.Value, folder string) ([]string, error) {
	if list == nil {
		return nil, nil
	}
	if list.Kind != spec.List {
		return nil, misfit(list.Range, "overlay is a list of files")
	}
	var overlays []string
	for _, v := range list.Items {
		if v.Kind != spec.String || v.Text == "" {
			return nil, misfit(v.Range, "overlay is a list of files, not of %s", v.Kind)
		}
		overlays = append(overlays, below(folder, v.Text))
	}
	return overlays, nil
}

// below is a slash path of a configuration in the given folder.
func below(folder, name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(folder, name)
}
