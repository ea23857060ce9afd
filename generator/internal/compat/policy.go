package compat

import (
	"time"

	"github.com/idemgen/idemgen/generator/internal/contract"
)

// durations compares how long things last.
func (p *pair) durations() {
	p.duration("ttl", p.old.TTL, p.now.TTL, ttlShortened, ttlLengthened)
	p.duration("lease", p.old.Lease, p.now.Lease, leaseShortened, leaseLengthened)
	p.duration("maxRun", p.old.MaxRun, p.now.MaxRun, maxRunShortened, maxRunLengthened)
	if p.old.InFlight == "wait" && p.now.InFlight == "wait" {
		p.duration("waitTimeout", p.old.WaitTimeout, p.now.WaitTimeout, waitShortened, waitLengthened)
	}
}

func (p *pair) duration(field string, before, after time.Duration, shorter, longer string) {
	kind := longer
	switch {
	case before == after:
		return
	case after < before:
		kind = shorter
	}
	p.change(kind, field, "%s is %s and was %s", field, contract.ShowDuration(after), contract.ShowDuration(before))
}

// policies compares the fields that choose between a few words.
func (p *pair) policies() {
	p.policy("inFlight", p.old.InFlight, p.now.InFlight, map[string]string{"run": inFlightRuns, "reject": inFlightRejects, "wait": inFlightWaits})
	p.policy("onStoreError", p.old.OnStoreError, p.now.OnStoreError, map[string]string{"run": outageRuns, "reject": outageRejects})
	p.policy("onCrash", p.old.OnCrash, p.now.OnCrash, map[string]string{"rerun": crashReruns, "hold": crashHolds})
	p.policy("onDisconnect", p.old.OnDisconnect, p.now.OnDisconnect, map[string]string{"cancel": disconnectCancels, "finish": disconnectFinishes})
	p.policy("replay", p.old.Replay, p.now.Replay, map[string]string{"reload": replayReloads, "stored": replayStores})
	switch before, after := p.old.MaxResponseBytes, p.now.MaxResponseBytes; {
	case after < before:
		p.change(limitLowered, "maxResponseBytes", "maxResponseBytes is %d and was %d", after, before)
	case after > before:
		p.change(limitRaised, "maxResponseBytes", "maxResponseBytes is %d and was %d", after, before)
	}
}

// policy reports a change by what a field has become.
func (p *pair) policy(field, before, after string, kinds map[string]string) {
	if before != after {
		p.change(kinds[after], field, "%s is %s and was %s", field, after, before)
	}
}
