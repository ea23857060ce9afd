//go:build !linux

package redistest

import "context"

// isStopped takes the signal for its effect.
func isStopped(int) func(context.Context) error {
	return func(context.Context) error { return nil }
}
