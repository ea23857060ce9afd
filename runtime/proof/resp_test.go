package proof

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// readValue reads one value of the Redis protocol, version 2 or 3, and returns
// its bytes.
func readValue(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	if len(line) < 3 {
		return nil, fmt.Errorf("line %q is too short", line)
	}
	parts := 0
	switch line[0] {
	case '$', '=', '!':
		n, err := strconv.Atoi(string(line[1 : len(line)-2]))
		if err != nil || n < 0 {
			return line, err
		}
		text := make([]byte, n+2)
		_, err = io.ReadFull(r, text)
		return append(line, text...), err
	case '*', '~', '>':
		parts = 1
	case '%', '|':
		parts = 2
	default:
		return line, nil
	}
	n, err := strconv.Atoi(string(line[1 : len(line)-2]))
	if err != nil {
		return nil, err
	}
	if line[0] == '|' {
		parts, n = 1, 2*n+1 // attributes, then what they belong to
	}
	for range parts * n {
		part, err := readValue(r)
		if err != nil {
			return nil, err
		}
		line = append(line, part...)
	}
	return line, nil
}

// readCommand reads a command and returns its words, and its bytes.
func readCommand(r *bufio.Reader) (words []string, raw []byte, err error) {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return nil, nil, err
	}
	if len(line) < 4 || line[0] != '*' {
		return nil, nil, fmt.Errorf("%q is no command", line)
	}
	n, err := strconv.Atoi(string(line[1 : len(line)-2]))
	if err != nil {
		return nil, nil, err
	}
	raw = line
	for range n {
		part, err := readValue(r)
		if err != nil {
			return nil, nil, err
		}
		raw = append(raw, part...)
		words = append(words, text(part))
	}
	return words, raw, nil
}

// text is the content of a bulk string.
func text(bulk []byte) string {
	for i, b := range bulk {
		if b == '\n' && len(bulk) >= i+3 {
			return string(bulk[i+1 : len(bulk)-2])
		}
	}
	return ""
}
