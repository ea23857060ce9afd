package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"strings"

	"github.com/idemgen/idemgen/generator"
)

// openVersion is the version of a document that an argument names: a file, or
// ref:path, a file of a git commit. A file of that very name comes first.
func openVersion(ctx context.Context, arg string) (generator.Version, error) {
	ref, file, isRef := strings.Cut(arg, ":")
	if _, err := os.Stat(arg); err == nil || !isRef {
		return generator.Version{File: relativeFile(arg)}, nil
	}
	if file == "" {
		return generator.Version{}, fmt.Errorf("%s names a commit and no file in it: write %s:openapi.yaml", arg, ref)
	}
	tree, err := git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{tree}")
	if err != nil {
		return generator.Version{}, fmt.Errorf("%s: there is neither such a file nor a commit %s%s", arg, ref, gitSays(err))
	}
	if strings.HasPrefix(file, "./") || strings.HasPrefix(file, "../") {
		prefix, err := git(ctx, "rev-parse", "--show-prefix")
		if err != nil {
			return generator.Version{}, fmt.Errorf("%s: %w", arg, err)
		}
		file = path.Join(strings.TrimSpace(string(prefix)), file)
	}
	commit := gitTree{ctx, ref, strings.TrimSpace(string(tree))}
	return generator.Version{File: path.Clean(file), Read: commit.read}, nil
}

// A gitTree is the files of a commit.
type gitTree struct {
	ctx  context.Context
	ref  string // as the user wrote it
	tree string // its object
}

// read returns a file of the tree.
func (t gitTree) read(file string) ([]byte, error) {
	object := t.tree + ":" + file
	if _, err := git(t.ctx, "cat-file", "-e", "--end-of-options", object); err != nil {
		return nil, &fs.PathError{Op: "read", Path: t.ref + ":" + file, Err: fs.ErrNotExist}
	}
	data, err := git(t.ctx, "cat-file", "blob", object)
	if err != nil {
		return nil, fmt.Errorf("%s:%s is no file%s", t.ref, file, gitSays(err))
	}
	return data, nil
}

// git runs git in the working directory and returns what it prints.
func git(ctx context.Context, args ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("git is not installed, or not in the PATH")
	}
	return out, err
}

// gitSays is what git had to say about its failure, in parentheses.
func gitSays(err error) string {
	text := err.Error()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		text, _, _ = strings.Cut(string(bytes.TrimSpace(exit.Stderr)), "\n")
	}
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}
