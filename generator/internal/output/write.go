package output

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A File is a finished file.
type File struct {
	Path    string // as the operating system has it
	Content []byte
}

// Write brings all files to disk or, if one cannot be written, none that was
// not there yet in full: each goes into a temporary file of its folder first,
// and only when all have been written are they renamed. A file that has its
// content already is not touched. It returns the paths that changed.
func Write(files ...File) (changed []string, err error) {
	type step struct{ from, to string }
	var steps []step
	defer func() {
		for _, s := range steps {
			err = errors.Join(err, discard(s.from))
		}
	}()
	for _, file := range files {
		old, found, err := current(file.Path)
		if err != nil {
			return nil, err
		}
		if found && bytes.Equal(old, file.Content) {
			continue
		}
		name, err := temporary(file)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step{name, file.Path})
	}
	for _, s := range steps {
		if err := os.Rename(s.from, s.to); err != nil {
			return changed, err
		}
		changed = append(changed, s.to)
	}
	return changed, nil
}

// current reads what is there.
func current(path string) (content []byte, found bool, err error) {
	content, err = os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return content, err == nil, err
}

// temporary writes a file under a passing name beside its place, so that a
// rename stays within one file system. It takes over the permissions of the
// file that it will replace.
func temporary(file File) (name string, err error) {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(file.Path); err == nil {
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(file.Path), "."+filepath.Base(file.Path)+".*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(file.Content)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// discard removes a temporary file that was not renamed.
func discard(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
