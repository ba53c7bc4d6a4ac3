package book

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors"
	"venuegate/venues"
)

// watchesMax bounds the conditions that one book watches: each is compared with
// every price.
const watchesMax = 4096

// watches are the conditions on the last and on the mark price. Like subscriptions they
// outlive the incarnations of the actor.
type watches struct{ last, mark []*priceWatch }

// priceWatch is one condition. All fields but closed belong to the actor.
type priceWatch struct {
	client    *Client
	condition venues.PriceCondition
	hit       func(venues.PriceHit)
	// seen reports whether a price was compared, fits the result of the newest one.
	seen, fits bool
	closed     atomic.Bool
}

// WatchPrice calls hit each time the condition begins to hold: when a price fits after
// one that did not, and, for above and below, when the first one does. Every trade and
// every mark price is compared. hit must not block. Errors are those of actors.
func (c *Client) WatchPrice(ctx context.Context, condition venues.PriceCondition, hit func(venues.PriceHit)) (venues.PriceWatch, error) {
	w := &priceWatch{client: c, condition: condition, hit: hit}
	_, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[struct{}]) any { return &openWatch{Reply: reply, watch: w} })
	if err != nil {
		w.Close() // the watch may have been added
		return nil, err
	}
	return w, nil
}

// Close implements venues.PriceWatch.
func (w *priceWatch) Close() {
	if w.closed.CompareAndSwap(false, true) {
		w.client.ref.Tell(&closeWatch{watch: w})
	}
}

// comesToHold compares the next price and reports whether the condition begins to hold.
func (w *priceWatch) comesToHold(price decimal.Decimal) bool {
	op := w.condition.Op
	needsOther := op == venues.OpCrossesAbove || op == venues.OpCrossesBelow
	fits := w.condition.Holds(price)
	holds := fits && !w.fits && (w.seen || !needsOther)
	w.fits, w.seen = fits, true
	return holds
}

// count returns the number of watched conditions.
func (w *watches) count() int { return len(w.last) + len(w.mark) }

func (w *watches) on(field venues.PriceField) *[]*priceWatch {
	if field == venues.FieldMark {
		return &w.mark
	}
	return &w.last
}

// watchPrice adds a condition and compares it with the known price, unless that may be
// outdated.
func (s *state) watchPrice(now time.Time, w *priceWatch) {
	list := s.subscriptions.watches.on(w.condition.Field)
	*list = append(*list, w)
	known, current := s.last, s.held[venues.FeedTopic{Kind: venues.FeedTrades, Symbol: s.symbol}]
	if w.condition.Field == venues.FieldMark {
		known, current = s.mark, s.marked
	}
	s.reconcile(now)
	if known.Valid && current {
		s.compareWatch(w, known.Decimal, now)
	}
}

func (s *state) unwatchPrice(now time.Time, w *priceWatch) {
	list := s.subscriptions.watches.on(w.condition.Field)
	if i := slices.Index(*list, w); i >= 0 {
		*list = slices.Delete(*list, i, i+1)
		s.reconcile(now)
	}
}

// comparePrice compares the conditions on a field with a new price.
func (s *state) comparePrice(list []*priceWatch, price decimal.Decimal, venueTime time.Time) {
	for _, w := range list {
		s.compareWatch(w, price, venueTime)
	}
}

func (s *state) compareWatch(w *priceWatch, price decimal.Decimal, venueTime time.Time) {
	if w.comesToHold(price) {
		s.out.emit(notifyHit{w, venues.PriceHit{Price: price, VenueTime: venueTime}})
	}
}

func (e notifyHit) notify() {
	if !e.watch.closed.Load() {
		e.watch.hit(e.hit)
	}
}

func (b *book) openWatch(now time.Time, m *openWatch) {
	switch {
	case b.state.retired, m.watch.closed.Load():
		m.Reject(actors.ErrStopped)
	case b.client.subscriptions.watches.count() >= watchesMax:
		m.Reject(actors.ErrBusy)
	default:
		b.state.watchPrice(now, m.watch)
		m.Send(struct{}{})
	}
}
