package okxsim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// triggerPrices are the prices that a trigger may watch.
var triggerPrices = map[string]simcore.TriggerPrice{
	"": simcore.TriggerOnLast, triggerLast: simcore.TriggerOnLast, triggerMark: simcore.TriggerOnMark, triggerIndex: simcore.TriggerOnIndex,
}

// algoSources are the sources of orders that algo orders placed, by their type.
var algoSources = map[string]string{algoTrigger: "6", algoConditional: "7", algoOCO: "7", algoTrailing: "25"}

// passed are the errors for trigger prices that have been passed already, by the
// watched price: a take-profit and a stop-loss below, a take-profit and a stop-loss
// above.
var passed = map[simcore.TriggerPrice]struct{ profitHigh, stopLow, profitLow, stopHigh *apiError }{
	simcore.TriggerOnLast: {
		rejectWith("51277", "TP trigger price cannot be higher than the last price."), rejectWith("51278", "SL trigger price cannot be lower than the last price."),
		rejectWith("51279", "TP trigger price cannot be lower than the last price."), rejectWith("51280", "SL trigger price cannot be higher than the last price."),
	},
	simcore.TriggerOnMark: {
		rejectWith("51300", "TP trigger price cannot be higher than the mark price"), rejectWith("51302", "SL trigger price cannot be lower than the mark price"),
		rejectWith("51303", "TP trigger price cannot be lower than the mark price"), rejectWith("51304", "SL trigger price cannot be higher than the mark price"),
	},
	simcore.TriggerOnIndex: {
		rejectWith("51305", "TP trigger price cannot be higher than the index price"), rejectWith("51306", "SL trigger price cannot be lower than the index price"),
		rejectWith("51307", "TP trigger price cannot be lower than the index price"), rejectWith("51308", "SL trigger price cannot be higher than the index price"),
	},
}

// passedTrigger returns the error for a trigger price that has been passed already.
func passedTrigger(request *simcore.ConditionalRequest, leg legKind) *apiError {
	texts := passed[request.TriggerBy]
	switch {
	case leg == legTakeProfit && request.Rising:
		return texts.profitLow
	case leg == legTakeProfit:
		return texts.profitHigh
	case request.Rising:
		return texts.stopLow
	default:
		return texts.stopHigh
	}
}

// algoLimits are how many algo orders of a type may be live in an instrument.
var algoLimits = map[string]struct {
	most int
	text string
	code string
}{
	algoConditional: {100, "Each user can hold up to %d pending stop orders at the same time.", "51261"},
	algoOCO:         {100, "Each user can hold up to %d pending stop orders at the same time.", "51261"},
	algoTrigger:     {500, "Order did not go through. You can hold a maximum of %d orders of this type.", "51299"},
	algoTrailing:    {50, "Maximum of %d pending trailing stop orders can be held at the same time.", "51260"},
}

// checkCount rejects an algo order where the maximum of its type is live.
func (d *algoBook) checkCount(a *algo) *apiError {
	limit := algoLimits[a.arg.OrdType]
	d.mu.Lock()
	defer d.mu.Unlock()
	alike := d.liveOf(a.account, func(other *algo) bool {
		return other.arg.InstID == a.arg.InstID && algoLimits[other.arg.OrdType].code == limit.code
	})
	if len(alike) >= limit.most {
		return rejectWith(limit.code, limit.text, limit.most)
	}
	return nil
}

// hasClientID reports whether a live algo order of an account has a client's id.
func (d *algoBook) hasClientID(account, clientID string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.liveOf(account, func(a *algo) bool { return a.arg.AlgoClOrdID == clientID })) > 0
}

// closeAll is the only fraction of a position that an algo order closes.
const closeAll = "1"

// checkClosing checks the venue's rules for orders that close a whole position.
func (a *algoArg) checkClosing(order *simcore.OrderRequest, legs []legArg) *apiError {
	if a.CloseFraction == "" {
		return nil
	}
	switch {
	case a.CloseFraction != closeAll:
		return errParameter("closeFraction")
	case order.PosSide == simcore.PositionBoth && !order.ReduceOnly:
		return rejectWith("51328", "closeFraction is only available for reduceOnly orders")
	case order.PosSide != simcore.PositionBoth && !closesSide(order):
		return rejectWith("51331", "closeFraction is only available for close position orders")
	}
	for _, leg := range legs {
		if leg.px != marketPrice {
			return rejectWith("51330", "closeFraction is only available for stop market orders")
		}
	}
	return nil
}

// reference is the price against which protection is checked, with the errors for
// prices on its wrong side. Without a price nothing is rejected.
type reference struct {
	price                                decimal.Decimal
	takeLow, stopHigh, takeHigh, stopLow *apiError
}

// orderReference returns the reference for an order with a price.
func orderReference(price decimal.Decimal) reference {
	return reference{price, errTakeLow, errStopHigh, errTakeHigh, errStopLow}
}

// bestReference returns the reference for a market order: the best price.
func (s *Sim) bestReference(request *simcore.OrderRequest) reference {
	price, _ := s.bestAgainst(request.Symbol, request.Side)
	return reference{price, errTakeBelowAsk, errStopAboveAsk, errTakeAboveBid, errStopBelowBid}
}

var (
	errTakeLow      = rejectWith("51046", "The take profit trigger price must be higher than the order price")
	errStopHigh     = rejectWith("51047", "The stop loss trigger price must be lower than the order price")
	errTakeHigh     = rejectWith("51048", "The take profit trigger price must be lower than the order price")
	errStopLow      = rejectWith("51049", "The stop loss trigger price must be higher than the order price")
	errTakeBelowAsk = rejectWith("51050", "The take profit trigger price must be higher than the best ask price")
	errStopAboveAsk = rejectWith("51051", "The stop loss trigger price must be lower than the best ask price")
	errTakeAboveBid = rejectWith("51052", "The take profit trigger price must be lower than the best bid price")
	errStopBelowBid = rejectWith("51053", "The stop loss trigger price must be higher than the best bid price")
)
