// Package codegen runs oapi-codegen, in the version that the user's module has.
//
// It runs as a process: what a project's server is generated with is the
// project's choice, and its library would make idemgen half as large again.
package codegen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Run is one run of oapi-codegen.
type Run struct {
	// Folder is where it runs: its configuration counts paths from there.
	Folder string
	// Config is the text of its configuration, which says nothing of output.
	Config []byte
	// Document is the OpenAPI document, from Folder.
	Document string
	// Output is the name of the file that it would write.
	Output string
}

// Generate returns the code that oapi-codegen generates, and what it printed
// besides. It writes no file of the project. An error has what oapi-codegen
// said.
func (r Run) Generate(ctx context.Context) (code []byte, log string, err error) {
	scratch, err := os.MkdirTemp("", "idemgen-*")
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	config, output := filepath.Join(scratch, "config.yaml"), filepath.Join(scratch, filepath.Base(r.Output))
	if err := os.WriteFile(config, r.Config, 0o600); err != nil {
		return nil, "", err
	}
	log, err = r.run(ctx, "-config", config, "-o", output, r.Document)
	if err != nil {
		return nil, log, err
	}
	code, err = os.ReadFile(output)
	return code, log, err
}

// importPath is that of oapi-codegen's command.
const importPath = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen"

// ErrNotFound means that there is no oapi-codegen to run.
var ErrNotFound = errors.New("oapi-codegen is neither a tool of the module, nor among its dependencies, nor in PATH: " +
	"run go get -tool " + importPath + "@latest")

// run runs oapi-codegen as the module has it: as a tool (go get -tool), as a
// dependency (a file tools.go), else as whatever is in PATH.
func (r Run) run(ctx context.Context, args ...string) (log string, err error) {
	for _, way := range []struct {
		command []string
		missing []string // what the go command says where there is no such way
	}{
		{[]string{"go", "tool", "oapi-codegen"}, []string{"no such tool", "go.mod file not found", "cannot find main module"}},
		{[]string{"go", "run", importPath}, []string{"no required module provides package", "cannot find main module", "cannot find module providing package"}},
		{[]string{"oapi-codegen"}, nil},
	} {
		if _, err := exec.LookPath(way.command[0]); err != nil {
			continue
		}
		log, err := r.exec(ctx, append(way.command, args...))
		if err == nil || !containsAny(log, way.missing) {
			return log, err
		}
	}
	return "", ErrNotFound
}

func (r Run) exec(ctx context.Context, command []string) (log string, err error) {
	process := exec.CommandContext(ctx, command[0], command[1:]...)
	process.Dir = r.Folder
	var printed bytes.Buffer
	process.Stdout, process.Stderr = &printed, &printed
	err = process.Run()
	log = strings.TrimSpace(printed.String())
	if err != nil {
		err = fmt.Errorf("oapi-codegen cannot generate the server: %s", orElse(log, err.Error()))
	}
	return log, err
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
