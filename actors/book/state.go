package book

import (
	"time"

	"venuegate/venues"
)

// Intervals of subscriptions.
const (
	// lingerFor is how long a feed topic stays subscribed after its last subscriber has
	// left, so that a quick return finds it running.
	lingerFor = 10 * time.Second
	// WatchFor is how long a book stays subscribed after its quote or a snapshot was last
	// read.
	WatchFor = 5 * time.Minute
	// refillEvery is the minimum time between two snapshots that are fetched because the
	// known part of a book is too shallow.
	refillEvery = 10 * time.Second
)

// state is the state machine of a book: messages in, effects and deliveries out.
type state struct {
	symbol   string
	resident bool
	count    *counters
	out      *outbox
	encoder  frameEncoder
	delta    delta

	subscriptions *subscriptions
	book          sequencer
	held          map[venues.FeedTopic]bool // subscribed topics

	watched   bool // the quote has readers
	checkedAt time.Time
	last      venues.Optional
	mark      venues.Optional
	recent    recentTrades
	marked    bool // a mark price was received since the last interruption
	retired   bool // accepts no subscribers
}

// settings are the constant settings of a state.
type settings struct {
	symbol        string
	scale         venues.Scale
	restSnapshots bool
	resident      bool
	encoder       Encoder
	epoch         uint64
}

func newState(s settings, b *subscriptions, count *counters) *state {
	out := &outbox{}
	return &state{
		symbol: s.symbol, resident: s.resident, count: count, out: out,
		encoder:       frameEncoder{encoder: s.encoder, epoch: s.epoch, scale: s.scale, count: count},
		delta:         newDelta(),
		subscriptions: b,
		book:          newSequencer(s.restSnapshots, count, out),
		held:          make(map[venues.FeedTopic]bool),
	}
}

// start takes over the subscriptions of an earlier incarnation, if there was one.
func (s *state) start(now time.Time) {
	for _, c := range s.subscriptions.candles {
		c.forget()
	}
	s.reconcile(now)
	s.publish(now)
	s.out.emit(armLinger{})
}

// attach adds a subscription to its topic.
func (s *state) attach(now time.Time, sub *subscription) {
	t := s.subscriptions.find(sub.topic)
	t.add(sub)
	s.subscriptions.subscribers++
	s.reconcile(now)
	if t.begun {
		s.repeat(now, sub)
	} else if c := s.subscriptions.candle(sub.topic.Timeframe); c != nil && c.known {
		s.show(now, c, c.current)
	}
}

func (s *state) detach(now time.Time, sub *subscription) {
	if sub.index == detached {
		return
	}
	t := s.subscriptions.find(sub.topic)
	t.remove(sub)
	s.subscriptions.subscribers--
	if len(t.subs) == 0 {
		s.pause(sub.topic)
	}
	s.reconcile(now)
}

func (s *state) pause(t venues.Topic) {
	switch t.Kind {
	case venues.TopicBook:
		s.subscriptions.depth(t.Depth).pause()
	default:
		s.subscriptions.find(t).pause()
	}
}

// repeat sends one subscriber the newest state of its topic.
func (s *state) repeat(now time.Time, sub *subscription) {
	t := s.subscriptions.find(sub.topic)
	if sub.index == detached || !t.begun {
		return // the first snapshot of the topic goes to all subscribers
	}
	switch sub.topic.Kind {
	case venues.TopicBook:
		s.bookSnapshot(now, s.subscriptions.depth(sub.topic.Depth))
	case venues.TopicKline:
		if t.snapshot.Seq != t.seq {
			c := s.subscriptions.candle(sub.topic.Timeframe).current
			t.snapshot = s.encoder.candleFrame(s.encoder.again(t, now, c.VenueTime), c)
		}
	default:
		return
	}
	s.out.deliver(delivery{only: sub, frame: t.snapshot})
}

// trade processes a public trade.
func (s *state) trade(now time.Time, t venues.Trade) {
	s.count.trades.Add(1)
	s.last = venues.Some(t.Price)
	s.recent.add(t)
	s.comparePrice(s.subscriptions.watches.last, t.Price, t.VenueTime)
	if topic := &s.subscriptions.trades; len(topic.subs) > 0 {
		head := s.encoder.next(topic, venues.MessageUpdate, now, t.VenueTime)
		s.out.deliver(delivery{to: topic, frame: s.encoder.tradeFrame(head, t)})
	}
}

func (s *state) markPrice(m venues.MarkPrice) {
	s.mark, s.marked = venues.Some(m.Price), true
	s.comparePrice(s.subscriptions.watches.mark, m.Price, m.VenueTime)
}

// interrupted handles lost messages of a topic.
func (s *state) interrupted(now time.Time, channel venues.FeedTopic) {
	switch channel.Kind {
	case venues.FeedBook:
		s.book.interrupted(now)
	case venues.FeedCandles:
		if c := s.subscriptions.candle(channel.Timeframe); c != nil {
			c.streamed, c.interrupted = false, true
		}
	case venues.FeedMark:
		s.marked = false
	case venues.FeedTrades: // the last price stays the last known one
		s.recent.begin(s.recent.held)
	}
}

// resumed handles a topic that is subscribed again.
func (s *state) resumed(channel venues.FeedTopic) {
	switch channel.Kind {
	case venues.FeedBook:
		s.book.resumed()
	case venues.FeedCandles:
		if c := s.subscriptions.candle(channel.Timeframe); c != nil && c.interrupted && s.held[channel] {
			s.fetchCandles(c)
		}
	case venues.FeedMark, venues.FeedTrades:
	}
}

// overrun handles messages of a kind that were lost between the feed and the book.
func (s *state) overrun(now time.Time, kind venues.FeedKind) {
	s.count.overruns.Add(1)
	switch kind {
	case venues.FeedBook:
		s.book.overrun(now)
	case venues.FeedCandles:
		for _, c := range s.subscriptions.candles {
			if len(c.subs) > 0 {
				c.streamed = false
				s.fetchCandles(c)
			}
		}
	case venues.FeedTrades:
		s.recent.begin(s.recent.held)
	case venues.FeedMark: // the next message is complete
	}
}

// rescale handles a changed instrument: numbers of the old scale are invalid.
func (s *state) rescale(now time.Time, scale venues.Scale) {
	if scale == s.encoder.scale {
		return
	}
	s.encoder.scale = scale
	if s.book.open {
		s.book.lose(now, lossRescaled, nil)
	}
}

// compare starts a comparison with a REST snapshot.
func (s *state) compare(now time.Time) {
	s.checkedAt = now
	s.book.startCheck()
}

// publish sends the changes of the book to its subscribers. It is called once per step,
// so that a batch of updates results in one message per topic.
func (s *state) publish(now time.Time) {
	live := s.book.phase == PhaseLive
	for _, d := range s.subscriptions.depths {
		switch {
		case len(d.subs) == 0:
		case live && (!d.begun || s.book.renewed):
			s.publishSnapshot(now, d)
		case live:
			s.publishDelta(now, d)
		case d.begun:
			s.publishStale(now, d)
		}
	}
	if !live {
		return
	}
	s.book.published()
	if s.book.book.thin() && !s.book.check.running && now.Sub(s.checkedAt) >= refillEvery {
		s.compare(now)
	}
}

func (s *state) publishSnapshot(now time.Time, d *depthTopic) {
	d.view.take(&s.book.book)
	d.begun = true
	head := s.encoder.next(&d.topic, venues.MessageSnapshot, now, s.book.venueTime)
	s.out.deliver(delivery{to: &d.topic, frame: s.encoder.bookFrame(head, d.view.bids, d.view.asks)})
}

func (s *state) publishDelta(now time.Time, d *depthTopic) {
	if !s.delta.advance(&d.view, &s.book.book) {
		return
	}
	head := s.encoder.next(&d.topic, venues.MessageDelta, now, s.book.venueTime)
	s.out.deliver(delivery{to: &d.topic, frame: s.encoder.bookFrame(head, s.delta.bids, s.delta.asks)})
}

func (s *state) publishStale(now time.Time, d *depthTopic) {
	d.pause()
	head := s.encoder.next(&d.topic, venues.MessageStale, now, s.book.venueTime)
	s.out.deliver(delivery{to: &d.topic, frame: s.encoder.bookFrame(head, nil, nil)})
}

// summary returns the state for readers.
func (s *state) summary() summary {
	f := summary{
		phase: s.book.phase, since: s.book.since, scale: s.encoder.scale, last: s.last, mark: s.mark,
		stale:       s.book.phase != PhaseLive || !s.marked,
		subscribers: s.subscriptions.subscribers,
	}
	if bid, ok := s.book.book.bids.best(); ok && s.book.phase == PhaseLive {
		f.bid = bid.Price
	}
	if ask, ok := s.book.book.asks.best(); ok && s.book.phase == PhaseLive {
		f.ask = ask.Price
	}
	return f
}
