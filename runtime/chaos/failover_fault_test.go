//go:build unix

package chaos

import (
	"time"
)

func failoverFaults() []fault {
	may := "effects and answers: writes that the old master acknowledged and the new one does not have"
	excuses := []string{lostWrites, wasAway, lostLease}
	return []fault{
		{name: "Sentinel: master killed", may: may, excuses: excuses, long: true, run: masterKilled},
		{name: "Sentinel: switched over (READONLY)", may: may, excuses: excuses, long: true, run: switchedOver},
		{
			name: "Sentinel: master stopped, then back", long: true, run: masterStopped, excuses: excuses,
			may: may + ", for as long as it takes itself for the master: ten seconds",
		},
		{
			name: "the same, min-replicas-to-write 1", long: true, run: masterStoppedAlone, excuses: excuses,
			may: may + ", for as long as it has not noticed that it has no replicas: three seconds",
		},
	}
}

// A failover is one way to get another master.
type failover struct {
	replicas int
	args     []string
	// disturb returns when there is a new master. The old one is a replica
	// soon after.
	disturb func(sentinels *sentinels)
	// unsure is for how long after that the old one may acknowledge writes
	// that are lost, zero for until it is a replica.
	unsure time.Duration
}

// failovers does so twice under load.
func (s *scenario) failovers(f failover) {
	sentinels := startSentinels(s, f.replicas, f.args...)
	s.serve(4, func(int) workerConfig { return workerConfig{Store: sentinels.url()} })
	l := s.load()
	l.clients = 12
	var slowest time.Duration
	for range 2 {
		s.during(l, 400, func(<-chan struct{}) {
			began, back := time.Now(), s.fleet.takeAllAway()
			f.disturb(sentinels)
			promoted := time.Now()
			slowest = max(slowest, promoted.Sub(began))
			back()
			sentinels.settled()
			end := time.Now()
			if f.unsure > 0 {
				end = promoted.Add(f.unsure)
			}
			s.writesLost(began.Add(-time.Second), end)
		})
	}
	s.finish(l)
	s.notef("up to %v until there is a new master", slowest.Round(time.Millisecond))
}

// masterKilled has a killed master start again. Until Sentinel demotes it, it is
// one, and takes writes from whoever still has its address.
func masterKilled(s *scenario) {
	s.failovers(failover{replicas: 1, disturb: func(sentinels *sentinels) {
		master := sentinels.master()
		master.Kill(s)
		sentinels.promoted(master)
		master.Restart(s)
	}})
}

func switchedOver(s *scenario) {
	s.failovers(failover{replicas: 1, unsure: 2 * time.Second, disturb: (*sentinels).switchOver})
}

// masterStopped has a master come back that does not know it is none any more.
func masterStopped(s *scenario) {
	s.failovers(failover{replicas: 1, disturb: s.stopMaster})
}

// masterStoppedAlone is masterStopped with a master that takes no writes when it
// has no replicas.
func masterStoppedAlone(s *scenario) {
	s.failovers(failover{
		replicas: 2, args: []string{"--min-replicas-to-write", "1", "--min-replicas-max-lag", "2"},
		unsure: 3 * time.Second, disturb: s.stopMaster,
	})
}

func (s *scenario) stopMaster(sentinels *sentinels) {
	master := sentinels.master()
	master.Pause(s)
	sentinels.promoted(master)
	master.Continue(s)
}
