package bybitsim

import (
	"sync"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// Names of the venue for the enums of the exchange.

var sides = map[string]simcore.Side{"Buy": simcore.Buy, "Sell": simcore.Sell}

var timesInForce = map[string]simcore.TimeInForce{
	"": simcore.GTC, "GTC": simcore.GTC, "IOC": simcore.IOC, "FOK": simcore.FOK, "PostOnly": simcore.PostOnly,
}

var selfTrades = map[string]simcore.SelfTrade{
	"": simcore.SelfTradeAllow, "None": simcore.SelfTradeAllow, "CancelTaker": simcore.SelfTradeExpireTaker,
	"CancelMaker": simcore.SelfTradeExpireMaker, "CancelBoth": simcore.SelfTradeExpireBoth,
}

var triggerPrices = map[string]simcore.TriggerPrice{
	"": simcore.TriggerOnLast, triggerByLast: simcore.TriggerOnLast,
	"MarkPrice": simcore.TriggerOnMark, "IndexPrice": simcore.TriggerOnMark,
}

// Values that occur in several messages.
const (
	triggerByLast   = "LastPrice"
	unknown         = "UNKNOWN"
	noError         = "EC_NoError"
	takeProfitType  = "TakeProfit"
	stopLossType    = "StopLoss"
	stopType        = "Stop"
	createByUser    = "CreateByUser"
	createByStop    = "CreateBy"
	statusTriggered = "Triggered"
	// rejectNoSuchOrder rejects a change of an order that has ended.
	rejectNoSuchOrder = "EC_OrigClOrdIDDoesNotExist"
)

func sideName(side simcore.Side) string {
	if side == simcore.Buy {
		return "Buy"
	}
	return "Sell"
}

func tifName(kind simcore.OrderType, tif simcore.TimeInForce) string {
	if kind == simcore.Market {
		return "IOC"
	}
	return [...]string{"GTC", "IOC", "FOK", "PostOnly", "GTC"}[tif]
}

func typeName(kind simcore.OrderType) string {
	if kind == simcore.Market {
		return "Market"
	}
	return "Limit"
}

func selfTradeName(mode simcore.SelfTrade) string {
	return [...]string{"None", "CancelTaker", "CancelMaker", "CancelBoth"}[mode]
}

var statusNames = map[simcore.OrderStatus]string{
	simcore.StatusNew: "New", simcore.StatusPartiallyFilled: "PartiallyFilled", simcore.StatusFilled: "Filled",
	simcore.StatusCancelled: "Cancelled", simcore.StatusExpired: "Cancelled",
}

func statusName(o *simcore.Order) string { return statusNames[o.Status] }

// endReasons returns cancelType and rejectReason of an order that has ended.
func endReasons(o *simcore.Order) (cancelType, rejectReason string) {
	switch o.Reason {
	case simcore.EndByUser:
		return "CancelByUser", "EC_PerCancelRequest"
	case simcore.EndImmediateRemainder, simcore.EndMarketRemainder:
		return unknown, "EC_NoImmediateQtyToFill"
	case simcore.EndFillOrKill:
		return unknown, "EC_CancelForNoFullFill"
	case simcore.EndPostOnly, simcore.EndPostOnlyAmended:
		return unknown, "EC_PostOnlyWillTakeLiquidity"
	case simcore.EndReduceOnly:
		return "CancelByReduceOnly", noError
	case simcore.EndSelfTrade:
		return "CancelBySmp", "EC_BySelfMatch"
	case simcore.EndLiquidation:
		return "CancelAllBeforeLiq", noError
	case simcore.EndAmendedBelowFilled:
		return "CancelByUser", "EC_EcInvalidQty"
	default:
		return unknown, noError
	}
}

func positionIdx(side simcore.PositionSide) int { return int(side) }

// orderDetail is what the venue stores about an order and the exchange does not
// need. An order, its conditional order and all their copies share one.
type orderDetail struct {
	lastPrice      decimal.Decimal
	slippageCap    decimal.Decimal
	closeOnTrigger bool
	stopOrderType  string
	createType     string
	triggerBy      string
	rising         bool
	conditional    bool
	parentLinkID   string

	mu           sync.Mutex
	triggerPrice decimal.Decimal
	stops        stops
	tally        tally
	// stopsTaken reports whether the stops have been set on the position.
	stopsTaken bool
	// cancelType overrides the value derived from the state.
	cancelType string
}

// stops are the take profit and stop loss attached to an order, zero where there is
// none.
type stops struct {
	takeProfit, stopLoss       decimal.Decimal
	takeTriggerBy, stopTrigger string
}

// tally is the sum of the executions of an order.
type tally struct{ fee, pnl decimal.Decimal }

func (d *orderDetail) add(fill *simcore.Fill, closedPnl decimal.Decimal) {
	if d == liquidationDetail {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tally.fee = d.tally.fee.Add(fill.Fee)
	d.tally.pnl = d.tally.pnl.Add(closedPnl)
}

func (d *orderDetail) read() (stops, tally, string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stops, d.tally, d.cancelType
}

func (d *orderDetail) trigger() decimal.Decimal {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.triggerPrice
}

func (d *orderDetail) setTrigger(price decimal.Decimal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.triggerPrice = price
}

// replaceStops replaces the stops of the order and returns the old ones.
func (d *orderDetail) replaceStops(wanted stops) (before stops) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before, d.stops = d.stops, wanted
	return before
}

// isPositionStop reports whether the order is a take profit or stop loss of a position.
func (d *orderDetail) isPositionStop() bool {
	return d.stopOrderType != "" && d.createType == createByStop+d.stopOrderType
}

func (d *orderDetail) setCancelType(word string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cancelType = word
}

// liquidationDetail is the detail of orders that the venue itself placed.
var liquidationDetail = &orderDetail{createType: "CreateByLiq"}

func detailOf(detail any) *orderDetail {
	if d, ok := detail.(*orderDetail); ok {
		return d
	}
	return liquidationDetail
}
