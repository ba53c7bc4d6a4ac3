package bybit

import (
	"context"
	"errors"
	"net/http"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

const (
	realtimePath = "/v5/order/realtime"
	historyPath  = "/v5/order/history"
	ordersPage   = 50
)

// Order finds one order: among the active and newest ones, then in the history,
// which may lag behind.
func (a *Account) Order(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	p := params{{"category", category}, {"symbol", a.c.venueSymbol(ref.Symbol)}}
	if link, id := idsOf(ref); link != "" {
		p = p.with("orderLinkId", link)
	} else {
		p = p.with("orderId", id)
	}
	for _, path := range []string{realtimePath, historyPath} {
		var answer page[orderRecord]
		if err := a.get(ctx, path, p, &answer); err != nil {
			return venues.ExecutionReport{}, err
		}
		for n := range answer.List {
			row := &answer.List[n]
			if !row.is(ref) {
				continue // the venue did not heed the id
			}
			report, err := row.report()
			if err != nil {
				return report, malformed(request{method: http.MethodGet, path: path}, err)
			}
			return report, nil
		}
	}
	return venues.ExecutionReport{}, venues.Errorf(venues.CodeNotFound, "the venue does not show the order")
}

func (o *orderRecord) is(ref venues.OrderRef) bool {
	if ref.ClientOrderID != "" {
		return o.OrderLinkID == ref.ClientOrderID
	}
	return o.OrderID == ref.VenueOrderID
}

// OpenOrders lists what is open in all settlement coins, stops and the venue's
// own protecting orders among them, each once: lists move while they are paged.
func (a *Account) OpenOrders(ctx context.Context) ([]venues.ExecutionReport, error) {
	reports := []venues.ExecutionReport{}
	seen := make(map[string]bool)
	for _, coin := range settleCoins {
		r := get(realtimePath, params{{"category", category}, {"settleCoin", coin}, {"openOnly", "0"}}, a, restclient.LaneReconcile)
		rows, err := pages[orderRecord](ctx, a.c, r, ordersPage)
		if err != nil {
			return nil, err
		}
		for n := range rows {
			report, err := rows[n].report()
			if err != nil {
				return nil, malformed(r, err)
			}
			if !seen[report.VenueOrderID] {
				seen[report.VenueOrderID] = true
				reports = append(reports, report)
			}
		}
	}
	return reports, nil
}

// report reads an order object. What decides (status, side, type, quantities) is
// strict; the rest may be missing.
func (o *orderRecord) report() (venues.ExecutionReport, error) {
	report := venues.ExecutionReport{
		Symbol: canonicalSymbol(o.Symbol), ClientOrderID: o.OrderLinkID, VenueOrderID: o.OrderID,
		Qty: o.Qty.Decimal, FilledQty: o.CumExecQty.Decimal,
		TriggerPrice: o.TriggerPrice.positive(), AvgPrice: o.AvgPrice.positive(),
		Forced: isForced(o.CreateType), VenueTime: o.UpdatedTime.time(),
		Attachment: attachmentOf(o.StopOrderType, o.ParentLinkID, o.TriggerPrice.positive()),
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
	index, errIndex := o.PositionIdx.index()
	if err := errors.Join(errSide, errType, errStatus, errIndex); err != nil {
		return report, err
	}
	if !report.Type.IsMarket() { // of a market order it is the venue's own bound
		report.Price = o.Price.positive()
	}
	report.TimeInForce, report.PostOnly = parseTimeInForce(o.TimeInForce)
	report.ReduceOnly = index.reduces(report.Side, o.ReduceOnly || o.CloseOnTrigger)
	report.Fault = o.fault(&report)
	return report, nil
}

// attachmentOf reads an order that the venue made to protect a position: one for
// each trigger. Those that were set for the position itself name no parent.
func attachmentOf(stopOrderType, parentLinkID string, trigger venues.Optional) *venues.Attachment {
	a := &venues.Attachment{EntryClientID: parentLinkID}
	switch stopOrderType {
	case "StopLoss":
		a.StopLoss, a.OfPosition = trigger, true
	case "TakeProfit":
		a.TakeProfit, a.OfPosition = trigger, true
	case "PartialStopLoss":
		a.StopLoss = trigger
	case "PartialTakeProfit":
		a.TakeProfit = trigger
	default:
		return nil
	}
	return a
}
