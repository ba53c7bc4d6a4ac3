package binance

import (
	"context"
	"net/http"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

const algoPath = "/fapi/v1/algoOrder"

// placeAlgo places an order with a trigger. The venue checks the margin only at the
// trigger, so the order can still be rejected then.
func (a *Account) placeAlgo(ctx context.Context, r *venues.OrderRequest, hedge bool) (venues.ExecutionReport, error) {
	if !r.TriggerPrice.Valid {
		return venues.ExecutionReport{}, restclient.NotSent(venues.InvalidFields(venues.FieldError{Field: "triggerPrice", Rule: "missing"}))
	}
	direction, err := connector.TriggerDirection(r, func() (decimal.Decimal, error) { return a.c.lastPrice(ctx, r.Symbol) })
	if err != nil {
		return venues.ExecutionReport{}, restclient.NotSent(err)
	}
	reduces := r.ReduceOnly || r.ClosePosition
	p := restclient.Params{
		{"algoType", "CONDITIONAL"},
		{"symbol", a.c.venueSymbol(r.Symbol)},
		{"side", formatSide(r.Side)},
		{"type", algoType(r.Type, r.Side, direction)},
	}
	if hedge {
		p = p.With("positionSide", formatPositionSide(r.Side, reduces))
	}
	if r.Type == venues.TypeStopLimit {
		p = p.With("timeInForce", connector.FormatTimeInForce(r.TimeInForce, r.PostOnly, postOnlyForce)).WithOptional("price", r.Price)
	}
	p = p.WithOptional("triggerPrice", r.TriggerPrice).With("workingType", "CONTRACT_PRICE")
	if r.ClosePosition {
		p = p.With("closePosition", "true")
	} else {
		p = p.With("quantity", venues.FormatDecimal(r.Qty))
		if r.ReduceOnly && !hedge {
			p = p.With("reduceOnly", "true")
		}
	}
	return a.sendAlgo(ctx, p.With("clientAlgoId", r.ClientOrderID), r.Deadline, restclient.OrderPriority(reduces))
}

func (a *Account) sendAlgo(ctx context.Context, p restclient.Params, deadline time.Time, priority restclient.Priority) (venues.ExecutionReport, error) {
	r := request{
		method: http.MethodPost, path: algoPath, params: p, security: signed, account: a,
		priority: priority, mutates: true, orderEntry: true, countsOrder: true, deadline: deadline,
	}
	return a.callOrder(ctx, r, new(algoRecord))
}

// algoType returns the venue's type: a STOP triggers when the price moves in the
// direction of the order, a TAKE_PROFIT when it moves against it.
func algoType(t venues.OrderType, side venues.Side, direction venues.TriggerDirection) string {
	name := "TAKE_PROFIT"
	if (side == venues.Buy) == (direction == venues.TriggerRising) {
		name = "STOP"
	}
	if t == venues.TypeStopMarket {
		name += "_MARKET"
	}
	return name
}

// algoName returns the parameters that identify an algo order.
func algoName(ref venues.OrderRef) restclient.Params {
	if ref.ClientOrderID != "" {
		return restclient.Params{{"clientAlgoId", ref.ClientOrderID}}
	}
	return restclient.Params{{"algoId", ref.VenueOrderID}}
}

// cancelAlgo cancels an untriggered stop. The answer only identifies the order, so its
// state is read afterwards.
func (a *Account) cancelAlgo(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	r := request{
		method: http.MethodDelete, path: algoPath, params: algoName(ref), security: signed, account: a,
		priority: restclient.PriorityCancel, weight: 1, mutates: true, orderEntry: true,
	}
	var answer struct {
		AlgoID       int64  `json:"algoId"`
		ClientAlgoID string `json:"clientAlgoId"`
	}
	if err := a.c.call(ctx, r, &answer); err != nil {
		return venues.ExecutionReport{}, err
	}
	if answer.AlgoID <= 0 {
		return venues.ExecutionReport{}, malformed(r, payload.Missing("algoId"))
	}
	report, err := a.queryAlgo(ctx, ref)
	if err != nil {
		return venues.ExecutionReport{}, restclient.OutcomeUnknown(err)
	}
	if report.Status == venues.StatusUntriggered {
		report.Status = venues.StatusCancelled // the read lags behind
	}
	return report, nil
}

// queryAlgo returns a stop and, once it has triggered, the order that it has become.
func (a *Account) queryAlgo(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	var answer algoRecord
	report, err := a.callOrder(ctx, a.reading(algoPath, algoName(ref), 1), &answer)
	if err != nil || answer.ActualOrderID == "" || answer.ActualOrderID == "0" {
		return report, err
	}
	engine, err := a.queryOrder(ctx, venues.OrderRef{Symbol: report.Symbol, VenueOrderID: string(answer.ActualOrderID)})
	switch {
	case isNotFound(err):
		return report, nil
	case err != nil:
		return venues.ExecutionReport{}, err
	}
	return engineReport(report, engine), nil
}

// engineReport returns the report of an engine order as that of its stop.
func engineReport(stop, engine venues.ExecutionReport) venues.ExecutionReport {
	engine.ClientOrderID, engine.ParentID = stop.ClientOrderID, stop.ParentID
	engine.Type, engine.TriggerPrice = stop.Type, stop.TriggerPrice
	return engine
}
