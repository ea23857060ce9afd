package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/cmd/idemgen/internal/report"
	"github.com/idemgen/idemgen/generator"
)

func newExplain() *cobra.Command {
	var overlays []string
	var format *choice
	cmd := &cobra.Command{
		Use:   "explain [flags] RULE | SPEC OPERATION",
		Short: "Tell about a rule, or about an operation's contract, in words",
		Long: `explain with one argument tells about a rule of lint and generate, or about a
change that diff found: why it matters and what to do.

With two arguments it tells what an operation's contract promises: each field
with its value, and what happens to a request in each case. The operation is
given by its operationId, or by method and path.`,
		Example: `  idemgen explain missing-scope
  idemgen explain openapi.yaml createPayment
  idemgen explain openapi.yaml "POST /payments"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return errors.New("explain what? Give a rule, or a document and an operation")
			}
			return nil
		},
		ValidArgsFunction: completeExplain,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return explainRule(cmd, args[0], format.word)
			}
			return explainOperation(cmd, args[0], args[1], overlays, format.word)
		},
	}
	cmd.Flags().StringArrayVar(&overlays, "overlay", nil, "OpenAPI Overlay `file` to apply to the document first; may be repeated")
	format = choose(cmd, "format", "how to print", "text", "json")
	return cmd
}

// completeExplain has the shell complete rules and files, or the operations of a
// document.
func completeExplain(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		var ids []string
		for _, rule := range generator.Rules() {
			ids = append(ids, rule.ID)
		}
		return ids, cobra.ShellCompDirectiveDefault
	case 1:
		names, err := generator.Operations(args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// An explainedRule is a rule or a change as explain prints it.
type explainedRule struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
	Why      string `json:"why,omitempty"`
	Hurts    string `json:"hurts,omitempty"`
	Fix      string `json:"fix,omitempty"`
}

func explainRule(cmd *cobra.Command, id, format string) error {
	rule, err := lookUpRule(id)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if format == "json" {
		return report.Value(w, rule)
	}
	p := page{w: w, color: colored(w)}
	p.head("%s (%s)", rule.Rule, rule.Severity)
	p.line("%s.", rule.Title)
	p.section("Why", rule.Why)
	p.section("Who is hurt", rule.Hurts)
	p.section("What to do", rule.Fix)
	return p.err
}

func lookUpRule(id string) (explainedRule, error) {
	if c, ok := generator.ExplainChange(id); ok {
		return explainedRule{Rule: c.ID, Severity: report.Changes().Of(c.Severity), Title: c.Title, Hurts: c.Hurts, Fix: c.Fix}, nil
	}
	r, err := generator.ExplainRule(id)
	if err != nil {
		return explainedRule{}, fmt.Errorf("%w (docs/rules.md lists them all)", err)
	}
	return explainedRule{Rule: r.ID, Severity: r.Severity.String(), Title: r.Title, Why: r.Why, Fix: r.Fix}, nil
}

func explainOperation(cmd *cobra.Command, file, operation string, overlays []string, format string) error {
	e, err := generator.ExplainOperation(relativeFile(file), operation, overlays...)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if len(e.Findings) > 0 {
		printer := findingPrinter{format: format, lines: newSources().lines}
		if err := printer.print(w, e.Findings); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "idemgen: %s in the contract\n", countErrors(e.Findings))
		return errFindings
	}
	if format == "json" {
		return report.Value(w, e)
	}
	p := page{w: w, color: colored(w)}
	p.explanation(e)
	return p.err
}
