// Package compat compares the contracts of two versions of a document, and says
// who would be hurt by each change.
//
// A change is breaking where it takes a promise of the base's contracts back. It
// is risky where the promise stays and a client may notice all the same: in a
// rare case, while the change is deployed, or because it relied on more than was
// promised. Other changes are fine.
package compat
