package okxsim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// watches are the prices that a trigger may watch.
var watches = map[string]simcore.TriggerPrice{
	"": simcore.TriggerOnLast, triggerLast: simcore.TriggerOnLast, triggerMark: simcore.TriggerOnMark, triggerIndex: simcore.TriggerOnIndex,
}

// algoSources are what orders of algo orders say they come from.
var algoSources = map[string]string{algoTrigger: "6", algoConditional: "7", algoOCO: "7", algoTrailing: "25"}

// passed are the refusals of triggers that the price is past already, by what the
// trigger watches: a profit and a stop below, a profit and a stop above.
var passed = map[simcore.TriggerPrice]struct{ profitHigh, stopLow, profitLow, stopHigh *apiError }{
	simcore.TriggerOnLast: {
		refuse("51277", "TP trigger price cannot be higher than the last price."), refuse("51278", "SL trigger price cannot be lower than the last price."),
		refuse("51279", "TP trigger price cannot be lower than the last price."), refuse("51280", "SL trigger price cannot be higher than the last price."),
	},
	simcore.TriggerOnMark: {
		refuse("51300", "TP trigger price cannot be higher than the mark price"), refuse("51302", "SL trigger price cannot be lower than the mark price"),
		refuse("51303", "TP trigger price cannot be lower than the mark price"), refuse("51304", "SL trigger price cannot be higher than the mark price"),
	},
	simcore.TriggerOnIndex: {
		refuse("51305", "TP trigger price cannot be higher than the index price"), refuse("51306", "SL trigger price cannot be lower than the index price"),
		refuse("51307", "TP trigger price cannot be lower than the index price"), refuse("51308", "SL trigger price cannot be higher than the index price"),
	},
}

// passedTrigger is the refusal of a trigger that the price is past.
func passedTrigger(request *simcore.ConditionalRequest, leg legKind) *apiError {
	texts := passed[request.Watch]
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

// algoLimits are how many algo orders of a kind may wait in an instrument.
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

// checkRoom refuses an algo order where as many of its kind wait as may.
func (d *algoDesk) checkRoom(a *algo) *apiError {
	limit := algoLimits[a.arg.OrdType]
	d.mu.Lock()
	defer d.mu.Unlock()
	alike := d.liveOf(a.account, func(other *algo) bool {
		return other.arg.InstID == a.arg.InstID && algoLimits[other.arg.OrdType].code == limit.code
	})
	if len(alike) >= limit.most {
		return refuse(limit.code, limit.text, limit.most)
	}
	return nil
}

// named says whether a live algo order of an account has a client's id.
func (d *algoDesk) named(account, clientID string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.liveOf(account, func(a *algo) bool { return a.arg.AlgoClOrdID == clientID })) > 0
}

// closeAll is the only fraction of a position that an algo order closes.
const closeAll = "1"

// checkClosing holds what closes a whole position to the venue's rules for it.
func (a *algoArg) checkClosing(order *simcore.OrderRequest, legs []legArg) *apiError {
	if a.CloseFraction == "" {
		return nil
	}
	switch {
	case a.CloseFraction != closeAll:
		return errParameter("closeFraction")
	case order.PosSide == simcore.PositionBoth && !order.ReduceOnly:
		return refuse("51328", "closeFraction is only available for reduceOnly orders")
	case order.PosSide != simcore.PositionBoth && !closesSide(order):
		return refuse("51331", "closeFraction is only available for close position orders")
	}
	for _, leg := range legs {
		if leg.px != marketPrice {
			return refuse("51330", "closeFraction is only available for stop market orders")
		}
	}
	return nil
}

// reference is the price that protection is held against, with the refusals of what
// lies on the wrong side of it. Without a price nothing is refused.
type reference struct {
	price                                decimal.Decimal
	takeLow, stopHigh, takeHigh, stopLow *apiError
}

// orderReference is the price of the order.
func orderReference(price decimal.Decimal) reference {
	return reference{price, errTakeLow, errStopHigh, errTakeHigh, errStopLow}
}

// bestReference is the price that an order of the market would get.
func (s *Sim) bestReference(request *simcore.OrderRequest) reference {
	price, _ := s.bestAgainst(request.Symbol, request.Side)
	return reference{price, errTakeBelowAsk, errStopAboveAsk, errTakeAboveBid, errStopBelowBid}
}

var (
	errTakeLow      = refuse("51046", "The take profit trigger price must be higher than the order price")
	errStopHigh     = refuse("51047", "The stop loss trigger price must be lower than the order price")
	errTakeHigh     = refuse("51048", "The take profit trigger price must be lower than the order price")
	errStopLow      = refuse("51049", "The stop loss trigger price must be higher than the order price")
	errTakeBelowAsk = refuse("51050", "The take profit trigger price must be higher than the best ask price")
	errStopAboveAsk = refuse("51051", "The stop loss trigger price must be lower than the best ask price")
	errTakeAboveBid = refuse("51052", "The take profit trigger price must be lower than the best bid price")
	errStopBelowBid = refuse("51053", "The stop loss trigger price must be higher than the best bid price")
)
