package okx

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
	orderPath  = "/api/v5/trade/order"
	amendPath  = "/api/v5/trade/amend-order"
	cancelPath = "/api/v5/trade/cancel-order"
	// orderLimit is the venue's for each of them, per instrument.
	orderLimit = 60
)

// marketOrder is the venue's order price for "whatever the market gives".
const marketOrder = "-1"

// instrumentName names the instrument of a command: in a request by its name, on
// the socket by its code.
type instrumentName struct {
	InstID     string `json:"instId,omitempty"`
	InstIDCode int64  `json:"instIdCode,omitempty"`
}

func (k *contract) name() instrumentName { return instrumentName{InstID: k.VenueSymbol} }

// orderCommand places a market or limit order.
type orderCommand struct {
	instrumentName
	TdMode         string         `json:"tdMode"`
	ClOrdID        string         `json:"clOrdId,omitempty"`
	Side           string         `json:"side"`
	PosSide        string         `json:"posSide,omitempty"`
	OrdType        string         `json:"ordType"`
	Px             string         `json:"px,omitempty"`
	Sz             string         `json:"sz"`
	ReduceOnly     bool           `json:"reduceOnly,omitempty"`
	AttachAlgoOrds []attachedStop `json:"attachAlgoOrds,omitempty"`
}

// attachedStop is the protection that travels with an order.
type attachedStop struct {
	AttachAlgoClOrdID string `json:"attachAlgoClOrdId,omitempty"`
	TpTriggerPx       string `json:"tpTriggerPx,omitempty"`
	TpOrdPx           string `json:"tpOrdPx,omitempty"`
	TpTriggerPxType   string `json:"tpTriggerPxType,omitempty"`
	SlTriggerPx       string `json:"slTriggerPx,omitempty"`
	SlOrdPx           string `json:"slOrdPx,omitempty"`
	SlTriggerPxType   string `json:"slTriggerPxType,omitempty"`
}

// amendCommand changes a market or limit order; NewSz is the new total.
type amendCommand struct {
	instrumentName
	OrdID   string `json:"ordId,omitempty"`
	ClOrdID string `json:"clOrdId,omitempty"`
	NewSz   string `json:"newSz,omitempty"`
	NewPx   string `json:"newPx,omitempty"`
	// AttachAlgoOrds change what the order brings along.
	AttachAlgoOrds []attachedAmendment `json:"attachAlgoOrds,omitempty"`
}

// orderName names an order of the order endpoints.
type orderName struct {
	instrumentName
	OrdID   string `json:"ordId,omitempty"`
	ClOrdID string `json:"clOrdId,omitempty"`
}

// acceptance is what the venue says of a request that it took.
type acceptance struct {
	OrdID  string `json:"ordId"`
	AlgoID string `json:"algoId"`
	TS     moment `json:"ts"`
}

// Place sends one order: market and limit orders here, stops to the algo
// endpoints. The answer says that the venue has the order, not what became of it.
func (a *Account) Place(ctx context.Context, r venues.OrderRequest) (venues.ExecutionReport, error) {
	if !r.Deadline.IsZero() && !time.Now().Before(r.Deadline) {
		return venues.ExecutionReport{}, restclient.DeadlinePassed()
	}
	k, err := a.c.instrument(ctx, r.Symbol)
	if err != nil {
		return venues.ExecutionReport{}, restclient.NotSent(err)
	}
	margin, err := a.tradeMode(ctx, k.Symbol)
	if err != nil {
		return venues.ExecutionReport{}, restclient.NotSent(err)
	}
	place := a.placeOrder
	if r.Type.IsStop() {
		place = a.placeAlgo
	}
	began := time.Now()
	report, err := a.inKnownMode(ctx, func(hedge bool) (venues.ExecutionReport, error) {
		return place(ctx, k, &r, tradeModes{margin: margin, hedge: hedge})
	})
	if refusal.Is(err, codeMarginInsufficient, codeBalance, codeBalanceLegacy, codeBalanceZero) {
		err = a.explainMargin(ctx, k, &r, err)
	}
	return a.acknowledged.Note(began, report, err)
}

// tradeModes are the modes that an order must fit.
type tradeModes struct {
	margin venues.MarginMode
	hedge  bool
}

// posSide is the parameter that hedge mode demands: an order that reduces works
// on the position opposite to its side.
func (m tradeModes) posSide(side venues.Side, reduces bool) string {
	switch {
	case !m.hedge:
		return ""
	case (side == venues.Buy) != reduces:
		return string(bookLong)
	}
	return string(bookShort)
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

func (a *Account) placeOrder(ctx context.Context, k *contract, r *venues.OrderRequest, m tradeModes) (venues.ExecutionReport, error) {
	size, err := k.contracts(r.Qty)
	if err != nil {
		return venues.ExecutionReport{}, restclient.NotSent(err)
	}
	command := orderCommand{
		instrumentName: k.name(), TdMode: string(m.margin), ClOrdID: r.ClientOrderID,
		Side: string(r.Side), PosSide: m.posSide(r.Side, r.ReduceOnly), OrdType: formatOrderKind(&r.OrderSpec),
		Sz: size, ReduceOnly: r.ReduceOnly && !m.hedge, AttachAlgoOrds: attached(&r.OrderSpec, r.ClientOrderID),
	}
	if !r.Type.IsMarket() {
		command.Px = venues.FormatOptional(r.Price)
	}
	accepted, err := a.send(ctx, change{path: orderPath, limit: orderLimit, body: command, k: k, lane: restclient.OrderLane(r.ReduceOnly), counted: true, deadline: r.Deadline})
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	if accepted.OrdID == "" {
		return venues.ExecutionReport{}, restclient.OutcomeUnknown(restclient.Unreadable(http.MethodPost, orderPath, payload.Missing("ordId")))
	}
	return placed(k, r, accepted.OrdID, venues.StatusPending, accepted.TS.Time), nil
}

// placed is the report of an order of which only its acceptance is known.
func placed(k *contract, r *venues.OrderRequest, id string, status venues.OrderStatus, at time.Time) venues.ExecutionReport {
	report := venues.ExecutionReport{
		Symbol: k.Symbol, ClientOrderID: r.ClientOrderID, VenueOrderID: id,
		Side: r.Side, Type: r.Type, Status: status, Qty: r.Qty, Price: r.Price, TriggerPrice: r.TriggerPrice,
		ReduceOnly: r.ReduceOnly || r.ClosePosition, PostOnly: r.PostOnly, TimeInForce: r.TimeInForce, VenueTime: at,
	}
	if r.Type.IsMarket() {
		report.Price = venues.Optional{}
	}
	return report
}

// change is one request that changes orders.
type change struct {
	path     string
	limit    int
	body     any
	k        *contract
	lane     restclient.Lane
	counted  bool
	deadline time.Time
}

func (a *Account) send(ctx context.Context, w change) (acceptance, error) {
	var rows []acceptance
	err := a.c.call(ctx, request{
		method: http.MethodPost, path: w.path, body: w.body, account: a, lane: w.lane,
		limit:   allowance{name: w.path, limit: w.limit, scope: w.k.VenueSymbol},
		mutates: true, counted: w.counted, itemized: true, deadline: w.deadline, changes: w.k,
	}, &rows)
	if err != nil {
		return acceptance{}, err
	}
	return rows[0], nil // judged: there is exactly one
}

// Amend changes price and quantity of a limit order, or the terms of a stop. The
// venue carries it out later; what it shows right after is returned.
func (a *Account) Amend(ctx context.Context, r venues.AmendRequest) (venues.ExecutionReport, error) {
	k, err := a.c.instrument(ctx, r.Symbol)
	if err != nil {
		return venues.ExecutionReport{}, restclient.NotSent(err)
	}
	began := time.Now()
	amend := a.amendOrder
	if r.Type.IsStop() {
		amend = a.amendAlgo
	}
	err = amend(ctx, k, r)
	if err != nil && !refusal.Is(err, codeNothingToAmend) {
		return venues.ExecutionReport{}, err
	}
	report, err := a.readBack(ctx, r.OrderRef)
	return a.acknowledged.Note(began, report, err)
}

// readBack shows an order after a change that the venue took: without it the
// outcome is not known.
func (a *Account) readBack(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	report, err := a.Order(ctx, ref)
	if err != nil {
		return venues.ExecutionReport{}, restclient.OutcomeUnknown(err)
	}
	return report, nil
}

func (a *Account) amendOrder(ctx context.Context, k *contract, r venues.AmendRequest) error {
	if r.Type.IsMarket() {
		return notAmendable()
	}
	size, err := k.contracts(r.Qty)
	if err != nil {
		return restclient.NotSent(err)
	}
	name := nameOf(k, r.OrderRef)
	_, err = a.send(ctx, change{
		path: amendPath, limit: orderLimit, k: k, lane: restclient.OrderLane(r.ReduceOnly), counted: true, deadline: r.Deadline,
		body: amendCommand{instrumentName: name.instrumentName, OrdID: name.OrdID, ClOrdID: name.ClOrdID, NewSz: size, NewPx: venues.FormatOptional(r.Price)},
	})
	return err
}

func notAmendable() error {
	return restclient.NotSent(venues.Errorf(venues.CodeInvalidRequest, "the venue does not amend such orders").With("reason", "not_amendable"))
}

// nameOf prefers the client id: the venue id of a stop may be that of its child.
func nameOf(k *contract, ref venues.OrderRef) orderName {
	if ref.ClientOrderID != "" {
		return orderName{instrumentName: k.name(), ClOrdID: ref.ClientOrderID}
	}
	return orderName{instrumentName: k.name(), OrdID: ref.VenueOrderID}
}

// Cancel cancels an order and shows what became of it. A stop is looked for among
// the algo orders first and, should it have triggered, as the order it became.
func (a *Account) Cancel(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	k, err := a.c.instrument(ctx, ref.Symbol)
	if err != nil {
		return venues.ExecutionReport{}, restclient.NotSent(err)
	}
	began := time.Now()
	switch {
	case ref.Type.IsStop():
		err = a.cancelStop(ctx, k, ref)
	case ref.Type == "":
		if err = a.cancelOrder(ctx, k, nameOf(k, ref)); isGone(err) {
			if second := a.cancelStop(ctx, k, ref); !isGone(second) {
				err = second
			}
		}
	default:
		err = a.cancelOrder(ctx, k, nameOf(k, ref))
	}
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	report, err := a.readBack(ctx, ref)
	return a.acknowledged.Note(began, report, err)
}

// cancelOrder asks for a cancel; one that is under way already is as good.
func (a *Account) cancelOrder(ctx context.Context, k *contract, name orderName) error {
	_, err := a.send(ctx, change{path: cancelPath, limit: orderLimit, body: name, k: k, lane: restclient.LaneCancel})
	if refusal.Is(err, codeCancelling) {
		return nil
	}
	return err
}
