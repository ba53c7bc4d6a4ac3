package okx

import (
	"cmp"
	"context"
	"strconv"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
)

// isForced reports by its category whether the venue created the order: liquidation,
// deleveraging (adl), delivery, delta hedging (ddh).
func isForced(category string) bool {
	switch category {
	case "full_liquidation", "partial_liquidation", "adl", "delivery", "ddh":
		return true
	}
	return false
}

// expectedCancelSources are values of cancelSource that need no reason: the empty one, the
// customer's own cancel (1), and the other order of a pair (36, 37).
var expectedCancelSources = map[string]bool{"": true, "1": true, "36": true, "37": true}

// cancelReasons maps values of cancelSource to reasons.
var cancelReasons = map[string]string{
	"2":  venues.ReasonNoPosition,
	"3":  "liquidation",
	"6":  "deleveraging",
	"7":  "delivery",
	"9":  "insufficient_margin",
	"13": venues.ReasonFOKNotFilled,
	"14": venues.ReasonIOCNotFilled,
	"15": venues.ReasonPriceBand,
	"17": venues.ReasonNoPosition,
	"20": "cancel_all_after",
	"21": venues.ReasonNoPosition,
	"22": "reduce_only_conflict",
	"23": "reduce_only_conflict",
	"27": venues.ReasonPriceBand,
	"31": venues.ReasonPostOnlyWouldTake,
	"32": "self_trade_prevention",
	"33": "too_many_matches",
	"43": venues.ReasonPriceBand,
}

// endReason returns why the venue cancelled an order; nil if that is expected, as it is for
// the rest of a partially filled IOC order.
func endReason(r *venues.ExecutionReport, source string) *venues.RejectReason {
	if r.Status != venues.StatusCancelled || expectedCancelSources[source] {
		return nil
	}
	reason := cmp.Or(cancelReasons[source], "cancelled_by_venue")
	if reason == venues.ReasonIOCNotFilled && r.FilledQty.IsPositive() {
		return nil
	}
	if reason == venues.ReasonIOCNotFilled && r.Type.IsMarket() {
		reason = venues.ReasonNoLiquidity
	}
	return &venues.RejectReason{
		Code: venues.CodeOrderRejected, Reason: reason, Message: "the venue ended the order",
		VenueMessage: "cancelSource " + payload.Bounded(source),
	}
}

// triggerReason returns why a stop could not be placed when it triggered.
func triggerReason(failCode string) *venues.RejectReason {
	code, _ := strconv.Atoi(failCode)
	class, _ := classOf(code)
	reject := &venues.RejectReason{
		Code: venues.CodeOrderRejected, Reason: "rejected_at_trigger",
		Message: "the venue rejected the order at the trigger", VenueMessage: payload.Bounded(failCode),
	}
	switch {
	case class.Code == venues.CodeInsufficientBalance:
		reject.Code, reject.Reason = class.Code, "insufficient_margin"
		reject.Message = "the margin was not sufficient at the trigger"
	case class.Reason != "":
		reject.Reason = class.Reason
	}
	return reject
}

// takerFee is the venue's default taker fee, for the estimate of explainMargin.
var takerFee = venues.MustDecimal("0.0005")

// explainMargin adds free and required margin to a rejection for lack of margin.
func (a *Account) explainMargin(ctx context.Context, k *instrument, r *venues.OrderRequest, rejected error) error {
	return connector.ExplainMargin(ctx, a, r, rejected, connector.MarginEstimate{
		Currency:  k.SettleCurrency,
		LastPrice: func() (decimal.Decimal, error) { return a.c.lastPrice(ctx, k) },
		Leverage: func() (venues.Optional, error) {
			mode, err := a.marginMode(ctx, k.Symbol)
			if err != nil {
				return venues.Optional{}, err
			}
			return a.leverageOf(ctx, k, mode)
		},
		Required: connector.MarginWithFee(takerFee),
	})
}
