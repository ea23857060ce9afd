package redistest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
)

// isStopped asks whether SIGSTOP has taken effect: it is sent at once, but a
// process that runs on another processor goes on for a moment.
func isStopped(pid int) func(context.Context) error {
	return func(context.Context) error {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return err
		}
		// The state follows the name, which is in parentheses and may hold any.
		_, state, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')'):], []byte(" "))
		if !bytes.HasPrefix(state, []byte("T")) {
			return errors.New("the process has not stopped yet")
		}
		return nil
	}
}
