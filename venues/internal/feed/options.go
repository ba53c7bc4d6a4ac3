package feed

import (
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
)

const (
	// ackTimeout is how long the venue may take to confirm a subscription.
	ackTimeout = 10 * time.Second
	// rejectedRetry is when a rejected topic is requested again; each further rejection
	// doubles it.
	rejectedRetry = time.Minute
	// brokenRetry is when a topic that was restored and still cannot be decoded is
	// restored again; each further failure doubles it.
	brokenRetry = time.Second
	// doublingsMax bounds how often a wait doubles.
	doublingsMax = 5
)

// doubled returns a wait that doubles with each attempt, up to doublingsMax times.
func doubled(first time.Duration, times int) time.Duration {
	return first << min(times, doublingsMax)
}

// Options of a feed.
type Options struct {
	Protocol Protocol
	Sink     venues.FeedSink
	// TopicsPerRequestMax bounds the topics of one request.
	TopicsPerRequestMax int
	// StreamSnapshots: a subscription of a book begins with a snapshot.
	StreamSnapshots bool
	// RejectedRetryMax bounds the wait before a topic that was rejected repeatedly is
	// requested again.
	RejectedRetryMax time.Duration
	// BookSilenceMax and MarkSilenceMax are how long a topic of a trading instrument may
	// stay without messages. Trades and candles have no limit: without trades there are
	// no messages.
	BookSilenceMax, MarkSilenceMax time.Duration
	Log                            *zap.Logger
}

// silenceMax returns how long a topic of the kind may stay without messages; 0 means no
// limit.
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
