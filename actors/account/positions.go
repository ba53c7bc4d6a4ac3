package account

import (
	"cmp"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/position"
	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

// positionPort implements position.Account.
type positionPort struct {
	*state
	step stepContext
}

// forPositions returns the account for calls to package position during a step.
func (s *state) forPositions(step stepContext) *positionPort {
	s.positionPort.step = step
	return s.positionPort
}

func (p *positionPort) Now() time.Time          { return p.step.now }
func (p *positionPort) Ready() bool             { return p.ready }
func (p *positionPort) ReconciledAt() time.Time { return p.recon.completeAt }

func (p *positionPort) IsComplete(symbol string) bool {
	return p.fillMarks.lookups[symbol] == nil && !p.holdsReports(symbol)
}

// CloseReason returns the reason of the newest order that may have reduced a position.
func (p *positionPort) CloseReason(symbol string, side venues.PositionSide, openedAt time.Time) venues.CloseReason {
	var last *order
	since := openedAt.Add(-position.ListLag)
	consider := func(o *order) {
		if o.Symbol != symbol || !o.mayHaveFilled() || !p.mayReduce(o, side) || o.changedAt(p.step).Before(since) {
			return
		}
		if last == nil || cmp.Or(o.changedAt(p.step).Compare(last.changedAt(p.step)), cmp.Compare(o.OrderID, last.OrderID)) > 0 {
			last = o
		}
	}
	for _, o := range p.live {
		consider(o)
	}
	for o := range p.idleAfter(since) {
		consider(o)
	}
	if last == nil {
		return venues.ClosedManual
	}
	return last.closesAs()
}

func (p *positionPort) WithTriggers(listed venues.Position) venues.Position {
	return p.protection(p.step).WithTriggers(listed)
}

func (p *positionPort) Closed(symbol string, c *position.Closing) {
	closed := closedPayload(p.exchange, symbol, c)
	p.emit(p.step, persistence.EventPositionClosed, closed)
	p.journalPosition(p.step, "closed", symbol,
		persistence.JournalField{Name: "side", Value: string(c.Side)},
		persistence.JournalField{Name: "qty", Value: closed.Qty},
		persistence.JournalField{Name: "reason", Value: string(c.Position.Reason)})
}

func (p *positionPort) Dropped(dropped *venues.Position, flatAt time.Time) {
	p.protection(p.step).PositionClosed(dropped.Key(), flatAt)
}

func (p *positionPort) Adopted(symbol string, side venues.PositionSide, qty decimal.Decimal) {
	p.journalPosition(p.step, "adopted", symbol,
		persistence.JournalField{Name: "side", Value: string(side)},
		persistence.JournalField{Name: "qty", Value: venues.FormatDecimal(qty)})
}

func (p *positionPort) Publish(listed venues.Position) { p.after(publishPosition{listed}) }
func (p *positionPort) Store(r persistence.PositionRecord) {
	p.out.Batch.Puts = append(p.out.Batch.Puts, r)
}

func (p *positionPort) ReconcileBy(due time.Time) { p.recon.request(due) }
func (p *positionPort) ReadSoon()                 { p.planFunds(p.step) }

// recordFill stores a fill and counts it, for its position and for the day. The
// caller must not record one twice.
func (s *state) recordFill(step stepContext, f venues.Fill, why position.Cause) persistence.FillRecord {
	s.funds.balancesChanges++
	e := position.ExecutionOf(&f, why, step.now)
	if !f.RealizedPnl.Valid {
		f.RealizedPnl = s.positions.Realized(f.Symbol, e)
	}
	record := persistence.FillRecord{Fill: f, Customer: s.customer}
	why.Annotate(&record)
	record.FeeInSettlement = risk.FeeInSettlement(s.forRisk(step), &f)
	s.out.Batch.Puts = append(s.out.Batch.Puts, record)
	s.risk.CountFill(s.forRisk(step), &record, e)
	s.positions.Add(s.forPositions(step), f.Symbol, e)
	return record
}

// recordUnattributed records a fill whose order is not known.
func (s *state) recordUnattributed(step stepContext, f venues.Fill) {
	if !s.positions.IsUnattributed(&f) {
		record := s.recordFill(step, f, position.Cause{Reason: venues.ClosedManual})
		s.positions.HoldUnattributed(step.now, record)
	}
}

// attributeFill attributes a fill that was counted without an order to its order, and
// reports whether it was counted.
func (s *state) attributeFill(f *venues.Fill, why position.Cause) bool {
	record, counted := s.positions.Attribute(f, why)
	if counted {
		s.out.Batch.Puts = append(s.out.Batch.Puts, record)
		*f = record.Fill
	}
	return counted
}

// causeOf returns the cause of an order's fills.
func (s *state) causeOf(o *order) position.Cause {
	why := position.Cause{Reason: o.closesAs(), Comment: o.Comment}
	if s.ids.isOurs(o.ClientOrderID) {
		why.SentAt = o.CreatedAt.Time
	}
	return why
}

// closesAs returns the close reason of a position that a fill of the order closes.
func (o *order) closesAs() venues.CloseReason {
	switch {
	case o.forced:
		return venues.ClosedLiquidation
	case o.Protects == venues.LegTakeProfit:
		return venues.ClosedTakeProfit
	case o.Protects == venues.LegStopLoss:
		return venues.ClosedStopLoss
	case o.ClosesAs != "":
		return o.ClosesAs
	case o.Type.IsStop() && o.ReduceOnly:
		return venues.ClosedStopLoss
	}
	return venues.ClosedManual
}

// changedAt returns when the order changed last, which may be in the current step.
func (o *order) changedAt(step stepContext) time.Time {
	if o.dirty {
		return step.now
	}
	return o.UpdatedAt.Time
}

// mayReduce reports whether an order can have reduced a position: it is on the other side
// and, if both sides can be open at once, reduce-only.
func (p *positionPort) mayReduce(o *order, side venues.PositionSide) bool {
	return o.Side.Opens() != side && (o.ReduceOnly || !p.positions.IsHedged(o.Symbol))
}

// mayHaveFilled reports whether the order has fills, or may have fills that are not reported
// yet because it executes at market.
func (o *order) mayHaveFilled() bool {
	return o.FilledQty.IsPositive() || (!o.Status.IsClosed() && (o.Type == venues.TypeMarket || o.Triggered))
}

// holdsReports reports whether a report of an order of the symbol is held.
func (x *orderIndex) holdsReports(symbol string) bool {
	for _, o := range x.watched {
		if o.Symbol == symbol && o.held != nil {
			return true
		}
	}
	return false
}
