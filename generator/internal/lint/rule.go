package lint

// Rules of this stage, by id. Package generator has their catalogue.
const (
	RuleUnprotected       = "unprotected-operation"
	RuleUnusedDefaults    = "unused-defaults"
	RuleSharedTitle       = "shared-title"
	RuleKeyOptional       = "key-optional"
	RuleScopeByClient     = "scope-by-client"
	RuleVolatileField     = "volatile-field"
	RuleCredentialField   = "credential-field"
	RuleImpreciseNumber   = "imprecise-number"
	RuleFreeForm          = "free-form-field"
	RuleOutageUnstated    = "outage-unstated"
	RuleCrashUnstated     = "crash-unstated"
	RuleShortWait         = "short-wait"
	RuleNoEffect          = "field-without-effect"
	RuleUnlistedStatus    = "unlisted-status"
	RuleStoredSecret      = "stored-secret"
	RuleAnswerUndeclared  = "answer-undeclared"
	RuleHeaderUndeclared  = "header-undeclared"
	RuleUnusedSuppression = "unused-suppression"
)
