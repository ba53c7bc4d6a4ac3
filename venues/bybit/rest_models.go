package bybit

import (
	"errors"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
)

// orderRecord is an order, in queries and on the private stream.
type orderRecord struct {
	Category       string         `json:"category"` // on the stream only
	OrderID        string         `json:"orderId"`
	OrderLinkID    string         `json:"orderLinkId"`
	Symbol         string         `json:"symbol"`
	Side           string         `json:"side"`
	PositionIdx    positionIndex  `json:"positionIdx"`
	OrderStatus    string         `json:"orderStatus"`
	CreateType     string         `json:"createType"`
	CancelType     string         `json:"cancelType"`
	RejectReason   string         `json:"rejectReason"`
	OrderType      string         `json:"orderType"`
	StopOrderType  string         `json:"stopOrderType"`
	ParentLinkID   string         `json:"parentOrderLinkId"`
	TimeInForce    string         `json:"timeInForce"`
	Price          payload.Number `json:"price"`
	Qty            payload.Number `json:"qty"`
	AvgPrice       payload.Number `json:"avgPrice"`
	CumExecQty     payload.Number `json:"cumExecQty"`
	TriggerPrice   payload.Number `json:"triggerPrice"`
	ReduceOnly     bool           `json:"reduceOnly"`
	CloseOnTrigger bool           `json:"closeOnTrigger"`
	UpdatedTime    integer        `json:"updatedTime"`
}

// report converts an order. Decisive members (status, side, type, quantities) are
// required; the rest may be missing.
func (o *orderRecord) report() (venues.ExecutionReport, error) {
	report := venues.ExecutionReport{
		Symbol: canonicalSymbol(o.Symbol), ClientOrderID: o.OrderLinkID, VenueOrderID: o.OrderID,
		Qty: o.Qty.Decimal, FilledQty: o.CumExecQty.Decimal,
		TriggerPrice: o.TriggerPrice.Positive(), AvgPrice: o.AvgPrice.Positive(),
		Forced: isForced(o.CreateType), VenueTime: o.UpdatedTime.time(),
		Attachment: attachmentOf(o.StopOrderType, o.ParentLinkID, o.TriggerPrice.Positive()),
	}
	switch {
	case o.OrderID == "":
		return report, payload.Missing("orderId")
	case report.Symbol == "":
		return report, payload.Missing("symbol")
	case !o.Qty.Valid:
		return report, payload.Missing("qty")
	case !o.CumExecQty.Valid:
		return report, payload.Missing("cumExecQty")
	}
	var errSide, errType, errStatus error
	report.Side, errSide = parseSide(o.Side)
	report.Type, errType = parseType(o.OrderType, o.StopOrderType)
	report.Status, errStatus = parseStatus(o.OrderStatus)
	posSide, errPosSide := o.PositionIdx.side()
	if err := errors.Join(errSide, errType, errStatus, errPosSide); err != nil {
		return report, err
	}
	if !report.Type.IsMarket() { // of a market order it is the venue's own bound
		report.Price = o.Price.Positive()
	}
	report.TimeInForce, report.PostOnly = parseTimeInForce(o.TimeInForce)
	report.ReduceOnly = connector.IsReduceOnly(posSide, report.Side, o.ReduceOnly || o.CloseOnTrigger)
	report.RejectReason = o.rejectReason(&report)
	return report, nil
}
