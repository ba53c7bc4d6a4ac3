package account

import (
	"errors"
	"math"
	"time"

	"venuegate/actors"
	"venuegate/actors/step"
	"venuegate/persistence"
	"venuegate/venues"
)

// MailboxMax is how many commands can wait for one account.
const MailboxMax = 256

// Child returns the specification of the actor.
func Child(d Deps) actors.Child {
	if d.Monitor == nil {
		d.Monitor = NewMonitor(&Counts{})
	}
	return actors.Child{
		Name:       Name(d.Exchange),
		Producer:   func() actors.Behaviour { return &account{deps: d} },
		MailboxMax: MailboxMax,
		// An account that cannot start retries until its store or venue is available
		// again, or the operator has repaired the cause.
		RestartsMax: math.MaxInt,
	}
}

// Name returns the name of an exchange's account among the children of its customer.
func Name(exchange venues.Venue) string { return "account/" + string(exchange) }

// Started loads the account; the private connection is opened afterwards.
func (a *account) Started(ctx *actors.Context) {
	a.logger = ctx.Logger()
	a.state = newState(a.deps.Config, a.deps.Fence)
	a.state.counts = a.deps.Monitor.counts
	a.context = stepContext{
		makeID: a.deps.NewID, price: a.price, mark: a.deps.Market.Mark, liveMark: a.deps.Market.LiveMark, liveLast: a.deps.Market.LiveLast,
		settlesIn: a.settlesIn, maxMarketQty: a.maxMarketQty, full: a.deps.Store.Full,
	}
	a.steps = step.Runner[effect]{
		Journal: a.deps.Journal, Handle: a.handle, Finish: a.finish, Ordered: true,
		Run:     func(ctx *actors.Context, e effect) { e.run(a, ctx) },
		Stored:  a.state.intentStored,
		Refused: func(orderID string, _ []effect, err error) { a.state.intentRejected(orderID, err) },
		Failed:  func(_ *actors.Context, effects []effect, _ error) { a.commitFailed(effects) },
	}
	a.startLoading(ctx)
}

// Stopping answers the callers with what is known. Requests under way have an unknown
// outcome, which the next start resolves.
func (a *account) Stopping(ctx *actors.Context) {
	a.context.now = time.Now()
	a.steps.Do(ctx, a.state.stop)
	a.deps.Monitor.publish(a.context.now, a.state.health())
}

// Receive handles a message as one step.
func (a *account) Receive(ctx *actors.Context, msg any) {
	a.context.now = time.Now()
	a.steps.Receive(ctx, msg)
	a.deps.Monitor.publish(a.context.now, a.state.health())
	a.schedule(ctx)
}

// handle dispatches a message; protocol.go lists them.
func (a *account) handle(ctx *actors.Context, msg any) {
	c := a.context
	switch in := msg.(type) {
	case placeOrder:
		a.state.place(c, in)
	case checkOrder:
		a.state.check(c, in)
	case amendOrder:
		a.state.amend(c, in)
	case cancelOrder:
		a.state.cancel(c, in)
	case changeLeverage:
		a.changeLeverage(ctx, in)
	case getFunds:
		a.state.getFunds(c, in)
	case getReady:
		a.state.getReady(in)
	case configure:
		a.state.configure(c, in)
	case awaitHalt:
		a.state.awaitHalt(in)
	case unlock:
		a.state.unlock(c, in)
	case getRisk:
		a.state.getRisk(c, in)
	case getOpen:
		a.state.getOpen(c, in)
	case getOpenReport:
		a.state.getOpenReport(in)
	case observed:
		a.state.observe(c, in)
	case loadDone:
		a.loaded(ctx, in)
	case placeDone:
		a.state.placed(c, in)
	case amendDone:
		a.state.amended(c, in)
	case cancelDone:
		a.state.cancelled(c, in)
	case protectDone:
		a.state.protected(c, in)
	case queryDone:
		a.state.queryAnswered(c, in)
	case absenceCheckDone:
		a.state.absenceChecked(c, in)
	case lookedUp:
		a.state.orderLookedUp(c, in)
	case lookedUpFills:
		a.state.lookedUpFills(c, in)
	case fillsDone:
		a.state.fillsFetched(c, in)
	case fundsDone:
		a.state.fundsRead(c, in)
	case leverageDone:
		a.leverageChanged(in)
	case openDone:
		a.state.orderListRead(c, in)
	case haltReadDone:
		a.state.haltRead(c, in)
	case reconcileDone:
		a.reconciled(in)
	case tick:
		a.tickDue = time.Time{}
		a.state.tick(c)
	case fillsDue:
		a.readFills(ctx, in)
	case loadDue:
		a.startLoading(ctx)
	case protectDue:
		in.run(a, ctx)
	case *actors.ChildEnded: // the private connection, which is opened again
		a.openPrivate(ctx)
	case nil:
	default:
		ctx.Unhandled(msg)
	}
}

// finish ends a step. It sets the gate before anything of the step is durable.
func (a *account) finish() step.Output[effect] {
	out := a.state.finish(a.context)
	a.gate.Set(a.state.risk.IsReduceOnly())
	return out
}

// schedule schedules a tick no later than the next due time. A tick that is too early does
// nothing: most orders end long before their due times.
func (a *account) schedule(ctx *actors.Context) {
	due := a.state.nextDue()
	if due.IsZero() || (!a.tickDue.IsZero() && !a.tickDue.After(due)) {
		return
	}
	a.tickDue = due
	ctx.Timers().After("due", max(0, time.Until(due)), tick{})
}

// commitFailed answers the callers whose result is certain before the account restarts:
// those that are rejected, and those whose order has an unknown outcome. The others receive
// actors.ErrFailed.
func (a *account) commitFailed(effects []effect) {
	for _, e := range effects {
		if r, is := e.(replyOrder); is && r.err != nil {
			r.to.Reject(r.err)
		}
	}
	a.state.replyUnknown()
}

func (a *account) startLoading(ctx *actors.Context) {
	if err := ctx.Go(a.deps.ReadPool, a.load); err != nil {
		ctx.Fail(err)
	}
}

func (a *account) loaded(ctx *actors.Context, in loadDone) {
	switch {
	case errors.Is(in.err, persistence.ErrUnavailable):
		ctx.Timers().After("load", storeRetry, loadDue{})
		return
	case in.err != nil:
		ctx.Fail(in.err)
	}
	a.state.loaded(a.context, in)
	a.openPrivate(ctx)
}
