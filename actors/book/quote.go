package book

import (
	"context"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// summary is the state that any goroutine may read. It is immutable and replaced when
// anything in it changes.
type summary struct {
	phase       Phase
	since       time.Time
	scale       venues.Scale
	bid, ask    int64 // fixed-point; 0 is unknown
	last, mark  venues.Optional
	stale       bool
	subscribers int
}

// Quote returns the newest prices, false if none are known yet. It never waits. Reading
// it keeps the book subscribed for WatchFor, so that later calls find current prices.
func (c *Client) Quote() (venues.Quote, bool) {
	c.markRead()
	q := c.quote(c.current.Load())
	return q, q.HasPrice() || q.BestBid.Valid || q.BestAsk.Valid
}

// AwaitQuote waits until a price is known and returns the quote. Errors are those of ctx
// and of actors.
func (c *Client) AwaitQuote(ctx context.Context) (venues.Quote, error) {
	if q, _ := c.Quote(); q.HasPrice() {
		return q, nil
	}
	return actors.Ask(ctx, c.ref, func(reply actors.Reply[venues.Quote]) any { return &awaitQuote{reply} })
}

// markRead records that the quote was read.
func (c *Client) markRead() {
	c.readAt.Store(time.Now().UnixNano())
	if !c.watching.Load() && c.watching.CompareAndSwap(false, true) {
		c.ref.Tell(&watchQuote{})
	}
}

func (c *Client) quote(f *summary) venues.Quote {
	q := venues.Quote{Symbol: c.deps.Instrument.Symbol, Stale: true}
	if f == nil {
		return q
	}
	q.Last, q.Mark, q.Stale = f.last, f.mark, f.stale || c.ended()
	if f.bid != 0 {
		q.BestBid = venues.Some(f.scale.Price(f.bid))
	}
	if f.ask != 0 {
		q.BestAsk = venues.Some(f.scale.Price(f.ask))
	}
	if at := c.venueAt.Load(); at != 0 {
		q.VenueTime = time.Unix(0, at).UTC()
	}
	return q
}

// ended reports whether no incarnation updates the summary.
func (c *Client) ended() bool {
	lifetime := c.lifetime.Load()
	return lifetime == nil || (*lifetime).Err() != nil
}

// Stats returns the counters and the state of the book. A failed book is not live.
func (c *Client) Stats() Stats {
	stats := Stats{Counts: c.count.counts(), Symbol: c.deps.Instrument.Symbol}
	now := time.Now()
	if at := c.receivedAt.Load(); at != 0 {
		stats.Silence = now.Sub(time.Unix(0, at))
	}
	if f := c.current.Load(); f != nil {
		stats.Phase, stats.PhaseAge, stats.Subscribers = f.phase, now.Sub(f.since), f.subscribers
	}
	if stats.Phase == PhaseLive && c.ended() {
		stats.Phase, stats.PhaseAge = PhaseStale, stats.Silence
	}
	return stats
}
