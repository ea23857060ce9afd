package spec

import (
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
)

// An ExtensionName is the name of a member that begins with x-, whosever it is.
type ExtensionName struct {
	Name      string
	Range     diag.Range
	Operation string // as [Operation.Name] has it, "" for the document
}

// ExtensionNames lists the extensions of the document and of its operations
// that have no contract. A misspelt name is among them.
func (d *Document) ExtensionNames() []ExtensionName {
	list := d.root.extensionNames("")
	for i := range d.Operations {
		if o := &d.Operations[i]; o.Contract == nil {
			list = append(list, o.node.extensionNames(o.Name())...)
		}
	}
	return list
}

func (n node) extensionNames(operation string) []ExtensionName {
	var list []ExtensionName
	for _, p := range n.pairs() {
		if strings.HasPrefix(p.key.Value, "x-") || strings.HasPrefix(p.key.Value, "X-") {
			list = append(list, ExtensionName{p.key.Value, p.key.place(), operation})
		}
	}
	return list
}
