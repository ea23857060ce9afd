package runtime

import "slices"

// A Fingerprint says which request a record belongs to. Its digests are cut short,
// and made under a secret of the raw key and scope, which no store holds: a dump of
// the store reveals no field, not even to one who can guess its values.
type Fingerprint struct {
	// Sum is the HMAC-SHA-256 (RFC 2104) of all fields, names and values.
	Sum [sumSize]byte
	// Fields has a digest per field, in the order of the contract, so that a
	// difference can be named and records of an older field list compared. It
	// is the inner hash of that code, of the field alone.
	Fields []FieldDigest
}

// A FieldDigest is the digest of one field of a fingerprint.
type FieldDigest struct {
	ID  [3]byte // of the field's name; the same in every process
	Sum [5]byte // of name and value
}

// clone returns a copy that shares no memory with f.
func (f Fingerprint) clone() Fingerprint {
	f.Fields = slices.Clone(f.Fields)
	return f
}

// matches reports whether f and other are of the same request. Where the field
// lists differ, the fields that both have are compared, and lists without a
// common field do not match.
func (f *Fingerprint) matches(other *Fingerprint) bool {
	if f.Sum == other.Sum {
		return true
	}
	common := 0
	for i, field := range f.Fields {
		theirs, ok := other.field(i, field.ID)
		if !ok {
			continue
		}
		if theirs.Sum != field.Sum {
			return false
		}
		common++
	}
	sameList := common == len(f.Fields) && common == len(other.Fields)
	return common > 0 && !sameList
}

// differing returns the positions of the fields of f that other has with
// another digest.
func (f *Fingerprint) differing(other *Fingerprint) []int {
	var at []int
	for i, field := range f.Fields {
		if theirs, ok := other.field(i, field.ID); ok && theirs.Sum != field.Sum {
			at = append(at, i)
		}
	}
	return at
}

// field finds the digest of a field, at its own place first.
func (f *Fingerprint) field(i int, id [3]byte) (FieldDigest, bool) {
	if i < len(f.Fields) && f.Fields[i].ID == id {
		return f.Fields[i], true
	}
	for _, field := range f.Fields {
		if field.ID == id {
			return field, true
		}
	}
	return FieldDigest{}, false
}
