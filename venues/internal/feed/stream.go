package feed

import (
	"time"

	"venuegate/venues"
)

// Stream is a topic on its connection. A Decoder passes the content of messages to its
// methods, during Decode only.
type Stream struct {
	shard   *shard
	topic   venues.FeedTopic
	name    string
	decoder Decoder

	// Guarded by shard.mu.

	activity activity
	// interrupted: as reported to the sink, and initially.
	interrupted bool
	// broken: a message could not be decoded. Messages are dropped until the stream is
	// restored.
	broken bool
	// retryAt is when a broken stream is restored or a rejected one requested again; zero
	// if it is neither. rejections counts those since the last confirmation.
	retryAt    time.Time
	rejections int
	// restarted: the decoder does not know of the new subscription yet.
	restarted bool

	// Guarded by shard.deliver.

	// decodeErrors counts undecodable messages since the last good one.
	decodeErrors int
	// lastSeq is the newest sequence number passed on. While overlapping, after a renewed
	// connection took over, messages that are not newer are dropped.
	lastSeq     uint64
	overlapping bool
}

// activity is when the last message of a stream was received, and how often its silence
// was noticed since.
type activity struct {
	receivedAt time.Time
	misses     int
}

// Book takes ownership of an update and passes it on, unless that was done already.
func (s *Stream) Book(u *venues.BookUpdate) {
	if u.Snapshot {
		s.overlapping = false // it starts the book from scratch, whatever its number
	}
	if !s.isNew(u.LastSeq) {
		u.Release()
		return
	}
	s.shard.options.Sink.Book(u)
}

// Trade passes a trade on, unless that was done already. seq increases from trade to
// trade; it is 0 where a venue has no numbers.
func (s *Stream) Trade(t venues.Trade, seq uint64) {
	if s.isNew(seq) {
		s.shard.options.Sink.Trade(t)
	}
}

// Candle passes a state of a candle on.
func (s *Stream) Candle(c venues.Candle) { s.shard.options.Sink.Candle(c) }

// Mark passes a mark price on.
func (s *Stream) Mark(m venues.MarkPrice) { s.shard.options.Sink.Mark(m) }

// isNew reports whether a sequence number is newer than the last one.
func (s *Stream) isNew(seq uint64) bool {
	if s.overlapping && seq <= s.lastSeq {
		return false
	}
	s.overlapping, s.lastSeq = false, seq
	return true
}
