package book

import (
	"time"

	"venuegate/venues"
)

// channels lists the feed channels that a book may need, in a fixed order.
func (s *state) channels(yield func(channel venues.FeedTopic, wanted bool) bool) {
	always := s.resident || s.watched
	channel := func(kind venues.FeedKind) venues.FeedTopic {
		return venues.FeedTopic{Kind: kind, Symbol: s.symbol}
	}
	if !yield(channel(venues.FeedBook), always || s.subscriptions.bookWanted()) ||
		!yield(channel(venues.FeedTrades), always || len(s.subscriptions.trades.subs)+len(s.subscriptions.watches.last) > 0) ||
		!yield(channel(venues.FeedMark), always || len(s.subscriptions.watches.mark) > 0) {
		return
	}
	for _, c := range s.subscriptions.candles {
		if !yield(s.candleChannel(c), len(c.subs) > 0) {
			return
		}
	}
}

// reconcile subscribes the topics that are needed now. lingerDue later unsubscribes
// those that are not.
func (s *state) reconcile(now time.Time) {
	unneeded := false
	for channel, wanted := range s.channels {
		if wanted && !s.held[channel] {
			s.hold(now, channel)
		}
		unneeded = unneeded || s.held[channel] && !wanted
	}
	if unneeded {
		s.out.emit(armLinger{})
	}
}

func (s *state) hold(now time.Time, channel venues.FeedTopic) {
	s.held[channel] = true
	s.out.emit(subscribe{channel})
	switch channel.Kind {
	case venues.FeedBook:
		s.book.start(now)
	case venues.FeedCandles:
		s.fetchCandles(s.subscriptions.candle(channel.Timeframe))
	case venues.FeedTrades:
		s.recent.begin(true)
	case venues.FeedMark:
	}
}

func (s *state) letGo(now time.Time, channel venues.FeedTopic) {
	delete(s.held, channel)
	s.out.emit(unsubscribe{channel})
	switch channel.Kind {
	case venues.FeedBook:
		s.book.stop(now)
	case venues.FeedCandles:
		s.subscriptions.candle(channel.Timeframe).forget()
	case venues.FeedMark:
		s.marked = false
	case venues.FeedTrades:
		s.recent.begin(false)
	}
}

// watch keeps the quote current for its readers.
func (s *state) watch(now time.Time) {
	s.watched = true
	s.reconcile(now)
	s.out.emit(armLinger{})
}

// lingerDue unsubscribes unneeded topics, and ends a book that is not needed at all.
// readAt is when the quote was last read.
func (s *state) lingerDue(now, readAt time.Time) {
	if s.watched && now.Sub(readAt) >= WatchFor {
		s.watched = false
	}
	for channel, wanted := range s.channels {
		if s.held[channel] && !wanted {
			s.letGo(now, channel)
		}
	}
	switch {
	case s.watched:
		s.out.emit(armLinger{})
	case len(s.held) == 0 && s.subscriptions.subscribers == 0 && s.subscriptions.watches.count() == 0:
		s.retired = true
		s.out.emit(retire{})
	}
}
