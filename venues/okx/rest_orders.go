package okx

import (
	"context"
	"net/http"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
)

const (
	orderPath  = "/api/v5/trade/order"
	amendPath  = "/api/v5/trade/amend-order"
	cancelPath = "/api/v5/trade/cancel-order"
	// orderLimit is the venue's rate limit of each of these paths, per instrument.
	orderLimit = 60
)

// marketOrder is the order price that means a market order.
const marketOrder = "-1"

// instrumentName identifies the instrument of a command: by its id in REST requests, by
// its code on the WebSocket.
type instrumentName struct {
	InstID     string `json:"instId,omitempty"`
	InstIDCode int64  `json:"instIdCode,omitempty"`
}

func (k *instrument) name() instrumentName { return instrumentName{InstID: k.VenueSymbol} }

// orderCommand places a market or limit order.
type orderCommand struct {
	instrumentName
	TdMode         string               `json:"tdMode"`
	ClOrdID        string               `json:"clOrdId,omitempty"`
	Side           string               `json:"side"`
	PosSide        string               `json:"posSide,omitempty"`
	OrdType        string               `json:"ordType"`
	Px             string               `json:"px,omitempty"`
	Sz             string               `json:"sz"`
	ReduceOnly     bool                 `json:"reduceOnly,omitempty"`
	AttachAlgoOrds []attachedProtection `json:"attachAlgoOrds,omitempty"`
}

// attachedProtection is the protection attached to an order.
type attachedProtection struct {
	AttachAlgoClOrdID string `json:"attachAlgoClOrdId,omitempty"`
	TpTriggerPx       string `json:"tpTriggerPx,omitempty"`
	TpOrdPx           string `json:"tpOrdPx,omitempty"`
	TpTriggerPxType   string `json:"tpTriggerPxType,omitempty"`
	SlTriggerPx       string `json:"slTriggerPx,omitempty"`
	SlOrdPx           string `json:"slOrdPx,omitempty"`
	SlTriggerPxType   string `json:"slTriggerPxType,omitempty"`
}

// amendCommand changes a market or limit order. NewSz is the new total.
type amendCommand struct {
	instrumentName
	OrdID   string `json:"ordId,omitempty"`
	ClOrdID string `json:"clOrdId,omitempty"`
	NewSz   string `json:"newSz,omitempty"`
	NewPx   string `json:"newPx,omitempty"`
	// AttachAlgoOrds changes the protection attached to the order.
	AttachAlgoOrds []attachedAmendment `json:"attachAlgoOrds,omitempty"`
}

// orderName identifies an order of the order endpoints.
type orderName struct {
	instrumentName
	OrdID   string `json:"ordId,omitempty"`
	ClOrdID string `json:"clOrdId,omitempty"`
}

// acceptance is the venue's answer to an accepted request.
type acceptance struct {
	OrdID  string    `json:"ordId"`
	AlgoID string    `json:"algoId"`
	TS     milliTime `json:"ts"`
}

// Place places one order: market and limit orders here, stops at the algo endpoints. The
// answer means that the venue has received the order; its state follows on the private
// stream.
func (a *Account) Place(ctx context.Context, r venues.OrderRequest) (venues.ExecutionReport, error) {
	if !r.Deadline.IsZero() && !time.Now().Before(r.Deadline) {
		return venues.ExecutionReport{}, restclient.DeadlinePassed()
	}
	k, err := a.c.instrument(ctx, r.Symbol)
	if err != nil {
		return venues.ExecutionReport{}, restclient.NotSent(err)
	}
	margin, err := a.marginMode(ctx, k.Symbol)
	if err != nil {
		return venues.ExecutionReport{}, restclient.NotSent(err)
	}
	place := a.placeOrder
	if r.Type.IsStop() {
		place = a.placeAlgo
	}
	began := time.Now()
	report, err := a.mode.Place(ctx, a.Mode, isPositionModeRejection, func(hedge bool) (venues.ExecutionReport, error) {
		return place(ctx, k, &r, tradeModes{margin: margin, hedge: hedge})
	})
	if rejection.Is(err, codeMarginInsufficient, codeBalance, codeBalanceLegacy, codeBalanceZero) {
		err = a.explainMargin(ctx, k, &r, err)
	}
	return a.lastAck.Record(began, report, err)
}

// tradeModes are the margin mode and the position mode that an order must match.
type tradeModes struct {
	margin venues.MarginMode
	hedge  bool
}

// posSide returns the parameter that hedge mode requires.
func (m tradeModes) posSide(side venues.Side, reduces bool) string {
	return string(connector.PositionOf(m.hedge, side, reduces))
}

func (a *Account) placeOrder(ctx context.Context, k *instrument, r *venues.OrderRequest, m tradeModes) (venues.ExecutionReport, error) {
	size, err := k.toContracts(r.Qty)
	if err != nil {
		return venues.ExecutionReport{}, restclient.NotSent(err)
	}
	command := orderCommand{
		instrumentName: k.name(), TdMode: string(m.margin), ClOrdID: r.ClientOrderID,
		Side: string(r.Side), PosSide: m.posSide(r.Side, r.ReduceOnly), OrdType: formatOrderKind(&r.OrderSpec),
		Sz: size, ReduceOnly: r.ReduceOnly && !m.hedge, AttachAlgoOrds: protectionOf(&r.OrderSpec, r.ClientOrderID),
	}
	if !r.Type.IsMarket() {
		command.Px = venues.FormatOptional(r.Price)
	}
	accepted, err := a.sendChange(ctx, change{path: orderPath, perWindow: orderLimit, body: command, instrument: k, priority: restclient.OrderPriority(r.ReduceOnly), countsOrder: true, deadline: r.Deadline})
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	if accepted.OrdID == "" {
		return venues.ExecutionReport{}, restclient.OutcomeUnknown(restclient.Unreadable(http.MethodPost, orderPath, payload.Missing("ordId")))
	}
	return acceptedReport(k, r, accepted.OrdID, venues.StatusPending, accepted.TS.Time), nil
}

// acceptedReport returns the report of an order that the venue has accepted: its terms are
// those of the request.
func acceptedReport(k *instrument, r *venues.OrderRequest, id string, status venues.OrderStatus, at time.Time) venues.ExecutionReport {
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

// change is what differs between the requests that change orders; sendChange makes the
// request of it.
type change struct {
	path        string
	perWindow   int // the venue's rate limit of the path
	body        any
	instrument  *instrument
	priority    restclient.Priority
	countsOrder bool
	deadline    time.Time
}

// sendChange sends a change and returns the only item of the answer.
func (a *Account) sendChange(ctx context.Context, c change) (acceptance, error) {
	var rows []acceptance
	err := a.c.call(ctx, request{
		method: http.MethodPost, path: c.path, body: c.body, account: a, priority: c.priority,
		limit:   rateLimit{name: c.path, requests: c.perWindow, scope: c.instrument.VenueSymbol},
		mutates: true, countsOrder: c.countsOrder, itemized: true, deadline: c.deadline, instrument: c.instrument,
	}, &rows)
	if err != nil {
		return acceptance{}, err
	}
	return rows[0], nil // classify has checked that there is exactly one
}

// Amend changes price and quantity of a limit order, or the terms of a stop. The venue
// executes the change later; the state right after it is returned.
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
	if err != nil && !rejection.Is(err, codeNothingToAmend) {
		return venues.ExecutionReport{}, err
	}
	report, err := a.readBack(ctx, r.OrderRef)
	return a.lastAck.Record(began, report, err)
}

// readBack reads an order after an accepted change. If that fails the outcome is unknown.
func (a *Account) readBack(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	report, err := a.Order(ctx, ref)
	if err != nil {
		return venues.ExecutionReport{}, restclient.OutcomeUnknown(err)
	}
	return report, nil
}

func (a *Account) amendOrder(ctx context.Context, k *instrument, r venues.AmendRequest) error {
	if r.Type.IsMarket() {
		return notAmendable()
	}
	size, err := k.toContracts(r.Qty)
	if err != nil {
		return restclient.NotSent(err)
	}
	name := orderNameOf(k, r.OrderRef)
	_, err = a.sendChange(ctx, change{
		path: amendPath, perWindow: orderLimit, instrument: k, priority: restclient.OrderPriority(r.ReduceOnly), countsOrder: true, deadline: r.Deadline,
		body: amendCommand{instrumentName: name.instrumentName, OrdID: name.OrdID, ClOrdID: name.ClOrdID, NewSz: size, NewPx: venues.FormatOptional(r.Price)},
	})
	return err
}

func notAmendable() error {
	return restclient.NotSent(venues.Errorf(venues.CodeInvalidRequest, "the venue does not amend such orders").With("reason", "not_amendable"))
}

// orderNameOf identifies an order by its client id if it has one: the venue id of a stop may
// be that of the order that it has become.
func orderNameOf(k *instrument, ref venues.OrderRef) orderName {
	if ref.ClientOrderID != "" {
		return orderName{instrumentName: k.name(), ClOrdID: ref.ClientOrderID}
	}
	return orderName{instrumentName: k.name(), OrdID: ref.VenueOrderID}
}

// Cancel cancels an order and returns its state. A stop is cancelled as an algo order
// first and, if it has triggered, as the order that it has become.
func (a *Account) Cancel(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	k, err := a.c.instrument(ctx, ref.Symbol)
	if err != nil {
		return venues.ExecutionReport{}, restclient.NotSent(err)
	}
	began := time.Now()
	switch {
	case ref.Type.IsStop():
		err = a.cancelStop(ctx, k, ref)
	case ref.Type == "": // an adopted order of unknown type: an order, else a stop
		if err = a.cancelOrder(ctx, k, orderNameOf(k, ref)); isGone(err) {
			if stopErr := a.cancelStop(ctx, k, ref); !isGone(stopErr) {
				err = stopErr
			}
		}
	default:
		err = a.cancelOrder(ctx, k, orderNameOf(k, ref))
	}
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	report, err := a.readBack(ctx, ref)
	return a.lastAck.Record(began, report, err)
}

// cancelOrder requests a cancel. One that is already pending counts as success.
func (a *Account) cancelOrder(ctx context.Context, k *instrument, name orderName) error {
	_, err := a.sendChange(ctx, change{path: cancelPath, perWindow: orderLimit, body: name, instrument: k, priority: restclient.PriorityCancel})
	if rejection.Is(err, codeCancelling) {
		return nil
	}
	return err
}
