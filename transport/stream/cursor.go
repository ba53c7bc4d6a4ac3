package stream

import "venuegate/venues"

// frameOrder is the relation of a frame to the frames before it.
type frameOrder uint8

const (
	// inOrder: the next frame of its epoch.
	inOrder frameOrder = iota + 1
	// restart: a snapshot that does not continue the sequence and replaces all before.
	restart
	// resentSnapshot: a snapshot of the newest state, the response to a Resync.
	resentSnapshot
	// afterGap: frames before this one are missing, and it is not a snapshot.
	afterGap
	// duplicate: an old frame, to be ignored.
	duplicate
)

// cursor is the position in a topic. It is a pure state machine that classifies
// frames.
type cursor struct {
	epoch   uint64
	seq     uint64
	started bool
}

// advance moves to the next frame and returns its order. For afterGap, missed is the
// number of missing frames, 0 if unknown. first is the order of a first frame that is
// not a snapshot: inOrder on topics without snapshots, else afterGap.
func (c *cursor) advance(f *venues.Frame, first frameOrder) (order frameOrder, missed uint64) {
	last := *c
	order = last.classify(f, first)
	if order != duplicate {
		*c = cursor{epoch: f.Epoch, seq: f.Seq, started: true}
	}
	if order == afterGap && last.started && last.epoch == f.Epoch {
		missed = f.Seq - last.seq - 1
	}
	return order, missed
}

// classify returns the order of a frame after this position.
func (c *cursor) classify(f *venues.Frame, first frameOrder) frameOrder {
	sameEpoch := c.started && c.epoch == f.Epoch
	switch {
	case sameEpoch && f.Seq == c.seq+1:
		return inOrder
	case sameEpoch && f.Seq == c.seq && f.Snapshot:
		return resentSnapshot
	case sameEpoch && f.Seq <= c.seq:
		return duplicate
	case f.Snapshot:
		return restart
	case !c.started:
		return first
	default:
		return afterGap
	}
}
