package simcore

import (
	"errors"

	"github.com/shopspring/decimal"
)

// Reason is the reason why the exchange rejected a request. Each simulator maps it to
// the error code and text of its venue.
type Reason string

// Reasons for rejecting an order, in the order of the checks.
const (
	ReasonDeadline           Reason = "deadline_passed"
	ReasonUnknownAccount     Reason = "unknown_account"
	ReasonUnknownSymbol      Reason = "unknown_symbol"
	ReasonPriceNotPositive   Reason = "price_not_positive"
	ReasonPriceBelowMin      Reason = "price_below_minimum"
	ReasonPriceAboveMax      Reason = "price_above_maximum"
	ReasonPriceOffTick       Reason = "price_off_tick"
	ReasonQtyNotPositive     Reason = "qty_not_positive"
	ReasonQtyBelowMin        Reason = "qty_below_minimum"
	ReasonQtyAboveMax        Reason = "qty_above_maximum"
	ReasonQtyOffStep         Reason = "qty_off_step"
	ReasonPriceTooHigh       Reason = "price_above_band"
	ReasonPriceTooLow        Reason = "price_below_band"
	ReasonNotionalBelowMin   Reason = "notional_below_minimum"
	ReasonPositionSide       Reason = "position_side_mismatch"
	ReasonReduceOnly         Reason = "reduce_only"
	ReasonDuplicateClientID  Reason = "duplicate_client_id"
	ReasonNotTradable        Reason = "not_tradable"
	ReasonTooManyOrders      Reason = "too_many_open_orders"
	ReasonInsufficientMargin Reason = "insufficient_margin"
	ReasonPositionTooLarge   Reason = "position_above_bracket"
	ReasonPostOnly           Reason = "post_only_would_take"
	ReasonFillOrKill         Reason = "fill_or_kill_not_filled"
	ReasonNoLiquidity        Reason = "no_liquidity"
)

// Reasons for rejecting other calls.
const (
	ReasonUnknownOrder      Reason = "unknown_order"
	ReasonNotLimit          Reason = "not_a_limit_order"
	ReasonNoChange          Reason = "no_change"
	ReasonTooManyAmendments Reason = "too_many_amendments"
	ReasonQtyFilled         Reason = "qty_already_filled"
	ReasonWouldTrigger      Reason = "would_trigger_immediately"
	ReasonTriggering        Reason = "already_triggering"
	ReasonDuplicateClose    Reason = "close_position_exists"
	ReasonNoPosition        Reason = "no_position"
	ReasonLeverage          Reason = "leverage_not_valid"
	ReasonLeverageIsolated  Reason = "leverage_reduction_isolated"
	ReasonOpenOrders        Reason = "open_orders_exist"
	ReasonOpenPosition      Reason = "position_exists"
	ReasonDuplicateAccount  Reason = "duplicate_account"
	ReasonBadRequest        Reason = "bad_request"
)

// Rejection is the error of a request that the exchange rejected. Nothing was changed.
type Rejection struct {
	Reason Reason
	// Limit is the limit that the request violates, zero where there is none.
	Limit decimal.Decimal
}

func (r *Rejection) Error() string {
	if r.Limit.IsZero() {
		return string(r.Reason)
	}
	return string(r.Reason) + " (limit " + r.Limit.String() + ")"
}

// ReasonOf returns the reason of a *Rejection, empty for any other error.
func ReasonOf(err error) Reason {
	if rejection, ok := errors.AsType[*Rejection](err); ok {
		return rejection.Reason
	}
	return ""
}

func reject(reason Reason) *Rejection { return &Rejection{Reason: reason} }

func rejectAt(reason Reason, limit decimal.Decimal) *Rejection {
	return &Rejection{Reason: reason, Limit: limit}
}
