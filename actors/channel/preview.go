package channel

import (
	"context"
	"time"

	"venuegate/actors/step"
	"venuegate/persistence"
	"venuegate/venues"
)

// previewStepsMax bounds the steps of a previewed plan, which ends by itself unless the
// position changes meanwhile.
const previewStepsMax = 16

// Accounts answers what a plan needs to know of the accounts, and changes nothing.
type Accounts interface {
	CheckOrder(ctx context.Context, o venues.PlaceOrder) (venues.OrderCheck, error)
	PositionReader
}

// Preview returns what the channel would do with a signal now: the verdicts of its rules, and
// the steps of the plan with those of the account. It plays the actor's own state machine; an
// order that passes all checks counts as filled. Nothing is sent, stored or claimed. In test
// mode the plan is the one without it.
func (c Client) Preview(ctx context.Context, s venues.Signal, accounts Accounts) (venues.SignalPreview, error) {
	rejection := c.identify(&s)
	_, prior, err := c.attempt(ctx, &s)
	if err != nil {
		return venues.SignalPreview{}, edgeError(err)
	}
	p := &preview{accounts: accounts, state: newState(persistence.Fence{})}
	p.state.channel = c.channel
	p.state.channel.TestMode = false
	p.result.Duplicate, p.result.TestMode = prior != nil, c.channel.TestMode
	for _, v := range appliedRules(&p.state.channel, &s, rejection) {
		p.result.Rules = append(p.result.Rules, venues.RuleCheck{Rule: v.rule, Limit: v.limit, Given: v.given, Rejection: v.rejection})
	}
	p.state.accept(p.now(), accept{signal: s, attempt: 1, rejection: rejection})
	if err := p.play(ctx); err != nil {
		return venues.SignalPreview{}, edgeError(err)
	}
	if s.Action == venues.ActionNotify && p.result.Error == nil {
		p.add(venues.PreviewStep{Step: string(venues.ActionNotify), Exchange: s.Exchange, Symbol: s.Symbol})
	}
	return p.result, nil
}

// preview carries out the effects of a state machine that is in no actor.
type preview struct {
	accounts Accounts
	state    *state
	// closed reports whether a step has closed the position.
	closed bool
	result venues.SignalPreview
}

func (p *preview) now() step.Context {
	return step.NewContext(func(prefix string, _ time.Time) string { return prefix + "_preview" })
}

func (p *preview) add(s venues.PreviewStep) { p.result.Plan = append(p.result.Plan, s) }

func (p *preview) play(ctx context.Context) error {
	for out := p.state.take(); ; out = p.state.take() {
		for _, r := range out.Batch.Puts {
			if signal, is := r.(persistence.SignalRecord); is {
				p.result.Status, p.result.Error = string(signal.Status), signal.Error
			}
		}
		if len(out.After) == 0 {
			return nil
		}
		if len(p.result.Plan) > previewStepsMax {
			return venues.Errorf(venues.CodeMaintenance, "the position changes while the plan is worked out")
		}
		for _, e := range out.After {
			if err := p.handle(ctx, e); err != nil {
				return err
			}
		}
	}
}

// handle passes the result of an effect to the state machine. Replies and timers have none.
func (p *preview) handle(ctx context.Context, e effect) error {
	switch e := e.(type) {
	case enterQueue:
		p.state.granted(p.now(), granted{id: e.id})
	case place:
		return p.place(ctx, e)
	case closePosition:
		return p.close(ctx, e)
	case cancelAll:
		p.add(venues.PreviewStep{Step: string(stepCancel), Exchange: e.signal.Exchange, Symbol: e.signal.Symbol})
		p.state.stepDone(p.now(), stepDone{id: e.id, step: stepCancel})
	case checkFlat:
		p.state.flatRead(p.now(), flatRead{id: e.id})
	}
	return nil
}

func (p *preview) place(ctx context.Context, e place) error {
	order := e.order(previewCommand(&e.signal, e.deadline))
	order.RejectOpposite = order.RejectOpposite && !p.closed
	check, err := p.accounts.CheckOrder(ctx, order)
	if err != nil {
		return err
	}
	planned := venues.PreviewStep{
		Step: string(stepOpen), Exchange: order.Exchange, Symbol: order.Symbol, Side: order.Side, Type: order.Type, Qty: venues.Some(order.Qty),
		Price: order.Price, StopLoss: order.StopLoss, TakeProfit: order.TakeProfit, Rules: check.Rules, Rejection: check.FirstRejection(),
	}
	p.add(planned)
	done := stepDone{id: e.id, step: stepOpen}
	if planned.Rejection != nil {
		done.err = planned.Rejection
	} else {
		done.order = venues.Order{OrderID: planned.Step, OrderSpec: order.OrderSpec, Status: venues.StatusFilled, FilledQty: order.Qty}
	}
	p.state.stepDone(p.now(), done)
	return nil
}

func (p *preview) close(ctx context.Context, e closePosition) error {
	position, err := p.position(ctx, &e.signal, e.deadline)
	if err != nil {
		return err
	}
	planned := venues.PreviewStep{Step: string(e.step), Exchange: e.signal.Exchange, Symbol: e.signal.Symbol}
	done := stepDone{id: e.id, step: e.step}
	if position == nil {
		planned.Rejection = venues.NoPosition(e.signal.Symbol)
		done.err = planned.Rejection
	} else {
		planned.Type, planned.Side, planned.Qty = venues.TypeMarket, position.Side.ClosedBy(), venues.Some(position.Qty)
		if q := e.signal.Qty; q.Valid && !e.policy && q.Decimal.LessThan(position.Qty) {
			planned.Qty = q
		}
		p.closed = true
		done.order = venues.Order{OrderID: planned.Step, Status: venues.StatusFilled}
		done.order.Qty, done.order.FilledQty = planned.Qty.Decimal, planned.Qty.Decimal
	}
	p.add(planned)
	p.state.stepDone(p.now(), done)
	return nil
}

// position returns the position that a close of the signal would close, or nil.
func (p *preview) position(ctx context.Context, s *venues.Signal, deadline time.Time) (*venues.Position, error) {
	query := venues.ReadAccount{Command: previewCommand(s, deadline), Exchange: s.Exchange, Symbol: s.Symbol}
	if s.Side == "" {
		return findPosition(ctx, p.accounts, query, func(venues.PositionSide) bool { return true })
	}
	return oppositePosition(ctx, p.accounts, query, s.Side)
}

func previewCommand(s *venues.Signal, deadline time.Time) venues.Command {
	return venues.Command{ID: "preview", Customer: s.Customer, Deadline: deadline, ReceivedAt: s.ReceivedAt, Origin: s.Origin}
}
