package feed

import (
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
)

const (
	// ackTimeout is how long the venue may take to confirm a subscription.
	ackTimeout = 10 * time.Second
	// refusedRetry is when a topic that was refused is asked for again; each further
	// refusal doubles it.
	refusedRetry = time.Minute
	// brokenRetry is when a channel that was mended and still cannot be decoded is
	// mended once more; each further failure doubles it.
	brokenRetry = time.Second
	// strikesMax bounds how often a patience doubles.
	strikesMax = 5
)

// patience doubles with each strike, up to strikesMax times.
func patience(first time.Duration, strikes int) time.Duration {
	return first << min(strikes, strikesMax)
}

// Options of a feed.
type Options struct {
	Protocol Protocol
	Sink     venues.FeedSink
	// TopicsPerRequestMax bounds the topics of one request.
	TopicsPerRequestMax int
	// StreamSnapshots says that a subscription of a book begins with a snapshot.
	StreamSnapshots bool
	// RefusedRetryMax is how long a topic that is refused again and again waits
	// at most.
	RefusedRetryMax time.Duration
	// BookSilenceMax and MarkSilenceMax are how long a channel of a trading
	// instrument may bring nothing. Trades and candles may be silent for as long as
	// they like: without trades there is nothing to tell.
	BookSilenceMax, MarkSilenceMax time.Duration
	Log                            *zap.Logger
}

// silenceMax is how long a channel of the kind may bring nothing; 0 means for ever.
func (o *Options) silenceMax(kind venues.FeedKind) time.Duration {
	switch kind {
	case venues.FeedBook:
		return o.BookSilenceMax
	case venues.FeedMark:
		return o.MarkSilenceMax
	default:
		return 0
	}
}
