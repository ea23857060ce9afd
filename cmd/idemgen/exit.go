package main

import (
	"errors"
	"fmt"
	"io"
)

// Exit codes.
const (
	exitClean    = 0
	exitFindings = 1 // something is wrong with the contracts, or files are not up to date
	exitFailed   = 2 // the job could not be done: unreadable input, bad flags
)

// errFindings ends a command whose findings have been printed.
var errFindings = errors.New("findings")

// run runs the command line and returns its exit code. Findings go to stdout,
// everything else to stderr.
func run(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	switch err := root.Execute(); {
	case err == nil:
		return exitClean
	case errors.Is(err, errFindings):
		return exitFindings
	default:
		fmt.Fprintf(stderr, "idemgen: %v\n", err)
		return exitFailed
	}
}
