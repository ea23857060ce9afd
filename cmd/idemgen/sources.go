package main

import (
	"os"
	"path/filepath"
	"strings"
)

// sources reads files for the excerpts of a report, each once.
type sources struct {
	read  func(file string) ([]byte, error)
	files map[string][]string
}

// newSources returns the files of the file system.
func newSources() sources {
	return sourcesFrom(func(file string) ([]byte, error) { return os.ReadFile(filepath.FromSlash(file)) })
}

// sourcesFrom returns files that read reads, such as those of a commit.
func sourcesFrom(read func(file string) ([]byte, error)) sources {
	return sources{read: read, files: map[string][]string{}}
}

// lines returns the lines of a file, none where it cannot be read.
func (s sources) lines(file string) []string {
	if lines, ok := s.files[file]; ok {
		return lines
	}
	data, err := s.read(file)
	if err != nil {
		s.files[file] = nil // a report without its excerpt is better than none
		return nil
	}
	text := strings.TrimPrefix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\uFEFF")
	s.files[file] = strings.Split(text, "\n")
	return s.files[file]
}
