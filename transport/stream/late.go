package stream

import (
	"time"

	"venuegate/venues"
)

// Market data that has waited in the inbox of a shard for longer than Options.AgeMax is dropped
// instead of being delivered late: while more arrives than the shard can write, clients get
// less of it, but what they get is new, and what is missing is reported.

// isLate reports whether a frame that has waited for that time is dropped. Those of private
// topics never are.
func (t *topic) isLate(waited time.Duration) bool {
	return !t.private && waited > t.shard.options.AgeMax
}

// dropLate drops a late frame. Subscribers of a topic with snapshots await the newest one,
// those of trades get a gap.
func (t *topic) dropLate(f *venues.Frame) {
	if f.Snapshot { // it replaces all before it: older ones are those of a slow Resync
		t.handleFrame(f)
		return
	}
	order, missed := t.advance(f)
	if order == duplicate {
		return
	}
	t.shard.round.late++
	if t.hasSnapshots {
		t.newest = nil
		t.awaitSnapshots()
		return
	}
	if t.late == 0 {
		t.shard.late = append(t.shard.late, t)
	}
	t.late += 1 + missed
	t.lateUnknown = t.lateUnknown || order == afterGap && missed == 0
}

// sendLateGap sends the gap of trades that were dropped.
func (t *topic) sendLateGap() {
	if t.late == 0 {
		return
	}
	missed := t.late
	if t.lateUnknown {
		missed = 0
	}
	t.late, t.lateUnknown = 0, false
	t.sendGap(t.cursor.seq, missed)
}
