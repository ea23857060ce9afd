// Command idemgen turns the idempotency contracts of an OpenAPI document into
// Go code around a server that oapi-codegen has generated.
package main

import (
	"os"
	"runtime/debug"
)

// gcPercent lets garbage grow: a run ends before most of it is worth collecting,
// and is a quarter faster so. GOGC in the environment has the last word.
const gcPercent = 400

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
