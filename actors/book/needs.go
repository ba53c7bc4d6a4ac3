package book

import (
	"time"

	"venuegate/venues"
)

// channels lists the feed channels that a book may need, in a fixed order.
func (s *state) channels(yield func(channel venues.FeedChannel, wanted bool) bool) {
	always := s.resident || s.watched
	channel := func(kind venues.FeedKind) venues.FeedChannel {
		return venues.FeedChannel{Kind: kind, Symbol: s.symbol}
	}
	if !yield(channel(venues.FeedBook), always || s.board.bookWanted()) ||
		!yield(channel(venues.FeedTrades), always || len(s.board.trades.subs)+len(s.board.watches.last) > 0) ||
		!yield(channel(venues.FeedMark), always || len(s.board.watches.mark) > 0) {
		return
	}
	for _, c := range s.board.candles {
		if !yield(s.candleChannel(c), len(c.subs) > 0) {
			return
		}
	}
}

// reconcile subscribes what has become needed. What is not needed any more is
// let go later, by lingerDue.
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

func (s *state) hold(now time.Time, channel venues.FeedChannel) {
	s.held[channel] = true
	s.out.emit(subscribe{channel})
	switch channel.Kind {
	case venues.FeedBook:
		s.book.start(now)
	case venues.FeedCandles:
		s.fetchCandles(s.board.candle(channel.Timeframe))
	case venues.FeedTrades, venues.FeedMark:
	}
}

func (s *state) letGo(now time.Time, channel venues.FeedChannel) {
	delete(s.held, channel)
	s.out.emit(unsubscribe{channel})
	switch channel.Kind {
	case venues.FeedBook:
		s.book.stop(now)
	case venues.FeedCandles:
		s.board.candle(channel.Timeframe).forget()
	case venues.FeedMark:
		s.marked = false
	case venues.FeedTrades:
	}
}

// watch keeps the quote up for somebody who reads it.
func (s *state) watch(now time.Time) {
	s.watched = true
	s.reconcile(now)
	s.out.emit(armLinger{})
}

// lingerDue lets go what nobody needs, and ends a book that nobody needs at all.
// readAt is when the quote was last read.
func (s *state) lingerDue(now, readAt time.Time) {
	if s.watched && now.Sub(readAt) >= watchFor {
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
	case len(s.held) == 0 && s.board.subscribers == 0 && s.board.watches.count() == 0:
		s.retired = true
		s.out.emit(retire{})
	}
}
