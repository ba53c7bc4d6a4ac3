package binancesim

import (
	"cmp"

	"venuegate/venues/simcore"
)

// Names of the venue for the enums of the exchange.

var sides = map[string]simcore.Side{"BUY": simcore.Buy, "SELL": simcore.Sell}

var positionSides = map[string]simcore.PositionSide{
	"": simcore.PositionBoth, "BOTH": simcore.PositionBoth, "LONG": simcore.PositionLong, "SHORT": simcore.PositionShort,
}

var timesInForce = map[string]simcore.TimeInForce{
	"GTC": simcore.GTC, "IOC": simcore.IOC, "FOK": simcore.FOK, "GTX": simcore.PostOnly, "GTD": simcore.GTD,
}

var selfTrades = map[string]simcore.SelfTrade{
	"NONE": simcore.SelfTradeAllow, "EXPIRE_TAKER": simcore.SelfTradeExpireTaker,
	"EXPIRE_MAKER": simcore.SelfTradeExpireMaker, "EXPIRE_BOTH": simcore.SelfTradeExpireBoth,
}

const selfTradeDefault = "EXPIRE_MAKER"

func sideName(side simcore.Side) string {
	if side == simcore.Buy {
		return "BUY"
	}
	return "SELL"
}

func tifName(o *simcore.Order) string {
	if o.Type == simcore.Market {
		return "GTC"
	}
	return [...]string{"GTC", "IOC", "FOK", "GTX", "GTD"}[o.TimeInForce]
}

func typeName(o *simcore.Order) string {
	if o.Type == simcore.Market {
		return "MARKET"
	}
	return "LIMIT"
}

func selfTradeName(mode simcore.SelfTrade) string {
	return [...]string{"NONE", "EXPIRE_TAKER", "EXPIRE_MAKER", "EXPIRE_BOTH"}[mode]
}

var statusNames = map[simcore.OrderStatus]string{
	simcore.StatusNew: "NEW", simcore.StatusPartiallyFilled: "PARTIALLY_FILLED", simcore.StatusFilled: "FILLED",
	simcore.StatusCancelled: "CANCELED", simcore.StatusExpired: "EXPIRED",
}

func statusName(o *simcore.Order) string {
	if o.Status == simcore.StatusExpired && o.Reason == simcore.EndSelfTrade {
		return "EXPIRED_IN_MATCH"
	}
	return statusNames[o.Status]
}

var expiryReasons = map[simcore.EndReason]string{
	simcore.EndSelfTrade: "1", simcore.EndImmediateRemainder: "2", simcore.EndReduceOnly: "4", simcore.EndLiquidation: "5",
	simcore.EndMarketRemainder: "9",
}

// expiryReason returns the event field er.
func expiryReason(o *simcore.Order) string { return cmp.Or(expiryReasons[o.Reason], "0") }

// orderDetail is what the venue stores about an order and the exchange does not
// need.
type orderDetail struct {
	priceMatch string
	// algoType and trigger are set for orders of the algo service.
	algoType     string
	workingType  string
	priceProtect bool
}

func detailOf(o *simcore.Order) orderDetail {
	if d, ok := o.Detail.(orderDetail); ok {
		return d
	}
	return orderDetail{}
}

func orNone(word string) string { return cmp.Or(word, "NONE") }

func orContract(word string) string { return cmp.Or(word, "CONTRACT_PRICE") }
