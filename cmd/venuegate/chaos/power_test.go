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

// diskOfPowerBytes holds a store that is written for a minute.
const diskOfPowerBytes = 512 << 20

// TestPowerCut stops the machine, as it were: what the file system has written
// by then is all that the next start finds.
func TestPowerCut(t *testing.T) {
	t.Parallel() // most of its time is waiting
	d := newDisk(t, diskOfPowerBytes)
	w := newWorld(t, shipped, d.dir+"/data")
	t.Cleanup(func() { w.service.kill() }) // before the disk goes
	for range sized.powerCuts {
		w.powerCut(d)
		total.inject("power cut", 1)
		w.mustStart()
		w.askAgain()
	}
	judgeWorld(t, w)
}

// powerCut lets clients work, freezes the service, and takes the disk back to
// what is on the medium.
func (w *world) powerCut(d *disk) {
	w.t.Helper()
	w.loadFor(time.Second + time.Duration(w.random.Int64N(int64(2*time.Second))))
	w.service.signal(syscall.SIGSTOP)
	image := d.copyImage()
	w.service.kill()
	d.replace(image)
}

// cutPoints are the kill points at which the power is cut as well.
var cutPoints = []string{"K2", "K3", "K4", "K5", "K8", "K9", "K10", "K13"}

// TestPowerCutAtKillPoints cuts the power at the steps of an order's way.
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

// cutAt lets the service live until it has stopped itself at a kill point, or for
// a while, and cuts the power then.
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

// loadUntilFrozen is load until the service stops itself, for a while at most.
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
	Name: "no-sync", File: "persistence/badgerstore/writer.go", Old: "if err := w.wal.flush(); err != nil {", New: "if err := error(nil); err != nil {",
}}}

// TestPowerCutControl proves that the method can fail: without syncs the same
// cuts lose orders.
func TestPowerCutControl(t *testing.T) {
	t.Parallel() // most of its time is waiting
	d := newDisk(t, diskOfPowerBytes)
	total.plant()
	w := newWorld(t, build(t, unsynced), d.dir+"/data")
	t.Cleanup(func() { w.service.kill() })
	if out, err := d.command("sync"); err != nil { // the keys are not what may be lost
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
	t.Errorf("%d power cuts of a store that does not sync lost nothing: the method proves nothing", sized.controlCuts)
}

// lostAfterStart starts the service and says what it lacks, if anything: the
// whole store, what the store itself misses, or an order that was acknowledged.
func (w *world) lostAfterStart() string {
	w.t.Helper()
	w.service = w.launchOn(w.dir)
	switch verdict := w.examineDamaged(); verdict {
	case damageHarmless:
		w.service.kill()
		w.mustStart()
		return ""
	default:
		return "the service " + verdict + "; it says:\n" + w.service.tail()
	}
}
