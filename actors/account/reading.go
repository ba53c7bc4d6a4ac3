package account

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/venues"
)

func (e callAbsenceCheck) run(a *account, ctx *actors.Context) {
	err := ctx.Go(a.deps.QueryPool, func(c context.Context) any {
		c, cancel := context.WithTimeout(venues.WithOutcomeQuery(c), reconcileMax)
		defer cancel()
		return a.readAbsence(c, e)
	})
	if err != nil {
		a.steps.Enqueue(absenceCheckDone{err: err})
	}
}

// readAbsence reads the open orders and the fills for an absence check. It reads the
// fills last, so that they include all of an order that is no longer open.
func (a *account) readAbsence(ctx context.Context, e callAbsenceCheck) absenceCheckDone {
	open, err := a.deps.Venue.OpenOrders(ctx)
	done := absenceCheckDone{orders: e.orders, open: open, knownOrders: map[venueKey]bool{}, err: err}
	for _, symbol := range slices.Sorted(maps.Keys(e.from)) {
		if done.err == nil {
			done.err = a.readFillsAndOrders(ctx, symbol, e.from[symbol], &done)
		}
	}
	return done
}

// readFillsAndOrders adds the fills of one instrument, and the orders of those that the store
// has.
func (a *account) readFillsAndOrders(ctx context.Context, symbol string, from time.Time, into *absenceCheckDone) error {
	list, err := a.deps.Venue.Fills(ctx, venues.FillsQuery{Symbol: symbol, From: from, To: time.Now()})
	if venues.IsUnlisted(err) {
		return nil // an open order of the instrument would be listed
	}
	if err != nil {
		return err
	}
	into.fills = append(into.fills, list...)
	return a.ordersOfFills(ctx, symbol, from, into.knownOrders)
}

func (e callReconcile) run(a *account, ctx *actors.Context) {
	pool := a.deps.ReconcilePool
	mark := func(c context.Context) context.Context { return c }
	switch {
	case e.mayWait && a.deps.StartPool.HasWaiting():
		a.steps.Enqueue(reconcileDone{kind: e.kind, isPostponed: true})
		return
	case e.kind == reconcileStart:
		pool, mark = a.deps.StartPool, venues.WithOutcomeQuery
	case e.kind == reconcileRoutine:
		pool, mark = a.deps.RoutinePool, venues.WithRoutineRead
	}
	err := ctx.GoRanked(pool, e.rank, func(c context.Context) any {
		c, cancel := context.WithTimeout(mark(c), reconcileMax)
		defer cancel()
		done := reconcileDone{kind: e.kind, startedAt: time.Now(), fillsRead: map[string]bool{}, versions: e.versions}
		done.err = a.fetch(c, e, &done)
		return done
	})
	if err != nil {
		a.steps.Enqueue(reconcileDone{kind: e.kind, err: err})
	}
}

// fetch reads the venue's state for a reconciliation: the account's mode, orders, fills, balances
// and positions. It reads fills after orders: those of an order that is closed by then are
// included, or fetched later.
func (a *account) fetch(ctx context.Context, e callReconcile, into *reconcileDone) error {
	var mode sync.WaitGroup
	var modeErr, err error
	mode.Go(func() { modeErr = a.fetchMode(ctx, into) })
	if e.readsList {
		err = a.fetchOpen(ctx, e, into)
	}
	if err == nil {
		into.answers = a.queryEach(ctx, notAmong(e.refs, into.open))
	}
	mode.Wait()
	if err := cmp.Or(modeErr, err); err != nil {
		return err
	}
	fillsFrom, err := a.fillsFrom(ctx, e, into)
	if err != nil {
		return err
	}
	if err := a.fetchEachFills(ctx, fillsFrom, into); err != nil {
		return err
	}
	into.funds, err = a.fetchFunds(ctx, bothParts)
	return err
}

// fetchMode reads the mode of the account, which may have been changed elsewhere.
func (a *account) fetchMode(ctx context.Context, into *reconcileDone) error {
	mode, err := a.deps.Venue.Mode(ctx)
	into.hedge = mode.Hedge
	return err
}

// fetchOpen reads the list of open orders, and looks up in the store those that are not in memory.
func (a *account) fetchOpen(ctx context.Context, e callReconcile, into *reconcileDone) error {
	list, err := a.deps.Venue.OpenOrders(ctx)
	if err != nil {
		return err
	}
	into.open = list
	for _, r := range othersThan(e.refs, list) {
		found, err := a.findStored(ctx, &r)
		if err != nil {
			return err
		}
		into.notInMemory = append(into.notInMemory, lookedUp{r, found})
	}
	return nil
}

// notAmong returns the orders that are not in a list of open orders.
func notAmong(refs []orderRef, open []venues.ExecutionReport) []orderRef {
	isOpen := make(map[string]bool, 2*len(open))
	for _, r := range open {
		isOpen[r.ClientOrderID], isOpen[r.Symbol+"/"+r.VenueOrderID] = true, true
	}
	return slices.DeleteFunc(slices.Clone(refs), func(r orderRef) bool {
		return isOpen[cmp.Or(r.ref.ClientOrderID, r.ref.Symbol+"/"+r.ref.VenueOrderID)]
	})
}

// othersThan returns those of a list of open orders that are not among refs.
func othersThan(refs []orderRef, open []venues.ExecutionReport) []venues.ExecutionReport {
	isKnown := make(map[string]bool, len(refs))
	for _, r := range refs {
		isKnown[cmp.Or(r.ref.ClientOrderID, r.ref.Symbol+"/"+r.ref.VenueOrderID)] = true
	}
	return slices.DeleteFunc(slices.Clone(open), func(r venues.ExecutionReport) bool {
		return isKnown[r.ClientOrderID] || isKnown[r.Symbol+"/"+r.VenueOrderID]
	})
}

// filledMore returns those of e.fillsFrom whose orders have filled more than is known, or are
// listed as partly filled.
func filledMore(e callReconcile, in *reconcileDone) map[string]time.Time {
	known := make(map[string]decimal.Decimal, len(e.refs))
	for _, r := range e.refs {
		known[r.orderID] = r.filled
	}
	from := map[string]time.Time{}
	add := func(symbol string) {
		if since, isKnown := e.fillsFrom[symbol]; isKnown {
			from[symbol] = since
		}
	}
	for _, r := range in.open {
		if r.FilledQty.IsPositive() {
			add(r.Symbol)
		}
	}
	for _, answer := range in.answers {
		if answer.err == nil && answer.report.FilledQty.GreaterThan(known[answer.orderID]) {
			add(answer.report.Symbol)
		}
	}
	return from
}

// fetchEachFills reads the new fills of instruments.
func (a *account) fetchEachFills(ctx context.Context, from map[string]time.Time, into *reconcileDone) error {
	for _, symbol := range slices.Sorted(maps.Keys(from)) {
		if err := a.fetchFills(ctx, symbol, from[symbol], into); err != nil {
			return err
		}
	}
	return nil
}

// fetchFills reads the new fills of one instrument. An instrument that the venue no longer
// lists is not an error, so that the others are read.
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
	fills, unattributed, err := a.newFills(ctx, fills)
	if err != nil {
		return err
	}
	into.fills, into.unattributed = append(into.fills, fills...), append(into.unattributed, unattributed...)
	into.fillsRead[symbol] = true
	return nil
}

// queriesAtOnce is the number of orders that a reconciliation queries at the same time. A
// connector that needs a list for the answers reads it once for all of them.
const queriesAtOnce = 16

// queryEach queries each order and returns the answers in the order of refs.
func (a *account) queryEach(ctx context.Context, refs []orderRef) []queryDone {
	answers := make([]queryDone, len(refs))
	eachAtOnce(len(refs), queriesAtOnce, func(i int) { answers[i] = a.query(ctx, refs[i].orderID, refs[i].ref) })
	return answers
}

// fillsFrom returns the instruments whose fills are read, with the start of the reading. At a
// start these are those of known orders that have filled more. A complete reconciliation
// includes those that were traded elsewhere: no list has a position that was opened and closed
// while the stream was down.
func (a *account) fillsFrom(ctx context.Context, e callReconcile, in *reconcileDone) (map[string]time.Time, error) {
	if e.kind == reconcileStart {
		return filledMore(e, in), nil
	}
	from := maps.Clone(e.fillsFrom)
	if e.tradedFrom.IsZero() {
		return from, nil
	}
	traded, err := a.deps.Venue.Traded(ctx, e.tradedFrom, time.Now())
	for _, symbol := range traded {
		if known, isRead := from[symbol]; !isRead || e.tradedFrom.Before(known) {
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
			return nil // the next reconciliation reads it again
		}
		return lookedUp{e.report, found}
	}, func() any { return nil })
}

func (e lookUpFills) run(a *account, ctx *actors.Context) {
	pool := a.deps.ReadPool
	if e.resolves {
		pool = a.deps.QueryPool
	}
	a.call(ctx, pool, func(c context.Context) any {
		if e.resolves {
			c = venues.WithOutcomeQuery(c)
		}
		done := lookedUpFills{symbol: e.symbol, venueOrderID: e.venueOrderID, fills: e.fills, began: time.Now()}
		report, err := a.deps.Venue.Order(c, venues.OrderRef{Symbol: e.symbol, VenueOrderID: e.venueOrderID})
		if venues.CodeOf(err) == venues.CodeNotFound {
			done.fills, done.err = a.unrecorded(c, e.fills)
			return done
		}
		if err == nil {
			done.report = &report
			done.found, err = a.findStored(c, &report)
		}
		if err == nil {
			done.unattributed, err = a.storedUnattributed(c, e.fills)
		}
		if err != nil {
			a.logger.Warn("fills not read", zap.Error(err))
			done.err = err
		}
		return done
	}, func() any { return lookedUpFills{symbol: e.symbol, err: errPoolFull} })
}

// reconciled logs the first of several failed reconciliations, and applies the result.
func (a *account) reconciled(in reconcileDone) {
	if in.err != nil && a.state.recon.failures == 0 {
		a.logger.Warn("reconciliation failed", zap.Error(in.err))
	}
	a.state.reconciled(a.context, in)
}
