package generator

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// An Explanation is what a document promises about an operation, in words.
type Explanation struct {
	API       string `json:"api"` // info.title
	Operation string `json:"operation"`
	Method    string `json:"method"`
	Path      string `json:"path"`
	// Protected says that the operation has a contract.
	Protected bool `json:"protected"`
	// Exemption is the reason why it has none on purpose, "" for no reason.
	Exemption string `json:"exemption,omitempty"`
	// Promise is the contract in a sentence.
	Promise string `json:"promise"`
	// Terms are the fields of the contract, in the order of the extension's
	// documentation; none without a contract.
	Terms []Term `json:"terms"`
	// Cases tell what happens to a request.
	Cases []Case `json:"cases"`
	// Findings are the errors in the contract. Where there is one, there are
	// neither terms nor cases.
	Findings diag.List `json:"-"`
}

// A Term is a field of a contract.
type Term struct {
	Field string `json:"field"`
	Value string `json:"value"`
	// Stated says that the document has it; else it is the default.
	Stated bool   `json:"stated"`
	Words  string `json:"words"`
}

// A Case is a row of a contract's decision table.
type Case struct {
	When    string `json:"when"`
	Happens string `json:"happens"`
	Client  string `json:"client"` // what the client gets
}

// ExplainRule returns a rule of the catalogue, or a change that [Diff] tells as
// a rule. An unknown id is an error that names the nearest one.
func ExplainRule(id string) (Rule, error) {
	var ids []string
	for _, rule := range Rules() {
		if rule.ID == id {
			return rule, nil
		}
		ids = append(ids, rule.ID)
	}
	for _, change := range Changes() {
		ids = append(ids, change.ID)
	}
	return Rule{}, unknown("rule", id, ids)
}

// ExplainChange returns a change of the catalogue.
func ExplainChange(id string) (Change, bool) {
	for _, change := range Changes() {
		if change.ID == id {
			return change, true
		}
	}
	return Change{}, false
}

func unknown(kind, name string, known []string) error {
	if near := contract.Nearest(name, known); near != "" {
		return fmt.Errorf("there is no %s %s: did you mean %s?", kind, name, near)
	}
	return fmt.Errorf("there is no %s %s", kind, name)
}

// ExplainOperation tells what a document promises about one of its operations,
// given by its operationId, or by method and path: "POST /payments". An error
// means that a file could not be read, or that there is no such operation; it
// names the nearest one then.
func ExplainOperation(file, operation string, overlays ...string) (*Explanation, error) {
	document, err := spec.Load(file, overlays...)
	if err != nil {
		return nil, err
	}
	o, err := findOperation(document, operation)
	if err != nil {
		return nil, err
	}
	e := &Explanation{API: document.Title, Operation: o.Name(), Method: o.Method, Path: o.Path, Exemption: exemption(o)}
	contracts, findings := contract.Read(document)
	for _, d := range findings {
		if d.Severity == diag.Error && (d.Operation == o.Name() || d.Operation == "") {
			e.Findings = append(e.Findings, d)
		}
	}
	if len(e.Findings) > 0 {
		return e, nil
	}
	for i := range contracts {
		if c := &contracts[i]; c.Method == o.Method && c.Path == o.Path {
			e.Protected = true
			e.Promise = promise(c)
			e.Terms = terms(c, statedFields(document.Defaults, o.Contract))
			e.Cases = cases(c)
			return e, nil
		}
	}
	e.Promise = "None: a request that is sent again takes effect again."
	e.Cases = []Case{{"a request is sent again", "The handler runs again.", "The answer of that run."}}
	return e, nil
}

func findOperation(document *spec.Document, name string) (*spec.Operation, error) {
	var names []string
	for i := range document.Operations {
		o := &document.Operations[i]
		place := o.Method + " " + o.Path
		if o.ID == name || strings.EqualFold(place, name) {
			return o, nil
		}
		names = append(names, o.Name())
		if o.ID != "" {
			names = append(names, place)
		}
	}
	return nil, fmt.Errorf("%s: %w", document.File, unknown("operation", name, names))
}

// Operations lists the operations of a document, by operationId, else by method
// and path.
func Operations(file string) ([]string, error) {
	document, err := spec.Load(file)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(document.Operations))
	for i := range names {
		names[i] = document.Operations[i].Name()
	}
	return names, nil
}

// exemption is the reason that an operation gives for having no contract.
func exemption(o *spec.Operation) string {
	if o.Contract == nil {
		return ""
	}
	for _, e := range o.Contract.Value.Entries {
		if e.Name == "exempt" {
			return e.Value.Text
		}
	}
	return ""
}
