package connector

import (
	"iter"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// PositionOf returns the position that an order belongs to in hedge mode, where a reducing
// order belongs to the position opposite to its side; empty in one-way mode.
func PositionOf(hedge bool, side venues.Side, reduces bool) venues.PositionSide {
	switch {
	case !hedge:
		return ""
	case reduces:
		return side.Reduces()
	}
	return side.Opens()
}

// IsReduceOnly reports whether an order is reduce-only. In hedge mode that depends only on
// its side and on the position that it belongs to, whatever the venue's flag. position is
// empty in one-way mode.
func IsReduceOnly(position venues.PositionSide, side venues.Side, flag bool) bool {
	if position != "" {
		return position == side.Reduces()
	}
	return flag
}

// SideOf returns the side of a position with a signed amount: position in hedge mode, that
// of the sign in one-way mode, where position is empty.
func SideOf(position venues.PositionSide, amount decimal.Decimal) venues.PositionSide {
	switch {
	case position != "":
		return position
	case amount.IsPositive():
		return venues.Long
	}
	return venues.Short
}

// TriggerDirection returns the direction in which the price reaches the trigger of a stop:
// the requested one, or away from the last traded price, which lastPrice reads.
func TriggerDirection(r *venues.OrderRequest, lastPrice func() (decimal.Decimal, error)) (venues.TriggerDirection, error) {
	if r.TriggerDirection != "" {
		return r.TriggerDirection, nil
	}
	last, err := lastPrice()
	if err != nil {
		return "", err
	}
	if r.TriggerPrice.Decimal.GreaterThanOrEqual(last) {
		return venues.TriggerRising, nil
	}
	return venues.TriggerFalling, nil
}

// FormatTimeInForce returns a time in force by the names that venues share; postOnlyName is
// the venue's name of post-only.
func FormatTimeInForce(tif venues.TimeInForce, postOnly bool, postOnlyName string) string {
	switch {
	case postOnly:
		return postOnlyName
	case tif == venues.ImmediateOrCancel:
		return "IOC"
	case tif == venues.FillOrKill:
		return "FOK"
	}
	return "GTC"
}

// StopType returns the type of the stop that has become an order of type t.
func StopType(t venues.OrderType) venues.OrderType {
	if t.IsMarket() {
		return venues.TypeStopMarket
	}
	return venues.TypeStopLimit
}

// Spans divides the time from start to end into spans of at most length, for venues that
// limit the time of one request.
func Spans(start, end time.Time, length time.Duration) iter.Seq2[time.Time, time.Time] {
	return func(yield func(from, to time.Time) bool) {
		for from := start; from.Before(end); from = from.Add(length) {
			to := from.Add(length)
			if to.After(end) {
				to = end
			}
			if !yield(from, to) {
				return
			}
		}
	}
}
