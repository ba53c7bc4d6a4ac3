package channel

import (
	"context"
	"errors"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// effect is I/O, or a change of a timer, that follows a step.
type effect interface {
	run(c *channel, ctx *actors.Context)
}

type (
	replyOutcome struct {
		to  actors.Reply[outcome]
		out outcome
		err error
	}
	armAnswer struct {
		id string
		at time.Time
	}
	armRetry struct {
		id    string
		after time.Duration
	}
	armExpiry struct {
		id string
		at time.Time
	}
	enterQueue struct {
		id         string
		exchange   venues.Venue
		symbol     string
		receivedAt time.Time
	}
	// leave releases the signal's slot and cancels its timers.
	leave struct{ id string }

	// place, closePosition and cancelAll are steps of a plan; their result is stepDone.
	place struct {
		id          string
		signal      venues.Signal
		maxPosition venues.Optional
		notOpposite bool
		deadline    time.Time
	}
	closePosition struct {
		id     string
		step   planStep
		signal venues.Signal
		// policy reports whether the channel's policy closes the position, not the signal.
		policy   bool
		deadline time.Time
	}
	cancelAll struct {
		id       string
		signal   venues.Signal
		deadline time.Time
	}
	// find looks up the order that one of the steps has created; its result is found.
	find struct {
		id     string
		steps  []planStep
		signal venues.Signal
		after  time.Duration
	}
	// dryRun finds out what would be done; its result is dryRunDone.
	dryRun struct {
		id     string
		signal venues.Signal
	}
)

func (e replyOutcome) run(*channel, *actors.Context) {
	if e.err != nil {
		e.to.Reject(e.err)
		return
	}
	e.to.Send(e.out)
}

func (e armAnswer) run(_ *channel, ctx *actors.Context) {
	ctx.Timers().After("answer/"+e.id, max(0, time.Until(e.at)), answerDue{e.id})
}

func (e armRetry) run(_ *channel, ctx *actors.Context) {
	ctx.Timers().After("retry/"+e.id, e.after, retryDue{e.id})
}

func (e armExpiry) run(_ *channel, ctx *actors.Context) {
	ctx.Timers().After("expiry/"+e.id, max(0, time.Until(e.at)), expiryDue{e.id})
}

func (e enterQueue) run(c *channel, ctx *actors.Context) {
	self := ctx.Self()
	c.deps.SignalQueue.Enter(c.deps.Channel.ID, e.id, e.exchange, e.symbol, e.receivedAt, func(err error) { self.Tell(granted{id: e.id, err: err}) })
}

func (e leave) run(c *channel, ctx *actors.Context) {
	c.deps.SignalQueue.Release(c.deps.Channel.ID, e.id)
	for _, kind := range []string{"answer/", "retry/", "find/", "expiry/"} {
		ctx.Timers().Cancel(kind + e.id)
	}
}

// begin runs an effect in the pool. The result is dropped if the actor has been
// stopped: the next incarnation repeats the effect, or finds out its outcome.
func (c *channel) begin(ctx *actors.Context, effect actors.Effect) error {
	return ctx.Go(c.deps.Pool, func(life context.Context) any {
		came := effect(life)
		if life.Err() != nil {
			return nil
		}
		return came
	})
}

// call runs a request in the pool. If the pool is full the result is busy.
func (c *channel) call(ctx *actors.Context, deadline time.Time, request func(context.Context) any, busy any) {
	err := c.begin(ctx, func(life context.Context) any {
		life, cancel := context.WithDeadline(life, deadline)
		defer cancel()
		return request(life)
	})
	if err != nil {
		c.steps.Enqueue(busy)
	}
}

func (c *channel) command(s *venues.Signal, deadline time.Time) venues.Command {
	return venues.Command{
		ID: c.deps.NewID("cmd", time.Now()), Customer: c.deps.Channel.Customer, Deadline: deadline, ReceivedAt: s.ReceivedAt,
		Origin: s.Origin, Hops: s.Hops,
	}
}

func (e place) run(c *channel, ctx *actors.Context) {
	executor, order := c.executor, e.order(c.command(&e.signal, e.deadline))
	c.call(ctx, e.deadline, func(life context.Context) any {
		placed, err := executor.Place(life, order)
		return stepDone{id: e.id, step: stepOpen, order: placed, err: err}
	}, stepDone{id: e.id, step: stepOpen, err: busy()})
}

// order returns the command of the step.
func (e place) order(cmd venues.Command) venues.PlaceOrder {
	s := &e.signal
	return venues.PlaceOrder{
		Command: cmd,
		OrderSpec: venues.OrderSpec{
			Symbol: s.Symbol, Side: s.Side, Type: s.Type, Qty: s.Qty.Decimal, Price: s.Price,
			StopLoss: s.StopLoss, TakeProfit: s.TakeProfit, TimeInForce: timeInForce(s.Type),
		},
		Exchange: s.Exchange, RequestID: s.RequestID, Scope: stepOpen.scope(s.ChannelID), BodyHash: s.BodyHash,
		Source: s.Source, ChannelID: s.ChannelID, Comment: s.Comment,
		MaxPosition: e.maxPosition, RejectOpposite: e.notOpposite,
	}
}

func timeInForce(t venues.OrderType) venues.TimeInForce {
	if t.IsMarket() {
		return venues.ImmediateOrCancel
	}
	return venues.GoodTillCancel
}

func (e closePosition) run(c *channel, ctx *actors.Context) {
	s := e.signal
	cmd := venues.ClosePosition{
		Command: c.command(&s, e.deadline), Exchange: s.Exchange, Symbol: s.Symbol, Side: s.Side,
		RequestID: s.RequestID, Scope: e.step.scope(s.ChannelID), BodyHash: s.BodyHash,
		Source: s.Source, ChannelID: s.ChannelID, Comment: s.Comment,
	}
	if e.policy {
		cmd.CloseReason = venues.ClosedOpposite // all of the position, whatever the signal's quantity
	} else {
		cmd.Qty = s.Qty
	}
	executor := c.executor
	c.call(ctx, e.deadline, func(life context.Context) any {
		order, err := executor.Close(life, cmd)
		return stepDone{id: e.id, step: e.step, order: order, err: err}
	}, stepDone{id: e.id, step: e.step, err: busy()})
}

func (e cancelAll) run(c *channel, ctx *actors.Context) {
	cmd := venues.CancelOrders{Command: c.command(&e.signal, e.deadline), Exchange: e.signal.Exchange, Symbol: e.signal.Symbol}
	executor := c.executor
	c.call(ctx, e.deadline, func(life context.Context) any {
		results, err := executor.CancelAll(life, cmd)
		return stepDone{id: e.id, step: stepCancel, results: results, err: err}
	}, stepDone{id: e.id, step: stepCancel, err: busy()})
}

func (e find) run(c *channel, ctx *actors.Context) {
	if e.after > 0 {
		later := e
		later.after = 0
		ctx.Timers().After("find/"+e.id, e.after, findDue{later})
		return
	}
	executor := c.executor
	c.call(ctx, time.Now().Add(stepMax), func(life context.Context) any {
		at, order, err := e.look(life, executor)
		return found{id: e.id, steps: e.steps, step: at, order: order, err: err}
	}, found{id: e.id, steps: e.steps, err: busy()})
}

// look returns the first of the steps that has created an order, and that order. A
// claim with another time of receipt belongs to an earlier signal with the same
// requestId.
func (e find) look(ctx context.Context, reader Reader) (planStep, *venues.Order, error) {
	for _, at := range e.steps {
		claim, err := reader.Idempotency(ctx, e.signal.Customer, at.scope(e.signal.ChannelID), e.signal.RequestID)
		if errors.Is(err, persistence.ErrNotFound) || (err == nil && !sameReceipt(claim.FirstReceived, e.signal.ReceivedAt)) {
			continue
		}
		if err != nil {
			return at, nil, err
		}
		record, err := reader.Order(ctx, e.signal.Customer, claim.OrderID)
		if err != nil {
			return at, nil, err
		}
		return at, &record.Order, nil
	}
	return "", nil, nil
}

// sameReceipt reports whether two times of receipt are equal to the millisecond,
// which is the precision of stored records.
func sameReceipt(a, b venues.Time) bool { return a.UnixMilli() == b.UnixMilli() }

// run finds out what the opposite policy would do; everything else is in the
// journal already.
func (e dryRun) run(c *channel, ctx *actors.Context) {
	if e.signal.Action != venues.ActionOrder {
		c.steps.Enqueue(dryRunDone{id: e.id})
		return
	}
	executor, cmd, policy := c.executor, c.readPositions(&e.signal), c.state.channel.Rules.Opposite
	c.call(ctx, cmd.Deadline, func(life context.Context) any {
		position, err := oppositePosition(life, executor, cmd, e.signal.Side)
		done := dryRunDone{id: e.id, err: err}
		if position != nil {
			done.notes = []persistence.JournalField{
				field("opposite_position", venues.FormatDecimal(position.Qty)), field("policy", string(policy)),
			}
		}
		return done
	}, dryRunDone{id: e.id, err: busy()})
}
