package book

import (
	"sync/atomic"
	"time"
)

// counters are written by the actor and its feed, and read by Stats. They
// outlive restarts.
type counters struct {
	updates, duplicates, gaps, crossings                atomic.Uint64
	resyncs, snapshots, snapshotsTooOld, snapshotErrors atomic.Uint64
	checksMatched, checksMismatched, checksAbandoned    atomic.Uint64
	overruns, trades, candles, frames                   atomic.Uint64
}

// Stats is what a book has done and how it stands. Counts only grow.
type Stats struct {
	Symbol string
	Phase  Phase
	// PhaseAge is how long the book has been in its phase; Silence is how long
	// ago the newest message about it came, zero if none did.
	PhaseAge time.Duration
	Silence  time.Duration

	Subscribers int

	Updates    uint64 // messages about the book
	Duplicates uint64
	Gaps       uint64
	Crossings  uint64 // times that the book was crossed
	Overruns   uint64 // times that the actor fell behind its feed and lost messages

	Resyncs         uint64 // attempts to build the book, beyond what the stream brings by itself
	Snapshots       uint64 // snapshots that the book was built on
	SnapshotsTooOld uint64
	SnapshotErrors  uint64

	// Comparisons with a REST snapshot; abandoned ones had no verdict.
	ChecksMatched    uint64
	ChecksMismatched uint64
	ChecksAbandoned  uint64

	Trades  uint64
	Candles uint64
	Frames  uint64 // encoded, not delivered: each may go to many subscribers
}

func (c *counters) stats() Stats {
	return Stats{
		Updates: c.updates.Load(), Duplicates: c.duplicates.Load(), Gaps: c.gaps.Load(), Crossings: c.crossings.Load(),
		Overruns: c.overruns.Load(), Resyncs: c.resyncs.Load(), Snapshots: c.snapshots.Load(),
		SnapshotsTooOld: c.snapshotsTooOld.Load(), SnapshotErrors: c.snapshotErrors.Load(),
		ChecksMatched: c.checksMatched.Load(), ChecksMismatched: c.checksMismatched.Load(), ChecksAbandoned: c.checksAbandoned.Load(),
		Trades: c.trades.Load(), Candles: c.candles.Load(), Frames: c.frames.Load(),
	}
}
