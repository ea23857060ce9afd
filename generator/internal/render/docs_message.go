package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/contract"
)

const (
	// exampleKey is a key as a client could choose it.
	exampleKey = "0d2f6d8e-6c0b-4f5c-9c1e-8a3b5d7f9e21"
	// problemURN begins the types of problems, unless the server has pages
	// about them.
	problemURN = "urn:idemgen:problem:"
)

// requestMessage writes the example of a request as it is sent.
func requestMessage(o DocsOperation) string {
	c, key := o.Contract, exampleKey
	if c.KeyFormat != "any" && c.KeyFormat != "uuid" {
		key = "YOUR-KEY"
	}
	target := o.Request.Target
	if c.Key.Source == contract.Query {
		separator := "?"
		if strings.Contains(target, "?") {
			separator = "&"
		}
		target += separator + url.QueryEscape(c.Key.Tokens[0]) + "=" + url.QueryEscape(key)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\n", o.Method, target)
	if c.Key.Source == contract.Header {
		fmt.Fprintf(&b, "%s: %s\n", c.Key.Tokens[0], key)
	}
	if c.Principal {
		b.WriteString("Authorization: …\n")
	}
	for _, h := range o.Request.Headers {
		fmt.Fprintf(&b, "%s: %s\n", h.Name, h.Value)
	}
	body := o.Request.Body
	if c.Key.Source == contract.Body {
		body.JSON = withKey(body.JSON, c.Key.Tokens, key)
	}
	writeBody(&b, body)
	return strings.TrimRight(b.String(), "\n")
}

// withKey puts the key into its field of a body.
func withKey(body []byte, path []string, key string) []byte {
	text, _ := json.Marshal(key) // a string always encodes
	if len(path) == 0 {
		return text
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members == nil {
		members = map[string]json.RawMessage{}
	}
	old := members[path[0]]
	value := withKey(old, path[1:], key)
	name, _ := json.Marshal(path[0])
	if old == nil {
		rest := bytes.TrimPrefix(body, []byte("{"))
		if len(members) > 0 {
			rest = append([]byte(","), rest...)
		} else {
			rest = []byte("}")
		}
		return append(fmt.Appendf(nil, "{%s:%s", name, value), rest...)
	}
	return bytes.Replace(body, fmt.Appendf(nil, "%s:%s", name, old), fmt.Appendf(nil, "%s:%s", name, value), 1)
}

// replyMessage writes an answer.
func replyMessage(status string, headers []DocsHeader, body DocsBody) string {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %s\n", statusLine(status))
	for _, h := range headers {
		fmt.Fprintf(&b, "%s: %s\n", h.Name, h.Value)
	}
	writeBody(&b, body)
	return strings.TrimRight(b.String(), "\n")
}

// statusLine is a status with its phrase; of a range its first one.
func statusLine(status string) string {
	n, err := strconv.Atoi(status)
	if err != nil {
		n = http.StatusInternalServerError
		if len(status) == 3 && status[0] >= '1' && status[0] <= '5' {
			n = int(status[0]-'0') * 100
		}
	}
	return strings.TrimRight(fmt.Sprintf("%d %s", n, http.StatusText(n)), " ")
}

// writeBody writes the media type and the body of a message.
func writeBody(b *strings.Builder, body DocsBody) {
	if body.MediaType == "" {
		return
	}
	fmt.Fprintf(b, "Content-Type: %s\n\n", body.MediaType)
	switch essence, _, _ := strings.Cut(strings.ToLower(body.MediaType), ";"); {
	case len(body.JSON) == 0:
		b.WriteString("…")
	case essence == "application/json" || strings.HasSuffix(essence, "+json"):
		b.WriteString(indented(body.JSON))
	case essence == "application/x-www-form-urlencoded":
		b.WriteString(form(body.JSON))
	default:
		b.WriteString("…")
	}
}

func indented(compact []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, compact, "", "  ") != nil {
		return string(compact)
	}
	return b.String()
}

// form writes the members of an object as a form, in their order.
func form(object []byte) string {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return "…"
	}
	var parts []string
	for decoder.More() {
		name, err := decoder.Token()
		var value any
		if err != nil || decoder.Decode(&value) != nil {
			return "…"
		}
		parts = append(parts, url.QueryEscape(fmt.Sprint(name))+"="+url.QueryEscape(fmt.Sprint(value)))
	}
	return strings.Join(parts, "&")
}

// problemMessage writes a refusal.
func problemMessage(status int, name string, retry bool, fields []string) string {
	problem := struct {
		Type   string   `json:"type"`
		Title  string   `json:"title"`
		Status int      `json:"status"`
		Fields []string `json:"fields,omitempty"`
	}{problemURN + name, problemTitle(name), status, fields}
	body, _ := json.Marshal(problem) // strings and a number always encode
	var headers []DocsHeader
	if retry {
		headers = append(headers, DocsHeader{"Retry-After", "5"})
	}
	return replyMessage(strconv.Itoa(status), headers, DocsBody{"application/problem+json", body})
}

// problemTitle is the title that the runtime gives a refusal.
func problemTitle(name string) string {
	return map[string]string{
		"missing-key":           "Idempotency key missing",
		"invalid-key":           "Idempotency key malformed",
		"missing-scope":         "Scope of the idempotency key missing",
		"no-principal":          "Caller unknown",
		"in-progress":           "Request with this idempotency key in progress",
		"outcome-unknown":       "Outcome of the request unknown",
		"response-not-retained": "Request done, its response was not retained",
		"request-too-large":     "Request too large",
		"key-reused":            "Idempotency key used for a different request",
		"store-unavailable":     "Idempotency store unavailable",
		"record-unreadable":     "Idempotency record unreadable",
	}[name]
}
