package complete

// The names of what is added to components. A component that has one of these
// names already is taken for what its name says.
const (
	problemSchema  = "IdempotencyProblem"
	replayedHeader = "IdempotentReplayed"
	retryHeader    = "IdempotencyRetryAfter"
)

// problemType is the media type of refusals, RFC 9457.
const problemType = "application/problem+json"

// An answer is a refusal that a contract can lead to.
type answer struct {
	status      string
	component   string // its name below components.responses
	description string
	retry       bool // it has Retry-After
}

// answers are those of every contract, by status. The one about callers is for
// contracts with a principal.
func answers(principal bool) []answer {
	list := []answer{{
		status: "400", component: "IdempotencyKeyRefused",
		description: "The idempotency key is missing or malformed (missing-key, invalid-key), or a value that the key belongs to is missing (missing-scope). Nothing was done.",
	}}
	if principal {
		list = append(list, answer{
			status: "401", component: "IdempotencyCallerUnknown",
			description: "It is not known who is calling, and the idempotency key belongs to the caller (no-principal). Nothing was done.",
		})
	}
	return append(list, answer{
		status: "409", component: "IdempotencyConflict", retry: true,
		description: "A request with this idempotency key is still running (in-progress), its outcome is unknown (outcome-unknown), or it is done and its answer was not kept (response-not-retained).",
	}, answer{
		status: "422", component: "IdempotencyKeyReused",
		description: "The idempotency key was used for a different request (key-reused). The member fields names what differs. Nothing was done.",
	}, answer{
		status: "503", component: "IdempotencyUnavailable", retry: true,
		description: "The store of idempotency keys cannot be reached (store-unavailable), or what it holds of this key cannot be read (record-unreadable). The request was not run.",
	})
}

func (a answer) value() object {
	value := object{{"description", a.description}}
	if a.retry {
		value = append(value, member{"headers", object{{"Retry-After", ref("headers", retryHeader)}}})
	}
	return append(value, member{"content", object{{problemType, problemContent()}}})
}

func problemContent() object { return object{{"schema", ref("schemas", problemSchema)}} }

func retryValue() object {
	return object{
		{"description", "Seconds to wait before the same request is sent again."},
		{"schema", object{{"type", "integer"}, {"minimum", 1}}},
	}
}

func replayedValue() object {
	return object{
		{"description", "true where this is the answer of an earlier request with the same idempotency key. Absent otherwise."},
		{"schema", object{{"type", "boolean"}}},
	}
}

func problemValue() object {
	text := func(description string) object { return object{{"type", "string"}, {"description", description}} }
	return object{
		{"description", "Why a request with an idempotency key was refused: problem details, RFC 9457."},
		{"type", "object"},
		{"required", list{"type", "title", "status"}},
		{"properties", object{
			{"type", text("Which refusal this is, a URI such as urn:idemgen:problem:key-reused.")},
			{"title", text("The refusal in words, the same for every request.")},
			{"status", object{{"type", "integer"}, {"description", "The HTTP status."}}},
			{"detail", text("What is wrong with this request.")},
			{"fields", object{
				{"type", "array"},
				{"items", object{{"type", "string"}}},
				{"description", "Under key-reused: the names of the fields that differ from the first request with this key."},
			}},
		}},
	}
}

// A Key is the parameter that holds the key.
type Key struct {
	Name     string
	In       string // header or query
	Required bool
	// Format is any, uuid or a regular expression, as in the contract.
	Format string
}

func (k Key) value() object {
	description := "Identifies this request. Send a new value with each new request, and the same value when a request is sent again: it takes effect once, and both get the same answer."
	switch k.Format {
	case "any", "":
	case "uuid":
		description += " A UUID."
	default:
		description += " It matches " + k.Format + "."
	}
	if !k.Required {
		description += " A request without it is not protected."
	}
	return object{
		{"name", k.Name}, {"in", k.In}, {"required", k.Required}, {"description", description},
		{"schema", object{{"type", "string"}, {"minLength", 1}, {"maxLength", 255}}},
	}
}
