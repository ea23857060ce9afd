package spec

import "path/filepath"

// LoadValue reads a file of settings, YAML or JSON, with the place of
// everything in it.
func LoadValue(file string) (Value, error) {
	src, err := readSource(disk, filepath.ToSlash(file))
	if err != nil {
		return Value{}, err
	}
	return newValue(node{src, follow(src.root)}), nil
}
