package bybit

import (
	"context"
	"net/http"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
)

const (
	createPath = "/v5/order/create"
	amendPath  = "/v5/order/amend"
	cancelPath = "/v5/order/cancel"
)

// createBody is POST /v5/order/create.
type createBody struct {
	Category         string `json:"category"`
	Symbol           string `json:"symbol"`
	Side             string `json:"side"`
	OrderType        string `json:"orderType"`
	Qty              string `json:"qty"`
	Price            string `json:"price,omitempty"`
	TimeInForce      string `json:"timeInForce,omitempty"`
	PositionIdx      int    `json:"positionIdx"`
	OrderLinkID      string `json:"orderLinkId"`
	ReduceOnly       bool   `json:"reduceOnly"`
	CloseOnTrigger   bool   `json:"closeOnTrigger,omitempty"`
	TriggerPrice     string `json:"triggerPrice,omitempty"`
	TriggerDirection int    `json:"triggerDirection,omitempty"`
	TriggerBy        string `json:"triggerBy,omitempty"`
	TpslMode         string `json:"tpslMode,omitempty"`
	TakeProfit       string `json:"takeProfit,omitempty"`
	StopLoss         string `json:"stopLoss,omitempty"`
	TpTriggerBy      string `json:"tpTriggerBy,omitempty"`
	SlTriggerBy      string `json:"slTriggerBy,omitempty"`
}

const (
	// byLastPrice makes triggers refer to the last traded price.
	byLastPrice = "LastPrice"
	// wholePosition makes protection follow the size of the position.
	wholePosition = "Full"
)

// triggerDirections are the venue's values of triggerDirection.
var triggerDirections = map[venues.TriggerDirection]int{venues.TriggerRising: 1, venues.TriggerFalling: 2}

// ackRecord is the answer to a change of an order.
type ackRecord struct {
	OrderID     string `json:"orderId"`
	OrderLinkID string `json:"orderLinkId"`
}

// Place places one order. Its report is Pending: the venue has received the order, and
// the private stream reports whether it was accepted.
func (a *Account) Place(ctx context.Context, r venues.OrderRequest) (venues.ExecutionReport, error) {
	if !r.Deadline.IsZero() && !time.Now().Before(r.Deadline) {
		return venues.ExecutionReport{}, restclient.DeadlinePassed()
	}
	began := time.Now()
	hedge, err := a.hedgeOf(ctx, r.Symbol)
	if err != nil {
		return venues.ExecutionReport{}, restclient.NotSent(err)
	}
	body, err := a.createBody(ctx, &r)
	if err != nil {
		return venues.ExecutionReport{}, restclient.NotSent(err)
	}
	report, err := a.create(ctx, &r, body, hedge)
	if rejection.Is(err, codeParameter) {
		// One of the many meanings of this code is that the instrument is in the other
		// position mode. In any case nothing was placed.
		if fresh, readErr := a.readHedge(ctx, r.Symbol); readErr == nil && fresh != hedge {
			report, err = a.create(ctx, &r, body, fresh)
		}
	}
	if rejection.Is(err, codeInsufficientMargin) {
		err = a.explainMargin(ctx, &r, err)
	}
	if rejection.Is(err, codeReductionRefused) {
		err = connector.ExplainReduction(ctx, a, &r, err)
	}
	return a.lastAck.Record(began, report, err)
}

// createBody returns the request without what depends on the position mode.
func (a *Account) createBody(ctx context.Context, r *venues.OrderRequest) (createBody, error) {
	body := createBody{
		Category: category, Symbol: a.c.venueSymbol(r.Symbol), Side: formatSide(r.Side), OrderType: formatType(r.Type),
		Qty: venues.FormatDecimal(r.Qty), OrderLinkID: r.ClientOrderID, ReduceOnly: r.ReduceOnly,
	}
	if !r.Type.IsMarket() {
		body.Price, body.TimeInForce = venues.FormatOptional(r.Price), connector.FormatTimeInForce(r.TimeInForce, r.PostOnly, postOnlyForce)
	}
	if r.ClosePosition {
		body.Qty, body.ReduceOnly, body.CloseOnTrigger = "0", true, true
	}
	if r.StopLoss.Valid || r.TakeProfit.Valid {
		body.TpslMode, body.StopLoss, body.TakeProfit = wholePosition, venues.FormatOptional(r.StopLoss), venues.FormatOptional(r.TakeProfit)
	}
	if r.StopLoss.Valid {
		body.SlTriggerBy = byLastPrice
	}
	if r.TakeProfit.Valid {
		body.TpTriggerBy = byLastPrice
	}
	if !r.Type.IsStop() {
		return body, nil
	}
	if !r.TriggerPrice.Valid {
		return body, venues.InvalidFields(venues.FieldError{Field: "triggerPrice", Rule: "missing"})
	}
	direction, err := connector.TriggerDirection(r, func() (decimal.Decimal, error) { return a.c.lastPrice(ctx, r.Symbol) })
	body.TriggerPrice, body.TriggerBy, body.TriggerDirection = venues.FormatOptional(r.TriggerPrice), byLastPrice, triggerDirections[direction]
	return body, err
}

func (a *Account) create(ctx context.Context, r *venues.OrderRequest, body createBody, hedge bool) (venues.ExecutionReport, error) {
	body.PositionIdx = formatPositionSide(connector.PositionOf(hedge, r.Side, body.ReduceOnly))
	ref := venues.OrderRef{Symbol: r.Symbol, ClientOrderID: r.ClientOrderID, Type: r.Type}
	report, err := a.change(ctx, ref, request{path: createPath, body: body, priority: restclient.OrderPriority(body.ReduceOnly), deadline: r.Deadline})
	if err != nil {
		return report, err
	}
	report.Side, report.Qty, report.Price, report.TriggerPrice = r.Side, r.Qty, r.Price, r.TriggerPrice
	report.ReduceOnly, report.PostOnly, report.TimeInForce = body.ReduceOnly, r.PostOnly, r.TimeInForce
	return report, nil
}

// change sends a change of an order. The answer has ids only, which must be those of the
// order.
func (a *Account) change(ctx context.Context, ref venues.OrderRef, r request) (venues.ExecutionReport, error) {
	r.method, r.account, r.mutates, r.orderEntry = http.MethodPost, a, true, true
	var answer ackRecord
	if err := a.c.call(ctx, r, &answer); err != nil {
		return venues.ExecutionReport{}, err
	}
	if answer.OrderID == "" {
		return venues.ExecutionReport{}, malformed(r, payload.Missing("orderId"))
	}
	if ref.ClientOrderID != "" && answer.OrderLinkID != ref.ClientOrderID {
		return venues.ExecutionReport{}, malformed(r, payload.UnknownValue("orderLinkId", answer.OrderLinkID))
	}
	return venues.ExecutionReport{
		Symbol: ref.Symbol, ClientOrderID: answer.OrderLinkID, VenueOrderID: answer.OrderID, Type: ref.Type,
		Status: venues.StatusPending,
	}, nil
}

// amendBody is POST /v5/order/amend.
type amendBody struct {
	Category     string `json:"category"`
	Symbol       string `json:"symbol"`
	OrderLinkID  string `json:"orderLinkId,omitempty"`
	OrderID      string `json:"orderId,omitempty"`
	Qty          string `json:"qty,omitempty"`
	Price        string `json:"price,omitempty"`
	TriggerPrice string `json:"triggerPrice,omitempty"`
	TakeProfit   string `json:"takeProfit,omitempty"`
	StopLoss     string `json:"stopLoss,omitempty"`
	TpTriggerBy  string `json:"tpTriggerBy,omitempty"`
	SlTriggerBy  string `json:"slTriggerBy,omitempty"`
}

// Amend changes quantity, price and trigger in place; the ids stay. Its report is Pending
// without terms, which the private stream reports. The venue rejects a request that
// changes nothing; Amend then returns the order as it is. A stop is read first, because
// what can be changed depends on whether it has triggered.
func (a *Account) Amend(ctx context.Context, r venues.AmendRequest) (venues.ExecutionReport, error) {
	body := amendBody{Category: category, Symbol: a.c.venueSymbol(r.Symbol), Qty: venues.FormatDecimal(r.Qty)}
	if !r.Type.IsMarket() {
		body.Price = venues.FormatOptional(r.Price)
	}
	body.OrderLinkID, body.OrderID = idsOf(r.OrderRef)
	if r.Type.IsStop() {
		current, err := a.Order(ctx, r.OrderRef)
		if err != nil {
			return venues.ExecutionReport{}, restclient.NotSent(err)
		}
		if current.Status == venues.StatusUntriggered {
			body.TriggerPrice = venues.FormatOptional(r.TriggerPrice)
		}
		if current.Qty.IsZero() { // it closes the whole position
			body.Qty = ""
		}
	}
	began := time.Now()
	report, err := a.change(ctx, r.OrderRef, request{path: amendPath, body: body, priority: restclient.OrderPriority(r.ReduceOnly), deadline: r.Deadline})
	if rejection.Is(err, codeParameter) {
		if report, readErr := a.Order(ctx, r.OrderRef); readErr == nil && isAsRequested(&report, &r) {
			return report, nil
		}
	}
	return a.lastAck.Record(began, report, err)
}

// isAsRequested reports whether an open order has the quantity and prices of an amend.
func isAsRequested(report *venues.ExecutionReport, r *venues.AmendRequest) bool {
	return report.Status.IsActive() && report.Qty.Equal(r.Qty) &&
		(r.Type.IsMarket() || !r.Price.Valid || venues.EqualOptional(report.Price, r.Price)) &&
		(!r.TriggerPrice.Valid || venues.EqualOptional(report.TriggerPrice, r.TriggerPrice))
}

// idsOf returns one of an order's ids, preferably the client id: given both, the venue
// would use its own.
func idsOf(ref venues.OrderRef) (orderLinkID, orderID string) {
	if ref.ClientOrderID != "" {
		return ref.ClientOrderID, ""
	}
	return "", ref.VenueOrderID
}

// cancelBody is POST /v5/order/cancel.
type cancelBody struct {
	Category    string `json:"category"`
	Symbol      string `json:"symbol"`
	OrderLinkID string `json:"orderLinkId,omitempty"`
	OrderID     string `json:"orderId,omitempty"`
}

// Cancel requests the cancel of an order. The order may be filled in between, so its
// report is Pending.
func (a *Account) Cancel(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	body := cancelBody{Category: category, Symbol: a.c.venueSymbol(ref.Symbol)}
	body.OrderLinkID, body.OrderID = idsOf(ref)
	began := time.Now()
	report, err := a.change(ctx, ref, request{path: cancelPath, body: body, priority: restclient.PriorityCancel})
	return a.lastAck.Record(began, report, err)
}
