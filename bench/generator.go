package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// generatorRows compare the time of idemgen with that of oapi-codegen on the same
// documents: the programs are built first, and run as a user would.
func generatorRows(p plan, t *table) error {
	if !p.wants("generate", 0, "") && !p.wants("lint", 0, "") {
		return nil
	}
	dir, err := os.MkdirTemp("", "idemgen-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root, err := repository()
	if err != nil {
		return err
	}
	ours, theirs := filepath.Join(dir, "idemgen"), filepath.Join(dir, "oapi-codegen")
	for program, pkg := range map[string]string{
		ours: "./cmd/idemgen", theirs: "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen",
	} {
		if out, err := command(root, "go", "build", "-o", program, pkg).CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w: %s", pkg, err, out)
		}
	}
	example := filepath.Join(root, "examples", "payments")
	spec, config := filepath.Join(example, "openapi.yaml"), filepath.Join(example, "oapi-codegen.yaml")
	into := filepath.Join(dir, "out")
	limit := func() *exec.Cmd {
		return command(into, theirs, "-config", config, "-o", filepath.Join(into, "api.gen.go"), spec)
	}
	for what, run := range map[string]func() *exec.Cmd{
		"generate": func() *exec.Cmd {
			return command(example, ours, "generate", "--check", "--package", "api", "openapi.yaml")
		},
		"lint": func() *exec.Cmd { return command(example, ours, "lint", "--fail-on", "never", "openapi.yaml") },
	} {
		if err := os.MkdirAll(into, 0o755); err != nil {
			return err
		}
		var bare, own []float64
		for range p.rounds {
			for _, turn := range []struct {
				cmd  *exec.Cmd
				took *[]float64
			}{{limit(), &bare}, {run(), &own}} {
				began := time.Now()
				if out, err := turn.cmd.CombinedOutput(); err != nil {
					return fmt.Errorf("%s: %w: %s", strings.Join(turn.cmd.Args, " "), err, out)
				}
				*turn.took = append(*turn.took, float64(time.Since(began)))
			}
		}
		t.print(row{
			what: what, ratio: median(bare) / median(own),
			note: fmt.Sprintf("%s; oapi-codegen %s, for examples/payments", duration(median(own)), duration(median(bare))),
		})
	}
	return nil
}

func command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	return cmd
}

// repository is the folder that this module is in.
func repository() (string, error) {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return "", fmt.Errorf("the folder of the repository is not known")
	}
	return filepath.Dir(filepath.Dir(file)), nil
}
