package nethttp

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// An incoming is one request, as the schemas of its route describe it.
type incoming struct {
	route   *routeTemplate
	request *http.Request
	query   url.Values // nil until it is needed

	body    *Body      // nil without one
	kind    *BodyParts // of the body, nil without one or of another media type
	content any        // of a body with fields: decoded JSON or url.Values
}

// decode takes what is needed from the body.
func (in *incoming) decode(body *Body) error {
	if body.Empty() {
		if in.route.BodyRequired {
			return errors.New("a body is required")
		}
		return nil
	}
	in.body = body
	for i := range in.route.Bodies {
		// The one that the operation takes is meant, whatever the request says.
		if kind := &in.route.Bodies[i]; len(in.route.Bodies) == 1 || body.Is(kind.MediaType) {
			in.kind = kind
			break
		}
	}
	switch {
	case in.kind == nil:
		return nil
	case in.kind.Encoding == "json":
		decoder := json.NewDecoder(body.Reader())
		decoder.UseNumber() // keeps integers exact
		return decoder.Decode(&in.content)
	case in.kind.Encoding == "form":
		form, err := body.Form()
		in.content = form
		return err
	}
	return nil
}

// key returns the client's key.
func (in *incoming) key() idem.Key {
	p := &in.route.Key
	values, ok := in.values(p)
	switch {
	case !ok:
		return idem.NoKey()
	case len(values) > 1:
		return idem.MalformedKey("there is more than one key")
	case p.In == "header":
		return HeaderKey(values[0])
	}
	return idem.KeyOf(values[0])
}

// text returns a part of the scope, "" where it is absent.
func (in *incoming) text(p *Part) string {
	values, ok := in.values(p)
	if !ok || len(values) > 1 {
		return ""
	}
	switch v := fromText(values[0], p.Type).(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	}
	if p.Format == "uuid" {
		return strings.ToLower(values[0])
	}
	return values[0]
}

// values returns the texts of a part, one but for repeated parameters. Composite
// values of a body have none.
func (in *incoming) values(p *Part) ([]string, bool) {
	switch p.In {
	case "header":
		values := in.request.Header.Values(p.Field)
		return values, len(values) > 0
	case "query":
		if in.query == nil {
			in.query = in.request.URL.Query()
		}
		values, ok := in.query[p.Field]
		return values, ok
	case "path":
		value, ok := in.route.pathValue(p.Field, in.request.URL)
		return []string{value}, ok
	}
	switch v := in.bodyValue(p.Field).(type) {
	case string:
		return []string{v}, true
	case json.Number:
		return []string{v.String()}, true
	case bool:
		return []string{strconv.FormatBool(v)}, true
	case []string:
		return v, len(v) > 0
	case nil:
		return nil, false
	}
	return []string{""}, true // no text, so refused
}

// bodyValue follows a JSON Pointer (RFC 6901) into the body. It is nil where it
// leads to nothing or to null.
func (in *incoming) bodyValue(pointer string) any {
	if form, ok := in.content.(url.Values); ok && pointer != "" {
		if values := form[unescape(pointer[1:])]; len(values) > 0 {
			return values
		}
		return nil
	}
	value := in.content
	for pointer != "" {
		token, rest := pointer[1:], ""
		if end := strings.IndexByte(token, '/'); end >= 0 {
			token, rest = token[:end], token[end:]
		}
		pointer = rest
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = member(object, unescape(token))
	}
	return value
}

// member returns the member that a handler would decode for a name: as the
// package encoding/json does, it falls back on a name in another case.
func member(object map[string]any, name string) any {
	value, ok := object[name]
	if ok {
		return value
	}
	found := ""
	for other := range object {
		if strings.EqualFold(other, name) && (found == "" || other < found) {
			found = other
		}
	}
	return object[found]
}

func unescape(token string) string { return strings.NewReplacer("~1", "/", "~0", "~").Replace(token) }

// fingerprint writes what is compared.
func (in *incoming) fingerprint(h *idem.Hasher) {
	for i := range in.route.Fingerprint {
		in.parameter(h, &in.route.Fingerprint[i])
	}
	if in.kind == nil {
		in.otherBody(h)
		return
	}
	for i := range in.kind.Parts {
		p := &in.kind.Parts[i]
		h.Field(p.Name)
		switch in.kind.Encoding {
		case "json":
			writeValue(h, in.bodyValue(p.Field), p)
		case "form":
			writeValue(h, fromTexts(in.bodyValue(p.Field), p.Type), p)
		case "multipart":
			in.multipart(h)
		default:
			in.upload(h)
		}
	}
}

// upload writes the body by its bytes.
func (in *incoming) upload(h *idem.Hasher) {
	upload := idem.NewUpload(in.body.Reader())
	h.Upload(upload)
	upload.Close()
}

// multipart writes a body of parts; one that has none counts by its bytes.
func (in *incoming) multipart(h *idem.Hasher) {
	parts, err := in.body.Multipart()
	if err != nil {
		in.upload(h)
		return
	}
	upload := idem.NewMultipartUpload(parts)
	h.MultipartUpload(upload)
	upload.Close()
}

// otherBody writes every part of a body as absent where there is no body, and as
// all of it where it is of a media type that the document does not have: it is
// not known what the handler makes of that.
func (in *incoming) otherBody(h *idem.Hasher) {
	seen := make(map[string]bool)
	for i := range in.route.Bodies {
		for j := range in.route.Bodies[i].Parts {
			p := &in.route.Bodies[i].Parts[j]
			if !seen[p.Name] {
				seen[p.Name] = true
				h.Field(p.Name)
				if in.body == nil {
					writeValue(h, nil, p)
				} else {
					in.upload(h)
				}
			}
		}
	}
}

// parameter writes a parameter, or the media type of the body.
func (in *incoming) parameter(h *idem.Hasher, p *Part) {
	h.Field(p.Name)
	if p.In == "media type" {
		if in.body == nil {
			h.Null()
		} else {
			h.MediaType(in.request.Header.Get("Content-Type"))
		}
		return
	}
	values, ok := in.values(p)
	switch {
	case p.Type == "object" && p.In == "query":
		// Its members may be parameters of any name.
		h.Any(in.wholeQuery())
	case !ok:
		writeValue(h, nil, p)
	default:
		writeValue(h, fromTexts(values, p.Type), p)
	}
}

// wholeQuery returns every parameter but the key.
func (in *incoming) wholeQuery() map[string][]string {
	query := maps.Clone(in.query)
	if in.route.Key.In == "query" {
		delete(query, in.route.Key.Field)
	}
	return query
}

// writeValue writes a value as its schema describes it, nil as the default.
func writeValue(h *idem.Hasher, value any, p *Part) {
	if value == nil && p.Default != "" {
		decoder := json.NewDecoder(strings.NewReader(p.Default))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			value = nil
		}
	}
	switch v := value.(type) {
	case nil:
		h.Null()
	case string:
		writeText(h, v, p.Format)
	default:
		h.Any(v)
	}
}

// writeText writes a text by what its format says it stands for, as it is where
// it stands for nothing of that kind.
func writeText(h *idem.Hasher, text, format string) {
	switch format {
	case "date-time":
		if v, err := time.Parse(time.RFC3339, text); err == nil {
			h.Time(v)
			return
		}
	case "date":
		if v, err := time.Parse(time.DateOnly, text); err == nil {
			h.Date(v)
			return
		}
	case "uuid":
		text = strings.ToLower(text)
	case "byte":
		if v, err := base64.StdEncoding.DecodeString(text); err == nil {
			h.Bytes(v)
			return
		}
	}
	h.String(text)
}

// fromTexts is fromText for a parameter or a member of a form, which can be
// repeated. It returns nil for nil.
func fromTexts(values any, schemaType string) any {
	texts, ok := values.([]string)
	if !ok || len(texts) != 1 || schemaType == "array" {
		return values
	}
	return fromText(texts[0], schemaType)
}

// fromText returns the value that a text of a parameter stands for, the text
// itself where it is none of the type.
func fromText(text, schemaType string) any {
	switch schemaType {
	case "integer":
		if v, err := strconv.ParseInt(text, 10, 64); err == nil {
			return v
		}
	case "number":
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return v
		}
	case "boolean":
		if v, err := strconv.ParseBool(text); err == nil {
			return v
		}
	}
	return text
}
