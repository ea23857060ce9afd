package compat

import "github.com/idemgen/idemgen/generator/diag"

// A Kind is a kind of change.
type Kind struct {
	ID string
	// Severity is Error for breaking, Warning for risky, Advice for fine.
	Severity diag.Severity
	Title    string
	Hurts    string // who is worse off and how, "" for nobody
	Fix      string // what to do about it, "" where Hurts is empty
}

// Kinds, by id.
const (
	titleChanged        = "title-changed"
	operationRenamed    = "operation-renamed"
	operationMoved      = "operation-moved"
	operationRemoved    = "operation-removed"
	contractRemoved     = "contract-removed"
	contractAdded       = "contract-added"
	keyNewlyRequired    = "key-newly-required"
	keyNewlyOptional    = "key-newly-optional"
	keyMoved            = "key-moved"
	keyFormatTightened  = "key-format-tightened"
	keyFormatLoosened   = "key-format-loosened"
	keyCaseCounts       = "key-case-counts"
	scopeWidened        = "scope-widened"
	scopeNarrowed       = "scope-narrowed"
	scopeReplaced       = "scope-replaced"
	fingerprintReplaced = "fingerprint-replaced"
	fieldAdded          = "fingerprint-field-added"
	fieldNew            = "fingerprint-field-new"
	fieldRemoved        = "fingerprint-field-removed"
	fieldGone           = "fingerprint-field-gone"
	fieldRetyped        = "fingerprint-field-retyped"
	defaultChanged      = "fingerprint-default-changed"
	ttlShortened        = "ttl-shortened"
	ttlLengthened       = "ttl-lengthened"
	leaseShortened      = "lease-shortened"
	leaseLengthened     = "lease-lengthened"
	maxRunShortened     = "max-run-shortened"
	maxRunLengthened    = "max-run-lengthened"
	waitShortened       = "wait-shortened"
	waitLengthened      = "wait-lengthened"
	inFlightRuns        = "in-flight-runs"
	inFlightRejects     = "in-flight-rejects"
	inFlightWaits       = "in-flight-waits"
	outageRuns          = "outage-runs"
	outageRejects       = "outage-rejects"
	crashReruns         = "crash-reruns"
	crashHolds          = "crash-holds"
	disconnectCancels   = "disconnect-cancels"
	disconnectFinishes  = "disconnect-finishes"
	answerForgotten     = "answer-forgotten"
	failureKept         = "failure-kept"
	refusalKept         = "refusal-kept"
	answerKept          = "answer-kept"
	replayReloads       = "replay-reloads"
	replayStores        = "replay-stores"
	limitLowered        = "response-limit-lowered"
	limitRaised         = "response-limit-raised"
)

// Kinds returns the catalogue: what is about whole operations first, then field
// by field as in the documentation of the extension.
func Kinds() []Kind {
	var all []Kind
	for _, group := range [][]Kind{operationKinds(), keyKinds(), scopeKinds(), fingerprintKinds(), durationKinds(), policyKinds(), answerKinds()} {
		all = append(all, group...)
	}
	return all
}

// forgotten is who is hurt when records are looked for under other names.
const forgotten = "clients whose retry crosses the deployment: all keys are forgotten, and their request takes effect a second time"

// crossing is what to do then.
const crossing = "change it back; or deploy when no retry is due, and tell clients to ask for the outcome before they retry"

func operationKinds() []Kind {
	return []Kind{
		{titleChanged, diag.Error, "The API has another title", forgotten + ", on every operation", crossing},
		{operationRenamed, diag.Error, "An operation has another name", forgotten, crossing},
		{operationMoved, diag.Advice, "An operation has another method or path", "", ""},
		{operationRemoved, diag.Error, "A protected operation is gone", "clients that retry there: they cannot learn what became of their request", "keep it until no retry is due"},
		{contractRemoved, diag.Error, "An operation has a contract no longer", "every client that retries: its request takes effect a second time", "put the contract back, or tell clients that they must not retry"},
		{contractAdded, diag.Advice, "An operation has a contract now", "", ""},
	}
}

func keyKinds() []Kind {
	const newHeader = "announce it, begin with required: false, and require it when clients have followed"
	return []Kind{
		{keyNewlyRequired, diag.Error, "A key must be sent now", "clients that send no key: they get 400", newHeader},
		{keyNewlyOptional, diag.Warning, "A key need not be sent any more", "clients that lose their key on the way: they are no longer told, and run unprotected", "keep required: true"},
		{keyMoved, diag.Error, "The key is elsewhere in the request", "clients that send it in the old place: they get 400, or run unprotected where the key is optional", "keep the old place; another one needs a version of the API"},
		{keyFormatTightened, diag.Error, "Not every key of before is good", "clients whose keys look different: they get 400", "keep the old format, or announce the new one"},
		{keyFormatLoosened, diag.Advice, "More keys are good", "", ""},
		{keyCaseCounts, diag.Warning, "The letter case of a key counts", "clients that write one UUID in two ways: the second is another key, and the request takes effect twice", "keep keyFormat: uuid"},
	}
}

func scopeKinds() []Kind {
	return []Kind{
		{scopeWidened, diag.Error, "More callers share their keys", "callers who happen to use one key: they get each other's answers, or 422; and " + forgotten, "keep the scope"},
		{scopeNarrowed, diag.Error, "Fewer callers share their keys", forgotten + "; those who send no value for the new part are refused", crossing},
		{scopeReplaced, diag.Error, "Keys belong to somebody else", forgotten + "; those who send only the old value are refused", crossing},
	}
}

func fingerprintKinds() []Kind {
	return []Kind{
		{fingerprintReplaced, diag.Error, "No field of the old fingerprint is left", "clients whose retry crosses the deployment: it counts as another request, and they get 422", "keep a field of the old list until its records are gone, which is one ttl"},
		{fieldAdded, diag.Error, "One more field makes it another request", "clients whose retries differ in that field: they got their answer, and get 422", "leave it out, or announce it"},
		{fieldNew, diag.Advice, "A new part of the request is compared", "", ""},
		{fieldRemoved, diag.Warning, "A field no longer makes it another request", "clients that use one key for two requests: they get the first one's answer, and were told by 422 before", "compare the field, or be sure that it changes nothing"},
		{fieldGone, diag.Advice, "A compared field is no longer part of the request", "", ""},
		{fieldRetyped, diag.Warning, "A compared field has another type", "clients whose retry crosses the deployment: it may count as another request, and they get 422", "give the field a new name, or wait one ttl between the two versions"},
		{defaultChanged, diag.Warning, "A compared field has another default", "clients that leave the field out, and whose retry crosses the deployment: they get 422", "keep the default, or have clients send the field"},
	}
}

func durationKinds() []Kind {
	return []Kind{
		{ttlShortened, diag.Error, "Answers are kept for a shorter time", "clients that retry after the new ttl and within the old one: their request takes effect a second time", "keep the ttl, or announce the new one: clients must know how late a retry is safe"},
		{ttlLengthened, diag.Warning, "Answers are kept for a longer time", "clients that use a key again after the old ttl: they get the old answer, or 422", "announce it; keys that are never used twice do not notice"},
		{leaseShortened, diag.Warning, "A silent worker loses its key earlier", "clients of a worker that stalls for longer than the new lease: their request may take effect a second time", "keep the lease above the longest pause of a worker"},
		{leaseLengthened, diag.Advice, "A dead worker's key is free later", "", ""},
		{maxRunShortened, diag.Warning, "A handler holds its key for a shorter time", "clients of a handler that runs for longer: it is cancelled, and a retry may take effect a second time", "keep maxRun above the longest run of the handler"},
		{maxRunLengthened, diag.Advice, "A handler holds its key for a longer time", "", ""},
		{waitShortened, diag.Warning, "A second request waits for a shorter time", "clients that retry while the first request runs: they get 409 more often", "keep waitTimeout above the handler's usual time"},
		{waitLengthened, diag.Advice, "A second request waits for a longer time", "", ""},
	}
}

func policyKinds() []Kind {
	return []Kind{
		{inFlightRuns, diag.Error, "A second request runs while the first does", "clients that retry while the first request runs: it takes effect twice", "write inFlight: wait or reject"},
		{inFlightRejects, diag.Warning, "A second request is refused while the first runs", "clients that take 409 for a failure: they got their answer, and now must retry once more", "write inFlight: wait, or tell clients to retry after a 409"},
		{inFlightWaits, diag.Advice, "A second request waits while the first runs", "", ""},
		{outageRuns, diag.Error, "Requests run unprotected while the store is unreachable", "clients that retry during an outage: their request takes effect a second time", "write onStoreError: reject"},
		{outageRejects, diag.Warning, "Requests are refused while the store is unreachable", "every client, during an outage: it gets 503, and was served before", "write onStoreError: run, or tell clients to retry after a 503"},
		{crashReruns, diag.Error, "A request runs again after its worker died", "clients of a worker that dies: their request may take effect a second time", "write onCrash: hold"},
		{crashHolds, diag.Warning, "A key is held after its worker died", "clients of a worker that dies: they get 409 until an operator settles the key", "write onCrash: rerun, or have somebody settle held keys"},
		{disconnectCancels, diag.Warning, "A handler is cancelled when its client goes away", "clients that lose their connection: the handler may stop half way, and their retry runs again", "write onDisconnect: finish"},
		{disconnectFinishes, diag.Advice, "A handler goes on when its client goes away", "", ""},
	}
}

func answerKinds() []Kind {
	return []Kind{
		{answerForgotten, diag.Error, "Answers are no longer kept", "clients that retry after such an answer: their request takes effect a second time", "list the statuses in remember"},
		{failureKept, diag.Error, "Passing failures are kept", "clients that retry with the same key until it works: they get the first failure until ttl is over", "leave the statuses out of remember, or tell clients to take a new key"},
		{refusalKept, diag.Warning, "Refusals are kept", "clients that mend the cause and retry with the same key: they get the old refusal", "leave the statuses out of remember, or tell clients to take a new key"},
		{answerKept, diag.Advice, "More answers are kept", "", ""},
		{replayReloads, diag.Warning, "An answer is built anew for each replay", "clients that compare answers: a replay shows what has changed since", "write replay: stored, or build the answer from what does not change"},
		{replayStores, diag.Warning, "Answers are kept themselves, and were built anew", "clients whose retry crosses the deployment: of earlier answers only a reference was kept", "keep replay: reload, or deploy when no retry is due"},
		{limitLowered, diag.Warning, "Large answers are no longer kept", "clients that retry after a large answer: they get 409 instead of it", "keep maxResponseBytes above the largest answer"},
		{limitRaised, diag.Advice, "Larger answers are kept", "", ""},
	}
}
