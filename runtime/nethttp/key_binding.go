package nethttp

import (
	"encoding/hex"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	idem "github.com/idemgen/idemgen/runtime"
)

// A KeyBinding finds out whether a generated server refused a request because
// of its key, where the server's binding errors do not tell: those of echo, gin,
// Fiber and iris are mere text. It looks at the request instead.
type KeyBinding struct {
	keys []keyRoute
	opts []idem.Option
}

// NewKeyBinding returns a KeyBinding for the given parameters. Of the options,
// [idem.WithProblemBase] has an effect.
func NewKeyBinding(params []KeyParameter, opts ...idem.Option) *KeyBinding {
	return &KeyBinding{keys: keyRoutes(params), opts: opts}
}

// Refusal returns the problem missing-key or invalid-key for a request that its
// server refused with status 400, nil if its key is not the reason. Pattern is
// the route that the router found, such as /payments/:id, "" if it is not known.
func (b *KeyBinding) Refusal(r *http.Request, pattern string) *Reply {
	for i := range b.keys {
		k := &b.keys[i]
		if k.Method != r.Method || !k.serves(pattern, r.URL) {
			continue
		}
		values := k.values(r)
		switch {
		case len(values) == 0 && k.Optional:
			return nil
		case len(values) == 0:
			return k.refusal(idem.CodeMissingKey, b.opts)
		case len(values) > 1 || !bindable(values[0], k.Type):
			return k.refusal(idem.CodeInvalidKey, b.opts)
		}
		return nil
	}
	return nil
}

// FastRefusal is [KeyBinding.Refusal] for a server of fasthttp, which has no
// http.Request. The uri is path and query as the request has them.
func (b *KeyBinding) FastRefusal(method, uri string, header map[string][]string, pattern string) *Reply {
	u, err := url.ParseRequestURI(uri)
	if err != nil {
		return nil
	}
	return b.Refusal(&http.Request{Method: method, URL: u, Header: header}, pattern)
}

// values returns the key as often as the request has it.
func (k *keyRoute) values(r *http.Request) []string {
	switch k.In {
	case "query":
		return r.URL.Query()[k.Name]
	case "path":
		return k.pathValue(r.URL)
	}
	return r.Header.Values(k.Name)
}

// pathValue returns the segment of the path that holds the key.
func (k *keyRoute) pathValue(u *url.URL) []string {
	path := segments(u.EscapedPath())
	for i, template := range k.template {
		before, after, ok := cutParameter(template)
		if at := len(path) - len(k.template) + i; ok && at >= 0 && template == before+"{"+k.Name+"}"+after {
			value := strings.TrimSuffix(strings.TrimPrefix(path[at], before), after)
			if plain, err := url.PathUnescape(value); err == nil {
				value = plain
			}
			return []string{value}
		}
	}
	return nil
}

// bindable reports whether the binding takes value for a parameter of the given
// Go type.
func bindable(value, goType string) bool {
	if value == "" {
		return false
	}
	var err error
	switch {
	case goType == "uuid":
		return isUUID(value)
	case strings.HasPrefix(goType, "int"):
		_, err = strconv.ParseInt(value, 10, bitSize(goType, "int"))
	case strings.HasPrefix(goType, "uint"):
		_, err = strconv.ParseUint(value, 10, bitSize(goType, "uint"))
	}
	return err == nil
}

// bitSize is the size in the name of an integer type, zero for int and uint.
func bitSize(goType, prefix string) int {
	size, _ := strconv.Atoi(strings.TrimPrefix(goType, prefix))
	return size
}

// isUUID reports whether value is a UUID in one of the forms that the package
// github.com/google/uuid reads.
func isUUID(value string) bool {
	switch len(value) {
	case 36 + len("urn:uuid:"):
		if !strings.EqualFold(value[:9], "urn:uuid:") {
			return false
		}
		value = value[9:]
	case 36 + len("{}"):
		value = value[1:37]
	case 32:
		return isHex(value)
	}
	parts := strings.Split(value, "-")
	for i, size := range []int{8, 4, 4, 4, 12} {
		if len(parts) != 5 || len(parts[i]) != size || !isHex(parts[i]) {
			return false
		}
	}
	return true
}

func isHex(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil
}
