package binancesim

import "venuegate/venues/simcore"

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

func statusName(o *simcore.Order) string {
	switch o.Status {
	case simcore.StatusNew:
		return "NEW"
	case simcore.StatusPartiallyFilled:
		return "PARTIALLY_FILLED"
	case simcore.StatusFilled:
		return "FILLED"
	case simcore.StatusCancelled:
		return "CANCELED"
	case simcore.StatusExpired:
		if o.Reason == simcore.EndSelfTrade {
			return "EXPIRED_IN_MATCH"
		}
	}
	return "EXPIRED"
}

// expiryReason returns the event field er.
func expiryReason(o *simcore.Order) string {
	switch o.Reason {
	case simcore.EndSelfTrade:
		return "1"
	case simcore.EndImmediateRemainder:
		return "2"
	case simcore.EndReduceOnly:
		return "4"
	case simcore.EndLiquidation:
		return "5"
	case simcore.EndMarketRemainder:
		return "9"
	default:
		return "0"
	}
}

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

func orNone(word string) string {
	if word == "" {
		return "NONE"
	}
	return word
}

func orContract(word string) string {
	if word == "" {
		return "CONTRACT_PRICE"
	}
	return word
}
