//go:build unix

package chaos

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// TestBrokenStore shows that the tests of this package can fail: a store that
// accepts every claim lets keys have several effects and answers, and they are
// counted.
func TestBrokenStore(t *testing.T) {
	t.Parallel()
	r := &row{fault: "broken store"}
	s := newScenario(t, r, nil, 1, false)
	server := redistest.Start(t)
	s.serve(2, func(int) workerConfig {
		return workerConfig{Store: "redis://" + server.Addr, Broken: true}
	})
	l := s.load()
	l.longWork = 0
	l.send(100, nil)
	r.tally(s.judge(), s.ledger.byKey(), &l.books)
	if r.doubles == 0 || r.effects <= r.keys {
		t.Errorf("%d effects of %d keys, %d double: the breach was not seen", r.effects, r.keys, r.doubles)
	}
}

// A made-up history of one key, and what it counts as.
type madeUp struct {
	name     string
	excuses  []string
	attempts []attempt
	answers  []string // IDs of the attempts whose answers clients got
	want     tallied
}

type tallied struct{ doubles, excused, answers, excusedAnswers int }

// second is a time of the made-up histories.
func second(n float64) time.Time {
	return time.Unix(0, 0).Add(time.Duration(n * float64(time.Second)))
}

// ran is an attempt from one second to another, 0 for no end.
func ran(id, worker string, from, to float64) attempt {
	a := attempt{ID: id, Key: "key", Worker: worker, Entered: second(from), Began: second(from)}
	if to > 0 {
		a.Ended = second(to)
	}
	return a
}

func (a attempt) but(change func(a *attempt)) attempt {
	change(&a)
	return a
}

func isLost(a *attempt)        { a.Lost = true }
func isUnrecorded(a *attempt)  { a.Unrecorded = true }
func isUnprotected(a *attempt) { a.Unprotected = true }

// madeUps has the histories of TestTally.
func madeUps() []madeUp {
	all := []string{wasKilled, wasAway, lostLease, lostWrites, ranUnprotected}
	a, b := ran("a", "well", 11, 12), ran("b", "well", 13, 14)
	return []madeUp{
		{"one", all, []attempt{a}, []string{"a"}, tallied{}},
		{"two that lived", all, []attempt{a, b}, []string{"a", "b"}, tallied{doubles: 1, answers: 1}},
		{"killed before its end", all, []attempt{ran("a", "killed", 9, 0), b}, []string{"b"}, tallied{excused: 1}},
		{"killed, which the fault is not about", nil, []attempt{ran("a", "killed", 9, 0), b}, []string{"b"}, tallied{doubles: 1}},
		{"killed after its end", all, []attempt{ran("a", "killed", 8, 9), b}, []string{"b"}, tallied{doubles: 1}},
		{"the later was killed", all, []attempt{ran("b", "well", 8, 9), ran("a", "killed", 9, 0)}, []string{"b"}, tallied{doubles: 1}},
		{"a third", all, []attempt{ran("c", "killed", 9, 0), a, b}, []string{"a"}, tallied{doubles: 1, excused: 1}},
		{"away for a lease", all, []attempt{ran("a", "away", 9, 13), b}, []string{"b"}, tallied{excused: 1}},
		{"away before its effect", all, []attempt{a, ran("b", "away", 12.1, 13)}, []string{"a"}, tallied{excused: 1}},
		{"away for less", all, []attempt{ran("a", "stalled", 9, 13), b}, []string{"b"}, tallied{doubles: 1}},
		{"away at another time", all, []attempt{ran("a", "away", 1, 2), b}, []string{"b"}, tallied{doubles: 1}},
		{"told that the lease is lost", all, []attempt{a.but(isLost), b}, []string{"b"}, tallied{excused: 1}},
		{"away, and another answer", all, []attempt{ran("a", "away", 9, 13), b}, []string{"a", "b"}, tallied{excused: 1, answers: 1}},
		{
			"cut off, and another answer", all,
			[]attempt{ran("a", "away", 9, 13).but(isUnrecorded), b}, []string{"a", "b"}, tallied{excused: 1, excusedAnswers: 1},
		},
		{"writes lost", all, []attempt{ran("a", "well", 2.5, 3), b}, []string{"a", "b"}, tallied{excused: 1, excusedAnswers: 1}},
		{"unprotected", all, []attempt{a.but(isUnprotected), b}, []string{"a", "b"}, tallied{excused: 1, excusedAnswers: 1}},
		{"unprotected, and not to be", nil, []attempt{a.but(isUnprotected), b}, []string{"b"}, tallied{doubles: 1}},
	}
}

// TestTally counts histories that are made up.
func TestTally(t *testing.T) {
	t.Parallel()
	for _, test := range madeUps() {
		t.Run(test.name, func(t *testing.T) {
			j := &judge{lease: time.Second, excuses: test.excuses, lost: []span{{second(2), second(4)}}, troubles: map[string]*trouble{
				"well":    {},
				"killed":  {killed: second(10)},
				"away":    {away: []span{{second(10), second(12)}}},
				"stalled": {away: []span{{second(10), second(10.3)}}},
			}}
			b := &books{orders: map[string]order{"key": {}}, answers: map[string]map[string]bool{"key": {}}}
			for _, id := range test.answers {
				b.answers["key"][fmt.Sprintf(`{"effect":%q}`, id)] = true
			}
			var r row
			wrong := r.tally(j, map[string][]attempt{"key": test.attempts}, b)
			got := tallied{r.doubles, r.excusedTotal(), r.answers, r.excusedAnswers}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(tallied{})); diff != "" {
				t.Errorf("counts (-want +got):\n%s%s", diff, strings.Join(wrong, "\n"))
			}
			if breach := test.want.doubles+test.want.answers > 0; breach != (len(wrong) > 0) {
				t.Errorf("told: %q", wrong)
			}
		})
	}
}

// TestReadCommand splits what a client sends into commands.
func TestReadCommand(t *testing.T) {
	t.Parallel()
	claim := "*2\r\n$3\r\nset\r\n$5\r\n1\r\n23\r\n"
	ping := "*1\r\n$4\r\nping\r\n"
	in := bufio.NewReader(strings.NewReader(claim + ping))
	for _, want := range []string{claim, ping} {
		if got, err := readCommand(in); err != nil || string(got) != want {
			t.Errorf("read %q, %v, want %q", got, err, want)
		}
	}
	if _, err := readCommand(bufio.NewReader(strings.NewReader("ping\r\n"))); err == nil {
		t.Error("an inline command was taken")
	}
}

// TestSummary looks at the table.
func TestSummary(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	writeSummary(&out, []*row{
		{fault: "one", may: "nothing", requests: 10},
		{fault: "other", may: "effects", requests: 1000, excused: map[string]int{wasKilled: 2, lostLease: 1}, bad: true, note: "3 kills"},
	})
	for _, want := range []string{"      10 ", "    1000 ", "FAILED  other", "ok  one", "other: effects [killed 2, lease lost 1]\n    3 kills"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
