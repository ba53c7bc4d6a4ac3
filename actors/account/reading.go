package account

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/venues"
)

func (e callProof) run(a *account, ctx *actors.Context) {
	err := ctx.Go(a.deps.InquiryPool, func(c context.Context) any {
		c, cancel := context.WithTimeout(venues.Resolving(c), reconcileMax)
		defer cancel()
		return a.readProof(c, e)
	})
	if err != nil {
		a.Receive(ctx, proofDone{err: err})
	}
}

// readProof reads the executions after the orders: one that was open no more has
// all of its own among them.
func (a *account) readProof(ctx context.Context, e callProof) proofDone {
	open, err := a.deps.Venue.OpenOrders(ctx)
	done := proofDone{orders: e.orders, open: open, knownOrders: map[venueKey]bool{}, err: err}
	for _, symbol := range slices.Sorted(maps.Keys(e.from)) {
		if done.err == nil {
			done.err = a.readExecutions(ctx, symbol, e.from[symbol], &done)
		}
	}
	return done
}

// readExecutions reads those of one instrument, and which orders they are known to
// be of.
func (a *account) readExecutions(ctx context.Context, symbol string, from time.Time, into *proofDone) error {
	list, err := a.deps.Venue.Fills(ctx, venues.FillsQuery{Symbol: symbol, From: from, To: time.Now()})
	if venues.IsUnlisted(err) {
		return nil // what could be open in it would be among the orders
	}
	if err != nil {
		return err
	}
	into.fills = append(into.fills, list...)
	return a.ordersOfFills(ctx, symbol, from, into.knownOrders)
}

func (e callReconcile) run(a *account, ctx *actors.Context) {
	err := ctx.Go(a.deps.ReadPool, func(c context.Context) any {
		c, cancel := context.WithTimeout(c, reconcileMax)
		defer cancel()
		return a.fetchAll(c, e)
	})
	if err != nil {
		a.Receive(ctx, reconcileDone{err: err})
	}
}

// fetchAll reads the venue's side of a reconciliation. Fills are read after the
// orders: an order that is closed by then has all of its fills among them, or
// they are asked for.
func (a *account) fetchAll(ctx context.Context, e callReconcile) reconcileDone {
	done := reconcileDone{startedAt: time.Now(), fillsRead: map[string]bool{}}
	mode, err := a.deps.Venue.Mode(ctx) // read anew: it may have been changed elsewhere
	if err != nil {
		done.err = err
		return done
	}
	done.hedge = mode.Hedge
	if done.open, done.err = a.deps.Venue.OpenOrders(ctx); done.err != nil {
		return done
	}
	isOpen := make(map[string]bool, 2*len(done.open))
	for _, r := range done.open {
		isOpen[r.ClientOrderID], isOpen[r.Symbol+"/"+r.VenueOrderID] = true, true
	}
	done.answers = a.queryEach(ctx, slices.DeleteFunc(slices.Clone(e.refs), func(r orderRef) bool {
		return isOpen[cmp.Or(r.ref.ClientOrderID, r.ref.Symbol+"/"+r.ref.VenueOrderID)]
	}))
	fillsFrom, err := a.fillsFrom(ctx, e)
	if err != nil {
		done.err = err
		return done
	}
	for _, symbol := range slices.Sorted(maps.Keys(fillsFrom)) {
		if done.err = a.fetchFills(ctx, symbol, fillsFrom[symbol], &done); done.err != nil {
			return done
		}
	}
	done.funds, done.err = a.fetchFunds(ctx)
	return done
}

// fetchFills reads what is new of one instrument. One that its venue lists no more
// is left out: the others must not wait for it.
func (a *account) fetchFills(ctx context.Context, symbol string, from time.Time, into *reconcileDone) error {
	fills, err := a.deps.Venue.Fills(ctx, venues.FillsQuery{Symbol: symbol, From: from, To: time.Now()})
	if venues.IsUnlisted(err) {
		a.logger.Warn("fills of an instrument that the venue does not list", zap.String("symbol", symbol), zap.Error(err))
		into.unlisted = append(into.unlisted, symbol)
		return nil
	}
	if err != nil {
		return err
	}
	fills, strangers, err := a.news(ctx, fills)
	if err != nil {
		return err
	}
	into.fills, into.strangers = append(into.fills, fills...), append(into.strangers, strangers...)
	into.fillsRead[symbol] = true
	return nil
}

// queriesAtOnce is how many orders a reconciliation asks for at the same time. What
// a venue can only tell by reading a list, its connector reads once for all of them.
const queriesAtOnce = 16

// queryEach asks for orders one by one; the answers are in their order.
func (a *account) queryEach(ctx context.Context, refs []orderRef) []queryDone {
	answers := make([]queryDone, len(refs))
	var wait sync.WaitGroup
	places := make(chan struct{}, queriesAtOnce)
	for i, r := range refs {
		places <- struct{}{}
		wait.Go(func() {
			defer func() { <-places }()
			answers[i] = a.query(ctx, r.orderID, r.ref)
		})
	}
	wait.Wait()
	return answers
}

// fillsFrom adds the instruments that were traded elsewhere to those whose fills
// are to be read: a position that was opened and closed while nobody listened shows
// in no list.
func (a *account) fillsFrom(ctx context.Context, e callReconcile) (map[string]time.Time, error) {
	from := maps.Clone(e.fillsFrom)
	if e.tradedFrom.IsZero() {
		return from, nil
	}
	traded, err := a.deps.Venue.Traded(ctx, e.tradedFrom, time.Now())
	for _, symbol := range traded {
		if known, asked := from[symbol]; !asked || e.tradedFrom.Before(known) {
			from[symbol] = e.tradedFrom
		}
	}
	return from, err
}

func (e lookUp) run(a *account, ctx *actors.Context) {
	a.call(ctx, a.deps.ReadPool, func(c context.Context) any {
		found, err := a.findStored(c, &e.report)
		if err != nil {
			a.logger.Error("look up order", zap.Error(err))
			return nil // the next reconciliation finds it again
		}
		return lookedUp{e.report, found}
	}, nil)
}

func (e lookUpFills) run(a *account, ctx *actors.Context) {
	pool := a.deps.ReadPool
	if e.resolves {
		pool = a.deps.InquiryPool
	}
	a.call(ctx, pool, func(c context.Context) any {
		if e.resolves {
			c = venues.Resolving(c)
		}
		done := lookedUpFills{symbol: e.symbol, venueOrderID: e.venueOrderID, fills: e.fills, began: time.Now()}
		report, err := a.deps.Venue.Order(c, venues.OrderRef{Symbol: e.symbol, VenueOrderID: e.venueOrderID})
		if venues.CodeOf(err) == venues.CodeNotFound {
			done.fills, done.err = a.newStrangers(c, e.fills)
			return done
		}
		if err == nil {
			done.report = &report
			done.found, err = a.findStored(c, &report)
		}
		if err == nil {
			done.strangers, err = a.strangersAmong(c, e.fills)
		}
		if err != nil {
			a.logger.Warn("fills not read", zap.Error(err))
			done.err = err
		}
		return done
	}, lookedUpFills{symbol: e.symbol, err: errPoolFull})
}
