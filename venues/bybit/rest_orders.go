package bybit

import (
	"context"
	"net/http"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/refusal"
	"venuegate/venues/internal/restclient"
)

const (
	createPath = "/v5/order/create"
	amendPath  = "/v5/order/amend"
	cancelPath = "/v5/order/cancel"
)

// createBody is POST /v5/order/create.
type createBody struct {
	Category         string        `json:"category"`
	Symbol           string        `json:"symbol"`
	Side             string        `json:"side"`
	OrderType        string        `json:"orderType"`
	Qty              string        `json:"qty"`
	Price            string        `json:"price,omitempty"`
	TimeInForce      string        `json:"timeInForce,omitempty"`
	PositionIdx      positionIndex `json:"positionIdx"`
	OrderLinkID      string        `json:"orderLinkId"`
	ReduceOnly       bool          `json:"reduceOnly"`
	CloseOnTrigger   bool          `json:"closeOnTrigger,omitempty"`
	TriggerPrice     string        `json:"triggerPrice,omitempty"`
	TriggerDirection int           `json:"triggerDirection,omitempty"`
	TriggerBy        string        `json:"triggerBy,omitempty"`
	TpslMode         string        `json:"tpslMode,omitempty"`
	TakeProfit       string        `json:"takeProfit,omitempty"`
	StopLoss         string        `json:"stopLoss,omitempty"`
	TpTriggerBy      string        `json:"tpTriggerBy,omitempty"`
	SlTriggerBy      string        `json:"slTriggerBy,omitempty"`
}

const (
	// byLastPrice makes triggers compare with the last traded price.
	byLastPrice = "LastPrice"
	// wholePosition makes protection follow the position's size.
	wholePosition = "Full"
)

// Trigger directions of the venue.
const (
	triggerRising  = 1
	triggerFalling = 2
)

// ackRecord is the answer to a change of an order.
type ackRecord struct {
	OrderID     string `json:"orderId"`
	OrderLinkID string `json:"orderLinkId"`
}

// Place sends one order. Its report is Pending: the venue has received the order,
// and the private stream tells whether it lives.
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
	if refusal.Is(err, codeParameter) {
		// One of the many meanings of this code is that the instrument is in the
		// other position mode. Whatever it was, nothing was placed.
		if fresh, unread := a.readHedge(ctx, r.Symbol); unread == nil && fresh != hedge {
			report, err = a.create(ctx, &r, body, fresh)
		}
	}
	if refusal.Is(err, codeInsufficientMargin) {
		err = a.explainMargin(ctx, &r, err)
	}
	if refusal.Is(err, codeReductionRefused) {
		err = a.explainReduction(ctx, &r, err)
	}
	return a.acknowledged.Note(began, report, err)
}

// createBody is the order without what depends on the position mode.
func (a *Account) createBody(ctx context.Context, r *venues.OrderRequest) (createBody, error) {
	body := createBody{
		Category: category, Symbol: a.c.venueSymbol(r.Symbol), Side: formatSide(r.Side), OrderType: formatType(r.Type),
		Qty: venues.FormatDecimal(r.Qty), OrderLinkID: r.ClientOrderID, ReduceOnly: r.ReduceOnly,
	}
	if !r.Type.IsMarket() {
		body.Price, body.TimeInForce = venues.FormatOptional(r.Price), formatTimeInForce(r.TimeInForce, r.PostOnly)
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
		return body, venues.InvalidFields(venues.FieldFault{Field: "triggerPrice", Rule: "missing"})
	}
	direction, err := a.triggerDirection(ctx, r)
	body.TriggerPrice, body.TriggerBy, body.TriggerDirection = venues.FormatOptional(r.TriggerPrice), byLastPrice, direction
	return body, err
}

// triggerDirection is which way the price must go to the trigger: as asked, or
// away from where it is now.
func (a *Account) triggerDirection(ctx context.Context, r *venues.OrderRequest) (int, error) {
	when := r.TriggerWhen
	if when == "" {
		last, err := a.c.lastPrice(ctx, r.Symbol)
		if err != nil {
			return 0, err
		}
		when = venues.TriggerFalling
		if r.TriggerPrice.Decimal.GreaterThanOrEqual(last) {
			when = venues.TriggerRising
		}
	}
	if when == venues.TriggerRising {
		return triggerRising, nil
	}
	return triggerFalling, nil
}

func (a *Account) create(ctx context.Context, r *venues.OrderRequest, body createBody, hedge bool) (venues.ExecutionReport, error) {
	body.PositionIdx = indexOf(hedge, r.Side, body.ReduceOnly)
	ref := venues.OrderRef{Symbol: r.Symbol, ClientOrderID: r.ClientOrderID, Type: r.Type}
	report, err := a.change(ctx, ref, request{path: createPath, body: body, lane: restclient.OrderLane(body.ReduceOnly), deadline: r.Deadline})
	if err != nil {
		return report, err
	}
	report.Side, report.Qty, report.Price, report.TriggerPrice = r.Side, r.Qty, r.Price, r.TriggerPrice
	report.ReduceOnly, report.PostOnly, report.TimeInForce = body.ReduceOnly, r.PostOnly, r.TimeInForce
	return report, nil
}

// change sends a change of an order. The answer holds ids alone, which must be
// those of the order.
func (a *Account) change(ctx context.Context, ref venues.OrderRef, r request) (venues.ExecutionReport, error) {
	r.method, r.account, r.mutates = http.MethodPost, a, true
	var answer ackRecord
	if err := a.c.call(ctx, r, &answer); err != nil {
		return venues.ExecutionReport{}, err
	}
	if answer.OrderID == "" {
		return venues.ExecutionReport{}, malformed(r, payload.Missing("orderId"))
	}
	if ref.ClientOrderID != "" && answer.OrderLinkID != ref.ClientOrderID {
		return venues.ExecutionReport{}, malformed(r, payload.UnknownWord("orderLinkId", answer.OrderLinkID))
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

// Amend changes quantity, price and trigger in place; the ids stay. Its report is
// Pending and holds no terms: the private stream tells them. A request that
// changes nothing is refused by the venue; it answers with the order as it is. A
// stop is looked at first: what can be changed of it depends on whether it waits.
func (a *Account) Amend(ctx context.Context, r venues.AmendRequest) (venues.ExecutionReport, error) {
	body := amendBody{Category: category, Symbol: a.c.venueSymbol(r.Symbol), Qty: venues.FormatDecimal(r.Qty)}
	if !r.Type.IsMarket() {
		body.Price = venues.FormatOptional(r.Price)
	}
	body.OrderLinkID, body.OrderID = idsOf(r.OrderRef)
	if r.Type.IsStop() {
		now, err := a.Order(ctx, r.OrderRef)
		if err != nil {
			return venues.ExecutionReport{}, restclient.NotSent(err)
		}
		if now.Status == venues.StatusUntriggered {
			body.TriggerPrice = venues.FormatOptional(r.TriggerPrice)
		}
		if now.Qty.IsZero() { // it closes whatever there is
			body.Qty = ""
		}
	}
	began := time.Now()
	report, err := a.change(ctx, r.OrderRef, request{path: amendPath, body: body, lane: restclient.OrderLane(r.ReduceOnly), deadline: r.Deadline})
	if refusal.Is(err, codeParameter) {
		if now, unread := a.Order(ctx, r.OrderRef); unread == nil && isAsWanted(&now, &r) {
			return now, nil
		}
	}
	return a.acknowledged.Note(began, report, err)
}

func isAsWanted(now *venues.ExecutionReport, r *venues.AmendRequest) bool {
	return now.Status.IsActive() && now.Qty.Equal(r.Qty) &&
		(r.Type.IsMarket() || !r.Price.Valid || venues.EqualOptional(now.Price, r.Price)) &&
		(!r.TriggerPrice.Valid || venues.EqualOptional(now.TriggerPrice, r.TriggerPrice))
}

// idsOf names an order by one of its ids, ours first: the venue would prefer its
// own if it got both.
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

// Cancel asks the venue to end an order, which may be filled in between: its
// report is Pending.
func (a *Account) Cancel(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	body := cancelBody{Category: category, Symbol: a.c.venueSymbol(ref.Symbol)}
	body.OrderLinkID, body.OrderID = idsOf(ref)
	began := time.Now()
	report, err := a.change(ctx, ref, request{path: cancelPath, body: body, lane: restclient.LaneCancel})
	return a.acknowledged.Note(began, report, err)
}
