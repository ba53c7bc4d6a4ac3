package channel

import (
	"context"
	"errors"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// effect is what the state wants done outside itself.
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
	enterLane struct {
		id         string
		exchange   venues.Venue
		symbol     string
		receivedAt time.Time
	}
	// leave gives back the signal's place and ends its timers.
	leave struct{ id string }

	// place, closePosition and cancelAll are steps; the answer is acted.
	place struct {
		id          string
		signal      venues.Signal
		maxPosition venues.Optional
		notOpposite bool
		deadline    time.Time
	}
	closePosition struct {
		id     string
		step   step
		signal venues.Signal
		// policy says that an opposite signal closes, not one that asks for it.
		policy   bool
		deadline time.Time
	}
	cancelAll struct {
		id       string
		signal   venues.Signal
		deadline time.Time
	}
	// find looks for the order that one of the steps has made; the answer is
	// found.
	find struct {
		id     string
		steps  []step
		signal venues.Signal
		after  time.Duration
	}
	// rehearse finds out what would be done; the answer is rehearsed.
	rehearse struct {
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

func (e enterLane) run(c *channel, ctx *actors.Context) {
	self := ctx.Self()
	c.deps.Lanes.Enter(c.deps.Channel.ID, e.id, e.exchange, e.symbol, e.receivedAt, func(err error) { self.Tell(turn{id: e.id, err: err}) })
}

func (e leave) run(c *channel, ctx *actors.Context) {
	c.deps.Lanes.GiveBack(c.deps.Channel.ID, e.id)
	for _, kind := range []string{"answer/", "retry/", "find/", "expiry/"} {
		ctx.Timers().Cancel(kind + e.id)
	}
}

// begin runs an effect in the pool. What a stop has cut short comes to nothing: the
// next incarnation does it again, or finds out what it has come to.
func (c *channel) begin(ctx *actors.Context, effect actors.Effect) error {
	return ctx.Go(c.deps.Pool, func(life context.Context) any {
		came := effect(life)
		if life.Err() != nil {
			return nil
		}
		return came
	})
}

// call runs a request in the pool. A full pool is an answer too.
func (c *channel) call(ctx *actors.Context, deadline time.Time, request func(context.Context) any, busy any) {
	err := c.begin(ctx, func(life context.Context) any {
		life, cancel := context.WithDeadline(life, deadline)
		defer cancel()
		return request(life)
	})
	if err != nil {
		ctx.Self().Tell(busy)
	}
}

func (c *channel) command(s *venues.Signal, deadline time.Time) venues.Command {
	return venues.Command{
		ID: c.deps.NewID("cmd", time.Now()), Customer: c.deps.Channel.Customer, Deadline: deadline, ReceivedAt: s.ReceivedAt,
	}
}

func (e place) run(c *channel, ctx *actors.Context) {
	s := e.signal
	order := venues.PlaceOrder{
		Command: c.command(&s, e.deadline),
		OrderSpec: venues.OrderSpec{
			Symbol: s.Symbol, Side: s.Side, Type: s.Type, Qty: s.Qty.Decimal, Price: s.Price,
			StopLoss: s.StopLoss, TakeProfit: s.TakeProfit, TimeInForce: timeInForce(s.Type),
		},
		Exchange: s.Exchange, RequestID: s.RequestID, Scope: stepOpen.scope(s.ChannelID), BodyHash: s.BodyHash,
		Source: s.Source, ChannelID: s.ChannelID, Comment: s.Comment,
		MaxPosition: e.maxPosition, NotOpposite: e.notOpposite,
	}
	desk := c.desk
	c.call(ctx, e.deadline, func(life context.Context) any {
		placed, err := desk.Place(life, order)
		return acted{id: e.id, step: stepOpen, order: placed, err: err}
	}, acted{id: e.id, step: stepOpen, err: busy()})
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
		Command: c.command(&s, e.deadline), Exchange: s.Exchange, Symbol: s.Symbol, Closes: s.Side,
		RequestID: s.RequestID, Scope: e.step.scope(s.ChannelID), BodyHash: s.BodyHash,
		Source: s.Source, ChannelID: s.ChannelID, Comment: s.Comment,
	}
	if e.policy {
		cmd.ClosesAs = venues.ClosedOpposite // all of it, whatever the signal's quantity
	} else {
		cmd.Qty = s.Qty
	}
	desk := c.desk
	c.call(ctx, e.deadline, func(life context.Context) any {
		order, err := desk.Close(life, cmd)
		return acted{id: e.id, step: e.step, order: order, err: err}
	}, acted{id: e.id, step: e.step, err: busy()})
}

func (e cancelAll) run(c *channel, ctx *actors.Context) {
	cmd := venues.CancelOrders{Command: c.command(&e.signal, e.deadline), Exchange: e.signal.Exchange, Symbol: e.signal.Symbol}
	desk := c.desk
	c.call(ctx, e.deadline, func(life context.Context) any {
		results, err := desk.CancelAll(life, cmd)
		return acted{id: e.id, step: stepCancel, results: results, err: err}
	}, acted{id: e.id, step: stepCancel, err: busy()})
}

func (e find) run(c *channel, ctx *actors.Context) {
	if e.after > 0 {
		later := e
		later.after = 0
		ctx.Timers().After("find/"+e.id, e.after, findDue{later})
		return
	}
	desk := c.desk
	c.call(ctx, time.Now().Add(stepMax), func(life context.Context) any {
		at, order, err := e.look(life, desk)
		return found{id: e.id, steps: e.steps, step: at, order: order, err: err}
	}, found{id: e.id, steps: e.steps, err: busy()})
}

// look gives the order of the first of the steps that has made one. A claim that
// counts from another receipt is that of an earlier signal under the same request
// id.
func (e find) look(ctx context.Context, desk Reader) (step, *venues.Order, error) {
	for _, at := range e.steps {
		claim, err := desk.Idempotency(ctx, e.signal.Customer, at.scope(e.signal.ChannelID), e.signal.RequestID)
		if errors.Is(err, persistence.ErrNotFound) || (err == nil && !sameReceipt(claim.FirstReceived, e.signal.ReceivedAt)) {
			continue
		}
		if err != nil {
			return at, nil, err
		}
		record, err := desk.Order(ctx, e.signal.Customer, claim.OrderID)
		if err != nil {
			return at, nil, err
		}
		return at, &record.Order, nil
	}
	return "", nil, nil
}

// sameReceipt compares moments of which one may have been stored: records keep
// milliseconds.
func sameReceipt(a, b venues.Time) bool { return a.UnixMilli() == b.UnixMilli() }

// run finds out what the policy would do; everything else is in the journal
// already.
func (e rehearse) run(c *channel, ctx *actors.Context) {
	if e.signal.Action != venues.ActionOrder {
		ctx.Self().Tell(rehearsed{id: e.id})
		return
	}
	desk, cmd, policy := c.desk, c.lookAt(&e.signal), c.state.channel.Rules.Opposite
	c.call(ctx, cmd.Deadline, func(life context.Context) any {
		position, err := against(life, desk, cmd, e.signal.Side)
		done := rehearsed{id: e.id, err: err}
		if position != nil {
			done.notes = []persistence.JournalField{
				field("opposite_position", venues.FormatDecimal(position.Qty)), field("policy", string(policy)),
			}
		}
		return done
	}, rehearsed{id: e.id, err: busy()})
}
