package book

import (
	"time"

	"venuegate/venues"
)

// Times of what a book keeps up.
const (
	// lingerFor is how long a feed channel stays subscribed after its last
	// subscriber has left: those who come back at once find it running.
	lingerFor = 10 * time.Second
	// watchFor is how long a book stays subscribed after its quote was last
	// read.
	watchFor = 5 * time.Minute
	// refillEvery is the least time between two snapshots that are fetched
	// because the known part of a book has become too shallow.
	refillEvery = 10 * time.Second
)

// state is the whole machine of a book: messages in; effects and deliveries out.
type state struct {
	symbol   string
	resident bool
	count    *counters
	out      *outbox
	press    press
	delta    delta

	board *board
	book  sequencer
	held  map[venues.FeedChannel]bool // channels that are subscribed

	watched   bool // somebody reads the quote
	checkedAt time.Time
	last      venues.Optional
	mark      venues.Optional
	marked    bool // the mark price has been told since its last interruption
	retired   bool // takes no subscriber any more
}

// settings of a state, fixed for its life.
type settings struct {
	symbol        string
	scale         venues.Scale
	restSnapshots bool
	resident      bool
	encoder       Encoder
	epoch         uint64
}

func newState(s settings, b *board, count *counters) *state {
	out := &outbox{}
	return &state{
		symbol: s.symbol, resident: s.resident, count: count, out: out,
		press: press{encoder: s.encoder, epoch: s.epoch, scale: s.scale, count: count},
		delta: newDelta(),
		board: b,
		book:  newSequencer(s.restSnapshots, count, out),
		held:  make(map[venues.FeedChannel]bool),
	}
}

// start takes over the board of an earlier incarnation, if there was one.
func (s *state) start(now time.Time) {
	for _, c := range s.board.candles {
		c.forget()
	}
	s.reconcile(now)
	s.publish(now)
	s.out.emit(armLinger{})
}

// attach gives a subscription its place. The caller has found its topic.
func (s *state) attach(now time.Time, sub *subscription) {
	t := s.board.find(sub.topic)
	t.add(sub)
	s.board.subscribers++
	s.reconcile(now)
	if t.begun {
		s.repeat(now, sub)
	} else if c := s.board.candle(sub.topic.Timeframe); c != nil && c.known {
		s.show(now, c, c.current)
	}
}

func (s *state) detach(now time.Time, sub *subscription) {
	if sub.index == detached {
		return
	}
	t := s.board.find(sub.topic)
	t.remove(sub)
	s.board.subscribers--
	if len(t.subs) == 0 {
		s.pause(sub.topic)
	}
	s.reconcile(now)
}

func (s *state) pause(t venues.Topic) {
	switch t.Kind {
	case venues.TopicBook:
		s.board.depth(t.Depth).pause()
	default:
		s.board.find(t).pause()
	}
}

// repeat gives one subscriber the newest state of its topic.
func (s *state) repeat(now time.Time, sub *subscription) {
	t := s.board.find(sub.topic)
	if sub.index == detached || !t.begun {
		return // the snapshot that begins the topic is for all
	}
	if t.snapshot.Seq != t.seq {
		switch sub.topic.Kind {
		case venues.TopicBook:
			v := &s.board.depth(sub.topic.Depth).view
			t.snapshot = s.press.bookFrame(s.press.again(t, now, s.book.venueTime), v.bids, v.asks)
		case venues.TopicKline:
			c := s.board.candle(sub.topic.Timeframe).current
			t.snapshot = s.press.candleFrame(s.press.again(t, now, c.VenueTime), c)
		default:
			return
		}
	}
	s.out.deliver(delivery{only: sub, frame: t.snapshot})
}

// trade takes a public trade.
func (s *state) trade(now time.Time, t venues.Trade) {
	s.count.trades.Add(1)
	s.last = venues.Some(t.Price)
	s.comparePrice(s.board.watches.last, t.Price, t.VenueTime)
	if topic := &s.board.trades; len(topic.subs) > 0 {
		head := s.press.next(topic, venues.MessageUpdate, now, t.VenueTime)
		s.out.deliver(delivery{to: topic, frame: s.press.tradeFrame(head, t)})
	}
}

func (s *state) markPrice(m venues.MarkPrice) {
	s.mark, s.marked = venues.Some(m.Price), true
	s.comparePrice(s.board.watches.mark, m.Price, m.VenueTime)
}

// interrupted says that messages of a channel may have been lost.
func (s *state) interrupted(now time.Time, channel venues.FeedChannel) {
	switch channel.Kind {
	case venues.FeedBook:
		s.book.interrupted(now)
	case venues.FeedCandles:
		if c := s.board.candle(channel.Timeframe); c != nil {
			c.streamed, c.interrupted = false, true
		}
	case venues.FeedMark:
		s.marked = false
	case venues.FeedTrades: // the last price is still the last that is known
	}
}

// resumed says that a channel is subscribed again.
func (s *state) resumed(channel venues.FeedChannel) {
	switch channel.Kind {
	case venues.FeedBook:
		s.book.resumed()
	case venues.FeedCandles:
		if c := s.board.candle(channel.Timeframe); c != nil && c.interrupted && s.held[channel] {
			s.fetchCandles(c)
		}
	case venues.FeedMark, venues.FeedTrades:
	}
}

// overrun says that messages of a kind were lost between the feed and the book.
func (s *state) overrun(now time.Time, kind venues.FeedKind) {
	s.count.overruns.Add(1)
	switch kind {
	case venues.FeedBook:
		s.book.overrun(now)
	case venues.FeedCandles:
		for _, c := range s.board.candles {
			if len(c.subs) > 0 {
				c.streamed = false
				s.fetchCandles(c)
			}
		}
	case venues.FeedMark, venues.FeedTrades: // the next message mends it
	}
}

// rescale takes a changed instrument: numbers of the old scale mean nothing.
func (s *state) rescale(now time.Time, scale venues.Scale) {
	if scale == s.press.scale {
		return
	}
	s.press.scale = scale
	if s.book.open {
		s.book.lose(now, lossRescaled, nil)
	}
}

// compare starts a comparison with a REST snapshot.
func (s *state) compare(now time.Time) {
	s.checkedAt = now
	s.book.startCheck()
}

// publish shows the subscribers what has become of the book. It is called once
// after each step, so that a batch of updates gives one message a topic.
func (s *state) publish(now time.Time) {
	live := s.book.phase == PhaseLive
	for _, d := range s.board.depths {
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
	head := s.press.next(&d.topic, venues.MessageSnapshot, now, s.book.venueTime)
	s.out.deliver(delivery{to: &d.topic, frame: s.press.bookFrame(head, d.view.bids, d.view.asks)})
}

func (s *state) publishDelta(now time.Time, d *depthTopic) {
	if !s.delta.advance(&d.view, &s.book.book) {
		return
	}
	head := s.press.next(&d.topic, venues.MessageDelta, now, s.book.venueTime)
	s.out.deliver(delivery{to: &d.topic, frame: s.press.bookFrame(head, s.delta.bids, s.delta.asks)})
}

func (s *state) publishStale(now time.Time, d *depthTopic) {
	d.pause()
	head := s.press.next(&d.topic, venues.MessageStale, now, s.book.venueTime)
	s.out.deliver(delivery{to: &d.topic, frame: s.press.bookFrame(head, nil, nil)})
}

// facts are what everybody may read.
func (s *state) facts() facts {
	f := facts{
		phase: s.book.phase, since: s.book.since, scale: s.press.scale, last: s.last, mark: s.mark,
		stale:       s.book.phase != PhaseLive || !s.marked,
		subscribers: s.board.subscribers,
	}
	if bid, ok := s.book.book.bids.best(); ok && s.book.phase == PhaseLive {
		f.bid = bid.Price
	}
	if ask, ok := s.book.book.asks.best(); ok && s.book.phase == PhaseLive {
		f.ask = ask.Price
	}
	return f
}
