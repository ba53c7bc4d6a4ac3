package binance

import (
	"context"
	"net/http"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
)

const orderPath = "/fapi/v1/order"

// Place places one order: market and limit orders here, stops at the algo endpoints.
// Answers never contain fills; those come on the private stream.
func (a *Account) Place(ctx context.Context, r venues.OrderRequest) (venues.ExecutionReport, error) {
	if !r.Deadline.IsZero() && !time.Now().Before(r.Deadline) {
		return venues.ExecutionReport{}, restclient.DeadlinePassed()
	}
	began := time.Now()
	place := a.placeOrder
	if r.Type.IsStop() {
		place = a.placeAlgo
	}
	report, err := a.mode.Place(ctx, a.Mode, isPositionModeRejection, func(hedge bool) (venues.ExecutionReport, error) {
		return place(ctx, &r, hedge)
	})
	if rejection.Is(err, codeMarginInsufficient) {
		err = a.explainMargin(ctx, &r, err)
	}
	if rejection.Is(err, codeReductionRefused) {
		err = connector.ExplainReduction(ctx, a, &r, err)
	}
	return a.lastAck.Record(began, report, err)
}

func (a *Account) placeOrder(ctx context.Context, r *venues.OrderRequest, hedge bool) (venues.ExecutionReport, error) {
	p := restclient.Params{{"symbol", a.c.venueSymbol(r.Symbol)}, {"side", formatSide(r.Side)}}
	if hedge {
		p = p.With("positionSide", formatPositionSide(r.Side, r.ReduceOnly))
	}
	if r.Type == venues.TypeMarket {
		p = p.With("type", "MARKET")
	} else {
		p = p.With("type", "LIMIT").With("timeInForce", connector.FormatTimeInForce(r.TimeInForce, r.PostOnly, postOnlyForce)).WithOptional("price", r.Price)
	}
	p = p.With("quantity", venues.FormatDecimal(r.Qty))
	if r.ReduceOnly && !hedge {
		p = p.With("reduceOnly", "true")
	}
	p = p.With("newClientOrderId", r.ClientOrderID).With("newOrderRespType", "RESULT")
	return a.sendOrder(ctx, http.MethodPost, p, r.Deadline, restclient.OrderPriority(r.ReduceOnly))
}

// sendOrder sends a change of a regular order and decodes the order in the answer.
func (a *Account) sendOrder(ctx context.Context, method string, p restclient.Params, deadline time.Time, priority restclient.Priority) (venues.ExecutionReport, error) {
	r := request{
		method: method, path: orderPath, params: p, security: signed, account: a,
		priority: priority, mutates: true, orderEntry: true, deadline: deadline,
	}
	if method == http.MethodDelete {
		r.weight = 1
	} else {
		r.countsOrder = true
	}
	return a.callOrder(ctx, r, new(orderRecord))
}

// Amend changes price and quantity of a limit order, or of a stop limit order that has
// triggered; the venue requires both. For a request that changes nothing it returns the
// order as it is.
func (a *Account) Amend(ctx context.Context, r venues.AmendRequest) (venues.ExecutionReport, error) {
	if r.Type.IsMarket() {
		return venues.ExecutionReport{}, restclient.NotSent(venues.Errorf(venues.CodeInvalidRequest, "the venue amends limit orders only").
			With("reason", "not_amendable"))
	}
	price := r.Price
	if !price.Valid {
		current, err := a.Order(ctx, r.OrderRef)
		if err != nil {
			return venues.ExecutionReport{}, restclient.NotSent(err)
		}
		price = current.Price
	}
	mode, err := a.mode.Get(ctx, a.Mode)
	if err != nil {
		return venues.ExecutionReport{}, restclient.NotSent(err)
	}
	p := a.orderName(r.OrderRef).
		With("side", formatSide(r.Side)).
		With("quantity", venues.FormatDecimal(r.Qty)).
		WithOptional("price", price)
	if r.ReduceOnly && !mode.Hedge {
		p = p.With("reduceOnly", "true") // exempts the order from the minimum notional
	}
	began := time.Now()
	report, err := a.sendOrder(ctx, http.MethodPut, p, r.Deadline, restclient.OrderPriority(r.ReduceOnly))
	if isNoChange(err) {
		return a.Order(ctx, r.OrderRef)
	}
	return a.lastAck.Record(began, report, err)
}

// orderName returns the parameters that identify a regular order. The client id is
// preferred, because the venue id of a stop is not that of its engine order.
func (a *Account) orderName(ref venues.OrderRef) restclient.Params {
	p := restclient.Params{{"symbol", a.c.venueSymbol(ref.Symbol)}}
	if ref.ClientOrderID != "" {
		return p.With("origClientOrderId", ref.ClientOrderID)
	}
	return p.With("orderId", ref.VenueOrderID)
}

// Cancel cancels an order. A stop is cancelled as an algo order first and, if it has
// triggered, as the engine order that it has become.
func (a *Account) Cancel(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	began := time.Now()
	var report venues.ExecutionReport
	var first error
	for _, cancel := range lookupsOf(ref, a.cancelOrder, a.cancelAlgo) {
		var err error
		if report, err = cancel(ctx, ref); err == nil {
			return a.lastAck.Record(began, report, nil)
		}
		if first == nil || !isGone(err) {
			first = err
		}
		if !isGone(err) {
			break
		}
	}
	return report, first
}

func (a *Account) cancelOrder(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	return a.sendOrder(ctx, http.MethodDelete, a.orderName(ref), time.Time{}, restclient.PriorityCancel)
}
