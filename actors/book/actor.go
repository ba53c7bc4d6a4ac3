package book

import (
	"slices"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/venues"
)

// Limits of callers that wait for the first quote.
const (
	quoteWaitersMax = 256
	quoteWaitMax    = actors.AskWaitMax // longer than any caller waits
)

// book is one incarnation of the actor.
type book struct {
	client  *Client
	state   *state
	events  []event // the inbox's other slice
	waiters []quoteWaiter
	readers []depthReader
}

type quoteWaiter struct {
	reply actors.Reply[venues.Quote]
	since time.Time
}

// Started begins with an empty book; subscribers of an earlier incarnation are notified
// that it is stale.
func (b *book) Started(ctx *actors.Context) {
	c := b.client
	now := time.Now()
	b.state = newState(settings{
		symbol: c.deps.Instrument.Symbol, scale: *c.scale.Load(),
		restSnapshots: !c.deps.StreamSnapshots, resident: c.deps.Resident,
		encoder: c.deps.Encoder, epoch: c.epoch,
	}, c.subscriptions, &c.count)
	lifetime := ctx.Lifetime()
	c.lifetime.Store(&lifetime)
	c.inbox.open()
	b.state.start(now)
	if c.watching.Load() {
		b.state.watch(now)
	}
	if every := c.deps.checkEvery(); every > 0 {
		ctx.Timers().Every("check", every, every/2, &checkDue{})
	}
	b.finish(ctx, now)
}

func (d *Deps) checkEvery() time.Duration {
	if d.CheckEvery == 0 {
		return CheckEveryDefault
	}
	return d.CheckEvery
}

// Stopping closes the inbox.
func (b *book) Stopping(*actors.Context) {
	b.client.inbox.close()
	b.state.book.stop(time.Now())
}

// Receive dispatches a message.
func (b *book) Receive(ctx *actors.Context, msg any) {
	now := time.Now()
	switch m := msg.(type) {
	case *inboxReady:
		b.drain(now)
	case *openTopic:
		b.open(now, m)
	case *closeTopic:
		b.state.detach(now, m.subscription)
	case *resyncTopic:
		m.subscription.resyncing.Store(false)
		b.state.repeat(now, m.subscription)
	case *watchQuote:
		b.state.watch(now)
	case *openWatch:
		b.openWatch(now, m)
	case *closeWatch:
		b.state.unwatchPrice(now, m.watch)
	case *awaitQuote:
		b.await(now, m)
	case *readDepth:
		b.readDepth(now, m)
	case *readTrades:
		m.Send(b.state.recent.newest(m.limit))
	case *changeScale:
		b.state.rescale(now, m.scale)
	case *snapshotCame:
		b.snapshotCame(now, m)
	case *candlesCame:
		b.state.candlesCame(now, m.fetch.timeframe, m.fetch.generation, m.candles, m.err)
	case *syncDue:
		b.state.book.due(now, m.generation)
	case *candlesDue:
		b.state.candlesDue(m.timeframe, m.generation)
	case *checkDue:
		b.state.compare(now)
	case *checkLed:
		b.state.book.checkLed(m.generation)
	case *lingerDue:
		b.linger(now)
	default:
		ctx.Unhandled(msg)
		return
	}
	b.finish(ctx, now)
}

// drain processes everything in the inbox as one batch.
func (b *book) drain(now time.Time) {
	events, lost := b.client.inbox.take(b.events[:0])
	for _, e := range events {
		if e.update != nil {
			b.state.book.update(now, e.update)
			continue
		}
		b.feed(now, e.other)
	}
	for kind, is := range lost {
		if is {
			b.state.overrun(now, venues.FeedKind(kind))
		}
	}
	clear(events)
	b.events = events
}

func (b *book) feed(now time.Time, msg any) {
	switch m := msg.(type) {
	case venues.Trade:
		b.state.trade(now, m)
	case venues.Candle:
		b.state.candle(now, m)
	case venues.MarkPrice:
		b.state.markPrice(m)
	case interruption:
		b.state.interrupted(now, m.channel)
	case resumption:
		b.state.resumed(m.channel)
	}
}

func (b *book) open(now time.Time, m *openTopic) {
	switch {
	case b.state.retired:
		m.Reject(actors.ErrStopped)
	case b.client.subscriptions.subscribers >= subscribersMax:
		m.Reject(actors.ErrBusy)
	case m.subscription.closed.Load():
		m.Reject(actors.ErrStopped)
	default:
		b.state.attach(now, m.subscription)
		m.Send(struct{}{})
	}
}

func (b *book) await(now time.Time, m *awaitQuote) {
	switch {
	case b.state.retired:
		m.Reject(actors.ErrStopped)
	case len(b.waiters) >= quoteWaitersMax:
		m.Reject(actors.ErrBusy)
	default:
		b.waiters = append(b.waiters, quoteWaiter{m.Reply, now})
	}
}

func (b *book) linger(now time.Time) {
	b.state.lingerDue(now, time.Unix(0, b.client.readAt.Load()))
	b.client.watching.Store(b.state.watched)
	b.waiters = slices.DeleteFunc(b.waiters, func(w quoteWaiter) bool { return now.Sub(w.since) >= quoteWaitMax })
	b.readers = slices.DeleteFunc(b.readers, func(r depthReader) bool { return now.Sub(r.since) >= FirstSnapshotWait })
}

func (b *book) snapshotCame(now time.Time, m *snapshotCame) {
	if m.fetch.check {
		b.state.book.checkSnapshot(now, m.fetch.generation, m.update, m.err)
	} else {
		b.state.book.snapshot(now, m.fetch.generation, m.update, m.err)
	}
}

// finish ends a step: it notifies subscribers, runs effects, and updates what any
// goroutine may read.
func (b *book) finish(ctx *actors.Context, now time.Time) {
	b.state.publish(now)
	b.answerReaders(now)
	out := b.state.out
	for _, d := range out.deliveries {
		d.deliver()
	}
	b.expose(ctx)
	for i := 0; i < len(out.effects); i++ { // a rejected effect adds others
		b.run(ctx, now, out.effects[i])
	}
	out.reset()
}

// expose publishes the state of the book for readers, and logs its losses.
func (b *book) expose(ctx *actors.Context) {
	c, s := b.client, b.state
	if !s.book.received.IsZero() {
		c.receivedAt.Store(s.book.received.UnixNano())
	}
	if !s.book.venueTime.IsZero() {
		c.venueAt.Store(s.book.venueTime.UnixNano())
	}
	next, before := s.summary(), c.current.Load()
	b.answerWaiters(&next)
	if before != nil && *before == next {
		return
	}
	c.current.Store(&next)
	switch {
	case next.phase == PhaseStale && (before == nil || before.phase != PhaseStale):
		level := zap.WarnLevel
		if s.book.loss == lossInterrupted {
			level = zap.InfoLevel // the connection logs it once for all its books
		}
		ctx.Logger().Log(level, "book is stale", zap.String("cause", s.book.loss))
	case next.phase == PhaseLive && before != nil && before.phase == PhaseStale:
		ctx.Logger().Info("book is live again")
	}
}

func (b *book) answerWaiters(f *summary) {
	if len(b.waiters) == 0 {
		return
	}
	q := b.client.quote(f)
	if !q.HasPrice() {
		return
	}
	for _, w := range b.waiters {
		w.reply.Send(q)
	}
	clear(b.waiters)
	b.waiters = b.waiters[:0]
}
