package okx

import (
	"context"
	"strconv"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/refusal"
)

// isForced says whether the venue made the order: liquidation, deleveraging,
// delivery.
func isForced(category string) bool {
	switch category {
	case "full_liquidation", "partial_liquidation", "adl", "delivery", "ddh":
		return true
	}
	return false
}

// Values of cancelSource that are no fault: the customer's own cancels, and the
// other half of a pair.
var blameless = map[string]bool{"": true, "1": true, "36": true, "37": true}

// cancelReasons are the values of cancelSource in the service's words.
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

// endFault says why an order ended without being filled or asked to end; nil if
// there is nothing to explain. A part that was filled needs no excuse for the rest
// where the order only took what there was.
func endFault(r *venues.ExecutionReport, source string) *venues.OrderFault {
	if r.Status != venues.StatusCancelled || blameless[source] {
		return nil
	}
	reason := cancelReasons[source]
	if reason == venues.ReasonIOCNotFilled && r.FilledQty.IsPositive() {
		return nil
	}
	if reason == "" {
		reason = "cancelled_by_venue"
	}
	return &venues.OrderFault{
		Code: venues.CodeOrderRejected, Reason: reason, Message: "the venue ended the order",
		VenueMessage: "cancelSource " + payload.Bounded(source),
	}
}

// triggerFault is a stop that could not be placed when it triggered.
func triggerFault(failCode string) *venues.OrderFault {
	code, _ := strconv.Atoi(failCode)
	v, _ := verdictOf(code)
	fault := &venues.OrderFault{
		Code: venues.CodeOrderRejected, Reason: "rejected_at_trigger",
		Message: "the venue rejected the order at the trigger", VenueMessage: payload.Bounded(failCode),
	}
	switch {
	case v.Code == venues.CodeInsufficientBalance:
		fault.Code, fault.Reason = v.Code, "insufficient_margin"
		fault.Message = "the margin was not sufficient at the trigger"
	case v.Reason != "":
		fault.Reason = v.Reason
	}
	return fault
}

// takerFee is the venue's default taker fee, for the estimate below.
var takerFee = venues.MustDecimal("0.0005")

// explainMargin adds what the venue does not tell of a refusal for lack of margin.
func (a *Account) explainMargin(ctx context.Context, k *contract, r *venues.OrderRequest, refused error) error {
	free := func() (decimal.Decimal, error) { return a.freeMargin(ctx, k) }
	needed := func() (decimal.Decimal, error) { return a.neededMargin(ctx, k, r) }
	return refusal.WithMargin(refused, free, needed)
}

func (a *Account) freeMargin(ctx context.Context, k *contract) (decimal.Decimal, error) {
	balances, err := a.Balances(ctx)
	if err != nil {
		return decimal.Decimal{}, err
	}
	return refusal.Available(balances, k.SettleCurrency), nil
}

// neededMargin is notional divided by leverage plus the taker fee.
func (a *Account) neededMargin(ctx context.Context, k *contract, r *venues.OrderRequest) (decimal.Decimal, error) {
	price := r.Price
	if !price.Valid {
		last, err := a.c.lastPrice(ctx, k)
		if err != nil {
			return decimal.Decimal{}, err
		}
		price = venues.Some(last)
	}
	mode, err := a.tradeMode(ctx, k.Symbol)
	if err != nil {
		return decimal.Decimal{}, err
	}
	leverage, err := a.leverageOf(ctx, k, mode)
	if err != nil {
		return decimal.Decimal{}, err
	}
	if !leverage.Valid {
		return decimal.Decimal{}, payload.Missing("lever")
	}
	notional := r.Qty.Mul(price.Decimal)
	const centsPlaces = 8
	return notional.DivRound(leverage.Decimal, centsPlaces).Add(notional.Mul(takerFee)).RoundCeil(centsPlaces), nil
}
