package generator

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/complete"
	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/output"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// CompleteOptions say what to complete and how.
type CompleteOptions struct {
	// Spec is the OpenAPI document.
	Spec string
	// AsOverlay gives an OpenAPI Overlay 1.0 instead of the whole document.
	AsOverlay bool
	// Output is the file to write. Default: none, the text is only returned.
	// It may be Spec itself.
	Output string
}

// A Completion is what came of completing a document.
type Completion struct {
	// Findings are what is wrong with the contracts themselves. Where one is
	// an error there is no text.
	Findings diag.List
	// Text is the document, or the overlay.
	Text []byte
	// Left is what is missing still and where to add it by hand: what stands in
	// another file, or in a text that stands for several places.
	Left []string
}

// Complete adds to a document what its contracts imply and it does not say: the
// key parameter, the answers that refuse a request and the headers of replies.
// Everything else of the text stays, byte for byte. An error means that a file
// could not be read or written, or that the text is laid out in a way that
// cannot be added to.
func Complete(opts CompleteOptions) (*Completion, error) {
	document, err := spec.Load(opts.Spec)
	if err != nil {
		return nil, err
	}
	contracts, findings := contract.Read(document)
	findings = slices.DeleteFunc(findings, noMatterForReaders)
	if findings.HasErrors() {
		return &Completion{Findings: findings}, nil
	}
	text, err := os.ReadFile(opts.Spec)
	if err != nil {
		return nil, err
	}
	operations := incomplete(document, contracts)
	var result complete.Result
	if opts.AsOverlay {
		result, err = complete.Overlay(text, document.Title, operations)
	} else {
		result, err = complete.Document(text, operations)
	}
	if err == nil && opts.Output != "" {
		_, err = output.Write(output.File{Path: filepath.Clean(opts.Output), Content: result.Text})
	}
	if err != nil {
		return nil, err
	}
	return &Completion{findings, result.Text, result.Left}, nil
}

// noMatterForReaders reports findings that say nothing against completing or
// documenting a contract: a missing key parameter is what is added, and what
// the generator cannot do or a $ref elsewhere does not change what the contract
// implies.
func noMatterForReaders(d diag.Diagnostic) bool {
	switch d.Rule {
	case contract.RuleKeyUndeclared, contract.RuleUnsupportedBody, contract.RuleUnsupportedStream,
		spec.RuleBrokenReference:
		return true
	}
	return false
}

// incomplete describes the operations with a contract as package complete needs
// them.
func incomplete(document *spec.Document, contracts []contract.Contract) []complete.Operation {
	byName := map[string]*spec.Operation{}
	for i := range document.Operations {
		o := &document.Operations[i]
		byName[o.Method+" "+o.Path] = o
	}
	list := make([]complete.Operation, 0, len(contracts))
	for i := range contracts {
		c := &contracts[i]
		operation := byName[c.Method+" "+c.Path]
		list = append(list, complete.Operation{
			Name: c.Operation, Method: c.Method, Path: c.Path, Principal: c.Principal,
			Key:   undeclaredKey(document, operation, c),
			Keeps: keeps(c, operation),
		})
	}
	return list
}

// undeclaredKey is the parameter that the contract names as its key, nil where
// the operation has it. A key in the path or the body cannot be added.
func undeclaredKey(document *spec.Document, operation *spec.Operation, c *contract.Contract) *complete.Key {
	if c.Key.Expression != "" {
		return nil
	}
	expression := "$request.header.Idempotency-Key"
	for _, extension := range []*spec.Entry{document.Defaults, operation.Contract} {
		if extension == nil {
			continue
		}
		for _, field := range extension.Value.Entries {
			if field.Name == "key" {
				expression = field.Value.Text
			}
		}
	}
	for _, in := range []string{"header", "query"} {
		if name, ok := strings.CutPrefix(expression, "$request."+in+"."); ok {
			return &complete.Key{Name: name, In: in, Required: c.Required, Format: c.KeyFormat}
		}
	}
	return nil
}

// keeps tells which of the answers that an operation lists its contract keeps.
// What default stands for is mostly an error: it counts as kept where a status
// outside of 2XX that is not listed is, or where no answer that is listed is.
func keeps(c *contract.Contract, operation *spec.Operation) func(status string) bool {
	listed, _ := operation.Responses()
	var keepsListed bool
	rest := c.Remember
	for _, response := range listed {
		from, to, ok := statuses(response.Status)
		keepsListed = keepsListed || ok && overlaps(c.Remember, from, to)
		if ok {
			rest = without(rest, from, to)
		}
	}
	rest = without(rest, 200, 299)
	return func(status string) bool {
		if strings.EqualFold(status, "default") {
			return len(rest) > 0 || !keepsListed
		}
		from, to, ok := statuses(status)
		return ok && overlaps(c.Remember, from, to)
	}
}

// statuses reads OpenAPI's form of one status or of a hundred.
func statuses(text string) (from, to int, ok bool) {
	if len(text) == 3 && strings.EqualFold(text[1:], "xx") {
		hundred, err := strconv.Atoi(text[:1])
		return hundred * 100, hundred*100 + 99, err == nil
	}
	status, err := strconv.Atoi(text)
	return status, status, err == nil
}

func overlaps(ranges []contract.StatusRange, from, to int) bool {
	return slices.ContainsFunc(ranges, func(r contract.StatusRange) bool { return r.From <= to && from <= r.To })
}

// without takes statuses out of ranges.
func without(ranges []contract.StatusRange, from, to int) []contract.StatusRange {
	var rest []contract.StatusRange
	for _, r := range ranges {
		if below := (contract.StatusRange{From: r.From, To: min(r.To, from-1)}); below.From <= below.To {
			rest = append(rest, below)
		}
		if above := (contract.StatusRange{From: max(r.From, to+1), To: r.To}); above.From <= above.To {
			rest = append(rest, above)
		}
	}
	return rest
}
