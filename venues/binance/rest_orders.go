package binance

import (
	"context"
	"net/http"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/refusal"
	"venuegate/venues/internal/restclient"
)

const orderPath = "/fapi/v1/order"

// Place sends one order: market and limit orders here, stops to the algo
// endpoints. Answers never bring fills; those come by the private stream.
func (a *Account) Place(ctx context.Context, r venues.OrderRequest) (venues.ExecutionReport, error) {
	if !r.Deadline.IsZero() && !time.Now().Before(r.Deadline) {
		return venues.ExecutionReport{}, restclient.DeadlinePassed()
	}
	began := time.Now()
	place := a.placeOrder
	if r.Type.IsStop() {
		place = a.placeAlgo
	}
	report, err := a.inKnownMode(ctx, func(hedge bool) (venues.ExecutionReport, error) { return place(ctx, &r, hedge) })
	if refusal.Is(err, codeMarginInsufficient) {
		err = a.explainMargin(ctx, &r, err)
	}
	if refusal.Is(err, codeReductionRefused) {
		err = a.explainReduction(ctx, &r, err)
	}
	return a.acknowledged.Note(began, report, err)
}

// inKnownMode sends with the account's position mode. If the venue says that the
// mode is another, nothing was placed: the mode is read and the order sent again.
func (a *Account) inKnownMode(ctx context.Context, send func(hedge bool) (venues.ExecutionReport, error)) (venues.ExecutionReport, error) {
	mode, err := a.knownMode(ctx)
	if err != nil {
		return venues.ExecutionReport{}, restclient.NotSent(err)
	}
	report, refused := send(mode.Hedge)
	if !isPositionModeRefusal(refused) {
		return report, refused
	}
	fresh, err := a.Mode(ctx)
	if err != nil || fresh.Hedge == mode.Hedge {
		return report, refused
	}
	return send(fresh.Hedge)
}

// positionSide is the parameter that hedge mode demands: an order that reduces
// works on the position opposite to its side.
func positionSide(side venues.Side, reduces bool) string {
	if (side == venues.Buy) != reduces {
		return string(bookLong)
	}
	return string(bookShort)
}

func (a *Account) placeOrder(ctx context.Context, r *venues.OrderRequest, hedge bool) (venues.ExecutionReport, error) {
	p := restclient.Params{{"symbol", a.c.venueSymbol(r.Symbol)}, {"side", formatSide(r.Side)}}
	if hedge {
		p = p.With("positionSide", positionSide(r.Side, r.ReduceOnly))
	}
	if r.Type == venues.TypeMarket {
		p = p.With("type", "MARKET")
	} else {
		p = p.With("type", "LIMIT").With("timeInForce", formatTimeInForce(r.TimeInForce, r.PostOnly)).WithOptional("price", r.Price)
	}
	p = p.With("quantity", venues.FormatDecimal(r.Qty))
	if r.ReduceOnly && !hedge {
		p = p.With("reduceOnly", "true")
	}
	p = p.With("newClientOrderId", r.ClientOrderID).With("newOrderRespType", "RESULT")
	return a.sendOrder(ctx, http.MethodPost, p, r.Deadline, restclient.OrderLane(r.ReduceOnly))
}

// sendOrder executes a change of a regular order and reads the order in the
// answer.
func (a *Account) sendOrder(ctx context.Context, method string, p restclient.Params, deadline time.Time, lane restclient.Lane) (venues.ExecutionReport, error) {
	r := request{
		method: method, path: orderPath, params: p, security: signed, account: a,
		lane: lane, mutates: true, deadline: deadline,
	}
	if method == http.MethodDelete {
		r.weight = 1
	} else {
		r.counted = true
	}
	var answer orderRecord
	if err := a.c.call(ctx, r, &answer); err != nil {
		return venues.ExecutionReport{}, err
	}
	report, err := answer.report()
	if err != nil {
		return venues.ExecutionReport{}, malformed(r, err)
	}
	return report, nil
}

// Amend changes price and quantity of a limit order, or of a stop limit order
// that has triggered; the venue wants both. A request that changes nothing
// answers with the order as it is.
func (a *Account) Amend(ctx context.Context, r venues.AmendRequest) (venues.ExecutionReport, error) {
	if r.Type.IsMarket() {
		return venues.ExecutionReport{}, restclient.NotSent(venues.Errorf(venues.CodeInvalidRequest, "the venue amends limit orders only").
			With("reason", "not_amendable"))
	}
	price := r.Price
	if !price.Valid {
		now, err := a.Order(ctx, r.OrderRef)
		if err != nil {
			return venues.ExecutionReport{}, restclient.NotSent(err)
		}
		price = now.Price
	}
	mode, err := a.knownMode(ctx)
	if err != nil {
		return venues.ExecutionReport{}, restclient.NotSent(err)
	}
	p := a.orderName(r.OrderRef).
		With("side", formatSide(r.Side)).
		With("quantity", venues.FormatDecimal(r.Qty)).
		WithOptional("price", price)
	if r.ReduceOnly && !mode.Hedge {
		p = p.With("reduceOnly", "true") // spares the minimum notional
	}
	began := time.Now()
	report, err := a.sendOrder(ctx, http.MethodPut, p, r.Deadline, restclient.OrderLane(r.ReduceOnly))
	if isNoChange(err) {
		return a.Order(ctx, r.OrderRef)
	}
	return a.acknowledged.Note(began, report, err)
}

// orderName are the parameters that name a regular order. The client id comes
// first, because the venue id of a stop is not that of its engine order.
func (a *Account) orderName(ref venues.OrderRef) restclient.Params {
	p := restclient.Params{{"symbol", a.c.venueSymbol(ref.Symbol)}}
	if ref.ClientOrderID != "" {
		return p.With("origClientOrderId", ref.ClientOrderID)
	}
	return p.With("orderId", ref.VenueOrderID)
}

// Cancel cancels an order. A stop is looked for among the algo orders first and,
// should it have triggered, as the engine order that it became.
func (a *Account) Cancel(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	began := time.Now()
	var report venues.ExecutionReport
	var first error
	for _, cancel := range whereKept(ref, a.cancelOrder, a.cancelAlgo) {
		var err error
		if report, err = cancel(ctx, ref); err == nil {
			return a.acknowledged.Note(began, report, nil)
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
	return a.sendOrder(ctx, http.MethodDelete, a.orderName(ref), time.Time{}, restclient.LaneCancel)
}
