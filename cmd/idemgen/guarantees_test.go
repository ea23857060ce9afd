package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGuaranteesNameRealTests sees to it that each claim of docs/guarantees.md
// is shown by a test that exists.
func TestGuaranteesNameRealTests(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "guarantees.md"))
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	err = filepath.WalkDir(filepath.Join(root, "runtime"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		code.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`(Test[A-Za-z0-9]+)(?:/([^`]+))?`").FindAllStringSubmatch(string(page), -1)
	if len(names) < 40 {
		t.Errorf("the page names %d tests, fewer than it has claims", len(names))
	}
	for _, name := range names {
		if !strings.Contains(code.String(), "func "+name[1]+"(t *testing.T)") {
			t.Errorf("%s does not exist", name[1])
		}
		if fault := strings.ReplaceAll(name[2], "_", " "); fault != "" && !strings.Contains(code.String(), `name: "`+fault+`"`) {
			t.Errorf("%s has no subtest %q", name[1], fault)
		}
	}
}
