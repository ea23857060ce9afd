package nethttp

import (
	"strings"

	"github.com/dunglas/httpsfv"
	idem "github.com/idemgen/idemgen/runtime"
)

// HeaderKey returns the key that is the value of a header. The quoted form, a
// string item of RFC 9651 (which obsoletes RFC 8941) whose parameters are
// ignored, and the bare form are the same key. An empty value is a malformed
// key, not an absent one. Length and characters are for the engine to check.
func HeaderKey(value string) idem.Key {
	value = strings.Trim(value, " \t")
	if !strings.HasPrefix(value, `"`) {
		return idem.KeyOf(value)
	}
	item, err := httpsfv.UnmarshalItem([]string{value})
	if err != nil {
		return idem.MalformedKey("the key starts with a quotation mark but is no structured-field string")
	}
	key, _ := item.Value.(string) // a quotation mark starts nothing else
	return idem.KeyOf(key)
}

// OptionalHeaderKey is [HeaderKey] for a header that may be absent: then value
// is nil.
func OptionalHeaderKey(value *string) idem.Key {
	if value == nil {
		return idem.NoKey()
	}
	return HeaderKey(*value)
}
