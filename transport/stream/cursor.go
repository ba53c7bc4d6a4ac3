package stream

import "venuegate/venues"

// verdict is how a frame relates to the ones before it.
type verdict uint8

const (
	// follows: the next of its epoch.
	follows verdict = iota + 1
	// restarts: a snapshot that follows nothing; everything before it is void.
	restarts
	// resends: a snapshot of the newest state, asked for by Resync.
	resends
	// jumps: frames before this one are missing, and it is no snapshot.
	jumps
	// repeats: an old frame; there is nothing to do with it.
	repeats
)

// cursor is the position in a topic. It is a pure state machine: frames in,
// verdicts out.
type cursor struct {
	epoch   uint64
	seq     uint64
	started bool
}

// advance takes the next frame. missed is how many frames are missing before it
// in case of jumps, 0 if that is not known. first is what a first frame that is
// no snapshot counts as: follows on topics without snapshots, else jumps.
func (c *cursor) advance(f *venues.Frame, first verdict) (v verdict, missed uint64) {
	last := *c
	v = last.judge(f, first)
	if v != repeats {
		*c = cursor{epoch: f.Epoch, seq: f.Seq, started: true}
	}
	if v == jumps && last.started && last.epoch == f.Epoch {
		missed = f.Seq - last.seq - 1
	}
	return v, missed
}

func (c *cursor) judge(f *venues.Frame, first verdict) verdict {
	sameEpoch := c.started && c.epoch == f.Epoch
	switch {
	case sameEpoch && f.Seq == c.seq+1:
		return follows
	case sameEpoch && f.Seq == c.seq && f.Snapshot:
		return resends
	case sameEpoch && f.Seq <= c.seq:
		return repeats
	case f.Snapshot:
		return restarts
	case !c.started:
		return first
	default:
		return jumps
	}
}
