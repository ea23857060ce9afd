package gomodel

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/server"
)

// operation joins one contract with its generated operation.
func (b *builder) operation(c *contract.Contract, op server.Operation) Operation {
	var receives []Receive
	var bodies []Term
	if !b.pkg.Strict {
		known := len(b.diags)
		if receives, bodies = b.receives(c, &op); len(b.diags) > known {
			return Operation{Name: op.Name, Contract: op.Name + "Contract"}
		}
	}
	o := &operation{builder: b, contract: c, server: op}
	view := Operation{
		Method:    c.Method,
		Path:      c.Path,
		Name:      op.Name,
		Field:     lowerFirst(op.Name) + "Operation",
		Contract:  op.Name + "Contract",
		Request:   b.api + op.Request,
		Response:  b.api + op.Response,
		Visit:     op.Visit,
		Serve:     b.backend.serve,
		Record:    b.backend.record(op.Visit),
		Parameter: b.backend.parameter,
		Writer:    b.backend.writer,
		Doc:       doc(c, op),
		Terms:     terms(c),
		Principal: c.Principal,
	}
	view.KeyValue = o.alternatives(c.Key, o.key)
	view.ScopeParts = o.scope()
	view.Fingerprint = o.fingerprint()
	view.Body = !o.several() && o.readsBody(c.Fingerprint)
	view.BodyCases, view.NoBody = o.bodyCases()
	view.Uploads = o.uploads
	if view.Defaults = o.defaults; len(o.defaults) > 0 {
		view.DefaultsVar = o.defaultsVariable()
	}
	if !b.pkg.Strict {
		view.Handler = o.handler(&view, receives, bodies)
	}
	if c.Replay == "reload" {
		view.Reload = "Reload" + op.Name
	}
	return view
}

// doc says what the literal of a contract does not: where its key is and what
// its fingerprint is made of.
func doc(c *contract.Contract, op server.Operation) string {
	text := fmt.Sprintf("%sContract is the contract of %s %s. Its key is %s. ", op.Name, c.Method, c.Path, c.Key.Expression)
	if len(c.Fingerprint) == 0 {
		return text + "All requests with one key are the same request."
	}
	names := make([]string, len(c.Fingerprint))
	for i, f := range c.Fingerprint {
		names[i] = f.Name
	}
	return text + "Requests are the same if they agree in " + strings.Join(names, ", ") + "."
}

// An operation is what is needed to build the view of one.
type operation struct {
	*builder
	contract *contract.Contract
	server   server.Operation
	branch   *server.Field // the body at hand, where there can be several
	uploads  []Upload
	defaults []NamedDefault
}

// fail adds an error at the place where the contract names the field.
func (o *operation) fail(rule string, f contract.Field, hint, format string, args ...any) {
	o.report(rule, f.Range, o.contract.Operation, hint, format, args...)
}

func lowerFirst(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(first)) + s[size:]
}
