package binance

import (
	"context"
	"strings"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/refusal"
)

// isForced says whether the venue made the order: liquidation, deleveraging,
// settlement.
func isForced(clientOrderID, orderType string) bool {
	for _, prefix := range []string{"autoclose-", "adl_autoclose", "settlement_autoclose-", "delivery_autoclose-"} {
		if strings.HasPrefix(clientOrderID, prefix) {
			return true
		}
	}
	return orderType == "LIQUIDATION"
}

// expiryReasons are the values of "er" that tell more than the kind of order.
var expiryReasons = map[string]string{
	"1": "self_trade_prevention",
	"3": "self_trade_prevention",
	"4": "reduce_only_conflict",
	"5": "liquidation",
	"6": venues.ReasonNoPosition,
	"7": "delisted",
	"8": "trigger_failed",
}

// endFault says why an order ended without being filled or asked to end; nil if
// there is nothing to explain. A part that was filled needs no excuse for the
// rest, unless the venue intervened.
func endFault(r *venues.ExecutionReport, orderType, timeInForce, expiry string) *venues.OrderFault {
	fault := func(reason, message string) *venues.OrderFault {
		return &venues.OrderFault{Code: venues.CodeOrderRejected, Reason: reason, Message: message}
	}
	reason := expiryReasons[expiry]
	switch {
	case r.Status == venues.StatusRejected:
		return fault("rejected", "the venue rejected the order")
	case r.Status != venues.StatusExpired && r.Status != venues.StatusCancelled:
		return nil
	case reason != "":
		return fault(reason, "the venue ended the order")
	case r.FilledQty.IsPositive() || !endsAtOnce(orderType, timeInForce):
		return nil
	case timeInForce == "FOK":
		return fault(venues.ReasonFOKNotFilled, "the order could not be filled at once")
	case timeInForce == "IOC":
		return fault(venues.ReasonIOCNotFilled, "nothing could be filled at once")
	case orderType == "MARKET":
		return fault("no_liquidity", "the market could not fill the order")
	default:
		return nil // a cancelled post-only order is a cancelled order
	}
}

// triggerFault is a stop that could not be placed when it triggered.
func triggerFault(message string) *venues.OrderFault {
	if message == "" || message == "margin not enough" {
		return &venues.OrderFault{
			Code: venues.CodeInsufficientBalance, Reason: "insufficient_margin",
			Message: "the margin was not sufficient at the trigger", VenueMessage: message,
		}
	}
	return &venues.OrderFault{
		Code: venues.CodeOrderRejected, Reason: "rejected_at_trigger",
		Message: "the venue rejected the order at the trigger", VenueMessage: payload.Bounded(message),
	}
}

// takerFee is the venue's default taker fee, for the estimate below.
var takerFee = venues.MustDecimal("0.0005")

// explainMargin adds what the venue does not tell of a refusal for lack of margin.
func (a *Account) explainMargin(ctx context.Context, r *venues.OrderRequest, refused error) error {
	free := func() (decimal.Decimal, error) { return a.freeMargin(ctx, r.Symbol) }
	needed := func() (decimal.Decimal, error) { return a.neededMargin(ctx, r) }
	return refusal.WithMargin(refused, free, needed)
}

func (a *Account) freeMargin(ctx context.Context, symbol string) (decimal.Decimal, error) {
	i, err := a.c.instrument(symbol)
	if err != nil {
		return decimal.Decimal{}, err
	}
	balances, err := a.Balances(ctx)
	if err != nil {
		return decimal.Decimal{}, err
	}
	return refusal.Available(balances, i.SettleCurrency), nil
}

// neededMargin is notional divided by leverage plus the taker fee.
func (a *Account) neededMargin(ctx context.Context, r *venues.OrderRequest) (decimal.Decimal, error) {
	price := r.Price
	if !price.Valid {
		last, err := a.c.lastPrice(ctx, r.Symbol)
		if err != nil {
			return decimal.Decimal{}, err
		}
		price = venues.Some(last)
	}
	leverage, err := a.leverageOf(ctx, r.Symbol)
	if err != nil {
		return decimal.Decimal{}, err
	}
	if !leverage.Valid {
		return decimal.Decimal{}, payload.Missing("leverage")
	}
	notional := r.Qty.Mul(price.Decimal)
	const centsPlaces = 8
	return notional.DivRound(leverage.Decimal, centsPlaces).Add(notional.Mul(takerFee)).RoundCeil(centsPlaces), nil
}

// explainReduction tells apart what the venue has one code for. Where the positions
// cannot be read the refusal stands as it is.
func (a *Account) explainReduction(ctx context.Context, r *venues.OrderRequest, refused error) error {
	positions, err := a.Positions(ctx)
	if err != nil {
		return refused
	}
	return refusal.WithReduction(refused, r, positions)
}
