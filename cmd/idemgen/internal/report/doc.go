// Package report prints findings. Each format is a function of the findings,
// and of the texts they are about where it shows or fingerprints them.
package report
