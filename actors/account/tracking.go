package account

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/position"
	"venuegate/venues"
)

// tracking is what the venue has reported of an order.
type tracking struct {
	// fillKeys has the trade keys of the recorded fills, fillsQty and notional have their sums.
	// The record's FilledQty exceeds fillsQty only after fillsHoldMax.
	fillKeys map[string]bool
	fillsQty decimal.Decimal
	notional decimal.Decimal
	// held is a report of more fills than are known; it is applied when the fills
	// have arrived, or at heldDue without them.
	held    *venues.ExecutionReport
	heldDue time.Time

	// termsAt is the venue's time of the newest report of price and quantity.
	termsAt time.Time
	// seenOpenAt is when the venue last reported the order as active.
	seenOpenAt time.Time
	// forced marks a liquidation.
	forced bool

	// streamProgress is the order's progress by the private stream, seenProgress by any
	// source. If they still differ at streamDue, the stream has missed a report.
	streamProgress, seenProgress progress
	streamDue                    time.Time
	// streamedOpenAt is when the stream first reported the order as active.
	streamedOpenAt time.Time
}

// countFill adds a fill to fillKeys and the sums. The caller must not add one twice.
func (t *tracking) countFill(f *venues.Fill) {
	t.fillKeys[position.TradeKey(f)] = true
	t.fillsQty = venues.Sum(t.fillsQty, f.Qty)
	t.notional = venues.Sum(t.notional, f.Price.Mul(f.Qty))
}

// avgPrice returns the average price of the recorded fills. There must be at least one.
func (t *tracking) avgPrice() decimal.Decimal {
	return t.notional.DivRound(t.fillsQty, position.AvgPriceDecimals)
}

// hold keeps a report until its fills are known, and reports whether none was held before.
// An older report does not replace a newer one.
func (t *tracking) hold(r *venues.ExecutionReport, due time.Time) bool {
	isFirst := t.held == nil
	if isFirst {
		t.heldDue = due
	} else if r.FilledQty.LessThan(t.held.FilledQty) || (t.held.Status.IsClosed() && !r.Status.IsClosed()) {
		return false
	}
	t.held = r
	return isFirst
}

// release returns the held report and drops it.
func (t *tracking) release() venues.ExecutionReport {
	r := *t.held
	t.dropHeld()
	return r
}

func (t *tracking) dropHeld() { t.held, t.heldDue = nil, time.Time{} }

// progress is the stage and the filled quantity of an order by the reports of one source.
type progress struct {
	stage  int
	filled decimal.Decimal
}

// Stages of an order.
const (
	stageNone = iota
	stageUntriggered
	stageOpen
	stageClosed
)

func progressOf(status venues.OrderStatus, filled decimal.Decimal) progress {
	switch {
	case status == venues.StatusUntriggered:
		return progress{stageUntriggered, filled}
	case status.IsActive():
		return progress{stageOpen, filled}
	case status.IsClosed() && status != venues.StatusRejected: // not every venue sends an event for a rejection
		return progress{stageClosed, filled}
	}
	return progress{stage: stageNone}
}

// furthest returns the further stage and the larger filled quantity of two.
func (p progress) furthest(q progress) progress {
	return progress{max(p.stage, q.stage), decimal.Max(p.filled, q.filled)}
}

// covers reports whether p is at least as far as q.
func (p progress) covers(q progress) bool {
	return p.stage >= q.stage && p.filled.GreaterThanOrEqual(q.filled)
}
