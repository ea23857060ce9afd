package main

import (
	"io"
	"os"
)

// colored reports whether to print in colour: on a terminal, unless the user
// has set NO_COLOR (no-color.org) or the terminal cannot.
func colored(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
