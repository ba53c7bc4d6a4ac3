package account

import (
	"errors"
	"math"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// MailboxMax is how many commands may wait for one account.
const MailboxMax = 256

// Child describes the account for its supervisor.
func Child(d Deps) actors.Child {
	return actors.Child{
		Name:       Name(d.Exchange),
		Producer:   func() actors.Behaviour { return &account{deps: d} },
		MailboxMax: MailboxMax,
		// What keeps an account from starting (the store, its venue) passes or
		// is for the operator to mend: it tries until then.
		RestartsMax: math.MaxInt,
	}
}

// Name is that of an exchange's account among the children of its customer.
func Name(exchange venues.Venue) string { return "account/" + string(exchange) }

type account struct {
	deps   Deps
	logger *zap.Logger
	state  *state
	// committing are the commits under way, oldest first: what follows waits
	// behind them.
	committing []*output
	gate       gate
	// ticks is when the next tick comes, zero for never.
	ticks time.Time
}

// Started loads the account; the private connection is opened afterwards.
func (a *account) Started(ctx *actors.Context) {
	a.logger = ctx.Logger()
	a.state = newState(a.deps.Config, a.deps.Fence)
	a.begin(ctx)
}

// Stopping answers those who wait with what is known: calls under way end with an
// unknown outcome, which the next start finds out.
func (a *account) Stopping(ctx *actors.Context) {
	a.state.stop()
	a.finish(ctx, a.moment())
}

func (a *account) begin(ctx *actors.Context) {
	if err := ctx.Go(a.deps.ReadPool, a.load); err != nil {
		ctx.Fail(err)
	}
}

// Receive dispatches.
func (a *account) Receive(ctx *actors.Context, msg any) {
	m := a.moment()
	switch in := msg.(type) {
	case observed:
		a.observe(m, in)
	case committed:
		a.committed(ctx, in)
	case tick:
		a.ticks = time.Time{}
		a.state.tick(m)
	case readFills:
		a.readFills(ctx, in)
	case fundsDue:
		a.state.readFunds()
	case loadDue:
		a.begin(ctx)
	case effect: // put off until now
		in.run(a, ctx)
	case *actors.ChildEnded: // the private connection, to be opened anew
		a.openPrivate(ctx)
	case nil:
	default:
		if !a.command(ctx, m, msg) && !a.result(ctx, m, msg) {
			ctx.Unhandled(msg)
		}
	}
	a.finish(ctx, m)
}

// command takes what Client asks for; false if it is nothing of the kind.
func (a *account) command(ctx *actors.Context, m moment, msg any) bool {
	switch in := msg.(type) {
	case placeOrder:
		a.state.place(m, in)
	case amendOrder:
		a.state.amend(m, in)
	case cancelOrder:
		a.state.cancel(m, in)
	case changeLeverage:
		a.changeLeverage(ctx, in)
	case getFunds:
		a.state.getFunds(m, in)
	case configure:
		a.state.configure(m, in)
	case awaitHalt:
		a.state.awaitHalt(in)
	case unlock:
		a.state.unlock(m, in)
	case getOpen:
		a.state.getOpen(m, in)
	default:
		return false
	}
	return true
}

// result takes what an effect has brought; false if it is nothing of the kind.
func (a *account) result(ctx *actors.Context, m moment, msg any) bool {
	switch in := msg.(type) {
	case loadDone:
		a.loaded(ctx, m, in)
	case placeDone:
		a.state.placed(m, in)
	case amendDone:
		a.state.amended(m, in)
	case cancelDone:
		a.state.cancelled(m, in)
	case protectDone:
		a.state.protected(m, in)
	case queryDone:
		a.state.queried(m, in)
	case proofDone:
		a.state.proved(m, in)
	case lookedUp:
		a.state.lookedUp(m, in)
	case lookedUpFills:
		a.state.lookedUpFills(m, in)
	case fillsDone:
		a.state.fillsRead(m, in)
	case fundsDone:
		a.state.fundsRead(m, in)
	case leverageDone:
		a.leverageChanged(in)
	case openDone:
		a.state.openRead(m, in)
	case sweepDone:
		a.state.swept(m, in)
	case reconcileDone:
		a.reconciled(m, in)
	default:
		return false
	}
	return true
}

func (a *account) moment() moment {
	now := time.Now()
	return moment{now: now, newID: func(prefix string) string { return a.deps.NewID(prefix, now) }, price: a.price, mark: a.deps.Market.Mark, mostAtMarket: a.mostAtMarket}
}

func (a *account) mostAtMarket(symbol string) venues.Optional {
	i, known := a.deps.Market.Instrument(symbol)
	if !known {
		return venues.Optional{}
	}
	return i.MaxMarketQty
}

func (a *account) price(currency, symbol string) venues.Optional {
	i, known := a.deps.Market.Instrument(symbol)
	if !known {
		return venues.Optional{}
	}
	return a.deps.Market.Mark(currency + i.SettleCurrency)
}

func (a *account) observe(m moment, in observed) {
	switch {
	case in.report != nil:
		a.state.heard(in.report)
		a.state.report(m, *in.report)
	case in.position != nil:
		a.state.position(m, *in.position)
	case in.balancesChanged:
		a.state.balancesMoved()
	case in.connected:
		a.state.streamConnected(m)
	case in.lost:
		a.state.streamLost(m)
	}
}

func (a *account) loaded(ctx *actors.Context, m moment, in loadDone) {
	switch {
	case errors.Is(in.err, persistence.ErrUnavailable):
		ctx.Timers().After("load", storeRetry, loadDue{})
		return
	case in.err != nil:
		ctx.Fail(in.err)
	}
	a.state.loaded(m, in)
	a.openPrivate(ctx)
}

func (a *account) reconciled(m moment, in reconcileDone) {
	if in.err != nil {
		a.logger.Warn("reconciliation failed", zap.Error(in.err))
	}
	a.state.reconciled(m, in)
}

// schedule sees to it that a tick comes no later than the next thing is due. One
// that comes too early finds nothing to do: most orders end long before what was
// planned for them.
func (a *account) schedule(ctx *actors.Context) {
	due := a.state.nextDue()
	if due.IsZero() || (!a.ticks.IsZero() && !a.ticks.After(due)) {
		return
	}
	a.ticks = due
	ctx.Timers().After("due", max(0, time.Until(due)), tick{})
}
