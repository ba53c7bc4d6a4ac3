package bybitsim

import (
	"sync"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// The venue's words for the exchange's.

var sides = map[string]simcore.Side{"Buy": simcore.Buy, "Sell": simcore.Sell}

var timesInForce = map[string]simcore.TimeInForce{
	"": simcore.GTC, "GTC": simcore.GTC, "IOC": simcore.IOC, "FOK": simcore.FOK, "PostOnly": simcore.PostOnly,
}

var selfTrades = map[string]simcore.SelfTrade{
	"": simcore.SelfTradeAllow, "None": simcore.SelfTradeAllow, "CancelTaker": simcore.SelfTradeExpireTaker,
	"CancelMaker": simcore.SelfTradeExpireMaker, "CancelBoth": simcore.SelfTradeExpireBoth,
}

var watches = map[string]simcore.TriggerPrice{
	"": simcore.TriggerOnLast, wordLastPrice: simcore.TriggerOnLast,
	"MarkPrice": simcore.TriggerOnMark, "IndexPrice": simcore.TriggerOnMark,
}

// Words that occur in several messages.
const (
	wordLastPrice  = "LastPrice"
	wordUnknown    = "UNKNOWN"
	wordNoError    = "EC_NoError"
	wordTakeProfit = "TakeProfit"
	wordStopLoss   = "StopLoss"
	wordStop       = "Stop"
	wordByUser     = "CreateByUser"
	wordTriggered  = "Triggered"
	// wordNoSuchOrder refuses to change an order that has ended.
	wordNoSuchOrder = "EC_OrigClOrdIDDoesNotExist"
)

func sideWord(side simcore.Side) string {
	if side == simcore.Buy {
		return "Buy"
	}
	return "Sell"
}

func tifWord(kind simcore.OrderType, tif simcore.TimeInForce) string {
	if kind == simcore.Market {
		return "IOC"
	}
	return [...]string{"GTC", "IOC", "FOK", "PostOnly", "GTC"}[tif]
}

func typeWord(kind simcore.OrderType) string {
	if kind == simcore.Market {
		return "Market"
	}
	return "Limit"
}

func selfTradeWord(mode simcore.SelfTrade) string {
	return [...]string{"None", "CancelTaker", "CancelMaker", "CancelBoth"}[mode]
}

func statusWord(o *simcore.Order) string {
	switch o.Status {
	case simcore.StatusNew:
		return "New"
	case simcore.StatusPartiallyFilled:
		return "PartiallyFilled"
	case simcore.StatusFilled:
		return "Filled"
	default:
		return "Cancelled"
	}
}

// endWords are cancelType and rejectReason of an order that ended.
func endWords(o *simcore.Order) (cancelType, rejectReason string) {
	switch o.Reason {
	case simcore.EndByUser:
		return "CancelByUser", "EC_PerCancelRequest"
	case simcore.EndImmediateRemainder, simcore.EndMarketRemainder:
		return wordUnknown, "EC_NoImmediateQtyToFill"
	case simcore.EndFillOrKill:
		return wordUnknown, "EC_CancelForNoFullFill"
	case simcore.EndPostOnly, simcore.EndPostOnlyAmended:
		return wordUnknown, "EC_PostOnlyWillTakeLiquidity"
	case simcore.EndReduceOnly:
		return "CancelByReduceOnly", wordNoError
	case simcore.EndSelfTrade:
		return "CancelBySmp", "EC_BySelfMatch"
	case simcore.EndLiquidation:
		return "CancelAllBeforeLiq", wordNoError
	case simcore.EndAmendedBelowFilled:
		return "CancelByUser", "EC_EcInvalidQty"
	default:
		return wordUnknown, wordNoError
	}
}

func positionIdx(side simcore.PositionSide) int { return int(side) }

// orderDetail is what the venue remembers of an order and the exchange does not
// need. An order, its conditional and all their copies share one.
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
	// stopsTaken says that the stops have gone over to the position.
	stopsTaken bool
	// cancelType overrides what follows from the state.
	cancelType string
}

// stops are the prices of take profit and stop loss that an order brings along;
// zero where there is none.
type stops struct {
	takeProfit, stopLoss       decimal.Decimal
	takeTriggerBy, stopTrigger string
}

// tally is what executions of an order summed up to.
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

// swapStops puts other stops in the place of those of the order, and answers these.
func (d *orderDetail) swapStops(wanted stops) (before stops) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before, d.stops = d.stops, wanted
	return before
}

func (d *orderDetail) setCancelType(word string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cancelType = word
}

// liquidationDetail stands in for orders that the venue itself placed.
var liquidationDetail = &orderDetail{createType: "CreateByLiq"}

func detailOf(detail any) *orderDetail {
	if d, ok := detail.(*orderDetail); ok {
		return d
	}
	return liquidationDetail
}
