package main

import (
	"os"
	"path/filepath"
	"strings"
)

// sources reads files for the excerpts of a report, each once.
type sources map[string][]string

func newSources() sources { return sources{} }

// lines returns the lines of a file, none where it cannot be read.
func (s sources) lines(file string) []string {
	if lines, ok := s[file]; ok {
		return lines
	}
	data, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		s[file] = nil // a report without its excerpt is better than none
		return nil
	}
	text := strings.TrimPrefix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\uFEFF")
	s[file] = strings.Split(text, "\n")
	return s[file]
}
