package binance

import (
	"errors"
	"strconv"
	"strings"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
)

// orderRecord is an order of the order endpoints. Answers to changes lack avgPrice;
// answers to queries have it.
type orderRecord struct {
	OrderID       int64          `json:"orderId"`
	Symbol        string         `json:"symbol"`
	Status        string         `json:"status"`
	ClientOrderID string         `json:"clientOrderId"`
	Price         payload.Number `json:"price"`
	AvgPrice      payload.Number `json:"avgPrice"`
	OrigQty       payload.Number `json:"origQty"`
	ExecutedQty   payload.Number `json:"executedQty"`
	TimeInForce   string         `json:"timeInForce"`
	Type          string         `json:"type"`
	OrigType      string         `json:"origType"`
	ReduceOnly    bool           `json:"reduceOnly"`
	ClosePosition bool           `json:"closePosition"`
	Side          string         `json:"side"`
	PositionSide  string         `json:"positionSide"`
	StopPrice     payload.Number `json:"stopPrice"`
	UpdateTime    int64          `json:"updateTime"`
}

// report converts an order. Decisive members (status, side, type, quantities) are
// required; the rest may be missing.
func (o *orderRecord) report() (venues.ExecutionReport, error) {
	var report venues.ExecutionReport
	switch {
	case o.OrderID <= 0:
		return report, payload.Missing("orderId")
	case o.Symbol == "":
		return report, payload.Missing("symbol")
	case o.ClientOrderID == "":
		return report, payload.Missing("clientOrderId")
	case !o.OrigQty.Valid:
		return report, payload.Missing("origQty")
	case !o.ExecutedQty.Valid:
		return report, payload.Missing("executedQty")
	}
	side, errSide := parseSide(o.Side)
	orderType, untriggered, errType := parseTypes(o.Type, o.OrigType)
	status, errStatus := parseStatus(o.Status, untriggered, endsAtOnce(o.Type, o.TimeInForce))
	posSide, errPosSide := parseOrderPositionSide(o.PositionSide)
	if err := errors.Join(errSide, errType, errStatus, errPosSide); err != nil {
		return report, err
	}
	tif, postOnly := parseTimeInForce(o.TimeInForce)
	report = venues.ExecutionReport{
		Symbol: canonicalSymbol(o.Symbol), ClientOrderID: o.ClientOrderID, VenueOrderID: strconv.FormatInt(o.OrderID, 10),
		Side: side, Type: orderType, Status: status,
		Qty: o.OrigQty.Decimal, FilledQty: o.ExecutedQty.Decimal,
		Price: o.Price.Positive(), TriggerPrice: o.StopPrice.Positive(), AvgPrice: o.AvgPrice.Positive(),
		ReduceOnly: connector.IsReduceOnly(posSide, side, o.ReduceOnly || o.ClosePosition), PostOnly: postOnly, TimeInForce: tif,
		Forced: isForced(o.ClientOrderID, o.Type), VenueTime: payload.Millis(o.UpdateTime),
	}
	report.RejectReason = endReason(&report, o.Type, o.TimeInForce, "")
	return report, nil
}

// idText is an id that the venue prints as a string or as a number.
type idText string

func (id *idText) UnmarshalJSON(data []byte) error {
	text := strings.Trim(string(data), `"`)
	if text == "null" {
		text = ""
	}
	if text != "" {
		if _, err := strconv.ParseUint(text, 10, 64); err != nil {
			return err
		}
	}
	*id = idText(text)
	return nil
}

// algoRecord is an order of the algo endpoints.
type algoRecord struct {
	AlgoID        int64          `json:"algoId"`
	ClientAlgoID  string         `json:"clientAlgoId"`
	OrderType     string         `json:"orderType"`
	Symbol        string         `json:"symbol"`
	Side          string         `json:"side"`
	PositionSide  string         `json:"positionSide"`
	TimeInForce   string         `json:"timeInForce"`
	Quantity      payload.Number `json:"quantity"`
	AlgoStatus    string         `json:"algoStatus"`
	ActualOrderID idText         `json:"actualOrderId"`
	ActualPrice   payload.Number `json:"actualPrice"`
	ActualQty     payload.Number `json:"actualQty"`
	TriggerPrice  payload.Number `json:"triggerPrice"`
	Price         payload.Number `json:"price"`
	ClosePosition bool           `json:"closePosition"`
	ReduceOnly    bool           `json:"reduceOnly"`
	CreateTime    int64          `json:"createTime"`
	UpdateTime    int64          `json:"updateTime"`
}

// report converts an algo order. Once it has triggered, its state is that of the engine
// order. Without that order FINISHED means filled if all of it was, else cancelled.
func (o *algoRecord) report() (venues.ExecutionReport, error) {
	var report venues.ExecutionReport
	switch {
	case o.AlgoID <= 0:
		return report, payload.Missing("algoId")
	case o.Symbol == "":
		return report, payload.Missing("symbol")
	case o.ClientAlgoID == "":
		return report, payload.Missing("clientAlgoId")
	case !o.Quantity.Valid && !o.ClosePosition:
		return report, payload.Missing("quantity")
	}
	side, errSide := parseSide(o.Side)
	orderType, errType := parseType(o.OrderType)
	posSide, errPosSide := parseOrderPositionSide(o.PositionSide)
	filled := o.ActualQty.Decimal
	status, errStatus := parseAlgoStatus(o.AlgoStatus, filled, o.Quantity.Decimal)
	if err := errors.Join(errSide, errType, errPosSide, errStatus); err != nil {
		return report, err
	}
	tif, postOnly := parseTimeInForce(o.TimeInForce)
	report = venues.ExecutionReport{
		Symbol: canonicalSymbol(o.Symbol), ClientOrderID: o.ClientAlgoID, VenueOrderID: strconv.FormatInt(o.AlgoID, 10), ConditionalID: true,
		Side: side, Type: orderType, Status: status, Qty: o.Quantity.Decimal, FilledQty: filled,
		Price: o.Price.Positive(), TriggerPrice: o.TriggerPrice.Positive(), AvgPrice: o.ActualPrice.Positive(),
		ReduceOnly: connector.IsReduceOnly(posSide, side, o.ReduceOnly || o.ClosePosition), PostOnly: postOnly, TimeInForce: tif,
		VenueTime: payload.Millis(max(o.UpdateTime, o.CreateTime)),
	}
	if id := string(o.ActualOrderID); id != "" && id != "0" {
		report.VenueOrderID, report.ConditionalID, report.ParentID = id, false, report.VenueOrderID
	}
	if status == venues.StatusRejected {
		report.RejectReason = triggerReason("")
	}
	return report, nil
}
