package book

import (
	"sync/atomic"
	"time"
)

// counters are written by the actor and its feed, and read by Stats. They survive
// restarts.
type counters struct {
	updates, duplicates, gaps, crossings                atomic.Uint64
	resyncs, snapshots, snapshotsTooOld, snapshotErrors atomic.Uint64
	checksMatched, checksMismatched, checksAbandoned    atomic.Uint64
	overruns, trades, candles, frames                   atomic.Uint64
}

// Counts are the counters of one or more books. They only increase.
type Counts struct {
	Updates    uint64 // book messages
	Duplicates uint64
	Gaps       uint64
	Crossings  uint64 // times that the book was crossed
	Overruns   uint64 // times that the actor fell behind its feed and lost messages

	Resyncs         uint64 // attempts to rebuild the book
	Snapshots       uint64 // snapshots from which the book was built
	SnapshotsTooOld uint64
	SnapshotErrors  uint64

	// Comparisons with a REST snapshot; abandoned ones had no result.
	ChecksMatched    uint64
	ChecksMismatched uint64
	ChecksAbandoned  uint64

	Trades  uint64
	Candles uint64
	Frames  uint64 // encoded frames; each may go to many subscribers
}

// Stats are the counters and the state of a book.
type Stats struct {
	Counts
	Symbol string
	Phase  Phase
	// PhaseAge is how long the book has been in its phase; Silence is the time since the
	// newest message, zero if there was none.
	PhaseAge time.Duration
	Silence  time.Duration

	Subscribers int
}

// Summary is the counters of several books, and the state of the existing ones.
type Summary struct {
	Counts
	Phases [PhaseStale + 1]int // books by phase
	// StaleFor is the time since the longest stale book became stale.
	StaleFor time.Duration
}

// Add adds an existing book.
func (s *Summary) Add(b Stats) {
	s.Counts = s.Counts.Plus(b.Counts)
	s.Phases[b.Phase]++
	if b.Phase == PhaseStale {
		s.StaleFor = max(s.StaleFor, b.PhaseAge)
	}
}

// Plus returns the sum with other counts.
func (c Counts) Plus(others Counts) Counts {
	c.Updates += others.Updates
	c.Duplicates += others.Duplicates
	c.Gaps += others.Gaps
	c.Crossings += others.Crossings
	c.Overruns += others.Overruns
	c.Resyncs += others.Resyncs
	c.Snapshots += others.Snapshots
	c.SnapshotsTooOld += others.SnapshotsTooOld
	c.SnapshotErrors += others.SnapshotErrors
	c.ChecksMatched += others.ChecksMatched
	c.ChecksMismatched += others.ChecksMismatched
	c.ChecksAbandoned += others.ChecksAbandoned
	c.Trades += others.Trades
	c.Candles += others.Candles
	c.Frames += others.Frames
	return c
}

func (c *counters) counts() Counts {
	return Counts{
		Updates: c.updates.Load(), Duplicates: c.duplicates.Load(), Gaps: c.gaps.Load(), Crossings: c.crossings.Load(),
		Overruns: c.overruns.Load(), Resyncs: c.resyncs.Load(), Snapshots: c.snapshots.Load(),
		SnapshotsTooOld: c.snapshotsTooOld.Load(), SnapshotErrors: c.snapshotErrors.Load(),
		ChecksMatched: c.checksMatched.Load(), ChecksMismatched: c.checksMismatched.Load(), ChecksAbandoned: c.checksAbandoned.Load(),
		Trades: c.trades.Load(), Candles: c.candles.Load(), Frames: c.frames.Load(),
	}
}
