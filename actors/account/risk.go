package account

import (
	"iter"
	"time"

	"venuegate/actors/account/deadline"
	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

// riskPort implements risk.Account.
type riskPort struct {
	state            *state
	step             stepContext
	live, unrecorded iter.Seq[risk.Order]
}

func newRiskPort(s *state) *riskPort {
	return &riskPort{state: s, live: limitedOrders(s.live), unrecorded: limitedOrders(s.unrecordedFills)}
}

// limitedOrders returns a sequence of orders as package risk uses them.
func limitedOrders(orders map[string]*order) iter.Seq[risk.Order] {
	return func(yield func(risk.Order) bool) {
		for _, o := range orders {
			limited := risk.Order{OrderRecord: &o.OrderRecord, RecordedQty: o.fillsQty}
			if o.change.kind == venues.PendingAmend && o.Move == nil {
				limited.AmendQty = venues.Some(o.change.target.qty)
			}
			if !yield(limited) {
				return
			}
		}
	}
}

// forRisk returns the account for calls to package risk during a step.
func (s *state) forRisk(step stepContext) *riskPort {
	s.riskPort.step = step
	return s.riskPort
}

func (p *riskPort) Now() time.Time { return p.step.now }
func (p *riskPort) Ready() bool    { return p.state.ready }

func (p *riskPort) Price(currency, symbol string) venues.Optional {
	return p.step.price(currency, symbol)
}

func (p *riskPort) Live() iter.Seq[risk.Order]       { return p.live }
func (p *riskPort) Unrecorded() iter.Seq[risk.Order] { return p.unrecorded }

func (p *riskPort) IsSending() bool {
	for _, o := range p.state.live {
		if o.sending && !o.ReduceOnly {
			return true
		}
	}
	return false
}

func (p *riskPort) Store(r persistence.RiskRecord) {
	p.state.out.Batch.Puts = append(p.state.out.Batch.Puts, r)
}

func (p *riskPort) LimitReached(lock *persistence.RiskLock) {
	p.state.emit(p.step, persistence.EventRiskLimitReached, limitEvent{
		Limit: lock.Limit, Threshold: venues.FormatDecimal(lock.Threshold), Actual: venues.FormatDecimal(lock.Actual),
		Action: string(venues.CodeTradingLocked), Exchange: p.state.exchange,
	})
	p.state.after(warnLock{*lock})
}

func (p *riskPort) Journal(kind string, fields ...persistence.JournalField) {
	p.state.journal(p.step, kind, string(p.state.exchange), fields...)
}

func (p *riskPort) ReadPositions() { p.state.readFunds(p.step) }

// unlock ends a lock on behalf of an administrator.
func (s *state) unlock(step stepContext, in unlock) {
	if !s.ready {
		s.after(acknowledge{to: in.Reply, err: maintenance(s.exchange)})
		return
	}
	s.risk.Unlock(s.forRisk(step))
	s.after(acknowledge{to: in.Reply})
}

// getRisk answers with the loss of the day and the progress of a halt.
func (s *state) getRisk(step stepContext, in getRisk) {
	if !s.ready {
		s.after(replyRisk{to: in.Reply, err: maintenance(s.exchange)})
		return
	}
	report := s.risk.Report(s.forRisk(step))
	if s.risk.Halted {
		progress := s.halt.result
		report.Halt = &progress
	}
	s.after(replyRisk{to: in.Reply, value: report})
}

// beginSend checks an order once its intent is durable, right before its request is sent:
// meanwhile the account may have become reduce-only or be stopping, or the deadline of the
// command may have passed. It marks the order as sending, which delays a lock
// (riskPort.IsSending).
func (s *state) beginSend(orderID string, now time.Time) *venues.Error {
	o, known := s.orders[orderID]
	if !known {
		return nil
	}
	if s.stopping || deadline.Passed(o.sendBy, now) {
		return notSent(s.exchange, venues.ErrNotSent)
	}
	isExempt := s.risk.Reduces(s.riskPort, &o.OrderSpec, &o.OrderRecord) || (o.lowered && !s.risk.Halted)
	if s.risk.IsReduceOnly() && !isExempt {
		return s.risk.TradingLocked()
	}
	o.sending = true
	return nil
}

// beginSendAmend is beginSend for an amend that increases.
func (s *state) beginSendAmend(orderID string) *venues.Error {
	if s.risk.IsReduceOnly() {
		return s.risk.TradingLocked()
	}
	if o, known := s.orders[orderID]; known {
		o.sending = true
	}
	return nil
}

// passesClosedGate reports whether the request of an order that beginSend has admitted is sent
// even if the gate is closed. If the account was reduce-only by then, beginSend has found that
// the order reduces. Else only a reduce-only order and a lowered one pass: whether another order
// reduces depends on the position, which may change while the request waits in the pool.
func (s *state) passesClosedGate(orderID string) bool {
	o, known := s.orders[orderID]
	return !known || s.risk.IsReduceOnly() || o.ReduceOnly || o.lowered
}
