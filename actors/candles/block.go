package candles

import (
	"slices"
	"time"

	"venuegate/venues"
)

const (
	// blockCandles is the number of candles of a block: what all venues return in one
	// answer, at least of recent candles.
	blockCandles = 300
	// settleAfter is how long after its end a closed candle may still change.
	settleAfter = 5 * time.Second
	// openFor is how long candles are used that may have changed.
	openFor = time.Second
	// gapsFor is how long a block is used that lacks candles: those before the listing of
	// the instrument, or those that the venue failed to list.
	gapsFor = 10 * time.Minute
)

// block holds consecutive candles of one series as they were last read. It is a value:
// its candles are never changed.
type block struct {
	start, end time.Time
	length     time.Duration // of a candle
	candles    []venues.Candle
	// settled is the end of the candles that do not change.
	settled time.Time
	readAt  time.Time
}

// blockAt returns the empty block that contains the candle of a time.
func blockAt(at time.Time, length time.Duration) block {
	start := at.UTC().Truncate(length * blockCandles)
	return block{start: start, end: start.Add(length * blockCandles), length: length, settled: start}
}

// isComplete reports whether no candle of the block changes.
func (b *block) isComplete() bool { return !b.settled.Before(b.end) }

// isFresh reports whether the block can be used without reading it again.
func (b *block) isFresh(now time.Time) bool {
	age := now.Sub(b.readAt)
	switch {
	case b.readAt.IsZero():
		return false
	case !b.isComplete():
		return age < openFor && now.Truncate(b.length).Equal(b.readAt.Truncate(b.length))
	default:
		return len(b.candles) == blockCandles || age < gapsFor
	}
}

// missing returns the period of the candles to read: those that may have changed, up to
// the present one, or all if some are lacking.
func (b *block) missing(now time.Time) (from, to time.Time) {
	from, to = b.settled, now.UTC().Truncate(b.length).Add(b.length)
	if b.isComplete() {
		from = b.start
	}
	if to.After(b.end) {
		to = b.end
	}
	return from, to
}

// merge returns the block with the candles of the missing period, which were requested at
// the time now. The venue may list others too.
func (b *block) merge(listed []venues.Candle, now time.Time) block {
	from, to := b.missing(now)
	next := *b
	next.readAt = now
	next.settled = now.Add(-settleAfter).UTC().Truncate(b.length)
	kept := slices.IndexFunc(b.candles, func(c venues.Candle) bool { return !c.Start.Before(from) })
	if kept < 0 {
		kept = len(b.candles)
	}
	next.candles = append(make([]venues.Candle, 0, kept+len(listed)), b.candles[:kept]...)
	for _, c := range listed {
		if c.Start.Before(from) || !c.Start.Before(to) {
			continue
		}
		next.candles = append(next.candles, c)
		from = c.End
		if !c.Closed && c.Start.Before(next.settled) {
			next.settled = c.Start
		}
	}
	if next.settled.Before(b.start) {
		next.settled = b.start
	}
	if next.settled.After(b.end) {
		next.settled = b.end
	}
	return next
}

// within appends the candles that begin in [from, to).
func (b *block) within(dst []venues.Candle, from, to time.Time) []venues.Candle {
	for _, c := range b.candles {
		if !c.Start.Before(from) && c.Start.Before(to) {
			dst = append(dst, c)
		}
	}
	return dst
}
