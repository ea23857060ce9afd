package generator

import (
	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/lint"
)

// lintRules are about contracts that could be kept as they stand.
func lintRules() []Rule {
	var all []Rule
	for _, group := range [][]Rule{protectionRules(), identityRules(), policyRules(), answerRules()} {
		all = append(all, group...)
	}
	return all
}

func protectionRules() []Rule {
	return []Rule{
		{
			ID: lint.RuleUnprotected, Severity: diag.Warning, Title: "A POST or PATCH that nobody has decided about",
			Why: "Networks lose answers, and clients retry. HTTP does not call these methods idempotent, so a retry takes effect twice.",
			Fix: `Write x-idempotency: true, or {exempt: "why"} where a second run does no harm.`,
		},
		{
			ID: lint.RuleUnusedDefaults, Severity: diag.Warning, Title: "Defaults without a contract",
			Why: "Defaults protect no operation by themselves. Their author may believe that they do.",
			Fix: "Write x-idempotency: true on the operations that must not run twice, or remove the defaults.",
		},
		{
			ID: lint.RuleSharedTitle, Severity: diag.Warning, Title: "Two documents with one title and one operation",
			Why: "Keys are kept under title and operation. On one store, a key used with one API would give the answer of the other.",
			Fix: "Give one of the documents another info.title. Two versions that shall share their keys may share it: suppress the finding and say so.",
		},
		{
			ID: lint.RuleUnusedSuppression, Severity: diag.Warning, Title: "A suppression of nothing",
			Why: "The finding it was written for is gone, and it would hide the next one.",
			Fix: "Remove it from idemgen.yaml. An error cannot be suppressed: mend the contract.",
		},
	}
}

func identityRules() []Rule {
	return []Rule{
		{
			ID: lint.RuleKeyOptional, Severity: diag.Warning, Title: "A required key that the document calls optional",
			Why: "Clients and their generated code believe the document, and get 400.",
			Fix: "Set required: true on the parameter, or required: false in the contract.",
		},
		{
			ID: lint.RuleScopeByClient, Severity: diag.Warning, Title: "A scope of values that the client chooses",
			Why: "A replay does not pass through the handler, nor through its access checks. Who writes another's account into the header, with a key that was guessed or seen, reads the other's answer.",
			Fix: "Write principal first: scope: [principal, $request.header.X-Account-Id]. Where a gateway sets the value, suppress the finding and say so.",
		},
		{
			ID: lint.RuleVolatileField, Severity: diag.Warning, Title: "A fingerprint field that changes from sending to sending",
			Why: "Timestamps, nonces, trace and request ids are made anew for each sending. An honest retry would be refused: 422.",
			Fix: "List the fields that make it the same request, without this one.",
		},
		{
			ID: lint.RuleCredentialField, Severity: diag.Warning, Title: "A credential in the fingerprint",
			Why: "Credentials are renewed between sendings, and then an honest retry would be refused. Who is calling belongs in the scope.",
			Fix: "Remove it from the fingerprint, and write scope: principal.",
		},
		{
			ID: lint.RuleImpreciseNumber, Severity: diag.Warning, Title: "A number that is rounded before it is compared",
			Why: "The generated server decodes a number without a format to 32 bits. The handler cannot tell two amounts that differ in the eighth digit apart, and neither can the fingerprint.",
			Fix: "Give it format: double; for money use an integer in the smallest unit, or a string.",
		},
		{
			ID: lint.RuleFreeForm, Severity: diag.Advice, Title: "A fingerprint field of no declared form",
			Why: "The generated server decodes numbers in it to 64-bit floating point: ids above 2^53 that differ count as the same.",
			Fix: "Declare its properties, or send large numbers in it as strings.",
		},
	}
}

func policyRules() []Rule {
	return []Rule{
		{
			ID: lint.RuleOutageUnstated, Severity: diag.Advice, Title: "What an outage of the store means is not stated",
			Why: "By default requests run without protection while the store is unreachable: availability over one effect. A team should choose that knowingly.",
			Fix: "Write onStoreError: run, or reject to answer 503; once for all operations in x-idempotency-defaults.",
		},
		{
			ID: lint.RuleCrashUnstated, Severity: diag.Advice, Title: "What a worker's death means is not stated",
			Why: "By default the next request runs again, though the dead worker may have done its work: at least once. A team should choose that knowingly.",
			Fix: "Write onCrash: rerun, or hold to have a person look first; once for all operations in x-idempotency-defaults.",
		},
		{
			ID: lint.RuleShortWait, Severity: diag.Advice, Title: "A wait that ends before a dead worker's lease",
			Why: "Who waits for a worker that died gets 409, shortly before the key would have been free.",
			Fix: "Leave waitTimeout out: it then is the lease and five seconds more.",
		},
		{
			ID: lint.RuleNoEffect, Severity: diag.Warning, Title: "A field that has no effect beside another",
			Why: "Its author expects something of it.",
			Fix: "Remove the field, or change the policy that makes it void.",
		},
	}
}

func answerRules() []Rule {
	return []Rule{
		{
			ID: lint.RuleUnlistedStatus, Severity: diag.Warning, Title: "A kept status that the operation does not have",
			Why: "It never comes. Where no listed answer is kept, every retry runs again.",
			Fix: "Name statuses that the operation lists.",
		},
		{
			ID: lint.RuleStoredSecret, Severity: diag.Warning, Title: "A kept answer that carries a secret",
			Why: "Answers lie in the store for as long as the ttl, and whoever reads it has the secret.",
			Fix: "Write replay: reload, which keeps a reference alone, or hand the secret out by an operation without a contract. Where the store is as safe as the secret, suppress the finding and say so.",
		},
		{
			ID: lint.RuleAnswerUndeclared, Severity: diag.Warning, Title: "An answer of the contract that the document does not list",
			Why: "Clients and their generated code meet 400, 409, 422 and 503 without knowing what they mean or that a retry helps.",
			Fix: "Let idemgen complete add them.",
		},
		{
			ID: lint.RuleHeaderUndeclared, Severity: diag.Advice, Title: "A reply header that the document does not list",
			Why: "Clients cannot see that an answer is a replay, or when to retry.",
			Fix: "Let idemgen complete add it.",
		},
	}
}
