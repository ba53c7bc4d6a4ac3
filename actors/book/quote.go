package book

import (
	"context"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// facts is what the actor lets everybody read of a moment. It is immutable and
// replaced when anything in it changes.
type facts struct {
	phase       Phase
	since       time.Time
	scale       venues.Scale
	bid, ask    int64 // fixed-point; 0 is unknown
	last, mark  venues.Optional
	stale       bool
	subscribers int
}

// Quote is the newest prices, false if none are known yet. It never waits. To
// read it keeps the book subscribed for a while, so that the next one is known.
func (c *Client) Quote() (venues.Quote, bool) {
	c.touch()
	q := c.quote(c.facts.Load())
	return q, q.Known() || q.BestBid.Valid || q.BestAsk.Valid
}

// AwaitQuote is Quote that waits until a price is known, or ctx ends. Errors are
// those of actors.
func (c *Client) AwaitQuote(ctx context.Context) (venues.Quote, error) {
	if q, _ := c.Quote(); q.Known() {
		return q, nil
	}
	return actors.Ask(ctx, c.ref, func(reply actors.Reply[venues.Quote]) any { return &awaitQuote{reply} })
}

// touch notes that somebody reads the quote.
func (c *Client) touch() {
	c.readAt.Store(time.Now().UnixNano())
	if !c.watching.Load() && c.watching.CompareAndSwap(false, true) {
		c.ref.Tell(&watchQuote{})
	}
}

func (c *Client) quote(f *facts) venues.Quote {
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

// ended says that no incarnation keeps the facts up.
func (c *Client) ended() bool {
	lifetime := c.lifetime.Load()
	return lifetime == nil || (*lifetime).Err() != nil
}

// versionedView is a view of the book with the version at which it was taken.
type versionedView struct {
	version uint64
	view    *venues.BookView
}

// View is the best levels of the book, at most depth a side. A view is made when
// somebody asks for it and serves everybody until the book changes: the feed is
// never slowed by readers that are not there.
func (c *Client) View(ctx context.Context, depth int) (venues.BookView, error) {
	c.touch()
	v := c.view.Load()
	if v == nil || v.version != c.version.Load() || c.ended() {
		made, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[*venues.BookView]) any { return &readView{reply} })
		if err != nil {
			return venues.BookView{}, err
		}
		v = &versionedView{view: made}
	}
	view := *v.view
	view.Bids = view.Bids[:min(depth, len(view.Bids))]
	view.Asks = view.Asks[:min(depth, len(view.Asks))]
	return view, nil
}

// Stats is what the book has done and how it stands. One that has failed is not
// live, whatever it was.
func (c *Client) Stats() Stats {
	stats := Stats{Counts: c.count.counts(), Symbol: c.deps.Instrument.Symbol}
	now := time.Now()
	if at := c.heardAt.Load(); at != 0 {
		stats.Silence = now.Sub(time.Unix(0, at))
	}
	if f := c.facts.Load(); f != nil {
		stats.Phase, stats.PhaseAge, stats.Subscribers = f.phase, now.Sub(f.since), f.subscribers
	}
	if stats.Phase == PhaseLive && c.ended() {
		stats.Phase, stats.PhaseAge = PhaseStale, stats.Silence
	}
	return stats
}
