//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"
)

const (
	// lifeMax bounds how long a service runs until its kill point.
	lifeMax = time.Minute
	// lifeOfVictims bounds how long a service runs until a random kill.
	lifeOfVictims = 2 * time.Second
)

// TestKillPoints kills the service at each kill point under load, and restarts it.
func TestKillPoints(t *testing.T) {
	t.Parallel() // most of its time is waiting
	w := newWorld(t, build(t, withKillPoints()), t.TempDir()+"/data")
	w.loadFor(time.Second)
	w.service.kill()
	var plan []killPoint
	for range sized.killsPerPoint {
		plan = append(plan, killPoints...)
	}
	w.random.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
	missed := map[string]int{}
	for _, p := range plan {
		if w.dieAt(p) {
			total.inject("kill at "+p.name+", "+p.where, 1)
		} else {
			missed[p.name]++
		}
	}
	for name, n := range missed {
		if n > sized.killsPerPoint/2 {
			t.Errorf("%s was not hit in %d of %d runs", name, n, sized.killsPerPoint)
		}
	}
	w.mustStart()
	judgeWorld(t, w)
}

// dieAt runs the service until it has killed itself at the point, or kills it after
// lifeMax.
func (w *world) dieAt(p killPoint) bool {
	w.t.Helper()
	if w.start(fmt.Sprintf("CHAOS_KILL=%s:%d", p.name, 1+w.random.Uint64N(p.hitsMax))) {
		w.askAgain()
		w.loadUntilEnd(lifeMax)
	}
	killedItself := !w.service.running()
	if killedItself && !w.service.diedOf(syscall.SIGKILL) {
		w.t.Errorf("the service did not end by the kill at %s:\n%s", p.name, w.service.tail())
	}
	w.service.kill()
	return killedItself
}

// TestKillAnytime kills the service at random times, including its start.
func TestKillAnytime(t *testing.T) {
	t.Parallel() // most of its time is waiting
	w := newWorld(t, shipped, t.TempDir()+"/data")
	for range sized.killsAnytime {
		w.liveFor(time.Duration(w.random.Int64N(int64(lifeOfVictims))))
		total.inject("kill at any moment", 1)
		if w.random.IntN(4) == 0 { // and once more while it starts
			w.dieStarting(time.Duration(w.random.Int64N(int64(200 * time.Millisecond))))
			total.inject("kill at any moment of the start", 1)
		}
		w.mustStart()
		w.askAgain()
	}
	judgeWorld(t, w)
}

// liveFor runs the service and kills it after a time.
func (w *world) liveFor(d time.Duration) {
	service := w.service
	timer := time.AfterFunc(d, service.kill)
	defer timer.Stop()
	w.loadUntilEnd(d + time.Second)
	service.kill()
}

// dieStarting starts the service and kills it, possibly before it is ready.
func (w *world) dieStarting(after time.Duration) {
	p := w.launchOn(w.dir)
	p.awaitEnd(after)
	p.kill()
}

// TestSimulatorKills kills the venues: they lose everything except the accounts.
// Nothing may be placed twice, and no order that a venue accepted and lost may be
// reported as rejected.
func TestSimulatorKills(t *testing.T) {
	t.Parallel() // most of its time is waiting
	w := newWorld(t, shipped, t.TempDir()+"/data")
	for i := range sized.simulatorKills {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, func() {
			defer cancel()
			w.sim.process.kill()
			w.sim.start()
			sleep(ctx, 2*time.Second)
		})
		w.load(ctx)
		total.inject("kill of the venues", 1)
		if i%3 == 2 {
			w.service.kill()
			w.mustStart()
		}
	}
	judgeWorld(t, w)
}
