package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withBody is an operation with a contract and the content of its body.
func withBody(contract, content string) string {
	return `
paths:
  /orders:
    post:
      operationId: createOrder
      x-idempotency: ` + contract + `
      parameters:` + keyParameter + `
      requestBody:
        required: true
        content: ` + content + `
      responses: {"201": {description: created}}
`
}

// names lists a fingerprint: all fields, then those of each content.
func names(c Contract) []string {
	var list []string
	line := func(fields []Field) string {
		var words []string
		for _, f := range fields {
			words = append(words, f.Name)
		}
		return strings.Join(words, " ")
	}
	list = append(list, line(c.Fingerprint))
	for _, content := range c.Contents {
		list = append(list, fmt.Sprintf("%s %d: %s", content.MediaType, content.Encoding, line(content.Fingerprint)))
	}
	return list
}

func TestContents(t *testing.T) {
	const object = `{schema: {type: object, properties: {a: {type: string}, b: {type: integer}}}}`
	const other = `{schema: {type: object, properties: {b: {type: string}, c: {type: integer}}}}`
	for _, test := range []struct {
		name, contract, content string
		want                    []string
	}{
		{"one", "true", `{application/json: ` + object + `}`,
			[]string{"a b", "application/json 0: a b"}},
		{"JSON of two types", "true", `{application/json: ` + object + `, application/vnd.x+json: ` + other + `}`,
			[]string{"header.Content-Type a b c", "application/json 0: a b", "application/vnd.x+json 0: b c"}},
		{"form", "true", `{application/x-www-form-urlencoded: ` + object + `}`,
			[]string{"a b", "application/x-www-form-urlencoded 1: a b"}},
		{"parameters of a media type", "true", `{"Application/JSON; charset=utf-8": ` + object + `}`,
			[]string{"a b", "application/json; charset=utf-8 0: a b"}},
		{"multipart is compared as a whole", "true", `{multipart/form-data: ` + object + `}`,
			[]string{"$request.body", "multipart/form-data 2: $request.body"}},
		{"text", "true", `{text/plain: {schema: {type: string}}}`,
			[]string{"$request.body", "text/plain 3: $request.body"}},
		{"binary", "true", `{application/octet-stream: {}}`,
			[]string{"$request.body", "application/octet-stream 4: $request.body"}},
		{"a range is several types", "true", `{"image/*": {}}`,
			[]string{"header.Content-Type $request.body", "image/* 4: $request.body"}},
		{"everything", "true", `{application/json: ` + object + `, text/plain: {}, application/pdf: {}}`,
			[]string{"header.Content-Type a b $request.body", "application/json 0: a b", "text/plain 3: $request.body", "application/pdf 4: $request.body"}},
		{"a field that all have", "{fingerprint: [b]}", `{application/json: ` + object + `, application/x-www-form-urlencoded: ` + other + `}`,
			[]string{"b", "application/json 0: b", "application/x-www-form-urlencoded 1: b"}},
		{"the media type by itself", "{fingerprint: [$request.header.content-type]}", `{application/json: ` + object + `}`,
			[]string{"header.Content-Type", "application/json 0: "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := names(readGood(t, withBody(test.contract, test.content))[0])
			if d := cmp.Diff(test.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestFieldOfTwoContents(t *testing.T) {
	c := readGood(t, withBody("{fingerprint: [b]}", `
          application/json: {schema: {type: object, required: [b], properties: {b: {type: integer, default: 1}}}}
          application/x+json: {schema: {type: object, properties: {b: {type: string, default: x}}}}`))[0]
	if f := c.Fingerprint[0]; f.Type != "" || f.Required {
		t.Errorf("type %q, required %t: the contents do not agree", f.Type, f.Required)
	}
	for i, want := range []string{"1", `"x"`} {
		if got := string(c.Contents[i].Fingerprint[0].Default); got != want {
			t.Errorf("default %s, want %s", got, want)
		}
	}
}

func TestContentMistakes(t *testing.T) {
	for _, test := range []struct{ contract, content, message string }{
		{"{fingerprint: [$request.body#/a]}", `{text/plain: {}}`, "$request.body#/a: a body of text/plain has no fields"},
		{"{fingerprint: [a]}", `{multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}}}`,
			"createOrder has no body property or parameter a"},
		{"{fingerprint: [a]}", `{application/json: {schema: {type: object, properties: {a: {type: string}}}}, application/x+json: {schema: {type: object}}}`,
			"$request.body of createOrder has no property a in application/x+json"},
		{"true", `{application/x-ndjson: {}}`, "createOrder takes the stream application/x-ndjson: what has no end cannot be compared before the handler runs"},
		{"{scope: [$request.header.Content-Type]}", `{application/json: {}}`, "the media type of a body does not tell whose a key is"},
	} {
		_, findings := readText(t, withBody(test.contract, test.content))
		if len(findings) != 1 || findings[0].Message != test.message {
			t.Errorf("%s %s: %v", test.contract, test.content, findings)
		}
	}
}
