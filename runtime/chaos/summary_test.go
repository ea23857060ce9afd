//go:build unix

package chaos

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// writeSummary prints one table of all rows.
func writeSummary(w io.Writer, rows []*row) {
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "requests\tkeys\teffects\tdouble\texcused\ttwo answers\texcused\tstuck\tseconds\t\t  fault")
	for _, r := range rows {
		verdict := "ok"
		if r.bad {
			verdict = "FAILED"
		}
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t%s\t  %s\n",
			r.requests, r.keys, r.effects, r.doubles, r.excusedTotal(), r.answers, r.excusedAnswers, r.stuck,
			r.took.Round(100*time.Millisecond).Seconds(), verdict, r.fault)
	}
	table.Flush()
	fmt.Fprint(w, `
double: effects of a key beyond its first among attempts that lived, 0 is promised.
A living attempt is of a worker that was not killed before it had settled the key,
nor stopped or cut off from the store for a lease, nor told that its lease is lost.
two answers: keys whose clients got two distinct answers, 0 is promised.
stuck: keys not answered at once when the fault and one lease are over, 0 is promised.
excused: not promised, and why:
`)
	for _, r := range rows {
		fmt.Fprintf(w, "  %s: %s", r.fault, r.may)
		if whys := r.whys(); whys != "" {
			fmt.Fprintf(w, " [%s]", whys)
		}
		if r.note != "" {
			fmt.Fprintf(w, "\n    %s", r.note)
		}
		fmt.Fprintln(w)
	}
}
