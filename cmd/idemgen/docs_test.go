package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every command line in the documentation is one that the command takes.
func TestDocumentedCommands(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no documentation", err)
	}
	command := regexp.MustCompile(`(?m)^(?:\s*(?:- run|entry): go tool |//go:generate go tool |)idemgen ([a-z][^>\n]*)`)
	fence := regexp.MustCompile("(?s)\n```[a-z]*\n(.*?)\n```")
	count := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
			for _, m := range command.FindAllStringSubmatch(block[1], -1) {
				count++
				found, args, err := newRoot().Find(strings.Fields(m[1]))
				if err == nil {
					err = found.ParseFlags(args)
				}
				if err != nil || !found.Runnable() {
					t.Errorf("%s: idemgen %s: %v", file, m[1], err)
				}
			}
		}
	}
	if count < 8 {
		t.Errorf("only %d commands were found: the test looks in the wrong place", count)
	}
}
