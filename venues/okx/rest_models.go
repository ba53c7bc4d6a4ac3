package okx

import (
	"errors"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
)

// orderRecord is an order of the order endpoints and of the stream channel orders. The
// members fill*, execType and tradeId are those of the newest execution. In an event they
// are set if the execution is new.
type orderRecord struct {
	InstID       string         `json:"instId"`
	OrdID        string         `json:"ordId"`
	ClOrdID      string         `json:"clOrdId"`
	AlgoID       string         `json:"algoId"`
	AlgoClOrdID  string         `json:"algoClOrdId"`
	Side         string         `json:"side"`
	PosSide      string         `json:"posSide"`
	OrdType      string         `json:"ordType"`
	State        string         `json:"state"`
	Sz           payload.Number `json:"sz"`
	Px           payload.Number `json:"px"`
	AccFillSz    payload.Number `json:"accFillSz"`
	AvgPx        payload.Number `json:"avgPx"`
	ReduceOnly   flag           `json:"reduceOnly"`
	Category     string         `json:"category"`
	CancelSource string         `json:"cancelSource"`
	CTime        milliTime      `json:"cTime"`
	UTime        milliTime      `json:"uTime"`

	FillSz   payload.Number `json:"fillSz"`
	FillPx   payload.Number `json:"fillPx"`
	FillFee  payload.Number `json:"fillFee"`
	FillPnl  payload.Number `json:"fillPnl"`
	FillTime milliTime      `json:"fillTime"`
	TradeID  string         `json:"tradeId"`
	ExecType string         `json:"execType"`
	FeeCcy   string         `json:"fillFeeCcy"`
}

// report converts an order. State, side, type and quantities are required, the rest
// may be missing. The order that a stop has become is reported as the stop.
func (o *orderRecord) report(k *instrument) (venues.ExecutionReport, error) {
	switch {
	case o.InstID != k.VenueSymbol: // its quantities would be of contracts of another size
		return venues.ExecutionReport{}, payload.UnknownValue("instId", o.InstID)
	case o.OrdID == "":
		return venues.ExecutionReport{}, payload.Missing("ordId")
	case !o.Sz.Valid:
		return venues.ExecutionReport{}, payload.Missing("sz")
	case !o.AccFillSz.Valid:
		return venues.ExecutionReport{}, payload.Missing("accFillSz")
	}
	side, errSide := parseSide(o.Side)
	kind, errKind := parseOrderKind(o.OrdType)
	status, errStatus := parseStatus(o.State)
	posSide, errPosSide := parsePositionSide(o.PosSide)
	if err := errors.Join(errSide, errKind, errStatus, errPosSide); err != nil {
		return venues.ExecutionReport{}, err
	}
	report := venues.ExecutionReport{
		Symbol: k.Symbol, ClientOrderID: o.ClOrdID, VenueOrderID: o.OrdID,
		Side: side, Type: kind.orderType, Status: status,
		Qty: k.toBase(o.Sz.Decimal), FilledQty: k.toBase(o.AccFillSz.Decimal),
		Price: o.Px.Positive(), AvgPrice: o.AvgPx.Positive(),
		ReduceOnly: connector.IsReduceOnly(posSide, side, bool(o.ReduceOnly)), PostOnly: kind.postOnly, TimeInForce: kind.timeInForce,
		Forced: isForced(o.Category), VenueTime: o.UTime.Time,
	}
	if o.AlgoID != "" {
		report.ParentID, report.Type = o.AlgoID, connector.StopType(report.Type)
		if o.AlgoClOrdID != "" {
			report.ClientOrderID = o.AlgoClOrdID
		}
	}
	if report.VenueTime.IsZero() {
		report.VenueTime = o.CTime.Time
	}
	report.RejectReason = endReason(&report, o.CancelSource)
	return report, nil
}

// noTradeID is the trade id of an event without an execution. A forced execution has it too:
// its own id is only in the list of executions.
const noTradeID = "0"

// fill returns the execution in an order event; nil if it has none. The last event of an
// order repeats an execution without a trade id.
func (o *orderRecord) fill(k *instrument, r *venues.ExecutionReport) (*venues.Fill, error) {
	if o.TradeID == "" || o.TradeID == noTradeID || o.FillSz.Valid && o.FillSz.Decimal.IsZero() {
		return nil, nil
	}
	posSide, err := parsePositionSide(o.PosSide)
	if err != nil {
		return nil, err
	}
	if !o.FillSz.Decimal.IsPositive() || !o.FillPx.Decimal.IsPositive() || o.FillTime.IsZero() {
		return nil, payload.Missing("fillSz, fillPx or fillTime")
	}
	return &venues.Fill{
		Exchange: venues.OKX, Symbol: k.Symbol, Side: r.Side, PositionSide: posSide,
		Qty: k.toBase(o.FillSz.Decimal), Price: o.FillPx.Decimal,
		Fee: feeOf(o.FillFee), FeeCurrency: o.FeeCcy,
		Liquidity: parseLiquidity(o.ExecType), RealizedPnl: o.FillPnl.Optional,
		VenueTradeID: o.TradeID, VenueOrderID: o.OrdID, ExecutedAt: venues.At(o.FillTime.Time),
	}, nil
}

// feeOf returns a fee with the service's sign: the venue reports a fee that was charged as a
// negative number, the service as a positive one.
func feeOf(fee payload.Number) venues.Optional {
	if !fee.Valid {
		return venues.Optional{}
	}
	return venues.Some(fee.Decimal.Neg())
}

// algoRecord is an order of the algo endpoints and of the stream channel
// orders-algo.
type algoRecord struct {
	InstID        string         `json:"instId"`
	AlgoID        string         `json:"algoId"`
	AlgoClOrdID   string         `json:"algoClOrdId"`
	Side          string         `json:"side"`
	PosSide       string         `json:"posSide"`
	OrdType       string         `json:"ordType"`
	State         string         `json:"state"`
	Sz            payload.Number `json:"sz"`
	CloseFraction string         `json:"closeFraction"`
	TriggerPx     payload.Number `json:"triggerPx"`
	OrdPx         payload.Number `json:"ordPx"`
	SlTriggerPx   payload.Number `json:"slTriggerPx"`
	SlOrdPx       payload.Number `json:"slOrdPx"`
	TpTriggerPx   payload.Number `json:"tpTriggerPx"`
	TpOrdPx       payload.Number `json:"tpOrdPx"`
	MoveTriggerPx payload.Number `json:"moveTriggerPx"`
	ActualSide    string         `json:"actualSide"`
	AdvanceType   string         `json:"advanceOrdType"`
	ReduceOnly    flag           `json:"reduceOnly"`
	OrdID         string         `json:"ordId"`
	OrdIDList     []string       `json:"ordIdList"`
	FailCode      string         `json:"failCode"`
	CTime         milliTime      `json:"cTime"`
	UTime         milliTime      `json:"uTime"`
}

// Kinds of algo order.
const (
	algoConditional = "conditional"
	algoOCO         = "oco"
	algoTrigger     = "trigger"
	algoTrailing    = "move_order_stop"
)

// triggerAndPrice returns the trigger of an algo order and the price of its child. If it has
// two triggers they are those of the stop loss, unless the take profit has triggered.
func (o *algoRecord) triggerAndPrice() (trigger, price payload.Number, err error) {
	switch o.OrdType {
	case algoTrigger:
		return o.TriggerPx, o.OrdPx, nil
	case algoConditional, algoOCO:
		if o.SlTriggerPx.Positive().Valid && o.ActualSide != actualTakeProfit {
			return o.SlTriggerPx, o.SlOrdPx, nil
		}
		return o.TpTriggerPx, o.TpOrdPx, nil
	case algoTrailing:
		return o.MoveTriggerPx, payload.Number{}, nil
	}
	return payload.Number{}, payload.Number{}, payload.UnknownValue("algo type", o.OrdType)
}

// childID returns the id of the order that a triggered algo order has become, if known.
func (o *algoRecord) childID() string {
	for _, id := range append([]string{o.OrdID}, o.OrdIDList...) {
		if id != "" && id != "0" {
			return id
		}
	}
	return ""
}

// report converts an algo order. Once it is effective, only its child order has the filled
// quantity.
func (o *algoRecord) report(k *instrument) (venues.ExecutionReport, error) {
	switch {
	case o.InstID != k.VenueSymbol:
		return venues.ExecutionReport{}, payload.UnknownValue("instId", o.InstID)
	case o.AlgoID == "":
		return venues.ExecutionReport{}, payload.Missing("algoId")
	case !o.Sz.Valid && o.CloseFraction == "":
		return venues.ExecutionReport{}, payload.Missing("sz")
	}
	side, errSide := parseSide(o.Side)
	status, errStatus := parseAlgoStatus(o.State)
	posSide, errPosSide := parsePositionSide(o.PosSide)
	trigger, price, errKind := o.triggerAndPrice()
	if err := errors.Join(errSide, errStatus, errPosSide, errKind); err != nil {
		return venues.ExecutionReport{}, err
	}
	report := venues.ExecutionReport{
		Symbol: k.Symbol, ClientOrderID: o.AlgoClOrdID, VenueOrderID: o.AlgoID, ConditionalID: true,
		Side: side, Type: venues.TypeStopMarket, Status: status, Qty: k.toBase(o.Sz.Decimal),
		Price: price.Positive(), TriggerPrice: trigger.Positive(),
		ReduceOnly:  connector.IsReduceOnly(posSide, side, bool(o.ReduceOnly) || o.CloseFraction != ""),
		TimeInForce: venues.GoodTillCancel, VenueTime: o.UTime.Time, Attachment: o.attachment(),
	}
	if report.Price.Valid {
		report.Type = venues.TypeStopLimit
	}
	if o.AdvanceType != "" {
		if kind, err := parseOrderKind(o.AdvanceType); err == nil {
			report.TimeInForce = kind.timeInForce
		}
	}
	if report.VenueTime.IsZero() {
		report.VenueTime = o.CTime.Time
	}
	if id := o.childID(); id != "" {
		report.VenueOrderID, report.ConditionalID, report.ParentID = id, false, o.AlgoID
	}
	if status == venues.StatusRejected {
		report.RejectReason = triggerReason(o.FailCode)
	}
	return report, nil
}
