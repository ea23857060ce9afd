package render

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/contract"
)

// A docsOutcome is what can come of a request, and what the client does then.
type docsOutcome struct {
	Status  string // 201; "none" for no answer
	Reason  string // Created
	Name    string // of a refusal: in-progress
	Kind    string // done, wait, fix, stop: how the client goes on
	Meaning string
	Action  string
	Reply   string // a message, "" where there is nothing to show
}

// docsOutcomes lists what can come of an operation: no answer, then answers by
// status.
func docsOutcomes(o DocsOperation) []docsOutcome {
	list := append(listedOutcomes(o), refusals(o.Contract)...)
	slices.SortStableFunc(list, func(a, b docsOutcome) int { return strings.Compare(a.Status, b.Status) })
	silence := docsOutcome{
		Status: "none", Reason: "No answer", Kind: "wait",
		Meaning: "Timeout, or the connection broke. The request may have run, may be running, or may never have arrived.",
		Action:  "Send the same request again, with the same key.",
	}
	if o.Contract.InFlight == "run" {
		silence.Action += " Leave it time to end first: while it runs, a second one runs as well."
	}
	return append([]docsOutcome{silence}, list...)
}

// listedOutcomes are the answers of the operation itself.
func listedOutcomes(o DocsOperation) []docsOutcome {
	var list []docsOutcome
	for _, a := range o.Answers {
		if a.Body.MediaType == "application/problem+json" && slices.Contains([]string{"400", "401", "409", "422", "503"}, a.Status) {
			continue // the refusals, which are listed one by one
		}
		out := docsOutcome{Status: a.Status, Reason: reason(a.Status), Reply: replyMessage(a.Status, nil, a.Body)}
		kept := keepsStatus(o.Contract, a.Status)
		switch success := a.Status[0] == '2'; {
		case kept && success:
			out.Kind = "done"
			out.Meaning = fmt.Sprintf("Done. A retry within %s gets this answer again, with Idempotent-Replayed: true.", words(o.Contract.TTL))
			out.Action = "Nothing more."
		case success:
			out.Kind = "done"
			out.Meaning = "Done, but this answer is not kept: a retry would run again."
			out.Action = "Do not send the request again."
		case kept:
			out.Kind = "stop"
			out.Meaning = "The request failed, and the failure is kept: a retry gets the same answer."
			out.Action = "To try again, send a new request with a new key."
		case a.Status[0] == '4':
			out.Kind = "fix"
			out.Meaning = "The request was refused. The answer is not kept and the key is free again."
			out.Action = "Correct the request. The same key may be used."
		default:
			out.Kind = "wait"
			out.Meaning = "The request failed. The answer is not kept and the key is free again."
			out.Action = "Send the same request again, with the same key; it runs anew."
		}
		list = append(list, out)
	}
	return list
}

// refusals are the answers that the contract leads to.
func refusals(c *contract.Contract) []docsOutcome {
	var list []docsOutcome
	add := func(applies bool, status int, name, kind, meaning, action string, retry bool, fields ...string) {
		if applies {
			list = append(list, docsOutcome{
				Status: strconv.Itoa(status), Reason: http.StatusText(status), Name: name, Kind: kind,
				Meaning: meaning, Action: action, Reply: problemMessage(status, name, retry, fields),
			})
		}
	}
	key := fieldName(c.Key)
	add(c.Required, 400, "missing-key", "fix", "The request has no key. It was not run.", "Send it with a key in "+key+".", false)
	add(true, 400, "invalid-key", "fix", "The key is empty, too long, or not of the form that is wanted. The request was not run.", "Send it with a correct key.", false)
	add(len(c.Scope) > 0, 400, "missing-scope", "fix", "A value that the key belongs to is empty. The request was not run.", "Send it with a value in "+listed(names(c.Scope))+".", false)
	add(c.Principal, 401, "no-principal", "fix", "It is not known who is calling. The request was not run.", "Sign in, then send the same request with the same key.", false)
	add(c.InFlight != "run", 409, "in-progress", "wait", inProgress(c), "Wait as long as Retry-After says, then send the same request with the same key.", true)
	add(c.OnCrash == "hold", 409, "outcome-unknown", "stop", "The server failed midway, and it is not known whether the effect happened.", "Do not send it with a new key: that could repeat the effect. Look up the outcome, or ask support.", false)
	add(true, 409, "response-not-retained", "stop", "The request was done, but its answer could not be kept, so it cannot be given again.", "Do not repeat the request. Read the result by other means.", false)
	add(takesUploads(c), 413, "request-too-large", "fix", "The body is too large to be compared with that of a retry. The request was not run.", "Send a smaller body.", false)
	add(len(c.Fingerprint) > 0, 422, "key-reused", "fix", "The key was used for a different request. This one was not run; fields names what differs.", "For a new request take a new key. For a retry send exactly what was sent first.", false, differing(c)...)
	add(c.OnStoreError == "reject", 503, "store-unavailable", "wait", "Keys cannot be stored at the moment. The request was not run.", "Wait as long as Retry-After says, then send the same request with the same key.", true)
	add(true, 503, "record-unreadable", "stop", "What is stored for this key cannot be read. The request was not run again.", "Keep the key and ask support.", false)
	return list
}

// takesUploads reports whether the body is compared as it is received.
func takesUploads(c *contract.Contract) bool {
	return slices.ContainsFunc(c.Contents, func(content contract.Content) bool {
		return len(content.Fingerprint) > 0 && (content.Encoding == contract.Multipart || content.Encoding == contract.Binary)
	})
}

func inProgress(c *contract.Contract) string {
	if c.InFlight == "wait" {
		return fmt.Sprintf("The first request with this key is still running after %s of waiting. This one was not run.", words(c.WaitTimeout))
	}
	return "The first request with this key is still running. This one was not run."
}

// differing is what an example of a reused key names.
func differing(c *contract.Contract) []string {
	for _, f := range c.Fingerprint {
		if f.Source == contract.Body && len(f.Tokens) > 0 && (f.Type == "integer" || f.Type == "number") {
			return []string{f.Name}
		}
	}
	if len(c.Fingerprint) == 0 {
		return nil
	}
	return []string{c.Fingerprint[len(c.Fingerprint)-1].Name}
}

func names(fields []contract.Field) []string {
	var list []string
	for _, f := range fields {
		list = append(list, fieldName(f))
	}
	return list
}

// reason is the phrase of a status, such as Created.
func reason(status string) string {
	if n, err := strconv.Atoi(status); err == nil {
		return http.StatusText(n)
	}
	if status == "default" {
		return "Any other answer"
	}
	return map[byte]string{'2': "Success", '3': "Redirection", '4': "The request is at fault", '5': "The server is at fault"}[status[0]]
}

// keepsStatus reports whether an answer that the document lists is kept.
func keepsStatus(c *contract.Contract, status string) bool {
	from, err := strconv.Atoi(status)
	to := from
	if err != nil {
		if len(status) != 3 || !strings.EqualFold(status[1:], "XX") {
			return false // default: mostly an error
		}
		from = int(status[0]-'0') * 100
		to = from + 99
	}
	return slices.ContainsFunc(c.Remember, func(r contract.StatusRange) bool { return r.From <= from && to <= r.To })
}
