package generator

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/internal/contract"
)

const (
	replayMark      = "marked Idempotent-Replayed: true"
	unprotectedMark = "marked Idempotent-Unprotected: true"
)

// promise is a contract in a sentence.
func promise(c *contract.Contract) string {
	if c.InFlight == "run" {
		return "A request that is sent again with its key after the first answer takes effect once; while the first runs, twice. Both get the same answer."
	}
	return "A request that is sent again with its key takes effect once, and both get the same answer."
}

// cases is the decision table of a contract.
func cases(c *contract.Contract) []Case {
	kept := "Its answer"
	if c.Replay == "reload" {
		kept = "A reference to its answer"
	}
	list := []Case{
		{"first request", fmt.Sprintf("The handler runs. %s is kept for %s if its status is one of %s.", kept, contract.ShowDuration(c.TTL), contract.ShowStatuses(c.Remember)), "The answer."},
		whileRunning(c),
		afterAnswer(c),
		{fmt.Sprintf("retry after %s", contract.ShowDuration(c.TTL)), "The key is forgotten: a first request again.", "The answer of that run."},
	}
	if len(c.Fingerprint) > 0 {
		list = append(list, Case{"same key, other request", "The handler does not run, also while the first one's does.", "422 key-reused, which names the fields that differ."})
	}
	list = append(list, withoutKey(c), Case{"malformed key", "The handler does not run.", "400 invalid-key."})
	if c.Principal {
		list = append(list, Case{"caller unknown", "The handler does not run.", "401 no-principal."})
	}
	if len(c.Scope) > 0 {
		list = append(list, Case{"empty scope value", "The handler does not run.", "400 missing-scope."})
	}
	list = append(list, handlerError(c), workerDies(c))
	list = append(list, storeDown(c)...)
	list = append(list, clientGone(c))
	if c.Replay == "reload" {
		return list
	}
	return append(list, Case{fmt.Sprintf("answer above %d bytes", c.MaxResponseBytes), "It is delivered and not kept. A retry does not run.", "The answer; a retry gets 409 response-not-retained."})
}

func whileRunning(c *contract.Contract) Case {
	const when = "retry while the first runs"
	switch c.InFlight {
	case "wait":
		return Case{when, fmt.Sprintf("It waits, for at most %s.", contract.ShowDuration(c.WaitTimeout)),
			"The first one's answer, " + replayMark + "; 409 in-progress with Retry-After when the wait is over."}
	case "reject":
		return Case{when, "The handler does not run a second time.", "409 in-progress with Retry-After."}
	}
	return Case{when, "The handler runs as well: the effect happens twice.", "The answer that was stored first; where that is the other one's, " + replayMark + "."}
}

func afterAnswer(c *contract.Contract) Case {
	const when = "retry after the answer"
	if c.Replay == "reload" {
		return Case{when, "The handler does not run. The answer is built from the reference that it left.", "The answer as it is built now, " + replayMark + "; without a reference 409 response-not-retained."}
	}
	return Case{when, "The handler does not run.", "The first answer, byte for byte, " + replayMark + "."}
}

func withoutKey(c *contract.Contract) Case {
	if c.Required {
		return Case{"no key", "The handler does not run.", "400 missing-key."}
	}
	return Case{"no key", "The handler runs without protection.", "The answer, " + unprotectedMark + "."}
}

func handlerError(c *contract.Contract) Case {
	happens := "The key is free again: a retry runs."
	if c.InFlight == "wait" {
		happens = "The key is free again: a retry runs, and of those who wait one does."
	}
	if c.OnCrash == "hold" {
		happens += " After a panic, or after more than " + contract.ShowDuration(c.MaxRun) + ", the key is held as after a worker's death."
	}
	return Case{"handler fails, or answers another status", happens, "The failure."}
}

func workerDies(c *contract.Contract) Case {
	const when = "worker dies"
	switch {
	case c.InFlight == "run":
		return Case{when, "No request holds the key: a retry runs.", "Nothing; a retry gets the answer of its own run."}
	case c.OnCrash == "hold":
		return Case{when, fmt.Sprintf("After the lease of %s the key is held until an operator settles or releases it, or until ttl is over.", contract.ShowDuration(c.Lease)),
			"Nothing; a retry gets 409 outcome-unknown."}
	}
	return Case{when, fmt.Sprintf("After the lease of %s a retry runs again, though the work may have been done.", contract.ShowDuration(c.Lease)),
		"Nothing; a retry gets the answer of its own run."}
}

func storeDown(c *contract.Contract) []Case {
	first := Case{"store down at the first request", "The handler runs without protection.", "The answer, " + unprotectedMark + "."}
	if c.OnStoreError == "reject" {
		first = Case{"store down at the first request", "The handler does not run.", "503 store-unavailable with Retry-After."}
	}
	return []Case{first, {"store down after the handler", "The process goes on trying to keep the answer.", "The answer."}}
}

func clientGone(c *contract.Contract) Case {
	if c.OnDisconnect == "cancel" {
		return Case{"client goes away", "The handler's context is cancelled. An error that it returns is an error like any other.", "Nothing; a retry runs, or gets the answer if there is one."}
	}
	return Case{"client goes away", "The handler goes on to its end, and its answer is kept.", "Nothing; a retry gets the answer."}
}
