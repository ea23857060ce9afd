package contract

import (
	"fmt"
	"time"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// settings are the fields of one extension, each read by itself.
type settings struct {
	key         given[expression]
	required    given[bool]
	keyFormat   given[string]
	scope       given[scope]
	fingerprint given[fingerprint]

	ttl, waitTimeout, lease, maxRun given[time.Duration]

	inFlight, onStoreError, onCrash, onDisconnect, replay given[string]

	remember         given[[]spec.Value]
	maxResponseBytes given[int64]
}

// fieldNames returns the fields of the extension in the order of its
// documentation.
func fieldNames() []string {
	return []string{
		"key", "required", "keyFormat", "scope", "fingerprint", "ttl", "inFlight", "waitTimeout", "lease", "maxRun",
		"remember", "onStoreError", "onCrash", "onDisconnect", "replay", "maxResponseBytes",
	}
}

// readSettings reads the members of a mapping.
func (r *reader) readSettings(entries []spec.Entry) settings {
	var s settings
	seen := map[string]spec.Entry{}
	for _, e := range entries {
		if first, ok := seen[e.Name]; ok {
			r.report(RuleDuplicateField, e.Range, fmt.Sprintf("%s is given twice, first in line %d", e.Name, first.Range.Start.Line),
				"keep one of the two")
			continue
		}
		seen[e.Name] = e
		if !r.readIdentity(&s, e) && !r.readLife(&s, e) && !r.readPolicy(&s, e) {
			r.report(RuleUnknownField, e.Range, fmt.Sprintf("unknown field %s", e.Name),
				didYouMean(nearest(e.Name, fieldNames()), "the fields are "+oneOf(fieldNames())))
		}
	}
	return s
}

// readIdentity reads the fields that say which request it is.
func (r *reader) readIdentity(s *settings, e spec.Entry) bool {
	switch e.Name {
	case "key":
		s.key = give(e, r.readKey)
	case "required":
		s.required = give(e, r.boolean(e.Name))
	case "keyFormat":
		s.keyFormat = give(e, r.readKeyFormat)
	case "scope":
		s.scope = give(e, r.readScope)
	case "fingerprint":
		s.fingerprint = give(e, r.readFingerprint)
	default:
		return false
	}
	return true
}

// readLife reads the fields that say how long things last and what is kept.
func (r *reader) readLife(s *settings, e spec.Entry) bool {
	switch e.Name {
	case "ttl":
		s.ttl = give(e, r.duration(e.Name, minTTL, maxTTL))
	case "waitTimeout":
		s.waitTimeout = give(e, r.duration(e.Name, time.Millisecond, 0))
	case "lease":
		s.lease = give(e, r.duration(e.Name, minLease, maxLease))
	case "maxRun":
		s.maxRun = give(e, r.duration(e.Name, minLease, 0))
	case "remember":
		s.remember = give(e, r.readRemember)
	case "maxResponseBytes":
		s.maxResponseBytes = give(e, r.readBytes)
	default:
		return false
	}
	return true
}

// over is s with the defaults where s says nothing.
func (s settings) over(defaults settings) settings {
	return settings{
		key:              s.key.over(defaults.key),
		required:         s.required.over(defaults.required),
		keyFormat:        s.keyFormat.over(defaults.keyFormat),
		scope:            s.scope.over(defaults.scope),
		fingerprint:      s.fingerprint.over(defaults.fingerprint),
		ttl:              s.ttl.over(defaults.ttl),
		waitTimeout:      s.waitTimeout.over(defaults.waitTimeout),
		lease:            s.lease.over(defaults.lease),
		maxRun:           s.maxRun.over(defaults.maxRun),
		inFlight:         s.inFlight.over(defaults.inFlight),
		onStoreError:     s.onStoreError.over(defaults.onStoreError),
		onCrash:          s.onCrash.over(defaults.onCrash),
		onDisconnect:     s.onDisconnect.over(defaults.onDisconnect),
		replay:           s.replay.over(defaults.replay),
		remember:         s.remember.over(defaults.remember),
		maxResponseBytes: s.maxResponseBytes.over(defaults.maxResponseBytes),
	}
}
