package book

import (
	"context"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// effect is a side effect that the state requests.
//
//sumtype:decl
type effect interface{ effect() }

type (
	// fetchSnapshot fetches the book over REST; its result is snapshotCame.
	fetchSnapshot struct {
		generation uint64
		check      bool // for a comparison
	}
	// fetchCandles fetches the newest candles; its result is candlesCame.
	fetchCandles struct {
		timeframe  venues.Timeframe
		generation uint64
	}
	// subscribe and unsubscribe change the topics of the market connection.
	// Subscribing a topic again restarts it.
	subscribe   struct{ channel venues.FeedTopic }
	unsubscribe struct{ channel venues.FeedTopic }
	// renewBook restarts the book's topic.
	renewBook struct{}
	// armSync sets the timer of syncDue and replaces an earlier one.
	armSync struct {
		generation    uint64
		after, jitter time.Duration
	}
	// armCheck sets the timer of checkLed to checkLead and replaces an earlier one.
	armCheck struct{ generation uint64 }
	// armCandles sets the timer of candlesDue for the timeframe.
	armCandles struct {
		timeframe  venues.Timeframe
		generation uint64
		after      time.Duration
	}
	// armLinger sets the timer of lingerDue and replaces an earlier one.
	armLinger struct{}
	// notifyHit notifies the watcher of a price that its condition holds.
	notifyHit struct {
		watch *priceWatch
		hit   venues.PriceHit
	}
	// retire ends the actor, which is no longer needed.
	retire struct{}
)

func (fetchSnapshot) effect() {}
func (fetchCandles) effect()  {}
func (subscribe) effect()     {}
func (unsubscribe) effect()   {}
func (renewBook) effect()     {}
func (armSync) effect()       {}
func (armCheck) effect()      {}
func (armCandles) effect()    {}
func (armLinger) effect()     {}
func (notifyHit) effect()     {}
func (retire) effect()        {}

// delivery is a frame for the subscribers of a topic, or for one of them.
type delivery struct {
	to    *topic
	only  *subscription
	frame venues.Frame
}

// outbox collects the output of one step. It is reused, so that a step with messages of
// the feed allocates nothing.
type outbox struct {
	effects    []effect
	deliveries []delivery
}

func (o *outbox) emit(e effect) { o.effects = append(o.effects, e) }

func (o *outbox) deliver(d delivery) { o.deliveries = append(o.deliveries, d) }

func (o *outbox) reset() {
	clear(o.effects)
	clear(o.deliveries)
	o.effects, o.deliveries = o.effects[:0], o.deliveries[:0]
}

func (d delivery) deliver() {
	if d.only != nil {
		d.only.deliver(d.frame)
		return
	}
	for _, sub := range d.to.subs {
		sub.deliver(d.frame)
	}
}

// run runs an effect.
func (b *book) run(ctx *actors.Context, now time.Time, e effect) {
	feed := b.client.deps.Feed
	switch e := e.(type) {
	case fetchSnapshot:
		b.fetchSnapshot(ctx, now, e)
	case fetchCandles:
		b.fetchCandles(ctx, now, e)
	case subscribe:
		feed.Subscribe(e.channel)
	case unsubscribe:
		feed.Unsubscribe(e.channel)
	case renewBook:
		feed.Subscribe(venues.FeedTopic{Kind: venues.FeedBook, Symbol: b.state.symbol})
	case armSync:
		ctx.Timers().After("sync", e.after+ctx.Jitter(e.jitter), &syncDue{e.generation})
	case armCheck:
		ctx.Timers().After("check/fetch", checkLead, &checkLed{e.generation})
	case armCandles:
		ctx.Timers().After("candles/"+string(e.timeframe), e.after, &candlesDue{e.timeframe, e.generation})
	case armLinger:
		ctx.Timers().After("linger", lingerFor, &lingerDue{})
	case notifyHit:
		e.notify()
	case retire:
		ctx.Stop()
	}
}

func (b *book) fetchSnapshot(ctx *actors.Context, now time.Time, e fetchSnapshot) {
	reader, symbol := b.client.deps.Reader, b.state.symbol
	err := ctx.Go(b.client.deps.Pool, func(ctx context.Context) any {
		ctx, cancel := context.WithTimeout(ctx, snapshotWaitMax)
		defer cancel()
		update, err := reader.Snapshot(ctx, symbol)
		return &snapshotCame{fetch: e, update: update, err: err}
	})
	if err != nil {
		b.snapshotCame(now, &snapshotCame{fetch: e, err: err})
	}
}

func (b *book) fetchCandles(ctx *actors.Context, now time.Time, e fetchCandles) {
	reader, symbol := b.client.deps.Reader, b.state.symbol
	err := ctx.Go(b.client.deps.Pool, func(ctx context.Context) any {
		ctx, cancel := context.WithTimeout(ctx, candleFetchTimeout)
		defer cancel()
		candles, err := reader.Candles(ctx, venues.CandlesQuery{Symbol: symbol, Timeframe: e.timeframe, Limit: candlesFetched})
		return &candlesCame{fetch: e, candles: candles, err: err}
	})
	if err != nil {
		b.state.candlesCame(now, e.timeframe, e.generation, nil, err)
	}
}
