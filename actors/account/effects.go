package account

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors"
	"venuegate/actors/account/position"
	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// venueCallMax bounds a request to the venue. It is longer than the order's deadline, so
	// that a timeout which the venue reports is received as an answer.
	venueCallMax = 15 * time.Second
	// reconcileMax bounds one reconciliation, and one absence check, with their waits for
	// the venue's rate limits.
	reconcileMax = 2 * time.Minute
)

// effect is an action that is carried out after its step: once that is durable or, in
// Output.Now, before. It runs on the actor's goroutine and must not block.
type effect interface {
	run(a *account, ctx *actors.Context)
}

type (
	callPlace struct {
		orderID string
		request venues.OrderRequest
		hops    *venues.Hops
	}
	callAmend struct {
		orderID string
		request venues.AmendRequest
		// increases is set if the amend may not be sent while the account is reduce-only.
		increases bool
	}
	callCancel struct {
		orderID string
		ref     venues.OrderRef
	}
	callQuery struct {
		orderID string
		ref     venues.OrderRef
	}
	callAbsenceCheck struct {
		orders []string
		// from is the time from which on the fills of each symbol are read.
		from map[string]time.Time
	}
	callFills struct {
		orderID string
		symbol  string
		from    time.Time
		delay   time.Duration
		// retry is the wait before they are fetched again if some are missing.
		retry time.Duration
	}
	callFunds struct {
		part     fundsPart
		versions fundsVersions
	}
	callReconcile struct {
		kind reconcileKind
		// rank is the place among the readings of its kind that wait, the lowest first.
		rank int
		// mayWait is set if the first readings of other accounts come before it.
		mayWait bool
		// readsList is set if the list of open orders is read, and not each order.
		readsList bool

		refs      []orderRef
		fillsFrom map[string]time.Time
		// tradedFrom is the time from which on instruments that are not in fillsFrom may
		// have been traded elsewhere; if it is zero, none is read.
		tradedFrom time.Time
		versions   fundsVersions
	}
	orderRef struct {
		orderID string
		ref     venues.OrderRef
		// filled is the filled quantity that is known.
		filled decimal.Decimal
	}
	lookUp      struct{ report venues.ExecutionReport }
	lookUpFills struct {
		symbol       string
		venueOrderID string
		fills        []venues.Fill
		// resolves reports that an absence check waits for the answer.
		resolves bool
	}
	publishAll struct {
		orders    []venues.Order
		positions []venues.Position
		balances  []venues.Balance
	}
	publishOrder    struct{ record persistence.Record } // a persistence.OrderRecord
	publishPosition struct{ position venues.Position }
	publishBalances struct{ balances []venues.Balance }
)

func (e callPlace) run(a *account, ctx *actors.Context) {
	now := time.Now()
	e.hops.End(venues.HopDurable, now)
	if rejection := a.state.beginSend(e.orderID, now); rejection != nil {
		a.steps.Enqueue(placeDone{orderID: e.orderID, err: rejection})
		return
	}
	passes := a.state.passesClosedGate(e.orderID)
	a.call(ctx, a.deps.OrderPool, func(c context.Context) any {
		if !a.gate.Allows(passes) {
			return placeDone{orderID: e.orderID, err: risk.ErrGateClosed}
		}
		e.hops.End(venues.HopSent, time.Now())
		report, err := a.deps.Venue.Place(c, e.request)
		e.hops.End(venues.HopVenueAnswered, time.Now())
		return placeDone{e.orderID, report, err}
	}, func() any { return placeDone{orderID: e.orderID, err: errPoolFull} })
}

func (e callAmend) run(a *account, ctx *actors.Context) {
	if e.increases {
		if rejection := a.state.beginSendAmend(e.orderID); rejection != nil {
			a.steps.Enqueue(amendDone{orderID: e.orderID, err: rejection})
			return
		}
	}
	a.call(ctx, a.deps.OrderPool, func(c context.Context) any {
		if !a.gate.Allows(!e.increases) {
			return amendDone{orderID: e.orderID, err: risk.ErrGateClosed}
		}
		report, err := a.deps.Venue.Amend(c, e.request)
		return amendDone{e.orderID, report, err}
	}, func() any { return amendDone{orderID: e.orderID, err: errPoolFull} })
}

func (e callCancel) run(a *account, ctx *actors.Context) {
	a.call(ctx, a.deps.OrderPool, func(c context.Context) any {
		report, err := a.deps.Venue.Cancel(c, e.ref)
		return cancelDone{e.orderID, report, err}
	}, func() any { return cancelDone{orderID: e.orderID, err: errPoolFull} })
}

func (e callQuery) run(a *account, ctx *actors.Context) {
	a.call(ctx, a.deps.QueryPool, func(c context.Context) any {
		return a.query(venues.WithOutcomeQuery(c), e.orderID, e.ref)
	}, func() any { return queryDone{orderID: e.orderID, err: errPoolFull} })
}

func (a *account) query(ctx context.Context, orderID string, ref venues.OrderRef) queryDone {
	began := time.Now()
	report, err := a.deps.Venue.Order(ctx, ref)
	return queryDone{orderID, report, err, began}
}

// errPoolFull is the error of a request that was not sent because its pool was full.
var errPoolFull = errors.Join(venues.ErrNotSent, actors.ErrBusy)

// call runs a request to the venue in a pool and delivers the message that it returns. If
// the pool is full, the message is that of busy.
func (a *account) call(ctx *actors.Context, pool *actors.Pool, request func(context.Context) any, busy func() any) {
	err := ctx.Go(pool, func(c context.Context) any {
		c, cancel := context.WithTimeout(c, venueCallMax)
		defer cancel()
		if pool == a.deps.OrderPool {
			c = venues.WithCaller(c) // a connector may have to read something first
		}
		return request(c)
	})
	if err != nil {
		a.steps.Enqueue(busy())
	}
}

// eachAtOnce calls do for each index below n, at most limit at the same time, and waits for
// all.
func eachAtOnce(n, limit int, do func(i int)) {
	var wait sync.WaitGroup
	slots := make(chan struct{}, limit)
	for i := range n {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			do(i)
		})
	}
	wait.Wait()
}

func (e callFills) run(a *account, ctx *actors.Context) {
	ctx.Timers().After("fills/"+e.orderID, e.delay, fillsDue{e})
}

// readFills reads the fills of an order that has just executed, by the venue's clock, which
// may be ahead. It reads none if the private stream has reported them meanwhile.
func (a *account) readFills(ctx *actors.Context, in fillsDue) {
	if !a.state.lacksFills(in.orderID) {
		return
	}
	a.call(ctx, a.deps.ReadPool, func(c context.Context) any {
		done := fillsDone{orderID: in.orderID, retry: in.retry}
		done.fills, done.err = a.deps.Venue.Fills(venues.WithCaller(c), venues.FillsQuery{
			Symbol: in.symbol, From: in.from, To: time.Now().Add(position.ClockSkewMax),
		})
		if done.err == nil {
			done.unattributed, done.err = a.storedUnattributed(c, done.fills)
		}
		return done
	}, func() any { return fillsDone{orderID: in.orderID, retry: in.retry, err: errPoolFull} })
}

func (e callFunds) run(a *account, ctx *actors.Context) {
	a.call(ctx, a.deps.ReadPool, func(c context.Context) any {
		// Callers that arrive during a reading for the account itself wait for its end.
		funds, err := a.fetchFunds(venues.WithCaller(c), e.part)
		return fundsDone{funds, e.part, e.versions, err}
	}, func() any { return fundsDone{err: errPoolFull} })
}

// fetchFunds reads the balances last: their P&L is that of the positions and marks at the time
// when they are applied, and each request may wait for the venue's limits.
func (a *account) fetchFunds(ctx context.Context, part fundsPart) (read Funds, err error) {
	read.ReadAt = time.Now()
	if part.has(positionsPart) {
		if read.Positions, err = a.deps.Venue.Positions(ctx); err != nil {
			return Funds{}, err
		}
	}
	if part.has(balancesPart) {
		read.Balances, err = a.deps.Venue.Balances(ctx)
	}
	return read, err
}

func (e publishAll) run(a *account, _ *actors.Context) {
	a.deps.Updates.Reconciled(a.deps.Exchange, e.orders, e.positions, e.balances)
}

func (e publishOrder) run(a *account, _ *actors.Context) {
	a.deps.Updates.OrderChanged(e.record.(persistence.OrderRecord).Order)
}

func (e publishPosition) run(a *account, _ *actors.Context) {
	a.deps.Updates.PositionChanged(e.position)
}

func (e publishBalances) run(a *account, _ *actors.Context) {
	a.deps.Updates.BalancesChanged(a.deps.Exchange, e.balances)
}
