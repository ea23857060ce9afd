package lint

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/internal/contract"
)

// policies reports decisions that nobody took, and fields that decide nothing.
func (c *checker) policies() {
	name := c.operation.Name()
	if c.stated("onStoreError") == nil {
		c.advise(RuleOutageUnstated, c.contract.Range, fmt.Sprintf("%s does not say what happens while the store is unreachable: it runs without protection", name),
			"write onStoreError: run for availability, or onStoreError: reject for one effect; once for all in x-idempotency-defaults")
	}
	if c.stated("onCrash") == nil && c.contract.InFlight != "run" {
		c.advise(RuleCrashUnstated, c.contract.Range, fmt.Sprintf("%s does not say what happens after a worker died: the next request runs again", name),
			"write onCrash: rerun, or onCrash: hold where a person must look first; once for all in x-idempotency-defaults")
	}
	c.wait()
}

// wait reports how long a second request waits, where that makes no sense.
func (c *checker) wait() {
	policy := c.contract.InFlight
	if e := c.own("waitTimeout"); e != nil && policy != "wait" {
		c.warn(RuleNoEffect, e.Range, "waitTimeout has no effect under inFlight: "+policy+": no request waits", "remove it, or write inFlight: wait")
	}
	if e := c.own("lease"); e != nil && policy == "run" {
		c.warn(RuleNoEffect, e.Range, "lease has no effect under inFlight: run: no request holds a key", "remove it, or write inFlight: wait")
	}
	if e := c.stated("waitTimeout"); e != nil && policy == "wait" && c.contract.WaitTimeout < c.contract.Lease {
		c.advise(RuleShortWait, e.Value.Range,
			fmt.Sprintf("%s waits %s, shorter than the lease of %s: after a worker died it gives up before the key is free", c.operation.Name(), e.Value.Text, contract.ShowDuration(c.contract.Lease)),
			"leave waitTimeout out, which waits for the lease and five seconds more")
	}
}
