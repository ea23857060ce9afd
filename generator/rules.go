package generator

import (
	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/gomodel"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// RuleNoContract is the rule that there must be something to generate.
const RuleNoContract = "no-contract"

// A Rule is one thing that findings can be about.
type Rule struct {
	ID       string
	Severity diag.Severity
	Title    string // what is wrong
	Why      string // what would go wrong with it
	Fix      string

	// Lint and Generate tell which commands find it.
	Lint, Generate bool
}

// Rules returns the catalogue, in the order of the stages that check the rules.
func Rules() []Rule {
	var all []Rule
	for _, group := range [][]Rule{documentRules(), extensionRules(), expressionRules(), operationRules(), limitRules()} {
		all = appendRules(all, group, true, true)
	}
	all = appendRules(all, serverRules(), false, true)
	return appendRules(all, lintRules(), true, false)
}

func appendRules(all, group []Rule, lint, generate bool) []Rule {
	for _, rule := range group {
		rule.Lint, rule.Generate = lint, generate
		all = append(all, rule)
	}
	return all
}

func documentRules() []Rule {
	return []Rule{
		{
			ID: spec.RuleBrokenReference, Title: "A $ref leads nowhere",
			Why: "What stands behind it may hold a contract, or a field that a contract names.",
			Fix: "Refer to something that exists, in the document or in a local file.",
		},
		{
			ID: spec.RuleMisplaced, Title: "The extension stands where it has no meaning",
			Why: "Its author believes in a protection that is not there.",
			Fix: "Write x-idempotency on operations and x-idempotency-defaults at the root of the document.",
		},
		{
			ID: contract.RuleMisspelt, Severity: diag.Warning, Title: "An extension whose name is nearly that of a contract",
			Why: "It means nothing to idemgen, and its author may believe in a protection that is not there.",
			Fix: "Write x-idempotency, at the root x-idempotency-defaults. An extension of another tool can stay.",
		},
		{
			ID: contract.RuleMissingTitle, Title: "The document has no title",
			Why: "Keys are kept under the API's title, so that two APIs on one store do not meet.",
			Fix: "Set info.title and keep it: with another title all keys are forgotten.",
		},
		{
			ID: contract.RuleSharedKeys, Title: "Two operations have one name",
			Why: "Keys are kept under the operation's name. A key used with one of them would give the answer of the other.",
			Fix: "Give each operation its own operationId.",
		},
	}
}

func extensionRules() []Rule {
	return []Rule{
		{
			ID: contract.RuleNotAMapping, Title: "x-idempotency is neither a mapping nor true or false",
			Why: "Words such as required or exempt mean different things to different tools.",
			Fix: `Write true for every default, a mapping of fields, or {exempt: "why"} for none.`,
		},
		{
			ID: contract.RuleExempt, Title: "An exemption without a reason, or beside other fields",
			Why: "An operation has a contract or has none, and whoever reads the document later must see why.",
			Fix: `Write {exempt: "reads only"} with the reason, and nothing else.`,
		},
		{
			ID: contract.RuleUnknownField, Title: "An unknown field",
			Why: "A misspelt field would leave its default in force without a word.",
			Fix: "Correct the name.",
		},
		{
			ID: contract.RuleDuplicateField, Title: "A field is given twice",
			Why: "Only one of the two values can count.",
			Fix: "Remove one of them.",
		},
		{
			ID: contract.RuleBadValue, Title: "A value that the field does not have",
			Why: "The contract would not say what its author means.",
			Fix: "Write one of the values that the message names.",
		},
		{
			ID: contract.RuleBadDuration, Title: "A text that is no duration",
			Why: "A number without a unit means seconds to one reader and milliseconds to the next.",
			Fix: "Write Go's form (90s, 24h), days (7d) or ISO 8601 (PT24H, P7D).",
		},
		{
			ID: contract.RuleOutOfRange, Title: "A value out of its range",
			Why: "Too short a time ends protection while requests still run, too long a one keeps a key from everybody.",
			Fix: "Write a value within the bounds that the message names.",
		},
	}
}

func expressionRules() []Rule {
	return []Rule{
		{
			ID: contract.RuleBadExpression, Title: "A text that is no expression",
			Why: "It names no part of the request.",
			Fix: "Write a name alone, or OpenAPI's form: $request.body#/name, $request.path.name, $request.query.name, $request.header.Name.",
		},
		{
			ID: contract.RuleUnknownName, Title: "A field that the operation does not have",
			Why: "What is not there cannot be compared, and requests that differ would count as the same.",
			Fix: "Correct the name, or declare the field in the document.",
		},
		{
			ID: contract.RuleAmbiguousName, Title: "A name that fits two fields",
			Why: "Comparing the wrong one would let another request through under the same key.",
			Fix: "Write the expression in full.",
		},
		{
			ID: contract.RuleRepeated, Title: "A field that is listed twice",
			Why: "The second mention adds nothing, so another field was probably meant.",
			Fix: "Remove one, or name the field that was meant.",
		},
	}
}

func operationRules() []Rule {
	return []Rule{
		{
			ID: contract.RuleSafeMethod, Title: "A contract on a safe method",
			Why: "GET, HEAD, OPTIONS, TRACE and QUERY promise to have no effect, so there is nothing to protect from happening twice.",
			Fix: "Remove the contract, or use a method that tells clients of the effect.",
		},
		{
			ID: contract.RuleKeyUndeclared, Title: "The key is no parameter of the operation",
			Why: "The generated server hands a handler what the document declares, and clients read there how to send a key.",
			Fix: "Declare the parameter, or name the one that holds the key.",
		},
		{
			ID: contract.RuleKeyType, Title: "The key is no plain value",
			Why: "Keys compare byte for byte. A decimal number, an array or an object has several spellings.",
			Fix: "Declare the field with type: string.",
		},
		{
			ID: contract.RuleKeyRequired, Title: "An optional key that the document requires",
			Why: "The generated server refuses a request without the parameter before the contract is asked.",
			Fix: "Make the field optional in the document, or leave required out of the contract.",
		},
		{
			ID: contract.RuleKeyFingerprinted, Title: "The key is part of the fingerprint",
			Why: "The key identifies a request. The fingerprint describes it, to tell another request under the same key.",
			Fix: "Remove the key from the fingerprint.",
		},
		{
			ID: contract.RuleMissingScope, Title: "A secured operation without a scope",
			Why: "Two callers who use the same key would get each other's answers.",
			Fix: "Write scope: principal, or scope: none to share keys between callers on purpose.",
		},
		{
			ID: contract.RuleOptionalScope, Title: "A scope that a request can leave out",
			Why: "All requests without it would share one scope.",
			Fix: "Require the field in the document, or name another one.",
		},
		{
			ID: contract.RuleScopeType, Title: "A scope that is no plain value",
			Why: "Objects, arrays and decimal numbers have several spellings, and each would be a scope of its own.",
			Fix: "Name a text, an integer or a boolean.",
		},
	}
}

func limitRules() []Rule {
	return []Rule{
		{
			ID: contract.RuleUnsupportedBody, Title: "A request body that cannot be compared",
			Why: "The body is compared before the handler runs, and a stream of events or lines has no end by then.",
			Fix: "Leave the operation without a contract.",
		},
		{
			ID: contract.RuleUnsupportedStream, Title: "An answer that is a stream",
			Why: "A stream has no end that could be kept and replayed.",
			Fix: "Leave the operation without a contract.",
		},
	}
}

func serverRules() []Rule {
	return []Rule{
		{
			ID: RuleNoContract, Title: "The document has no contract",
			Why: "There is nothing to generate, and code of an earlier run would go on keeping contracts that no longer exist.",
			Fix: "Write x-idempotency: true on an operation that must not run twice, or remove the generated file and its go:generate line.",
		},
		{
			ID: gomodel.RuleUnsupportedServer, Title: "A server that cannot be wrapped",
			Why: "Without a strict server, only handlers of net/http can be wrapped: their answers can be recorded.",
			Fix: "Set strict-server: true under generate in oapi-codegen's configuration.",
		},
		{
			ID: gomodel.RuleNotGenerated, Title: "The generated server does not have the operation",
			Why: "It was generated from another document, or leaves the operation out.",
			Fix: "Run oapi-codegen again on the same document, with the operation included.",
		},
		{
			ID: gomodel.RuleMethodClash, Title: "Two operations have one Go method",
			Why: "A wrapper could not tell which of the two contracts to keep.",
			Fix: "Give the operations operationIds that differ in more than spelling.",
		},
		{
			ID: gomodel.RuleNameClash, Title: "A name to be generated is taken",
			Why: "The package would not compile.",
			Fix: "Rename the declaration, or generate into a package of its own with --package-name and --output.",
		},
		{
			ID: gomodel.RuleUnreachableField, Title: "The generated Go types do not lead to the field",
			Why: "What the handler does not see cannot be compared.",
			Fix: "Name a field that the generated type has, or the object around it.",
		},
		{
			ID: gomodel.RuleForeignType, Title: "The field lies in a type of a package that cannot be read",
			Why: "Its Go type is not known.",
			Fix: "Make the package one that go list finds from the generated package, or name the field around it.",
		},
		{
			ID: gomodel.RuleBodyGoType, Title: "A body that is no single decoded value in Go",
			Why: "The wrapper compares the value that the handler gets.",
			Fix: "Let oapi-codegen decode the body as one JSON value, or leave the operation without a contract.",
		},
		{
			ID: gomodel.RuleFieldGoType, Title: "A Go type that cannot be compared",
			Why: "Equal requests would not reliably count as equal.",
			Fix: "Name another field, or let oapi-codegen generate a plain type.",
		},
		{
			ID: gomodel.RuleKeyGoType, Title: "A Go type that cannot hold a key",
			Why: "Keys are texts that compare byte for byte.",
			Fix: "Let oapi-codegen generate a string for the key's field.",
		},
		{
			ID: gomodel.RuleScopeGoType, Title: "A Go type that cannot be part of a scope",
			Why: "Each spelling of a value would be a scope of its own.",
			Fix: "Let oapi-codegen generate a string, an integer or a boolean for the field.",
		},
		{
			ID: gomodel.RuleDefaultMismatch, Title: "A schema's default does not fit its type",
			Why: "An absent field cannot count as equal to its default.",
			Fix: "Correct the default in the document.",
		},
	}
}
