package gomodel

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/server"
)

// absent returns the statement for an absent value whose schema has a default:
// the one that writes a value equal to it.
func (o *operation) absent(p pick, f contract.Field) string {
	t := p.typ
	if t.Kind == server.Nullable {
		t = t.Elem()
	}
	t = t.Follow()
	value, err := decode(f.Default)
	if err == nil && value == nil {
		return "h.Null()"
	}
	if t.Kind == server.RawJSON && err == nil {
		return "h.JSON([]byte(" + quote(string(f.Default)) + "))"
	}
	if err == nil {
		if statement, ok := writeDefault(t, value); ok {
			return statement
		}
	}
	o.fail(RuleDefaultMismatch, f, "correct the default in the schema",
		"the default %s of %s does not fit its type, so an absent field has no value to be equal to", f.Default, f.Expression)
	return ""
}

// decode decodes JSON with its numbers as they are written.
func decode(data []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one JSON value")
	}
	return value, nil
}

// writeDefault returns the statement that writes a default of the given type.
func writeDefault(t server.Type, value any) (string, bool) {
	switch t.Kind {
	case server.Bool:
		v, ok := value.(bool)
		return fmt.Sprintf("h.Bool(%t)", v), ok
	case server.Int, server.Uint, server.Float:
		v, ok := value.(json.Number)
		if !ok {
			return "", false
		}
		return writeNumber(t, v.String())
	case server.String, server.Bytes, server.UUID, server.Date, server.Time:
		v, ok := value.(string)
		if !ok {
			return "", false
		}
		return writeText(t.Kind, v)
	}
	text, ok := literal(value)
	return "h.Any(" + text + ")", ok
}

func writeNumber(t server.Type, text string) (string, bool) {
	switch t.Kind {
	case server.Int:
		v, err := strconv.ParseInt(text, 10, 64)
		return fmt.Sprintf("h.Int(%d)", v), err == nil
	case server.Uint:
		v, err := strconv.ParseUint(text, 10, 64)
		return fmt.Sprintf("h.Uint(%d)", v), err == nil
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return "", false
	}
	if t.Basic == "float32" { // rounded as decoding would have
		return "h.Float(float64(float32(" + text + ")))", true
	}
	return "h.Float(" + text + ")", true
}

var uuidForm = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

func writeText(kind server.Kind, text string) (string, bool) {
	switch kind {
	case server.UUID:
		return "h.String(" + quote(strings.ToLower(text)) + ")", uuidForm.MatchString(text)
	case server.Bytes:
		v, err := base64.StdEncoding.DecodeString(text)
		return "h.Bytes([]byte(" + quote(string(v)) + "))", err == nil
	case server.Date:
		v, err := time.Parse(time.DateOnly, text)
		return "h.Date(" + date(v) + ")", err == nil
	case server.Time:
		v, err := time.Parse(time.RFC3339, text)
		return "h.Time(" + date(v.UTC()) + ")", err == nil
	}
	return "h.String(" + quote(text) + ")", true
}

func date(t time.Time) string {
	return fmt.Sprintf("time.Date(%d, time.%s, %d, %d, %d, %d, %d, time.UTC)",
		t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond())
}

// literal writes a JSON value as a Go literal. The hasher compares by value,
// so the types inside do not matter.
func literal(value any) (string, bool) {
	switch v := value.(type) {
	case nil:
		return "nil", true
	case bool:
		return strconv.FormatBool(v), true
	case string:
		return quote(v), true
	case json.Number:
		if _, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return "int64(" + v.String() + ")", true
		}
		_, err := strconv.ParseFloat(v.String(), 64)
		return "float64(" + v.String() + ")", err == nil
	case []any:
		return list("[]any{", len(v), func(i int) (string, bool) { return literal(v[i]) })
	case map[string]any:
		keys := sortedKeys(v)
		return list("map[string]any{", len(keys), func(i int) (string, bool) {
			text, ok := literal(v[keys[i]])
			return quote(keys[i]) + ": " + text, ok
		})
	}
	return "", false
}

func list(open string, n int, element func(i int) (string, bool)) (string, bool) {
	parts := make([]string, n)
	for i := range parts {
		text, ok := element(i)
		if !ok {
			return "", false
		}
		parts[i] = text
	}
	return open + strings.Join(parts, ", ") + "}", true
}
