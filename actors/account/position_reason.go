package account

import (
	"cmp"
	"slices"
	"time"

	"venuegate/venues"
)

// causeOf is what an order tells of its executions.
func (s *state) causeOf(o *order) cause {
	why := cause{reason: o.closesAs(), comment: o.Comment}
	if s.isOurs(o) {
		why.sentAt = o.CreatedAt.Time
	}
	return why
}

// closesAs is why a position ends that an order's execution ends.
func (o *order) closesAs() venues.CloseReason {
	switch {
	case o.forced:
		return venues.ClosedLiquidation
	case o.Protects == venues.ProtectingTakeProfit:
		return venues.ClosedTakeProfit
	case o.Protects == venues.ProtectingStopLoss:
		return venues.ClosedStopLoss
	case o.ClosesAs != "":
		return o.ClosesAs
	case o.Type.IsStop() && o.ReduceOnly:
		return venues.ClosedStopLoss
	}
	return venues.ClosedManual
}

// closeReason is why a position ended of which no execution tells: that of the
// newest order that may have reduced it. openedAt is by the venue's clock, and
// zero if it is not known.
func (s *state) closeReason(m moment, b *book, side venues.PositionSide, openedAt time.Time) venues.CloseReason {
	var last *order
	since := openedAt.Add(-positionLag)
	for _, o := range slices.Concat(s.liveInOrder(), slices.Collect(s.restedSince(since))) {
		if o.Symbol != b.symbol || !o.mayHaveFilled() || !s.mayReduce(o, b, side) || o.changedAt(m).Before(since) {
			continue
		}
		if last == nil || cmp.Or(o.changedAt(m).Compare(last.changedAt(m)), cmp.Compare(o.OrderID, last.OrderID)) > 0 {
			last = o
		}
	}
	if last == nil {
		return venues.ClosedManual
	}
	return last.closesAs()
}

// changedAt is when the order changed last; a change of this step is not stored yet.
func (o *order) changedAt(m moment) time.Time {
	if o.dirty {
		return m.now
	}
	return o.UpdatedAt.Time
}

// mayReduce says whether an order can have reduced a position: it trades the other
// way, and where both sides are held at once, it does not open its own.
func (s *state) mayReduce(o *order, b *book, side venues.PositionSide) bool {
	return o.Side.Opens() != side && (o.ReduceOnly || !s.isHedged(b))
}

// isHedged says whether both sides of an instrument may be held at once.
func (s *state) isHedged(b *book) bool { return s.risk.hedge || b.hedged }

// mayHaveFilled says whether the order has fills, or is one that has them at
// once.
func (o *order) mayHaveFilled() bool {
	return o.FilledQty.IsPositive() || (!o.Status.IsClosed() && (o.Type == venues.TypeMarket || o.triggered))
}
