package contract

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// fingerprint is what a document says about which parts make it the same
// request. Without parts it says request: all that the handler sees.
type fingerprint struct{ parts []expression }

// readFingerprint reads the word request or a list of expressions.
func (r *reader) readFingerprint(v spec.Value) (fingerprint, bool) {
	switch {
	case v.Kind == spec.String && v.Text == "request":
		return fingerprint{}, true
	case v.Kind == spec.String && v.Text != "":
		r.wants(v, "fingerprint", "request or a list", "write ["+v.Text+"]")
		return fingerprint{}, false
	case v.Kind != spec.List:
		r.wants(v, "fingerprint", "request or a list of expressions", "write request, or a list such as [amount, currency]")
		return fingerprint{}, false
	case len(v.Items) == 0:
		r.report(RuleBadValue, v.Range, "fingerprint is empty: a key could be used again for any other request",
			"write request, or a list such as [amount, currency]")
		return fingerprint{}, false
	}
	var f fingerprint
	good := true
	for _, item := range v.Items {
		e, ok := r.readExpression("fingerprint", item)
		f.parts = append(f.parts, e)
		good = good && ok
	}
	return f, good
}

// fingerprint fills in which parts make it the same request.
func (b *builder) fingerprint(s settings) {
	if s.fingerprint.present && !s.fingerprint.ok {
		return
	}
	parts := s.fingerprint.value.parts
	if len(parts) == 0 {
		b.wholeRequest(at(s.fingerprint, b.contract.Range))
		b.distinct("fingerprint", b.contract.Fingerprint)
		return
	}
	for _, e := range parts {
		f, ok := b.resolve(e)
		if !ok {
			continue
		}
		if b.isKey(f) {
			b.report(RuleKeyFingerprinted, e.at, fmt.Sprintf("%s is the key: it identifies the request and does not describe it", f.Expression),
				"remove it from the fingerprint")
			continue
		}
		b.contract.Fingerprint = append(b.contract.Fingerprint, f)
		if f.Source == Body {
			b.inEachContent(f)
		}
	}
	b.distinct("fingerprint", b.contract.Fingerprint)
}

// inEachContent adds a field of the body to the fingerprint of every content.
func (b *builder) inEachContent(f Field) {
	for _, c := range b.request.contents {
		if one, ok := b.contentField(c, f.Tokens, f.Range); ok {
			c.Fingerprint = append(c.Fingerprint, one)
		}
	}
}

// wholeRequest expands the word request: path and query parameters, then the
// body.
func (b *builder) wholeRequest(at diag.Range) {
	for i := range b.request.parameters {
		p := &b.request.parameters[i]
		if p.In != "path" && p.In != "query" {
			continue
		}
		if f, ok := b.parameterField(p, at); ok {
			b.addUnlessKey(f)
		}
	}
	b.wholeBody(at)
}

func (b *builder) addUnlessKey(f Field) {
	if !b.isKey(f) {
		b.contract.Fingerprint = append(b.contract.Fingerprint, f)
	}
}

// distinct reports fields that a list names twice, under whatever spelling.
// Their names tell fields apart in a stored fingerprint.
func (b *builder) distinct(list string, fields []Field) {
	seen := map[string]Field{}
	for _, f := range fields {
		first, ok := seen[f.Name]
		switch {
		case !ok:
			seen[f.Name] = f
		case first.Expression == f.Expression:
			b.report(RuleRepeated, f.Range, fmt.Sprintf("%s is in the %s twice", f.Expression, list), "remove one of the two")
		default:
			b.report(RuleRepeated, f.Range, fmt.Sprintf("%s and %s are both known as %s", first.Expression, f.Expression, f.Name),
				"name only one of the two, or rename one in the document")
		}
	}
}
