package redisstore

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever calls come and give up, and in which order round trips end: nobody
// waits while nothing is under way, nobody is sent twice or lost, and the number
// of round trips is kept.
func TestLane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Now()
		l := newLane()
		var (
			waiting []*rider // entered, not boarded, not withdrawn
			leaders []*rider // told to lead, not begun
			trips   int      // begun
		)
		told := func() {
			for _, r := range waiting {
				select {
				case <-r.turn:
					leaders = append(leaders, r)
				default:
				}
			}
		}
		defer func() {
			if l.timer != nil {
				l.timer.Stop()
			}
		}()
		t.Repeat(map[string]func(*rapid.T){
			"call": func(t *rapid.T) {
				l.crowd = rapid.SampledFrom([]int{0, 0, 10}).Draw(t, "crowd")
				if l.start() {
					trips++
					return
				}
				r := newRider()
				r.deadline = now.Add(rapid.SampledFrom([]time.Duration{time.Hour, time.Hour + time.Millisecond, 2 * time.Hour}).Draw(t, "deadline"))
				r.size = rapid.SampledFrom([]int{10, largeBytes}).Draw(t, "size")
				l.enter(r, time.Now())
				waiting = append(waiting, r)
			},
			"impatience": func(*rapid.T) {
				for _, r := range l.queue {
					r.since -= time.Second
				}
			},
			"lead": func(t *rapid.T) {
				if len(leaders) == 0 {
					t.Skip("nobody leads")
				}
				r := rapid.SampledFrom(leaders).Draw(t, "leader")
				leaders = without(leaders, r)
				batch := l.board(r)
				if len(batch) > 0 {
					trips++
				}
				for _, other := range batch {
					if len(waiting) == len(without(waiting, other)) {
						t.Fatal("a call is sent that does not wait")
					}
					waiting = without(waiting, other)
				}
			},
			"end of a trip": func(t *rapid.T) {
				if trips == 0 {
					t.Skip("nothing is under way")
				}
				trips--
				l.leave(1)
			},
			"give up": func(t *rapid.T) {
				if len(waiting) == 0 {
					t.Skip("nobody waits")
				}
				r := rapid.SampledFrom(waiting).Draw(t, "rider")
				told() // it may have been told to lead
				if !l.withdraw(r) {
					t.Fatal("a call that waits cannot be withdrawn")
				}
				if l.withdraw(r) {
					t.Fatal("a call was withdrawn twice")
				}
				waiting, leaders = without(waiting, r), without(leaders, r)
			},
			"time": func(t *rapid.T) {
				if len(waiting) == 0 {
					t.Skip("nobody waits")
				}
				r := rapid.SampledFrom(waiting).Draw(t, "rider")
				told()
				r.deadline = now.Add(-time.Hour)
				l.expire()
				if got := <-r.turn; got != turnLate || !l.withdraw(r) {
					t.Fatalf("a call whose time is over is told %v", got)
				}
				waiting, leaders = without(waiting, r), without(leaders, r)
			},
			"": func(t *rapid.T) {
				told()
				handed := 0
				for _, r := range leaders {
					if r.leads {
						handed++
					}
				}
				switch {
				case l.trips != trips+handed:
					t.Fatalf("%d trips are counted; %d are under way and %d handed to a rider", l.trips, trips, handed)
				case len(l.queue) != len(waiting):
					t.Fatalf("%d are in the queue, %d wait", len(l.queue), len(waiting))
				case len(waiting) > 0 && l.trips == 0:
					t.Fatal("calls wait and nothing is under way")
				case l.trips > stalledTrips:
					t.Fatalf("%d trips", l.trips)
				}
			},
		})
	})
}

func without(riders []*rider, r *rider) []*rider {
	var left []*rider
	for _, other := range riders {
		if other != r {
			left = append(left, other)
		}
	}
	return left
}
