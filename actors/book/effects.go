package book

import (
	"context"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// effect is what the state wants done outside itself.
//
//sumtype:decl
type effect interface{ effect() }

type (
	// fetchSnapshot asks for the book by REST; the answer is snapshotCame.
	fetchSnapshot struct {
		generation uint64
		check      bool // to compare with, not to build on
	}
	// fetchCandles asks for the newest candles; the answer is candlesCame.
	fetchCandles struct {
		timeframe  venues.Timeframe
		generation uint64
	}
	// subscribe and unsubscribe tell the market connection what is needed. To
	// subscribe a channel once more begins it anew.
	subscribe   struct{ channel venues.FeedChannel }
	unsubscribe struct{ channel venues.FeedChannel }
	// renewBook begins the book's channel anew.
	renewBook struct{}
	// armSync brings syncDue; it replaces an earlier one.
	armSync struct {
		generation    uint64
		after, jitter time.Duration
	}
	// armCheck brings checkLed after checkLead; it replaces an earlier one.
	armCheck struct{ generation uint64 }
	// armCandles brings candlesDue of the timeframe.
	armCandles struct {
		timeframe  venues.Timeframe
		generation uint64
		after      time.Duration
	}
	// armLinger brings lingerDue; it replaces an earlier one.
	armLinger struct{}
	// tellHit tells whoever watches a price that the condition holds.
	tellHit struct {
		watch *priceWatch
		hit   venues.PriceHit
	}
	// retire ends the actor: nobody needs it.
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
func (tellHit) effect()       {}
func (retire) effect()        {}

// delivery is a frame for the subscribers of a topic, or for one of them.
type delivery struct {
	to    *topic
	only  *subscription
	frame venues.Frame
}

// outbox collects what one step of the state came to. It is emptied after each
// step; a step of the feed's messages alone leaves no garbage in it.
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

// run carries an effect out.
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
		feed.Subscribe(venues.FeedChannel{Kind: venues.FeedBook, Symbol: b.state.symbol})
	case armSync:
		ctx.Timers().After("sync", e.after+ctx.Jitter(e.jitter), &syncDue{e.generation})
	case armCheck:
		ctx.Timers().After("check/fetch", checkLead, &checkLed{e.generation})
	case armCandles:
		ctx.Timers().After("candles/"+string(e.timeframe), e.after, &candlesDue{e.timeframe, e.generation})
	case armLinger:
		ctx.Timers().After("linger", lingerFor, &lingerDue{})
	case tellHit:
		e.tell()
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
		candles, err := reader.Candles(ctx, symbol, e.timeframe, candlesFetched)
		return &candlesCame{fetch: e, candles: candles, err: err}
	})
	if err != nil {
		b.state.candlesCame(now, e.timeframe, e.generation, nil, err)
	}
}
