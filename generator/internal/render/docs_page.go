package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/contract"
)

// A docsPage is the page, ready to be printed.
type docsPage struct {
	Title, Version string
	Protected      []docsEntry // operations with a contract
	Rows           []docsRow   // all operations
	Count          string      // "3 of 12 operations are protected"
	Keys           []docsKey   // where keys are sent
	KeyExample     string
	Longest        string // the longest time a key is remembered
	Pictures       []docsPicture
	Optional       bool // some operation takes requests without a key
	Unprotected    bool // some operation answers unprotected while the store is down
	Problem        string
}

// A docsKey is a place where keys are sent.
type docsKey struct {
	Where      string
	Header     bool
	Name       string
	Operations []docsLink
}

// A docsLink leads to an operation.
type docsLink struct{ Anchor, Text string }

// A docsRow is an operation in the table of all.
type docsRow struct {
	Method, Path   string
	Anchor         string // "" for an operation without a contract
	Safe           bool
	Idempotent     bool // by HTTP, RFC 9110 section 9.2.2
	Protected      bool
	Exempt, Wanted string // why there is no contract; whether one would help
}

// A docsEntry is an operation with a contract.
type docsEntry struct {
	Anchor, Name          string
	Method, Path, Summary string
	Heading               string // below method and path; "" for none
	Facts                 []docsFact
	Request, First, Again string // messages
	Outcomes              []docsOutcome
}

// A docsFact is one line about a contract: a text, fields, and more text.
type docsFact struct {
	Name, Text string
	Fields     []docsField
	After      string
}

// A docsField is a field of the request, by its name or in words.
type docsField struct {
	Text    string
	InWords bool
}

func newDocsPage(docs Docs) docsPage {
	page := docsPage{Title: docs.Title, Version: docs.Version, KeyExample: exampleKey, Problem: problemURN}
	anchors := map[string]int{}
	longest := contract.Contract{}
	for _, o := range docs.Operations {
		row := newDocsRow(o)
		if c := o.Contract; c != nil {
			entry := newDocsEntry(o)
			if anchors[entry.Anchor]++; anchors[entry.Anchor] > 1 {
				entry.Anchor = fmt.Sprintf("%s-%d", entry.Anchor, anchors[entry.Anchor])
			}
			row.Anchor = entry.Anchor
			page.Protected = append(page.Protected, entry)
			page.addKey(c, docsLink{entry.Anchor, entry.Name})
			page.addPicture(o, docsLink{entry.Anchor, entry.Name})
			page.Optional = page.Optional || !c.Required
			page.Unprotected = page.Unprotected || c.OnStoreError == "run"
			longest.TTL = max(longest.TTL, c.TTL)
		}
		page.Rows = append(page.Rows, row)
	}
	page.Longest = words(longest.TTL)
	page.Count = fmt.Sprintf("%d of %s", len(page.Protected), plural(len(docs.Operations), "operation"))
	return page
}

func newDocsRow(o DocsOperation) docsRow {
	row := docsRow{Method: o.Method, Path: o.Path, Safe: o.Safe, Protected: o.Contract != nil, Exempt: o.Exempt}
	row.Idempotent = o.Safe || o.Method == "PUT" || o.Method == "DELETE"
	return row
}

// addKey notes where the key of an operation is.
func (p *docsPage) addKey(c *contract.Contract, link docsLink) {
	where := "in the " + whereIs(c.Key)
	name := fieldName(c.Key)
	i := slices.IndexFunc(p.Keys, func(k docsKey) bool { return k.Where == where && k.Name == name })
	if i < 0 {
		i = len(p.Keys)
		p.Keys = append(p.Keys, docsKey{Where: where, Name: name, Header: c.Key.Source == contract.Header})
	}
	p.Keys[i].Operations = append(p.Keys[i].Operations, link)
}

func newDocsEntry(o DocsOperation) docsEntry {
	entry := docsEntry{
		Anchor: anchor(o.Name), Name: o.Name, Method: o.Method, Path: o.Path, Summary: strings.TrimSuffix(o.Summary, "."),
		Facts:    docsFacts(o.Contract),
		Request:  requestMessage(o),
		Outcomes: docsOutcomes(o),
	}
	entry.Heading = entry.Summary
	if entry.Heading == "" && o.Name != o.Method+" "+o.Path {
		entry.Heading = o.Name
	}
	if kept, ok := firstKept(o); ok {
		entry.First = replyMessage(kept.Status, nil, kept.Body)
		entry.Again = replyMessage(kept.Status, []DocsHeader{{"Idempotent-Replayed", "true"}}, kept.Body)
	}
	return entry
}

// firstKept is the first listed answer that is kept, one of success if there is
// one.
func firstKept(o DocsOperation) (DocsAnswer, bool) {
	for _, wanted := range []string{"2", "12345"} {
		for _, a := range o.Answers {
			if strings.Contains(wanted, a.Status[:1]) && keepsStatus(o.Contract, a.Status) {
				return a, true
			}
		}
	}
	return DocsAnswer{}, false
}
