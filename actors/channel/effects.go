package channel

import (
	"context"
	"errors"
	"slices"
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
	enterLane struct {
		id       string
		exchange venues.Venue
		symbol   string
	}
	leaveLane struct{ id string }

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
	// lookFlat reads whether the position is closed; the answer is flatSeen.
	lookFlat struct {
		id     string
		signal venues.Signal
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

func (e enterLane) run(c *channel, ctx *actors.Context) {
	self, ticket := ctx.Self(), e.id
	c.deps.Lanes.Enter(c.deps.Channel.ID, ticket, e.exchange, e.symbol, func(err error) { self.Tell(turn{ticket: ticket, err: err}) })
}

func (e leaveLane) run(c *channel, _ *actors.Context) {
	c.deps.Lanes.GiveBack(c.deps.Channel.ID, e.id)
}

// call runs a request in the pool. A full pool is an answer too.
func (c *channel) call(ctx *actors.Context, deadline time.Time, request func(context.Context) any, busy any) {
	err := ctx.Go(c.deps.Pool, func(life context.Context) any {
		life, cancel := context.WithDeadline(life, deadline)
		defer cancel()
		return request(life)
	})
	if err != nil {
		ctx.Self().Tell(busy)
	}
}

func (c *channel) command(deadline time.Time) venues.Command {
	return venues.Command{ID: c.deps.NewID("cmd", time.Now()), Customer: c.deps.Channel.Customer, Deadline: deadline}
}

func (e place) run(c *channel, ctx *actors.Context) {
	s := e.signal
	order := venues.PlaceOrder{
		Command: c.command(e.deadline),
		OrderSpec: venues.OrderSpec{
			Symbol: s.Symbol, Side: s.Side, Type: s.Type, Qty: s.Qty.Decimal, Price: s.Price,
			StopLoss: s.StopLoss, TakeProfit: s.TakeProfit, TimeInForce: timeInForce(s.Type),
		},
		Exchange: s.Exchange, RequestID: s.RequestID, Scope: stepOpen.scope(s.ChannelID), BodyHash: s.BodyHash,
		Source: s.Source, ChannelID: s.ChannelID, Comment: s.Comment,
		MaxPosition: e.maxPosition, NotOpposite: e.notOpposite,
	}
	c.call(ctx, e.deadline, func(life context.Context) any {
		placed, err := c.deps.Desk.Place(life, order)
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
		Command: c.command(e.deadline), Exchange: s.Exchange, Symbol: s.Symbol, Closes: s.Side,
		RequestID: s.RequestID, Scope: stepClose.scope(s.ChannelID), BodyHash: s.BodyHash,
		Source: s.Source, ChannelID: s.ChannelID, Comment: s.Comment,
	}
	if e.policy {
		cmd.ClosesAs = venues.ClosedOpposite // all of it, whatever the signal's quantity
	} else {
		cmd.Qty = s.Qty
	}
	c.call(ctx, e.deadline, func(life context.Context) any {
		order, err := c.deps.Desk.Close(life, cmd)
		return acted{id: e.id, step: stepClose, order: order, err: err}
	}, acted{id: e.id, step: stepClose, err: busy()})
}

func (e cancelAll) run(c *channel, ctx *actors.Context) {
	cmd := venues.CancelOrders{Command: c.command(e.deadline), Exchange: e.signal.Exchange, Symbol: e.signal.Symbol}
	c.call(ctx, e.deadline, func(life context.Context) any {
		results, err := c.deps.Desk.CancelAll(life, cmd)
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
	c.call(ctx, time.Now().Add(stepMax), func(life context.Context) any {
		at, order, err := c.find(life, &e)
		return found{id: e.id, steps: e.steps, step: at, order: order, err: err}
	}, found{id: e.id, steps: e.steps, err: busy()})
}

// find gives the order of the first of the steps that has made one. One that is
// older than the signal was made under the same request id by an earlier one.
func (c *channel) find(ctx context.Context, e *find) (step, *venues.Order, error) {
	for _, at := range e.steps {
		claim, err := c.deps.Desk.Idempotency(ctx, e.signal.Customer, at.scope(e.signal.ChannelID), e.signal.RequestID)
		if errors.Is(err, persistence.ErrNotFound) || (err == nil && claim.FirstReceived.Before(e.signal.ReceivedAt.Time)) {
			continue
		}
		if err != nil {
			return at, nil, err
		}
		record, err := c.deps.Desk.Order(ctx, e.signal.Customer, claim.OrderID)
		if err != nil {
			return at, nil, err
		}
		return at, &record.Order, nil
	}
	return "", nil, nil
}

func (e lookFlat) run(c *channel, ctx *actors.Context) {
	c.call(ctx, time.Now().Add(stepMax), func(life context.Context) any {
		against, err := c.against(life, &e.signal)
		return flatSeen{id: e.id, flat: against == nil, err: err}
	}, flatSeen{id: e.id, err: busy()})
}

// against is the open position that a signal is against, if there is one.
func (c *channel) against(ctx context.Context, s *venues.Signal) (*venues.Position, error) {
	cmd := venues.ReadAccount{Command: c.command(time.Now().Add(stepMax)), Exchange: s.Exchange, Symbol: s.Symbol}
	positions, failures, err := c.deps.Desk.Positions(ctx, cmd)
	if err == nil && len(failures) > 0 {
		err = failures[0].Error
	}
	side := venues.Short
	if s.Side == venues.Sell {
		side = venues.Long
	}
	i := slices.IndexFunc(positions, func(p venues.Position) bool { return p.Symbol == s.Symbol && p.Side == side })
	if err != nil || i < 0 {
		return nil, err
	}
	return &positions[i], nil
}

// run finds out what the policy would do; everything else is in the journal
// already.
func (e rehearse) run(c *channel, ctx *actors.Context) {
	if e.signal.Action != venues.ActionOrder {
		ctx.Self().Tell(rehearsed{id: e.id})
		return
	}
	c.call(ctx, time.Now().Add(stepMax), func(life context.Context) any {
		position, err := c.against(life, &e.signal)
		done := rehearsed{id: e.id, err: err}
		if position != nil {
			done.notes = []persistence.JournalField{
				field("opposite_position", venues.FormatDecimal(position.Qty)), field("policy", string(c.deps.Channel.Rules.Opposite)),
			}
		}
		return done
	}, rehearsed{id: e.id, err: busy()})
}
