package contract

import "testing"

func TestSpelling(t *testing.T) {
	for name, meant := range map[string]bool{
		"x-idempotancy": true, "x-indempotency": true, "X-Idempotency": true, "x-idempotent": true, "x-Idempotency_": true,
		"x-idempotency-key": false, "x-internal": false, "x-codegen": false,
	} {
		_, findings := readText(t, "paths: {/a: {post: {"+name+": true, responses: {}}}}")
		if got := len(findings) == 1 && findings[0].Rule == RuleMisspelt; got != meant {
			t.Errorf("%s: %v", name, findings)
		}
	}
	_, findings := readText(t, "x-idempotency-default: {}\npaths: {}")
	if len(findings) != 1 || findings[0].Hint != "did you mean x-idempotency-defaults?" {
		t.Errorf("of the document: %v", findings)
	}
	_, findings = readText(t, `paths: {/a: {post: {x-idempotent: true, x-idempotency: {scope: none}, responses: {},
  parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}]}}}`)
	if len(findings) != 0 {
		t.Errorf("beside a contract: %v", findings)
	}
}
