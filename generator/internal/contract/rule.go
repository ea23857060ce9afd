package contract

// Rules of this stage, by id. Package generator has their catalogue.
const (
	RuleNotAMapping       = "not-a-mapping"
	RuleUnknownField      = "unknown-field"
	RuleDuplicateField    = "duplicate-field"
	RuleExempt            = "exempt"
	RuleBadValue          = "bad-value"
	RuleBadDuration       = "bad-duration"
	RuleOutOfRange        = "out-of-range"
	RuleBadExpression     = "bad-expression"
	RuleUnknownName       = "unknown-name"
	RuleAmbiguousName     = "ambiguous-name"
	RuleRepeated          = "repeated-entry"
	RuleKeyUndeclared     = "key-undeclared"
	RuleKeyType           = "key-type"
	RuleKeyRequired       = "key-required"
	RuleKeyFingerprinted  = "key-in-fingerprint"
	RuleMissingScope      = "missing-scope"
	RuleOptionalScope     = "optional-scope"
	RuleScopeType         = "scope-type"
	RuleSafeMethod        = "safe-method"
	RuleSharedKeys        = "shared-keys"
	RuleMissingTitle      = "missing-title"
	RuleMisspelt          = "misspelt-extension"
	RuleUnsupportedBody   = "unsupported-body"
	RuleUnsupportedStream = "unsupported-stream"
)
