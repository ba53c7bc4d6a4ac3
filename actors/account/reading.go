package account

import (
	"cmp"
	"context"
	"maps"
	"slices"
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
	for _, r := range e.refs {
		if isOpen[cmp.Or(r.ref.ClientOrderID, r.ref.Symbol+"/"+r.ref.VenueOrderID)] {
			continue
		}
		done.answers = append(done.answers, a.query(ctx, r.orderID, r.ref))
	}
	fillsFrom, err := a.fillsFrom(ctx, e)
	if err != nil {
		done.err = err
		return done
	}
	for _, symbol := range slices.Sorted(maps.Keys(fillsFrom)) {
		from := fillsFrom[symbol]
		fills, err := a.deps.Venue.Fills(ctx, venues.FillsQuery{Symbol: symbol, From: from, To: time.Now()})
		if err != nil {
			done.err = err
			return done
		}
		fills, strangers, err := a.news(ctx, fills)
		if err != nil {
			done.err = err
			return done
		}
		done.fills, done.strangers = append(done.fills, fills...), append(done.strangers, strangers...)
		done.fillsRead[symbol] = true
	}
	done.funds, done.err = a.fetchFunds(ctx)
	return done
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
