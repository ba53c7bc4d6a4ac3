package okx

import (
	"context"
	"net/http"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

const (
	algoPath        = "/api/v5/trade/order-algo"
	algoCancelPath  = "/api/v5/trade/cancel-algos"
	algoAmendPath   = "/api/v5/trade/amend-algos"
	algoPendingPath = "/api/v5/trade/orders-algo-pending"
	algoHistoryPath = "/api/v5/trade/orders-algo-history"
	// algoLimit is the venue's rate limit of each of these paths.
	algoLimit = 20
)

// lastPriceTrigger compares a trigger with the last traded price.
const lastPriceTrigger = "last"

// algoCommand places an order with a trigger.
type algoCommand struct {
	InstID          string `json:"instId"`
	TdMode          string `json:"tdMode"`
	AlgoClOrdID     string `json:"algoClOrdId,omitempty"`
	Side            string `json:"side"`
	PosSide         string `json:"posSide,omitempty"`
	OrdType         string `json:"ordType"`
	Sz              string `json:"sz,omitempty"`
	CloseFraction   string `json:"closeFraction,omitempty"`
	ReduceOnly      bool   `json:"reduceOnly,omitempty"`
	TriggerPx       string `json:"triggerPx,omitempty"`
	TriggerPxType   string `json:"triggerPxType,omitempty"`
	OrderPx         string `json:"orderPx,omitempty"`
	AdvanceOrdType  string `json:"advanceOrdType,omitempty"`
	SlTriggerPx     string `json:"slTriggerPx,omitempty"`
	SlTriggerPxType string `json:"slTriggerPxType,omitempty"`
	SlOrdPx         string `json:"slOrdPx,omitempty"`
	TpTriggerPx     string `json:"tpTriggerPx,omitempty"`
	TpTriggerPxType string `json:"tpTriggerPxType,omitempty"`
	TpOrdPx         string `json:"tpOrdPx,omitempty"`
	// AttachAlgoOrds protects the position that a trigger order opens.
	AttachAlgoOrds []attachedProtection `json:"attachAlgoOrds,omitempty"`
}

// algoAmendment changes an untriggered algo order.
type algoAmendment struct {
	InstID         string `json:"instId"`
	AlgoID         string `json:"algoId,omitempty"`
	AlgoClOrdID    string `json:"algoClOrdId,omitempty"`
	NewSz          string `json:"newSz,omitempty"`
	NewTriggerPx   string `json:"newTriggerPx,omitempty"`
	NewOrdPx       string `json:"newOrdPx,omitempty"`
	NewSlTriggerPx string `json:"newSlTriggerPx,omitempty"`
	NewSlOrdPx     string `json:"newSlOrdPx,omitempty"`
	NewTpTriggerPx string `json:"newTpTriggerPx,omitempty"`
	NewTpOrdPx     string `json:"newTpOrdPx,omitempty"`
}

// algoName identifies an algo order.
type algoName struct {
	InstID      string `json:"instId"`
	AlgoID      string `json:"algoId,omitempty"`
	AlgoClOrdID string `json:"algoClOrdId,omitempty"`
}

func algoNameOf(k *instrument, ref venues.OrderRef) algoName {
	if ref.ClientOrderID != "" {
		return algoName{InstID: k.VenueSymbol, AlgoClOrdID: ref.ClientOrderID}
	}
	return algoName{InstID: k.VenueSymbol, AlgoID: ref.VenueOrderID}
}

// placeAlgo places an order with a trigger. The venue checks the margin only at the
// trigger, so the order can still be rejected then.
func (a *Account) placeAlgo(ctx context.Context, k *instrument, r *venues.OrderRequest, m tradeModes) (venues.ExecutionReport, error) {
	command, err := a.newAlgoCommand(ctx, k, r, m)
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	accepted, err := a.sendChange(ctx, change{
		path: algoPath, perWindow: algoLimit, body: command, instrument: k, priority: restclient.OrderPriority(r.ReduceOnly || r.ClosePosition), deadline: r.Deadline,
	})
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	if accepted.AlgoID == "" {
		return venues.ExecutionReport{}, restclient.OutcomeUnknown(restclient.Unreadable(http.MethodPost, algoPath, payload.Missing("algoId")))
	}
	report := acceptedReport(k, r, accepted.AlgoID, venues.StatusUntriggered, accepted.TS.Time)
	report.ConditionalID = true
	return report, nil
}

// newAlgoCommand returns the command for a stop. It reads the last price, because a
// reduce-only stop must be sent as a stop loss or as a take profit, and which of them it is
// depends on whether the price must rise or fall to the trigger (see setTrigger).
func (a *Account) newAlgoCommand(ctx context.Context, k *instrument, r *venues.OrderRequest, m tradeModes) (algoCommand, error) {
	reduces := r.ReduceOnly || r.ClosePosition
	if err := validateStop(&r.OrderSpec, reduces); err != nil {
		return algoCommand{}, restclient.NotSent(err)
	}
	direction, err := a.checkDirection(ctx, k, r.TriggerPrice.Decimal, r.TriggerDirection)
	if err != nil {
		return algoCommand{}, err
	}
	command := algoCommand{
		InstID: k.VenueSymbol, TdMode: string(m.margin), AlgoClOrdID: r.ClientOrderID,
		Side: string(r.Side), PosSide: m.posSide(r.Side, reduces), ReduceOnly: reduces && !m.hedge,
	}
	if r.ClosePosition {
		command.CloseFraction = "1"
	} else if command.Sz, err = k.toContracts(r.Qty); err != nil {
		return algoCommand{}, restclient.NotSent(err)
	}
	command.setTrigger(r, reduces, direction)
	return command, nil
}

// checkDirection returns the direction from the last price to a trigger, which is the one that
// the venue gives to an order with it. It returns an error if that is not the wanted one.
func (a *Account) checkDirection(
	ctx context.Context, k *instrument, trigger decimal.Decimal, wanted venues.TriggerDirection,
) (venues.TriggerDirection, error) {
	last, err := a.c.lastPrice(ctx, k)
	if err != nil {
		return "", restclient.NotSent(err)
	}
	direction := venues.TriggerFalling
	if trigger.GreaterThanOrEqual(last) {
		direction = venues.TriggerRising
	}
	if wanted != "" && wanted != direction {
		// Not ErrNotSent, which is for faults of the request: the market has moved past the
		// trigger, and the client sees the same order_rejected as from a venue that compares them.
		return "", venues.Errorf(venues.CodeInvalidRequest, "the trigger is already reached").
			With("reason", venues.ReasonWouldTrigger).With("lastPrice", venues.FormatDecimal(last))
	}
	return direction, nil
}

// checkOrder rejects an order that the venue does not support.
func checkOrder(r *venues.OrderSpec) *venues.Error {
	if !r.Type.IsStop() {
		return nil
	}
	return validateStop(r, r.ReduceOnly)
}

// validateStop rejects a stop that the venue does not support.
func validateStop(r *venues.OrderSpec, reduces bool) *venues.Error {
	timed := r.TimeInForce == venues.ImmediateOrCancel || r.TimeInForce == venues.FillOrKill
	switch {
	case !r.TriggerPrice.Valid:
		return venues.InvalidFields(venues.FieldError{Field: "triggerPrice", Rule: "missing"})
	case r.Type == venues.TypeStopLimit && !r.Price.Valid:
		return venues.InvalidFields(venues.FieldError{Field: "price", Rule: "missing"})
	case r.PostOnly:
		return venues.InvalidFields(venues.FieldError{Field: "postOnly", Rule: "not_applicable", Given: "true", Allowed: "false for stops"})
	case r.Type == venues.TypeStopLimit && timed && reduces:
		return venues.InvalidFields(venues.FieldError{
			Field: "timeInForce", Rule: "not_applicable", Given: string(r.TimeInForce), Allowed: string(venues.GoodTillCancel),
		})
	}
	return nil
}

// setTrigger sets the trigger and the order that it places. A reduce-only order must be
// sent as a stop loss or as a take profit. It is a stop loss if the price reaches the
// trigger by moving in the direction of the order: a buy on a rising price, a sell on a
// falling one.
func (c *algoCommand) setTrigger(r *venues.OrderRequest, reduces bool, direction venues.TriggerDirection) {
	trigger, price := venues.FormatOptional(r.TriggerPrice), marketOrder
	if r.Type == venues.TypeStopLimit {
		price = venues.FormatOptional(r.Price)
	}
	switch {
	case !reduces:
		c.OrdType, c.TriggerPx, c.TriggerPxType, c.OrderPx = algoTrigger, trigger, lastPriceTrigger, price
		c.AttachAlgoOrds = protectionOf(&r.OrderSpec, r.ClientOrderID)
		if r.Type == venues.TypeStopLimit && r.TimeInForce != venues.GoodTillCancel {
			c.AdvanceOrdType = string(r.TimeInForce) // the venue has the same values
		}
	case (r.Side == venues.Buy) == (direction == venues.TriggerRising):
		c.OrdType, c.SlTriggerPx, c.SlTriggerPxType, c.SlOrdPx = algoConditional, trigger, lastPriceTrigger, price
	default:
		c.OrdType, c.TpTriggerPx, c.TpTriggerPxType, c.TpOrdPx = algoConditional, trigger, lastPriceTrigger, price
	}
}

// amendAlgo changes a stop: in place while it is untriggered, else as the order that it has
// become.
func (a *Account) amendAlgo(ctx context.Context, k *instrument, r venues.AmendRequest) error {
	stop, err := a.readAlgo(ctx, k, r.OrderRef)
	if err != nil {
		return restclient.NotSent(err)
	}
	if id := stop.childID(); id != "" {
		child := r
		child.OrderRef = venues.OrderRef{Symbol: r.Symbol, VenueOrderID: id, Type: venues.TypeLimit}
		if r.Type.IsMarket() {
			return notAmendable()
		}
		return a.amendOrder(ctx, k, child)
	}
	amendment := algoAmendment{InstID: k.VenueSymbol, AlgoID: stop.AlgoID}
	if stop.CloseFraction == "" {
		if amendment.NewSz, err = k.toContracts(r.Qty); err != nil {
			return restclient.NotSent(err)
		}
	}
	if stop.OrdType == algoTrigger && r.TriggerDirection != "" {
		if _, err = a.checkDirection(ctx, k, r.TriggerPrice.Decimal, r.TriggerDirection); err != nil {
			return err
		}
	}
	amendment.setTrigger(stop, r)
	_, err = a.sendChange(ctx, change{
		path: algoAmendPath, perWindow: algoLimit, body: amendment, instrument: k, priority: restclient.OrderPriority(r.ReduceOnly), deadline: r.Deadline,
	})
	return err
}

func (m *algoAmendment) setTrigger(stop *algoRecord, r venues.AmendRequest) {
	trigger, price := venues.FormatOptional(r.TriggerPrice), marketOrder
	if r.Type == venues.TypeStopLimit {
		price = venues.FormatOptional(r.Price)
	}
	switch {
	case stop.OrdType == algoTrigger:
		m.NewTriggerPx, m.NewOrdPx = trigger, price
	case stop.SlTriggerPx.Positive().Valid:
		m.NewSlTriggerPx, m.NewSlOrdPx = trigger, price
	default:
		m.NewTpTriggerPx, m.NewTpOrdPx = trigger, price
	}
}

// cancelStop cancels a stop. If it is no longer open it may have triggered: then the order
// that it has become is cancelled, by the id in the stop or, for a stop without a client id,
// by ref.VenueOrderID, which may be the id of that order. If neither applies, the error of
// the cancelled stop is returned.
func (a *Account) cancelStop(ctx context.Context, k *instrument, ref venues.OrderRef) error {
	_, err := a.sendChange(ctx, change{
		path: algoCancelPath, perWindow: algoLimit, body: []algoName{algoNameOf(k, ref)}, instrument: k, priority: restclient.PriorityCancel,
	})
	if !isGone(err) {
		return err
	}
	if stop, readErr := a.readAlgo(ctx, k, ref); readErr == nil && stop.childID() != "" {
		return a.cancelOrder(ctx, k, orderName{instrumentName: k.name(), OrdID: stop.childID()})
	}
	if ref.ClientOrderID == "" {
		return a.cancelOrder(ctx, k, orderName{instrumentName: k.name(), OrdID: ref.VenueOrderID})
	}
	return err
}

// readAlgo reads an algo order by its id.
func (a *Account) readAlgo(ctx context.Context, k *instrument, ref venues.OrderRef) (*algoRecord, error) {
	name := algoNameOf(k, ref)
	p := restclient.Params{{"algoId", name.AlgoID}}
	if name.AlgoClOrdID != "" {
		p = restclient.Params{{"algoClOrdId", name.AlgoClOrdID}}
	}
	var rows []algoRecord
	if err := a.get(ctx, algoPath, p, algoLimit, &rows); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, orderNotFound()
	}
	return &rows[0], nil
}

// queryAlgo returns a stop and, once it has triggered, the order that it has become.
func (a *Account) queryAlgo(ctx context.Context, k *instrument, ref venues.OrderRef) (venues.ExecutionReport, error) {
	row, err := a.readAlgo(ctx, k, ref)
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	return a.followAlgo(ctx, k, row)
}

// followAlgo returns a stop with the state of the order that it has become. The venue
// keeps the stop longer than that order. A triggered stop whose order is not found is not
// found either, because its own state does not show whether the order was filled.
func (a *Account) followAlgo(ctx context.Context, k *instrument, row *algoRecord) (venues.ExecutionReport, error) {
	stop, err := row.report(k)
	if err != nil {
		return venues.ExecutionReport{}, restclient.Unreadable(http.MethodGet, algoPath, err)
	}
	id := row.childID()
	if id == "" || stop.Status == venues.StatusRejected {
		return stop, nil
	}
	ref := venues.OrderRef{Symbol: k.Symbol, VenueOrderID: id}
	child, err := a.queryOrder(ctx, k, ref)
	if isNotFound(err) {
		if a.c.Clock.Now().Sub(stop.VenueTime) < absenceAfter {
			return stop, nil // it triggered just now
		}
		child, err = a.searchOrders(ctx, k, ref)
	}
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	child.ClientOrderID, child.Type, child.TriggerPrice = stop.ClientOrderID, stop.Type, stop.TriggerPrice
	child.Attachment, child.ParentID = stop.Attachment, row.AlgoID
	return child, nil
}

// pendingAlgoKinds are the values of ordType for which open stops are listed, one after the
// other. The venue accepts no combination but conditional with oco.
var pendingAlgoKinds = []string{algoConditional + "," + algoOCO, algoTrigger, algoTrailing}
