package okxsim

import (
	"cmp"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// Names of the venue for the enums of the exchange.

const (
	instTypeSwap   = "SWAP"
	settleCoin     = "USDT"
	marginCross    = "cross"
	marginIsolated = "isolated"
	modeNet        = "net_mode"
	modeLongShort  = "long_short_mode"
	triggerLast    = "last"
	triggerMark    = "mark"
	triggerIndex   = "index"
	marketPrice    = "-1"
)

// Order types of the venue.
const (
	typeMarket     = "market"
	typeLimit      = "limit"
	typePostOnly   = "post_only"
	typeFOK        = "fok"
	typeIOC        = "ioc"
	typeOptimalIOC = "optimal_limit_ioc"
)

var sides = map[string]simcore.Side{"buy": simcore.Buy, "sell": simcore.Sell}

var selfTrades = map[string]simcore.SelfTrade{
	"": simcore.SelfTradeExpireMaker, "cancel_maker": simcore.SelfTradeExpireMaker,
	"cancel_taker": simcore.SelfTradeExpireTaker, "cancel_both": simcore.SelfTradeExpireBoth,
}

func selfTradeName(mode simcore.SelfTrade) string {
	return [...]string{"cancel_maker", "cancel_taker", "cancel_maker", "cancel_both"}[mode]
}

func posSideName(side simcore.PositionSide) string {
	return [...]string{"net", "long", "short"}[side]
}

func modeName(mode simcore.PositionMode) string {
	if mode == simcore.Hedge {
		return modeLongShort
	}
	return modeNet
}

func typeName(o *simcore.Order) string {
	if o.Type == simcore.Market {
		return typeMarket
	}
	switch o.TimeInForce {
	case simcore.IOC:
		return typeIOC
	case simcore.FOK:
		return typeFOK
	case simcore.PostOnly:
		return typePostOnly
	default:
		return typeLimit
	}
}

var stateNames = map[simcore.OrderStatus]string{
	simcore.StatusNew: "live", simcore.StatusPartiallyFilled: "partially_filled", simcore.StatusFilled: "filled",
	simcore.StatusCancelled: "canceled", simcore.StatusExpired: "canceled",
}

func stateName(o *simcore.Order) string {
	if !o.Status.Open() && o.Reason == simcore.EndAmendedBelowFilled {
		return "filled"
	}
	return stateNames[o.Status]
}

var cancelSources = map[simcore.EndReason]string{
	simcore.EndByUser: "1", simcore.EndReduceOnly: "2", simcore.EndLiquidation: "3", simcore.EndFillOrKill: "13",
	simcore.EndImmediateRemainder: "14", simcore.EndMarketRemainder: "15", simcore.EndPostOnly: "31", simcore.EndPostOnlyAmended: "31",
	simcore.EndSelfTrade: "32",
}

// cancelSource returns the venue's number for why an order ended.
func cancelSource(o *simcore.Order) string {
	if o.Status.Open() || stateName(o) == "filled" {
		return ""
	}
	return cmp.Or(detailOf(o).endOf(), cancelSources[o.Reason], "0")
}

// cancelReasons are the texts of the cancel sources.
var cancelReasons = map[string]string{
	"0": "Order canceled by system", "1": "Order canceled by user",
	"2":  "Order canceled: Reduce-only order was canceled due to insufficient position",
	"3":  "Order canceled: Risk cancellation was triggered",
	"13": "Order canceled: FOK order was canceled due to incompletely filled",
	"14": "Order canceled: IOC order was partially canceled due to incompletely filled",
	"15": "Order canceled: The order price is beyond the limit",
	"20": "Order canceled: Cancel all after was triggered",
	"31": "Order canceled: Post only order was canceled because it would take liquidity",
	"32": "Order canceled: Self trade prevention",
}

func categoryName(o *simcore.Order) string {
	switch {
	case o.Partial:
		return "partial_liquidation"
	case o.Liquidation:
		return "full_liquidation"
	default:
		return "normal"
	}
}

func boolText(yes bool) string { return strconv.FormatBool(yes) }

func idText(id int64) string { return strconv.FormatInt(id, 10) }

func millis(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return strconv.FormatInt(t.UnixMilli(), 10)
}

func micros(t time.Time) string { return strconv.FormatInt(t.UnixMicro(), 10) }

// orEmpty returns the empty string for zero.
func orEmpty(d decimal.Decimal) string {
	if d.IsZero() {
		return ""
	}
	return d.String()
}
