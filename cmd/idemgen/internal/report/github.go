package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
)

// GitHub prints findings as workflow commands, which GitHub shows as
// annotations of the lines that a pull request changes.
func GitHub(w io.Writer, findings diag.List) error {
	var b strings.Builder
	for _, d := range findings {
		r := d.Range
		fmt.Fprintf(&b, "::%s file=%s,line=%d,col=%d", githubLevel(d.Severity), property(r.File), r.Start.Line, r.Start.Column)
		if r.End.Line == r.Start.Line && r.End.Column > r.Start.Column {
			fmt.Fprintf(&b, ",endLine=%d,endColumn=%d", r.End.Line, r.End.Column)
		}
		fmt.Fprintf(&b, ",title=%s::%s\n", property(d.Rule), data(message(d)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func githubLevel(s diag.Severity) string {
	switch s {
	case diag.Error:
		return "error"
	case diag.Warning:
		return "warning"
	}
	return "notice"
}

// message is all that a finding says, for formats with a single text.
func message(d diag.Diagnostic) string {
	text := d.Message
	if d.Hurts != "" {
		text += "\nhurts: " + d.Hurts
	}
	if d.Hint != "" {
		text += "\nhint: " + d.Hint
	}
	return text
}

// data escapes the message of a workflow command.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// property escapes a value before its message.
func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
