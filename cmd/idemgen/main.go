// Command idemgen turns the idempotency contracts of an OpenAPI document into
// Go code around a server that oapi-codegen has generated.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
