package binance

import (
	"context"
	"strings"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
)

// isForced reports whether the venue created the order: liquidation, deleveraging,
// settlement.
func isForced(clientOrderID, orderType string) bool {
	for _, prefix := range []string{"autoclose-", "adl_autoclose", "settlement_autoclose-", "delivery_autoclose-"} {
		if strings.HasPrefix(clientOrderID, prefix) {
			return true
		}
	}
	return orderType == "LIQUIDATION"
}

// expiryReasons maps values of "er" that add to the kind of order.
var expiryReasons = map[string]string{
	"1": "self_trade_prevention",
	"3": "self_trade_prevention",
	"4": "reduce_only_conflict",
	"5": "liquidation",
	"6": venues.ReasonNoPosition,
	"7": "delisted",
	"8": "trigger_failed",
}

// endReason returns why the venue ended an order; nil if nothing needs to be explained.
// The unfilled rest of a partial fill needs no explanation, unless the venue intervened.
func endReason(r *venues.ExecutionReport, orderType, timeInForce, expiry string) *venues.RejectReason {
	reject := func(reason, message string) *venues.RejectReason {
		return &venues.RejectReason{Code: venues.CodeOrderRejected, Reason: reason, Message: message}
	}
	reason := expiryReasons[expiry]
	switch {
	case r.Status == venues.StatusRejected:
		return reject("rejected", "the venue rejected the order")
	case r.Status != venues.StatusExpired && r.Status != venues.StatusCancelled:
		return nil
	case reason != "":
		return reject(reason, "the venue ended the order")
	case r.FilledQty.IsPositive() || !endsAtOnce(orderType, timeInForce):
		return nil
	case timeInForce == "FOK":
		return reject(venues.ReasonFOKNotFilled, "the order could not be filled immediately")
	case timeInForce == "IOC":
		return reject(venues.ReasonIOCNotFilled, "nothing could be filled immediately")
	case orderType == "MARKET":
		return reject(venues.ReasonNoLiquidity, "the market could not fill the order")
	default:
		return nil // a cancelled post-only order needs no explanation
	}
}

// triggerReason returns why a stop could not be placed when it triggered.
func triggerReason(message string) *venues.RejectReason {
	if message == "" || message == "margin not enough" {
		return &venues.RejectReason{
			Code: venues.CodeInsufficientBalance, Reason: "insufficient_margin",
			Message: "the margin was not sufficient at the trigger", VenueMessage: message,
		}
	}
	return &venues.RejectReason{
		Code: venues.CodeOrderRejected, Reason: "rejected_at_trigger",
		Message: "the venue rejected the order at the trigger", VenueMessage: payload.Bounded(message),
	}
}

// takerFee is the venue's default taker fee, for the estimate below.
var takerFee = venues.MustDecimal("0.0005")

// explainMargin adds free and required margin to a rejection for lack of margin.
func (a *Account) explainMargin(ctx context.Context, r *venues.OrderRequest, rejected error) error {
	estimate := connector.MarginEstimate{
		LastPrice: func() (decimal.Decimal, error) { return a.c.lastPrice(ctx, r.Symbol) },
		Leverage:  func() (venues.Optional, error) { return a.leverageOf(ctx, r.Symbol) },
		Required:  connector.MarginWithFee(takerFee),
	}
	if i, err := a.c.instruments.Get(r.Symbol); err == nil {
		estimate.Currency = i.SettleCurrency
	}
	return connector.ExplainMargin(ctx, a, r, rejected, estimate)
}
