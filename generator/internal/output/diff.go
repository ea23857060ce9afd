package output

import (
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff shows what [Write] would change as unified diffs, in the order of the
// files; it is empty where nothing would.
func Diff(files ...File) ([]byte, error) {
	var all []byte
	for _, file := range files {
		old, found, err := current(file.Path)
		if err != nil {
			return nil, err
		}
		name := filepath.ToSlash(file.Path)
		oldName := name
		if !found {
			oldName = "/dev/null"
		}
		all = append(all, diff.Diff(oldName, old, name, file.Content)...)
	}
	return all, nil
}
