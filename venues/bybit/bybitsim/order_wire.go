package bybitsim

import (
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// orderRecord is an order in REST lists and, with its category, in the private
// stream.
type orderRecord struct {
	Category           string            `json:"category,omitempty"`
	Symbol             string            `json:"symbol"`
	OrderID            string            `json:"orderId"`
	OrderLinkID        string            `json:"orderLinkId"`
	BlockTradeID       string            `json:"blockTradeId"`
	Side               string            `json:"side"`
	PositionIdx        int               `json:"positionIdx"`
	OrderStatus        string            `json:"orderStatus"`
	CancelType         string            `json:"cancelType"`
	RejectReason       string            `json:"rejectReason"`
	TimeInForce        string            `json:"timeInForce"`
	IsLeverage         string            `json:"isLeverage"`
	Price              string            `json:"price"`
	Qty                string            `json:"qty"`
	AvgPrice           string            `json:"avgPrice"`
	LeavesQty          string            `json:"leavesQty"`
	LeavesValue        string            `json:"leavesValue"`
	CumExecQty         string            `json:"cumExecQty"`
	CumExecValue       string            `json:"cumExecValue"`
	CumExecFee         string            `json:"cumExecFee"`
	OrderType          string            `json:"orderType"`
	StopOrderType      string            `json:"stopOrderType"`
	OrderIv            string            `json:"orderIv"`
	TriggerPrice       string            `json:"triggerPrice"`
	TakeProfit         string            `json:"takeProfit"`
	StopLoss           string            `json:"stopLoss"`
	TriggerBy          string            `json:"triggerBy"`
	TpTriggerBy        string            `json:"tpTriggerBy"`
	SlTriggerBy        string            `json:"slTriggerBy"`
	TriggerDirection   int               `json:"triggerDirection"`
	PlaceType          string            `json:"placeType"`
	LastPriceOnCreated string            `json:"lastPriceOnCreated"`
	CloseOnTrigger     bool              `json:"closeOnTrigger"`
	ReduceOnly         bool              `json:"reduceOnly"`
	SmpGroup           int               `json:"smpGroup"`
	SmpType            string            `json:"smpType"`
	SmpOrderID         string            `json:"smpOrderId"`
	SlLimitPrice       string            `json:"slLimitPrice"`
	TpLimitPrice       string            `json:"tpLimitPrice"`
	TpslMode           string            `json:"tpslMode"`
	CreateType         string            `json:"createType"`
	MarketUnit         string            `json:"marketUnit"`
	CreatedTime        string            `json:"createdTime"`
	UpdatedTime        string            `json:"updatedTime"`
	FeeCurrency        string            `json:"feeCurrency"`
	ClosedPnl          string            `json:"closedPnl"`
	ParentOrderLinkID  string            `json:"parentOrderLinkId"`
	SlippageTolerance  string            `json:"slippageTolerance"`
	SlippageType       string            `json:"slippageToleranceType"`
	CumFeeDetail       map[string]string `json:"cumFeeDetail"`

	updated time.Time
	created time.Time
}

func millisText(t time.Time) string { return strconv.FormatInt(millis(t), 10) }

// recordOf returns the record of an order.
func recordOf(o *simcore.Order) orderRecord {
	detail := detailOf(o.Detail)
	r := detail.record()
	price, leaves := priceOf(o), zero
	if o.Status.Open() {
		leaves = o.Qty().Sub(o.FilledQty())
	}
	r.Symbol, r.OrderID, r.OrderLinkID = o.Symbol, uuidOf(o.ID), o.ClientID
	r.Side, r.PositionIdx, r.OrderStatus = sideName(o.Side), positionIdx(o.PosSide), statusName(o)
	r.OrderType, r.TimeInForce = typeName(o.Type), tifName(o.Type, o.TimeInForce)
	r.Price, r.Qty, r.AvgPrice = price.String(), o.Qty().String(), orEmpty(o.AvgPrice())
	r.LeavesQty, r.LeavesValue = leaves.String(), leaves.Mul(price).String()
	r.CumExecQty, r.CumExecValue = o.FilledQty().String(), money(o.Quote())
	r.ReduceOnly, r.SmpType = o.ReduceOnly, selfTradeName(o.SelfTrade)
	r.setTimes(o.CreatedAt, o.UpdatedAt)
	if !o.Status.Open() && o.Status != simcore.StatusFilled {
		r.CancelType, r.RejectReason = endReasons(o)
	}
	return r
}

// record returns the fields that order and conditional order share.
func (d *orderDetail) record() orderRecord {
	stops, sums, _ := d.read()
	r := orderRecord{
		CancelType: unknown, RejectReason: noError, StopOrderType: d.stopOrderType, CreateType: d.createType,
		TakeProfit: orEmpty(stops.takeProfit), StopLoss: orEmpty(stops.stopLoss),
		TpTriggerBy: stops.takeTriggerBy, SlTriggerBy: stops.stopTrigger,
		LastPriceOnCreated: d.lastPrice.String(), CloseOnTrigger: d.closeOnTrigger, SlLimitPrice: "0", TpLimitPrice: "0",
		TpslMode: unknown, ParentOrderLinkID: d.parentLinkID, SlippageTolerance: "0", SlippageType: unknown,
		CumExecFee: money(sums.fee), ClosedPnl: money(sums.pnl), CumFeeDetail: map[string]string{},
	}
	if sums.fee.IsPositive() {
		r.CumFeeDetail["USDT"] = money(sums.fee)
	}
	if stops.any() || d.stopOrderType == takeProfitType || d.stopOrderType == stopLossType {
		r.TpslMode = "Full"
	}
	if d.conditional {
		r.TriggerPrice, r.TriggerBy, r.TriggerDirection = d.trigger().String(), d.triggerBy, 2
		if d.rising {
			r.TriggerDirection = 1
		}
	}
	return r
}

func (st stops) any() bool { return st.takeProfit.IsPositive() || st.stopLoss.IsPositive() }

func (r *orderRecord) setTimes(created, updated time.Time) {
	r.created, r.updated = created, updated
	r.CreatedTime, r.UpdatedTime = millisText(created), millisText(updated)
}

// recordOfConditional returns the record of a conditional order, or of its order
// once there is one.
func recordOfConditional(c *simcore.Conditional) orderRecord {
	if c.Order != nil {
		return recordOf(c.Order)
	}
	q, detail := &c.Request, detailOf(c.Request.Detail)
	r := detail.record()
	r.Symbol, r.OrderID, r.OrderLinkID = q.Symbol, uuidOf(c.ID), q.ClientID
	r.Side, r.PositionIdx = sideName(q.Side), positionIdx(q.PosSide)
	r.OrderType, r.TimeInForce = typeName(q.Type), tifName(q.Type, q.TimeInForce)
	r.Price, r.Qty, r.LeavesQty, r.LeavesValue = q.Price.String(), q.Qty.String(), q.Qty.String(), "0"
	r.CumExecQty, r.CumExecValue = "0", "0"
	r.ReduceOnly, r.SmpType = q.ReduceOnly || q.ClosePosition, selfTradeName(q.SelfTrade)
	r.TriggerPrice = q.TriggerPrice.String()
	r.setTimes(c.CreatedAt, c.UpdatedAt)
	r.showCondition(c, detail)
	return r
}

// showCondition sets the state of an untriggered order.
func (r *orderRecord) showCondition(c *simcore.Conditional, detail *orderDetail) {
	_, _, cancelType := detail.read()
	switch c.Status {
	case simcore.ConditionalWaiting:
		r.OrderStatus = "Untriggered"
		return
	case simcore.ConditionalTriggering, simcore.ConditionalTriggered:
		r.OrderStatus = statusTriggered
		return
	case simcore.ConditionalRejected:
		r.OrderStatus, r.RejectReason = "Cancelled", "EC_Others"
	case simcore.ConditionalCancelled:
		r.OrderStatus, r.CancelType, r.RejectReason = "Deactivated", "CancelByUser", "EC_PerCancelRequest"
	case simcore.ConditionalExpired, simcore.ConditionalFinished:
		r.OrderStatus, r.CancelType = "Deactivated", "CancelByTpSlTsClear"
	}
	if cancelType != "" {
		r.CancelType = cancelType
	}
	r.LeavesQty = "0"
}

// open reports whether the order of the record is open.
func (r *orderRecord) open() bool {
	switch r.OrderStatus {
	case "New", "PartiallyFilled", "Untriggered", statusTriggered:
		return true
	default:
		return false
	}
}

// matched reports whether the order is, or was, in the matching engine.
func (r orderRecord) matched() bool {
	switch r.OrderStatus {
	case "Untriggered", statusTriggered, "Deactivated":
		return false
	default:
		return true
	}
}

// unfilled reports whether the order ended without an execution.
func (r *orderRecord) unfilled() bool { return !r.open() && r.CumExecQty == "0" }

// ack is the answer to all calls that change an order.
type ack struct {
	OrderID     string `json:"orderId"`
	OrderLinkID string `json:"orderLinkId"`
}

// roundTo rounds a price down or up to the tick size.
func (l *listing) roundTo(price decimal.Decimal, up bool) decimal.Decimal {
	ticks := price.Div(l.TickSize)
	if up {
		ticks = ticks.Ceil()
	} else {
		ticks = ticks.Floor()
	}
	return ticks.Mul(l.TickSize)
}
