package runtime

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fingerprintOf has a string field for each pair of name and value.
func fingerprintOf(pairs ...string) Fingerprint {
	h := newHasher(testSecret)
	for i := 0; i < len(pairs); i += 2 {
		h.Field(pairs[i])
		h.String(pairs[i+1])
	}
	return h.sum(nil)
}

func TestFingerprintMatches(t *testing.T) {
	for name, c := range map[string]struct {
		sent, stored Fingerprint
		matches      bool
		differing    []int // of sent
	}{
		"equal":                      {fingerprintOf("a", "1", "b", "2"), fingerprintOf("a", "1", "b", "2"), true, nil},
		"one differs":                {fingerprintOf("a", "1", "b", "2"), fingerprintOf("a", "1", "b", "3"), false, []int{1}},
		"all differ":                 {fingerprintOf("a", "1", "b", "2"), fingerprintOf("a", "2", "b", "1"), false, []int{0, 1}},
		"other order":                {fingerprintOf("a", "1", "b", "2"), fingerprintOf("b", "2", "a", "1"), true, nil},
		"other order, one differs":   {fingerprintOf("a", "1", "b", "2"), fingerprintOf("b", "2", "a", "9"), false, []int{0}},
		"field added":                {fingerprintOf("a", "1", "b", "2"), fingerprintOf("a", "1"), true, nil},
		"field added, common differ": {fingerprintOf("a", "1", "b", "2"), fingerprintOf("a", "9"), false, []int{0}},
		"field removed":              {fingerprintOf("a", "1"), fingerprintOf("a", "1", "b", "2"), true, nil},
		"field added in front":       {fingerprintOf("b", "2", "a", "1"), fingerprintOf("a", "1"), true, nil},
		"field replaced":             {fingerprintOf("a", "1", "b", "2"), fingerprintOf("a", "1", "c", "2"), true, nil},
		"no common field":            {fingerprintOf("a", "1"), fingerprintOf("b", "1"), false, nil},
		"no fields":                  {fingerprintOf(), fingerprintOf(), true, nil},
		"no fields and some":         {fingerprintOf(), fingerprintOf("a", "1"), false, nil},
	} {
		if got := c.sent.matches(&c.stored); got != c.matches {
			t.Errorf("%s: matches is %v", name, got)
		}
		if got := c.stored.matches(&c.sent); got != c.matches {
			t.Errorf("%s: matches is %v the other way round", name, got)
		}
		if diff := cmp.Diff(c.differing, c.sent.differing(&c.stored)); diff != "" {
			t.Errorf("%s: differing (-want +got):\n%s", name, diff)
		}
	}
}

// Where both have the same fields, the digest over all of them decides, not the
// shorter ones per field.
func TestFingerprintSumDecides(t *testing.T) {
	a, b := fingerprintOf("a", "1"), fingerprintOf("a", "2")
	b.Fields[0].Sum = a.Fields[0].Sum
	if a.matches(&b) {
		t.Error("equal short digests hide different sums")
	}
}

func TestFingerprintEmptyRecord(t *testing.T) {
	// A stored record without any fields was written under no field list; it
	// must not match everything.
	some := fingerprintOf("a", "1")
	if some.matches(&Fingerprint{}) {
		t.Error("the zero fingerprint matches")
	}
}
