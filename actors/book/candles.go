package book

import (
	"time"

	"venuegate/venues"
)

// Limits of fetching candles over REST: after a subscription, before the stream has
// published one, and after an interruption, for candles that closed in the meantime.
const (
	candlesFetched     = 2 // the current one and the one that may just have closed
	candleAttemptsMax  = 6 // the stream publishes the current candle eventually
	candleRetryMin     = time.Second
	candleFetchTimeout = 10 * time.Second
)

func (c *candleTopic) forget() {
	c.known, c.streamed, c.interrupted, c.attempt = false, false, false, 0
	c.generation++
	c.pause()
}

// candle processes a candle of the stream.
func (s *state) candle(now time.Time, candle venues.Candle) {
	s.count.candles.Add(1)
	c := s.subscriptions.candle(candle.Timeframe)
	if c == nil || !s.held[s.candleChannel(c)] || !c.precedes(candle) {
		return
	}
	c.streamed = true
	s.show(now, c, candle)
}

// precedes reports whether candle is newer: the same period while it is open, or a later
// one.
func (c *candleTopic) precedes(candle venues.Candle) bool {
	switch {
	case !c.known || candle.Start.After(c.current.Start):
		return true
	case candle.Start.Equal(c.current.Start):
		return !c.current.Closed || candle.Closed
	}
	return false
}

func (s *state) show(now time.Time, c *candleTopic, candle venues.Candle) {
	c.current, c.known = candle, true
	if len(c.subs) == 0 {
		return
	}
	kind := venues.MessageUpdate
	if !c.begun {
		c.begun, kind = true, venues.MessageSnapshot
	}
	head := s.encoder.next(&c.topic, kind, now, candle.VenueTime)
	s.out.deliver(delivery{to: &c.topic, frame: s.encoder.candleFrame(head, candle)})
}

func (s *state) fetchCandles(c *candleTopic) {
	c.attempt = 0
	s.fetchCandlesAgain(c)
}

func (s *state) fetchCandlesAgain(c *candleTopic) {
	c.attempt++
	c.generation++
	s.out.emit(fetchCandles{timeframe: c.timeframe, generation: c.generation})
}

// candlesDue handles the timer of a retry.
func (s *state) candlesDue(timeframe venues.Timeframe, generation uint64) {
	if c := s.subscriptions.candle(timeframe); c.generation == generation {
		s.fetchCandlesAgain(c)
	}
}

// candlesCame handles the result of fetchCandles, oldest first.
func (s *state) candlesCame(now time.Time, timeframe venues.Timeframe, generation uint64, candles []venues.Candle, err error) {
	c := s.subscriptions.candle(timeframe)
	if c.generation != generation {
		return
	}
	if err != nil || len(candles) == 0 {
		s.retryCandles(c)
		return
	}
	c.interrupted = false
	if !c.known {
		candles = candles[len(candles)-1:] // a new subscriber begins with the current one
	}
	for _, candle := range candles {
		older := c.streamed && candle.Start.Equal(c.current.Start) && !candle.Closed
		if !older && c.precedes(candle) {
			s.show(now, c, candle)
		}
	}
}

func (s *state) retryCandles(c *candleTopic) {
	if c.attempt >= candleAttemptsMax {
		return
	}
	c.generation++
	s.out.emit(armCandles{timeframe: c.timeframe, generation: c.generation, after: candleRetryMin << (c.attempt - 1)})
}

func (s *state) candleChannel(c *candleTopic) venues.FeedTopic {
	return venues.FeedTopic{Kind: venues.FeedCandles, Symbol: s.symbol, Timeframe: c.timeframe}
}
