package main

import (
	"fmt"
	"io"
	"time"
)

// A row is one measurement, as medians.
type row struct {
	what      string
	callers   int
	unit      string
	ratio     float64 // of ours to the limit; more is better
	peerRatio float64 // of the peer to the limit, zero for none
	limit     figures
	ours      figures
	peer      figures
	server    bool   // the figures of the server count
	note      string // instead of figures
}

// figures are those of one contender, per operation.
type figures struct {
	time     float64 // in one caller, ns
	allocs   float64
	commands float64
	cpu      float64 // of redis-server, µs
	own      float64 // of this process, µs
}

// A table prints rows as they come.
type table struct{ out io.Writer }

const columns = "%-26s %-17s %8s %8s   %-34s %-34s %s\n"

func (t *table) head() {
	fmt.Fprintln(t.out, "Medians of interleaved rounds. × is times the limit's throughput, or the limit's time or size by ours.")
	fmt.Fprintln(t.out, "Per operation: time as one caller sees it, allocations, commands sent, µs of processor time of redis-server")
	fmt.Fprintln(t.out, "and of this process, in which clients, HTTP servers and callers run.")
	fmt.Fprintln(t.out)
	fmt.Fprintf(t.out, columns, "what", "callers", "ours", "peer", "ours", "peer", "limit")
}

func (t *table) print(r row) {
	ratio := func(v float64) string {
		if v == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f×", v)
	}
	who := ""
	if r.callers > 0 {
		who = fmt.Sprintf("%d %s", r.callers, plural(r.unit, r.callers))
	}
	ours, peer, limit := r.note, "", ""
	if ours == "" {
		ours, limit = r.ours.text(r.server), r.limit.text(r.server)
		if r.peerRatio > 0 {
			peer = r.peer.text(r.server)
		}
	}
	fmt.Fprintf(t.out, columns, r.what, who, ratio(r.ratio), ratio(r.peerRatio), ours, peer, limit)
}

func (t *table) foot(took time.Duration) {
	fmt.Fprintf(t.out, "\n%.0f s\n", took.Seconds())
}

func (f figures) text(server bool) string {
	text := fmt.Sprintf("%7s %5.1f", duration(f.time), f.allocs)
	if server {
		text += fmt.Sprintf(" %5.2f %5.1f %5.1f", f.commands, f.cpu, f.own)
	}
	return text
}

// duration prints nanoseconds with three digits.
func duration(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.0fns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.3gµs", ns/1e3)
	case ns < 1e9:
		return fmt.Sprintf("%.3gms", ns/1e6)
	}
	return fmt.Sprintf("%.3gs", ns/1e9)
}

// plural is the singular of a unit for one.
func plural(unit string, n int) string {
	if n == 1 {
		return unit[:len(unit)-1]
	}
	return unit
}

// races runs those of the plan and prints their rows.
func (t *table) races(p plan, all []race) error {
	for i := range all {
		r := &all[i]
		if !p.wants(r.what, r.callers, r.unit) {
			continue
		}
		result, err := r.run(p)
		if err != nil {
			return err
		}
		t.print(result)
	}
	return nil
}

// wants reports whether a row is to be measured.
func (p plan) wants(what string, callers int, unit string) bool {
	return p.only.MatchString(fmt.Sprintf("%s %d %s", what, callers, unit))
}
