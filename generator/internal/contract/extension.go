package contract

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// readExtension reads what stands in an operation's x-idempotency. It reports
// false where the operation has no contract: deliberately, or because the text
// makes no sense and was reported.
func (r *reader) readExtension(e spec.Entry) (settings, bool) {
	switch v := e.Value; v.Kind {
	case spec.Mapping:
		return r.readMapping(e)
	case spec.Bool:
		protected := v.Text[0] == 't' || v.Text[0] == 'T'
		return settings{}, protected
	case spec.Null:
		r.report(RuleNotAMapping, e.Range, spec.Extension+" is empty", "write true for a contract with every default, or false for none")
	case spec.List:
		r.report(RuleNotAMapping, v.Range, spec.Extension+" is a list", "write a mapping of fields, or true for every default")
	default:
		r.report(RuleNotAMapping, v.Range, fmt.Sprintf("%s cannot be %s", spec.Extension, describe(v)), insteadOf(v.Text))
	}
	return settings{}, false
}

// insteadOf says what to write instead of a scalar, some of which are seen in
// documents of other tools.
func insteadOf(word string) string {
	switch strings.ToLower(word) {
	case "required", "require", "enabled", "on", "yes", "true", "idempotent":
		return "write true, without quotes: a contract with every default, in which the key is required"
	case "optional":
		return "write {required: false}: a request without a key runs unprotected"
	case "exempt", "none", "disabled", "off", "no", "false", "skip":
		return `write {exempt: "why"}, or false, for an operation without a contract`
	}
	return `write true for every default, a mapping of fields, or {exempt: "why"} for none`
}

// readMapping reads a contract, or the reason why there is none.
func (r *reader) readMapping(e spec.Entry) (settings, bool) {
	for _, member := range e.Value.Entries {
		if member.Name != "exempt" {
			continue
		}
		if v := member.Value; v.Kind != spec.String || strings.TrimSpace(v.Text) == "" {
			r.report(RuleExempt, v.Range, "exempt must say why, not "+describe(v), `write the reason: {exempt: "reads only"}`)
		}
		if len(e.Value.Entries) > 1 {
			r.report(RuleExempt, member.Range, "exempt stands beside other fields",
				"remove exempt to have a contract, or everything else to have none")
		}
		return settings{}, false
	}
	return r.readSettings(e.Value.Entries), true
}

// readDefaults reads the document's defaults.
func (r *reader) readDefaults(e *spec.Entry) settings {
	if e == nil {
		return settings{}
	}
	if e.Value.Kind != spec.Mapping {
		r.report(RuleNotAMapping, e.Value.Range, fmt.Sprintf("%s must be a mapping, not %s", spec.Defaults, describe(e.Value)),
			"write fields of "+spec.Extension+" that every contract shall have")
		return settings{}
	}
	entries := make([]spec.Entry, 0, len(e.Value.Entries))
	for _, member := range e.Value.Entries {
		if member.Name == "exempt" {
			r.report(RuleExempt, member.Range, "exempt has no meaning in "+spec.Defaults, "write it on the operation that has no contract")
			continue
		}
		entries = append(entries, member)
	}
	return r.readSettings(entries)
}
