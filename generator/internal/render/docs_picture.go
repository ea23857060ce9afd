package render

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/contract"
)

// A docsPicture shows the life of a retried request: two lines down, you and
// the API, and what goes between them. Positions are those of an SVG that is
// 360 wide.
type docsPicture struct {
	ID         string
	Title      string
	Steps      []string // the same in words
	Operations []docsLink
	Height     int
	Arrows     []docsArrow
	Bars       []docsBar
	Notes      []docsNote
	Effects    []docsEffect
}

// A docsArrow is a message. Back is from the API to you.
type docsArrow struct {
	Y           int
	Back, Lost  bool
	Text, Class string
}

// A docsBar is a time in which something goes on at the API.
type docsBar struct {
	X, Y, Height int
	Class        string
}

// A docsNote is a text beside the API's line.
type docsNote struct {
	Y    int
	Text string
}

// A docsEffect is the moment at which a request takes effect.
type docsEffect struct {
	X, Y int
	Text string
}

// addPicture notes how the operation treats a retry; operations that do it
// alike share a picture.
func (p *docsPage) addPicture(o DocsOperation, link docsLink) {
	c := o.Contract
	picture := newDocsPicture(c, success(o))
	i := slices.IndexFunc(p.Pictures, func(other docsPicture) bool { return slices.Equal(other.Steps, picture.Steps) })
	if i < 0 {
		i = len(p.Pictures)
		picture.ID = "life-" + string(rune('a'+i%26)) + strings.Repeat("-", i/26)
		p.Pictures = append(p.Pictures, picture)
	}
	p.Pictures[i].Operations = append(p.Pictures[i].Operations, link)
}

// success is the status that the picture shows.
func success(o DocsOperation) string {
	if kept, ok := firstKept(o); ok {
		return kept.Status
	}
	return "200"
}

func newDocsPicture(c *contract.Contract, status string) docsPicture {
	p := docsPicture{Height: 392}
	p.first(c)
	switch c.InFlight {
	case "wait":
		p.waits(status)
	case "reject":
		p.isRefused()
	default:
		p.runsToo(status)
	}
	p.replayed(c, status)
	return p
}

func (p *docsPicture) step(text string) { p.Steps = append(p.Steps, text) }

// first draws the first request, up to the second one.
func (p *docsPicture) first(c *contract.Contract) {
	p.Arrows = append(p.Arrows, docsArrow{Y: 72, Text: "request, key A", Class: "go"})
	p.Bars = append(p.Bars, docsBar{232, 72, 124, "run"})
	p.Notes = append(p.Notes, docsNote{88, "runs"})
	p.step("You send a request with key A. It runs.")
	if c.OnDisconnect == "cancel" {
		p.Arrows = append(p.Arrows, docsArrow{Y: 148, Text: "no answer yet: again, key A", Class: "go"})
		p.step("No answer has come yet, and you send the same again while the first is running.")
		return
	}
	p.Arrows = append(p.Arrows, docsArrow{Y: 110, Back: true, Lost: true, Text: "connection breaks", Class: "lost"},
		docsArrow{Y: 148, Text: "the same again, key A", Class: "go"})
	p.step("The connection breaks. The request runs on.")
	p.step("You send the same again, with key A, while the first is running.")
}

func (p *docsPicture) waits(status string) {
	p.Title = "A retry waits for the first answer"
	p.Bars = append(p.Bars, docsBar{244, 148, 48, "wait"})
	p.Notes = append(p.Notes, docsNote{164, "waits"})
	p.Effects = append(p.Effects, docsEffect{236, 190, "one effect"})
	p.Arrows = append(p.Arrows, docsArrow{Y: 222, Back: true, Text: "first answer, " + status, Class: "ok"})
	p.step("The second request waits. The first takes effect, once, and the second gets its answer, " + status + ".")
}

func (p *docsPicture) isRefused() {
	p.Title = "A retry is refused while the first runs"
	p.Effects = append(p.Effects, docsEffect{236, 190, "one effect"})
	p.Arrows = append(p.Arrows, docsArrow{Y: 178, Back: true, Text: "409, Retry-After", Class: "refused"})
	p.step("The second request is refused with 409 and Retry-After. The first takes effect, once, and its answer is kept.")
}

func (p *docsPicture) runsToo(status string) {
	p.Title = "A retry runs too while the first runs"
	p.Bars = append(p.Bars, docsBar{244, 148, 64, "run"})
	p.Notes = append(p.Notes, docsNote{164, "runs too"})
	p.Effects = append(p.Effects, docsEffect{236, 190, "an effect"}, docsEffect{248, 210, "another one"})
	p.Arrows = append(p.Arrows, docsArrow{Y: 232, Back: true, Text: "first answer, " + status, Class: "ok"})
	p.step("The second request runs as well: the effect happens twice. Both get the answer that is kept first, " + status + ".")
}

// replayed draws what comes after the answer.
func (p *docsPicture) replayed(c *contract.Contract, status string) {
	p.Bars = append(p.Bars, docsBar{232, 200, 154, "record"})
	p.Notes = append(p.Notes, docsNote{248, "answer kept"}, docsNote{264, words(c.TTL)})
	p.Arrows = append(p.Arrows,
		docsArrow{Y: 286, Text: "the same again, key A", Class: "go"},
		docsArrow{Y: 318, Back: true, Text: status + ", replayed", Class: "ok"})
	p.Notes = append(p.Notes, docsNote{366, "key forgotten"})
	p.step("For " + words(c.TTL) + " the same again gets the same answer, " + status + ", with Idempotent-Replayed: true. Nothing runs.")
	p.step("Then the key is forgotten.")
}
