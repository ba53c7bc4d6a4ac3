package okxsim

import (
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
	switch mode {
	case simcore.SelfTradeExpireTaker:
		return "cancel_taker"
	case simcore.SelfTradeExpireBoth:
		return "cancel_both"
	default:
		return "cancel_maker"
	}
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

func stateName(o *simcore.Order) string {
	switch o.Status {
	case simcore.StatusNew:
		return "live"
	case simcore.StatusPartiallyFilled:
		return "partially_filled"
	case simcore.StatusFilled:
		return "filled"
	default:
		if o.Reason == simcore.EndAmendedBelowFilled {
			return "filled"
		}
		return "canceled"
	}
}

// cancelSource returns the venue's number for why an order ended.
func cancelSource(o *simcore.Order) string {
	if o.Status.Open() || stateName(o) == "filled" {
		return ""
	}
	if source := detailOf(o).endOf(); source != "" {
		return source
	}
	switch o.Reason {
	case simcore.EndByUser:
		return "1"
	case simcore.EndSelfTrade:
		return "32"
	case simcore.EndImmediateRemainder:
		return "14"
	case simcore.EndReduceOnly:
		return "2"
	case simcore.EndLiquidation:
		return "3"
	case simcore.EndPostOnly, simcore.EndPostOnlyAmended:
		return "31"
	case simcore.EndFillOrKill:
		return "13"
	case simcore.EndMarketRemainder:
		return "15"
	default:
		return "0"
	}
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
