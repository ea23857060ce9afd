package nethttp

import (
	"net/http"
	"slices"
	"strings"

	idem "github.com/idemgen/idemgen/runtime"
)

// Header lines that tell a client how it came by its answer.
const (
	replayedHeader    = "Idempotent-Replayed"
	unprotectedHeader = "Idempotent-Unprotected"
)

// keptLines returns the lines that are kept of an answer, which may be lines
// itself. Left out are the hop-by-hop ones (RFC 9110 section 7.6.1 and those
// that Connection names), Date, Set-Cookie, and the marks of this package.
func keptLines(lines []idem.HeaderLine) []idem.HeaderLine {
	hop := connectionNames(lines)
	drop := func(line idem.HeaderLine) bool {
		if len(hop) == 0 && !mayBeDropped(len(line.Name)) {
			return false
		}
		name := http.CanonicalHeaderKey(line.Name)
		return alwaysDropped(name) || slices.Contains(hop, name)
	}
	if !slices.ContainsFunc(lines, drop) {
		return lines
	}
	return slices.DeleteFunc(slices.Clone(lines), drop)
}

// mayBeDropped reports whether any of the names that are always dropped is so
// long: that is quicker to see than a name.
func mayBeDropped(length int) bool {
	switch length {
	case 2, 4, 7, 10, 16, 17, 19, 22:
		return true
	}
	return false
}

func alwaysDropped(name string) bool {
	switch name {
	case "Connection", "Proxy-Connection", "Keep-Alive", "Te", "Transfer-Encoding", "Upgrade",
		"Date", "Set-Cookie", replayedHeader, unprotectedHeader:
		return true
	}
	return false
}

// connectionNames returns the header names that Connection lists.
func connectionNames(lines []idem.HeaderLine) []string {
	var names []string
	for _, line := range lines {
		if len(line.Name) != len("Connection") || !strings.EqualFold(line.Name, "Connection") {
			continue
		}
		for name := range strings.SplitSeq(line.Value, ",") {
			names = append(names, http.CanonicalHeaderKey(strings.TrimSpace(name)))
		}
	}
	return names
}

// addLines puts an answer's lines into the header that is about to be sent. It
// may hold lines of middleware around the server already: the answer's replace
// those of the same name, as a handler's own Set would, but cookies and Vary,
// which several hands write, are added to them.
func addLines(h http.Header, lines []idem.HeaderLine) {
	values := make([]string, len(lines))
	for i, line := range lines {
		values[i] = line.Value
	}
	replaced := make([]string, 0, 16)
	for i := 0; i < len(lines); {
		name, end := lines[i].Name, i+1
		for end < len(lines) && lines[end].Name == name {
			end++
		}
		group := values[i:end:end]
		i = end
		switch {
		case name == "Set-Cookie" || name == "Vary":
			h[name] = appendMissing(h[name], group)
		case slices.Contains(replaced, name): // its lines are not in one place
			h[name] = append(h[name], group...)
		default:
			h[name] = group
			replaced = append(replaced, name)
		}
	}
}

// appendMissing appends the values that are not there yet.
func appendMissing(values, more []string) []string {
	if len(values) == 0 {
		return more
	}
	there := len(values)
	for _, v := range more {
		if !slices.Contains(values[:there], v) {
			values = append(values, v)
		}
	}
	return values
}
