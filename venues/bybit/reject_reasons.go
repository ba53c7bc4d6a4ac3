package bybit

import (
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
)

// forcedTypes are the creators of forced orders: liquidation, deleveraging, settlement.
var forcedTypes = []string{
	"CreateByLiq", "CreateByTakeOver_PassThrough", "CreateByAdl_PassThrough", "CreateByMmRateClose", "CreateBySettle", "CreateByAdminClosing",
}

func isForced(createType string) bool { return slices.Contains(forcedTypes, createType) }

// isForcedExecution is isForced for executions, which have a kind of their own.
func isForcedExecution(createType, execType string) bool {
	return isForced(createType) || slices.Contains([]string{"BustTrade", "AdlTrade", "Delivery", "Settle"}, execType)
}

// endReasons maps values of rejectReason and cancelType with which the venue ends orders.
var endReasons = map[string]string{
	"EC_PostOnlyWillTakeLiquidity":       venues.ReasonPostOnlyWouldTake,
	"EC_CancelForNoFullFill":             venues.ReasonFOKNotFilled,
	"EC_BySelfMatch":                     "self_trade_prevention",
	"EC_StopBySelfMatch":                 "self_trade_prevention",
	"EC_InvalidSymbolStatus":             "symbol_status",
	"EC_SecurityStatusFail":              "symbol_status",
	"EC_ReachRiskPriceLimit":             venues.ReasonPriceBand,
	"EC_ReachMarketPriceLimit":           venues.ReasonPriceBand,
	"CancelByReduceOnly":                 venues.ReasonNoPosition,
	"CancelByTpSlTsClear":                venues.ReasonNoPosition,
	"CancelByPrepareLiq":                 "liquidation",
	"CancelAllBeforeLiq":                 "liquidation",
	"CancelByPrepareAdl":                 "deleveraging",
	"CancelAllBeforeAdl":                 "deleveraging",
	"CancelByAdmin":                      "venue",
	"CancelBySettle":                     "delisted",
	"CancelBySmp":                        "self_trade_prevention",
	"CancelByDCP":                        "disconnect_protection",
	"CancelByOCOTpCanceledBySlTriggered": venues.ReasonOtherLegTriggered,
	"CancelByOCOSlCanceledByTpTriggered": venues.ReasonOtherLegTriggered,
	"EC_CancelByOrderValueZero":          "value_zero",
	"EC_CancelByMatchValueZero":          "value_zero",
}

// rejectReason returns why the venue ended an order; nil if nothing needs to be explained.
// The unfilled rest of a partial fill needs no explanation if the order cannot rest.
func (o *orderRecord) rejectReason(r *venues.ExecutionReport) *venues.RejectReason {
	reason := o.endReason(r)
	switch {
	case r.Status == venues.StatusRejected && reason == "":
		reason = "rejected"
	case r.Status != venues.StatusRejected && r.Status != venues.StatusCancelled, reason == "":
		return nil
	}
	text := "the venue ended the order"
	if r.Status == venues.StatusRejected {
		text = "the venue rejected the order"
	}
	reject := &venues.RejectReason{Code: venues.CodeOrderRejected, Reason: reason, Message: text}
	if o.RejectReason != "EC_NoError" {
		reject.VenueMessage = payload.Bounded(o.RejectReason)
	}
	return reject
}

func (o *orderRecord) endReason(r *venues.ExecutionReport) string {
	for _, value := range []string{o.RejectReason, o.CancelType} {
		if reason := endReasons[value]; reason != "" {
			return reason
		}
	}
	if o.RejectReason != "EC_NoImmediateQtyToFill" && o.RejectReason != "EC_NoEnoughQtyToFill" {
		return ""
	}
	switch {
	case r.FilledQty.IsPositive():
		return ""
	case r.Type.IsMarket():
		return venues.ReasonNoLiquidity
	case o.TimeInForce == "FOK":
		return venues.ReasonFOKNotFilled
	default:
		return venues.ReasonIOCNotFilled
	}
}

// takerFee is the venue's default taker fee, for the estimate of explainMargin.
var takerFee = venues.MustDecimal("0.00055")

// explainMargin adds free and required margin to a rejection for lack of margin. The venue
// requires notional x (1/L + f x (2 -+ 1/L)): margin, the fee to open, and the fee to close
// at the bankruptcy price.
func (a *Account) explainMargin(ctx context.Context, r *venues.OrderRequest, rejected error) error {
	return connector.ExplainMargin(ctx, a, r, rejected, connector.MarginEstimate{
		Currency:  settleCoin(a.c.venueSymbol(r.Symbol)),
		LastPrice: func() (decimal.Decimal, error) { return a.c.lastPrice(ctx, r.Symbol) },
		Leverage:  func() (venues.Optional, error) { return a.leverageOf(ctx, r.Symbol) },
		Required: func(notional, leverage decimal.Decimal) decimal.Decimal {
			share := decimal.NewFromInt(1).DivRound(leverage, venues.DecimalDigitsMax)
			closing := share.Neg()
			if r.Side == venues.Sell {
				closing = share
			}
			return notional.Mul(share.Add(takerFee.Mul(decimal.NewFromInt(2).Add(closing))))
		},
	})
}
