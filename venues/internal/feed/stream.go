package feed

import (
	"time"

	"venuegate/venues"
)

// Stream is a channel on its connection. A Decoder passes to it what a message
// says; the methods for that are called during Decode alone.
type Stream struct {
	home    *shard
	channel venues.FeedChannel
	topic   string
	decoder Decoder

	// Guarded by shard.mu.

	life life
	// interrupted: the sink was told, or never told otherwise.
	interrupted bool
	// broken: a message could not be decoded; what follows is dropped until the
	// stream is mended.
	broken bool
	// retryAt is when a broken stream is mended or a refused one asked for again;
	// zero if it is neither. refusals counts those since the last confirmation.
	retryAt  time.Time
	refusals int
	// restarted: the decoder does not know yet that the subscription is a new one.
	restarted bool

	// Guarded by shard.deliver.

	// faults counts undecodable messages since the last good one.
	faults int
	// lastSeq is the newest sequence number told. While overlapping, after a renewed
	// connection took over, what is not newer is dropped.
	lastSeq     uint64
	overlapping bool
}

// life is when a stream was heard of last, and how often its silence was noticed
// since.
type life struct {
	heardAt time.Time
	strikes int
}

// Book takes an update over and tells it, unless it was told already.
func (s *Stream) Book(u *venues.BookUpdate) {
	if u.Snapshot {
		s.overlapping = false // it begins the book anew, whatever its number
	}
	if !s.fresh(u.LastSeq) {
		u.Release()
		return
	}
	s.home.options.Sink.Book(u)
}

// Trade tells a trade, unless it was told already. seq rises from trade to trade; it
// is 0 where a venue numbers none.
func (s *Stream) Trade(t venues.Trade, seq uint64) {
	if s.fresh(seq) {
		s.home.options.Sink.Trade(t)
	}
}

// Candle tells a state of a candle.
func (s *Stream) Candle(c venues.Candle) { s.home.options.Sink.Candle(c) }

// Mark tells a mark price.
func (s *Stream) Mark(m venues.MarkPrice) { s.home.options.Sink.Mark(m) }

// fresh says whether a sequence number is new to the stream.
func (s *Stream) fresh(seq uint64) bool {
	if s.overlapping && seq <= s.lastSeq {
		return false
	}
	s.overlapping, s.lastSeq = false, seq
	return true
}
