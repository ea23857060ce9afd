package runtime

import (
	"crypto/sha256"
	"slices"
)

// A fieldList has the names of a fingerprint's fields, in order, and their
// identifiers. It does not change, and an operation's is nearly always the same:
// so it is made once and shared.
type fieldList struct {
	names []string
	ids   [][3]byte
}

func newFieldList(names []string) *fieldList {
	list := &fieldList{names: slices.Clone(names), ids: make([][3]byte, len(names))}
	for i, name := range names {
		list.ids[i] = fieldID(name)
	}
	return list
}

// hasher returns a hasher for a request of the operation.
func (o *Operation) hasher(id *identity) *Hasher {
	h, ok := o.engine.hashers.Get().(*Hasher)
	if ok {
		h.reset(id.secret[:])
	} else {
		h = newHasher(id.secret[:])
	}
	h.maxUpload = o.engine.settings.maxUpload
	h.list = o.fields.Load()
	return h
}

// keep takes back a hasher whose fingerprint was made. One that was used by a
// function that panicked is not taken back.
func (o *Operation) keep(h *Hasher) {
	if o.fields.Load() != h.list {
		o.fields.Store(h.list)
	}
	h.failed = nil
	o.engine.hashers.Put(h)
}

// fieldID returns the identifier of a field's name, the same in every process.
func fieldID(name string) [3]byte {
	sum := sha256.Sum256([]byte(name))
	return [3]byte(sum[:3])
}
