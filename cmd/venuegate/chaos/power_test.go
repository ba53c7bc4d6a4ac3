//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"venuegate/cmd/venuegate/chaos/overlay"
)

// diskOfPowerBytes is enough for a store that is written for a minute.
const diskOfPowerBytes = 512 << 20

// TestPowerCut simulates a power cut: the next start finds only what the file system
// has written.
func TestPowerCut(t *testing.T) {
	t.Parallel() // most of its time is waiting
	d := newDisk(t, diskOfPowerBytes)
	w := newWorld(t, shipped, d.dir+"/data")
	t.Cleanup(func() { w.service.kill() }) // before the disk is unmounted
	for range sized.powerCuts {
		w.powerCut(d)
		total.inject("power cut", 1)
		w.mustStart()
		w.askAgain()
	}
	judgeWorld(t, w)
}

// powerCut runs load, freezes the service, and reverts the disk to the content of the
// medium.
func (w *world) powerCut(d *disk) {
	w.t.Helper()
	w.loadFor(time.Second + time.Duration(w.random.Int64N(int64(2*time.Second))))
	w.service.signal(syscall.SIGSTOP)
	image := d.copyImage()
	w.service.kill()
	d.replace(image)
}

// cutPoints are the kill points at which the power is also cut.
var cutPoints = []string{"K2", "K3", "K4", "K5", "K8", "K9", "K10", "K13", "K15", "K16", "K17"}

// TestPowerCutAtKillPoints cuts the power at kill points.
func TestPowerCutAtKillPoints(t *testing.T) {
	t.Parallel() // most of its time is waiting
	d := newDisk(t, diskOfPowerBytes)
	w := newWorld(t, build(t, withKillPoints()), d.dir+"/data")
	t.Cleanup(func() { w.service.kill() })
	w.service.kill()
	for range sized.cutsPerPoint {
		for _, p := range killPoints {
			if slices.Contains(cutPoints, p.name) && w.cutAt(d, p) {
				total.inject("power cut at "+p.name+", "+p.where, 1)
			}
		}
	}
	w.mustStart()
	judgeWorld(t, w)
}

// cutAt runs the service until it has stopped itself at a kill point, or for a time
// limit, and then cuts the power.
func (w *world) cutAt(d *disk, p killPoint) bool {
	w.t.Helper()
	if w.start("CHAOS_FREEZE=1", fmt.Sprintf("CHAOS_KILL=%s:%d", p.name, 1+w.random.Uint64N(p.hitsMax))) {
		w.loadUntilFrozen()
	}
	frozen := w.service.frozen()
	w.service.signal(syscall.SIGSTOP)
	image := d.copyImage()
	w.service.kill()
	d.replace(image)
	return frozen
}

// loadUntilFrozen runs load until the service stops itself, up to a time limit.
func (w *world) loadUntilFrozen() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), lifeMax)
	defer cancel()
	service := w.service
	go func() {
		for ctx.Err() == nil && !service.frozen() {
			sleep(ctx, time.Millisecond)
		}
		cancel()
	}()
	w.load(ctx)
}

// unsynced is the store without its syncs.
var unsynced = overlay.Variant{Edits: []overlay.Edit{{
	Name: "no-sync", File: "persistence/badgerstore/writer.go", Old: "if err := w.log.Sync(); err != nil {", New: "if err := error(nil); err != nil {",
}}}

// TestPowerCutControl checks that the method can fail: without syncs the same cuts lose
// orders.
func TestPowerCutControl(t *testing.T) {
	t.Parallel() // most of its time is waiting
	d := newDisk(t, diskOfPowerBytes)
	total.plant()
	w := newWorld(t, build(t, unsynced), d.dir+"/data")
	t.Cleanup(func() { w.service.kill() })
	if out, err := d.command("sync"); err != nil { // the keys must not be lost
		t.Fatalf("sync: %v %s", err, out)
	}
	for range sized.controlCuts {
		w.powerCut(d)
		if lost := w.lostAfterStart(); lost != "" {
			t.Logf("caught: %s", lost)
			total.caught("no syncs, by power cut")
			return
		}
	}
	t.Errorf("%d power cuts of a store without syncs lost nothing: the method shows nothing", sized.controlCuts)
}

// lostAfterStart starts the service and returns what is lost, if anything: the whole
// store, what the store itself reports missing, or an acknowledged order.
func (w *world) lostAfterStart() string {
	w.t.Helper()
	w.service = w.launchOn(w.dir)
	switch verdict := w.examineDamaged(); verdict {
	case damageHarmless:
		w.service.kill()
		w.mustStart()
		return ""
	default:
		return "the service " + verdict + "; its log:\n" + w.service.tail()
	}
}
