// Package output brings finished files to disk, or shows what would change.
package output
