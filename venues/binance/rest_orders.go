package binance

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

const orderPath = "/fapi/v1/order"

// Place sends one order: market and limit orders here, stops to the algo
// endpoints. Answers never bring fills; those come by the private stream.
func (a *Account) Place(ctx context.Context, r venues.OrderRequest) (venues.ExecutionReport, error) {
	if !r.Deadline.IsZero() && !time.Now().Before(r.Deadline) {
		return venues.ExecutionReport{}, notSent(venues.Errorf(venues.CodeExchangeUnavailable, "the order's deadline has passed").
			Because(errDeadlinePassed))
	}
	began := time.Now()
	place := a.placeOrder
	if r.Type.IsStop() {
		place = a.placeAlgo
	}
	report, err := a.inKnownMode(ctx, func(hedge bool) (venues.ExecutionReport, error) { return place(ctx, &r, hedge) })
	if isRefusal(err, codeMarginInsufficient) {
		err = a.explainMargin(ctx, &r, err)
	}
	return a.acknowledge(began, report, err)
}

// inKnownMode sends with the account's position mode. If the venue says that the
// mode is another, nothing was placed: the mode is read and the order sent again.
func (a *Account) inKnownMode(ctx context.Context, send func(hedge bool) (venues.ExecutionReport, error)) (venues.ExecutionReport, error) {
	mode, err := a.knownMode(ctx)
	if err != nil {
		return venues.ExecutionReport{}, notSent(err)
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

// acknowledge notes that the private stream has something to tell of a change
// that began then.
func (a *Account) acknowledge(began time.Time, report venues.ExecutionReport, err error) (venues.ExecutionReport, error) {
	if err == nil {
		a.acknowledged.Store(began.UnixNano())
	}
	return report, err
}

// positionSide is the parameter that hedge mode demands: an order that reduces
// works on the position opposite to its side.
func positionSide(side venues.Side, reduces bool) string {
	if (side == venues.Buy) != reduces {
		return string(bookLong)
	}
	return string(bookShort)
}

// laneOf lets what reduces risk go before what adds to it.
func laneOf(reduces bool) restclient.Lane {
	if reduces {
		return restclient.LaneProtect
	}
	return restclient.LaneOrder
}

func (a *Account) placeOrder(ctx context.Context, r *venues.OrderRequest, hedge bool) (venues.ExecutionReport, error) {
	p := params{{"symbol", a.c.venueSymbol(r.Symbol)}, {"side", formatSide(r.Side)}}
	if hedge {
		p = p.with("positionSide", positionSide(r.Side, r.ReduceOnly))
	}
	if r.Type == venues.TypeMarket {
		p = p.with("type", "MARKET")
	} else {
		p = p.with("type", "LIMIT").with("timeInForce", formatTimeInForce(r.TimeInForce, r.PostOnly)).withOptional("price", r.Price)
	}
	p = p.with("quantity", venues.FormatDecimal(r.Qty))
	if r.ReduceOnly && !hedge {
		p = p.with("reduceOnly", "true")
	}
	p = p.with("newClientOrderId", r.ClientOrderID).with("newOrderRespType", "RESULT")
	return a.sendOrder(ctx, http.MethodPost, p, r.Deadline, laneOf(r.ReduceOnly))
}

// sendOrder executes a change of a regular order and reads the order in the
// answer.
func (a *Account) sendOrder(ctx context.Context, method string, p params, deadline time.Time, lane restclient.Lane) (venues.ExecutionReport, error) {
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
		return venues.ExecutionReport{}, notSent(venues.Errorf(venues.CodeInvalidRequest, "the venue amends limit orders only").
			With("reason", "not_amendable"))
	}
	price := r.Price
	if !price.Valid {
		now, err := a.Order(ctx, r.OrderRef)
		if err != nil {
			return venues.ExecutionReport{}, notSent(err)
		}
		price = now.Price
	}
	mode, err := a.knownMode(ctx)
	if err != nil {
		return venues.ExecutionReport{}, notSent(err)
	}
	p := a.orderName(r.OrderRef).
		with("side", formatSide(r.Side)).
		with("quantity", venues.FormatDecimal(r.Qty)).
		withOptional("price", price)
	if r.ReduceOnly && !mode.Hedge {
		p = p.with("reduceOnly", "true") // spares the minimum notional
	}
	began := time.Now()
	report, err := a.sendOrder(ctx, http.MethodPut, p, r.Deadline, laneOf(r.ReduceOnly))
	if isNoChange(err) {
		return a.Order(ctx, r.OrderRef)
	}
	return a.acknowledge(began, report, err)
}

// orderName are the parameters that name a regular order. The client id comes
// first, because the venue id of a stop is not that of its engine order.
func (a *Account) orderName(ref venues.OrderRef) params {
	p := params{{"symbol", a.c.venueSymbol(ref.Symbol)}}
	if ref.ClientOrderID != "" {
		return p.with("origClientOrderId", ref.ClientOrderID)
	}
	return p.with("orderId", ref.VenueOrderID)
}

// orderCall asks one of the venue's two services about an order.
type orderCall func(context.Context, venues.OrderRef) (venues.ExecutionReport, error)

// whereKept are the calls that may reach an order, in the order to try them. A
// stop begins as an algo order and becomes a regular one; one whose type is not
// known may be either.
func whereKept(ref venues.OrderRef, regular, algo orderCall) []orderCall {
	switch {
	case ref.Type.IsStop():
		return []orderCall{algo, regular}
	case ref.Type == "":
		return []orderCall{regular, algo}
	default:
		return []orderCall{regular}
	}
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
			return a.acknowledge(began, report, nil)
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

// isGone says whether a cancel or query should look in the other place.
func isGone(err error) bool { return isNotFound(err) || isRefusal(err, codeStopTriggering) }

func (a *Account) cancelOrder(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	return a.sendOrder(ctx, http.MethodDelete, a.orderName(ref), time.Time{}, restclient.LaneCancel)
}

// Order finds one order. A stop that has triggered is told with the state of its
// engine order.
func (a *Account) Order(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	var report venues.ExecutionReport
	var err error
	for _, lookup := range whereKept(ref, a.queryOrder, a.queryAlgo) {
		if report, err = lookup(ctx, ref); !isNotFound(err) {
			return report, err
		}
	}
	return report, err
}

func (a *Account) queryOrder(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	var answer orderRecord
	if err := a.get(ctx, orderPath, a.orderName(ref), 1, &answer); err != nil {
		return venues.ExecutionReport{}, err
	}
	report, err := answer.report()
	if err != nil {
		return venues.ExecutionReport{}, malformed(request{method: http.MethodGet, path: orderPath}, err)
	}
	return report, nil
}

// OpenOrders lists what is open in both services of the venue.
func (a *Account) OpenOrders(ctx context.Context) ([]venues.ExecutionReport, error) {
	var orders []orderRecord
	const openPath = "/fapi/v1/openOrders"
	if err := a.get(ctx, openPath, nil, 40, &orders); err != nil {
		return nil, err
	}
	var algos []algoRecord
	const openAlgoPath = "/fapi/v1/openAlgoOrders"
	if err := a.get(ctx, openAlgoPath, nil, 40, &algos); err != nil {
		return nil, err
	}
	reports := make([]venues.ExecutionReport, 0, len(orders)+len(algos))
	for n := range orders {
		report, err := orders[n].report()
		if err != nil {
			return nil, malformed(request{method: http.MethodGet, path: openPath}, err)
		}
		reports = append(reports, report)
	}
	for n := range algos {
		report, err := algos[n].report()
		if err != nil {
			return nil, malformed(request{method: http.MethodGet, path: openAlgoPath}, err)
		}
		reports = append(reports, report)
	}
	return reports, nil
}

// report reads an order object. What decides (status, side, type, quantities) is
// strict; the rest may be missing.
func (o *orderRecord) report() (venues.ExecutionReport, error) {
	var report venues.ExecutionReport
	switch {
	case o.OrderID <= 0:
		return report, payload.Missing("orderId")
	case o.Symbol == "":
		return report, payload.Missing("symbol")
	case !o.OrigQty.Valid:
		return report, payload.Missing("origQty")
	case !o.ExecutedQty.Valid:
		return report, payload.Missing("executedQty")
	}
	side, errSide := parseSide(o.Side)
	orderType, waiting, errType := parseTypes(o.Type, o.OrigType)
	status, errStatus := parseStatus(o.Status, waiting, endsAtOnce(o.Type, o.TimeInForce))
	book, errBook := parseOrderBook(o.PositionSide)
	if err := errors.Join(errSide, errType, errStatus, errBook); err != nil {
		return report, err
	}
	tif, postOnly := parseTimeInForce(o.TimeInForce)
	report = venues.ExecutionReport{
		Symbol: canonicalSymbol(o.Symbol), ClientOrderID: o.ClientOrderID, VenueOrderID: strconv.FormatInt(o.OrderID, 10),
		Side: side, Type: orderType, Status: status,
		Qty: o.OrigQty.Decimal, FilledQty: o.ExecutedQty.Decimal,
		Price: o.Price.positive(), TriggerPrice: o.StopPrice.positive(), AvgPrice: o.AvgPrice.positive(),
		ReduceOnly: book.reduces(side, o.ReduceOnly || o.ClosePosition), PostOnly: postOnly, TimeInForce: tif,
		Forced: isForced(o.ClientOrderID, o.Type), VenueTime: payload.Millis(o.UpdateTime),
	}
	report.Fault = endFault(&report, o.Type, o.TimeInForce, "")
	return report, nil
}
