package generator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// ReadSuppressions reads the section lint of a configuration file:
//
//	lint:
//	  suppress:
//	    - rule: stored-secret
//	      operation: createToken # left out: everywhere
//	      reason: the store is as safe as the vault
//
// An error means that the file could not be read, or names the place where it
// makes no sense.
func ReadSuppressions(file string) ([]Suppression, error) {
	root, err := spec.LoadValue(file)
	if err != nil {
		return nil, err
	}
	top, err := fields(root, "the configuration", "specs", "lint")
	if err != nil || top["lint"] == nil {
		return nil, err
	}
	section, err := fields(*top["lint"], "lint", "suppress")
	if err != nil || section["suppress"] == nil {
		return nil, err
	}
	list := section["suppress"]
	if list.Kind != spec.List {
		return nil, misfit(list.Range, "suppress is a list of mappings with rule, operation and reason, not %s", list.Kind)
	}
	var suppressions []Suppression
	for _, item := range list.Items {
		s, err := readSuppression(item)
		if err != nil {
			return nil, err
		}
		suppressions = append(suppressions, s)
	}
	return suppressions, nil
}

func readSuppression(item spec.Value) (Suppression, error) {
	s := Suppression{Range: item.Range}
	members, err := fields(item, "a suppression", "rule", "operation", "reason")
	if err != nil {
		return s, err
	}
	for _, field := range []struct {
		name string
		text *string
	}{{"rule", &s.Rule}, {"operation", &s.Operation}, {"reason", &s.Reason}} {
		v := members[field.name]
		switch {
		case v == nil && field.name != "operation":
			return s, misfit(item.Range, "a suppression needs a %s", field.name)
		case v == nil:
		case v.Kind != spec.String || strings.TrimSpace(v.Text) == "":
			return s, misfit(v.Range, "%s must be a text", field.name)
		default:
			*field.text = v.Text
		}
	}
	s.Range = members["rule"].Range
	if _, err := ExplainRule(s.Rule); err != nil {
		return s, misfit(s.Range, "%w", err)
	}
	return s, nil
}

// fields returns the members of a mapping, and an error for those that it must
// not have.
func fields(v spec.Value, what string, known ...string) (map[string]*spec.Value, error) {
	members := map[string]*spec.Value{}
	if v.Kind == spec.Null {
		return members, nil
	}
	if v.Kind != spec.Mapping {
		return nil, misfit(v.Range, "%s is a mapping, not %s", what, v.Kind)
	}
	for i := range v.Entries {
		e := &v.Entries[i]
		switch {
		case !slices.Contains(known, e.Name):
			hint := "it has " + strings.Join(known, ", ")
			if near := contract.Nearest(e.Name, known); near != "" {
				hint = "did you mean " + near + "?"
			}
			return nil, misfit(e.Range, "%s has no field %s: %s", what, e.Name, hint)
		case members[e.Name] != nil:
			return nil, misfit(e.Range, "%s is there twice", e.Name)
		}
		members[e.Name] = &e.Value
	}
	return members, nil
}

// misfit is an error at a place of a configuration file.
func misfit(at diag.Range, format string, args ...any) error {
	return fmt.Errorf("%v: "+format, append([]any{at}, args...)...)
}
