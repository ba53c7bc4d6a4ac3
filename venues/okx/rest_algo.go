package okx

import (
	"context"
	"net/http"

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
	// algoLimit is the venue's for each of them.
	algoLimit = 20
)

// lastPriceTrigger makes a trigger compare with the last traded price.
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
	// AttachAlgoOrds protect the position that a trigger order opens.
	AttachAlgoOrds []attachedStop `json:"attachAlgoOrds,omitempty"`
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

// algoName names an algo order.
type algoName struct {
	InstID      string `json:"instId"`
	AlgoID      string `json:"algoId,omitempty"`
	AlgoClOrdID string `json:"algoClOrdId,omitempty"`
}

func algoNameOf(k *contract, ref venues.OrderRef) algoName {
	if ref.ClientOrderID != "" {
		return algoName{InstID: k.VenueSymbol, AlgoClOrdID: ref.ClientOrderID}
	}
	return algoName{InstID: k.VenueSymbol, AlgoID: ref.VenueOrderID}
}

// placeAlgo sends an order with a trigger. The venue checks no margin before the
// trigger, so such an order can still be rejected then.
func (a *Account) placeAlgo(ctx context.Context, k *contract, r *venues.OrderRequest, m tradeModes) (venues.ExecutionReport, error) {
	command, err := a.algoCommand(ctx, k, r, m)
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	accepted, err := a.send(ctx, change{
		path: algoPath, limit: algoLimit, body: command, k: k, lane: restclient.OrderLane(r.ReduceOnly || r.ClosePosition), deadline: r.Deadline,
	})
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	if accepted.AlgoID == "" {
		return venues.ExecutionReport{}, restclient.OutcomeUnknown(restclient.Unreadable(http.MethodPost, algoPath, payload.Missing("algoId")))
	}
	report := placed(k, r, accepted.AlgoID, venues.StatusUntriggered, accepted.TS.Time)
	report.ConditionalID = true
	return report, nil
}

func (a *Account) algoCommand(ctx context.Context, k *contract, r *venues.OrderRequest, m tradeModes) (algoCommand, error) {
	reduces := r.ReduceOnly || r.ClosePosition
	if err := checkStop(r, reduces); err != nil {
		return algoCommand{}, restclient.NotSent(err)
	}
	last, err := a.c.lastPrice(ctx, k)
	if err != nil {
		return algoCommand{}, restclient.NotSent(err)
	}
	direction := venues.TriggerFalling
	if r.TriggerPrice.Decimal.GreaterThanOrEqual(last) {
		direction = venues.TriggerRising
	}
	if r.TriggerWhen != "" && r.TriggerWhen != direction {
		return algoCommand{}, venues.Errorf(venues.CodeInvalidRequest, "the trigger is already reached").
			With("reason", venues.ReasonWouldTrigger).With("lastPrice", venues.FormatDecimal(last))
	}
	command := algoCommand{
		InstID: k.VenueSymbol, TdMode: string(m.margin), AlgoClOrdID: r.ClientOrderID,
		Side: string(r.Side), PosSide: m.posSide(r.Side, reduces), ReduceOnly: reduces && !m.hedge,
	}
	if r.ClosePosition {
		command.CloseFraction = "1"
	} else if command.Sz, err = k.contracts(r.Qty); err != nil {
		return algoCommand{}, restclient.NotSent(err)
	}
	command.setTrigger(r, reduces, direction)
	return command, nil
}

// checkStop refuses what the venue has no words for.
func checkStop(r *venues.OrderRequest, reduces bool) error {
	timed := r.TimeInForce == venues.ImmediateOrCancel || r.TimeInForce == venues.FillOrKill
	switch {
	case !r.TriggerPrice.Valid:
		return venues.InvalidFields(venues.FieldFault{Field: "triggerPrice", Rule: "missing"})
	case r.Type == venues.TypeStopLimit && !r.Price.Valid:
		return venues.InvalidFields(venues.FieldFault{Field: "price", Rule: "missing"})
	case r.PostOnly:
		return venues.InvalidFields(venues.FieldFault{Field: "postOnly", Rule: "not_applicable", Given: "true", Allowed: "false for stops"})
	case r.Type == venues.TypeStopLimit && timed && reduces:
		return venues.InvalidFields(venues.FieldFault{
			Field: "timeInForce", Rule: "not_applicable", Given: string(r.TimeInForce), Allowed: string(venues.GoodTillCancel),
		})
	}
	return nil
}

// setTrigger says when and as what the order goes to the market. Of an order that
// only reduces the venue must know whether it stops a loss or takes a profit: a
// loss is stopped when the price moves in the order's own direction.
func (w *algoCommand) setTrigger(r *venues.OrderRequest, reduces bool, direction venues.TriggerDirection) {
	trigger, price := venues.FormatOptional(r.TriggerPrice), marketOrder
	if r.Type == venues.TypeStopLimit {
		price = venues.FormatOptional(r.Price)
	}
	switch {
	case !reduces:
		w.OrdType, w.TriggerPx, w.TriggerPxType, w.OrderPx = algoTrigger, trigger, lastPriceTrigger, price
		w.AttachAlgoOrds = attached(&r.OrderSpec, r.ClientOrderID)
		if r.Type == venues.TypeStopLimit && r.TimeInForce != venues.GoodTillCancel {
			w.AdvanceOrdType = string(r.TimeInForce) // the venue's words are ours
		}
	case (r.Side == venues.Buy) == (direction == venues.TriggerRising):
		w.OrdType, w.SlTriggerPx, w.SlTriggerPxType, w.SlOrdPx = algoConditional, trigger, lastPriceTrigger, price
	default:
		w.OrdType, w.TpTriggerPx, w.TpTriggerPxType, w.TpOrdPx = algoConditional, trigger, lastPriceTrigger, price
	}
}

// amendAlgo changes a stop: in place while it waits, as the order it became later.
func (a *Account) amendAlgo(ctx context.Context, k *contract, r venues.AmendRequest) error {
	now, err := a.readAlgo(ctx, k, r.OrderRef)
	if err != nil {
		return restclient.NotSent(err)
	}
	if id := now.child(); id != "" {
		child := r
		child.OrderRef = venues.OrderRef{Symbol: r.Symbol, VenueOrderID: id, Type: venues.TypeLimit}
		if r.Type.IsMarket() {
			return notAmendable()
		}
		return a.amendOrder(ctx, k, child)
	}
	amendment := algoAmendment{InstID: k.VenueSymbol, AlgoID: now.AlgoID}
	if now.CloseFraction == "" {
		if amendment.NewSz, err = k.contracts(r.Qty); err != nil {
			return restclient.NotSent(err)
		}
	}
	amendment.setTerms(now, r)
	_, err = a.send(ctx, change{
		path: algoAmendPath, limit: algoLimit, body: amendment, k: k, lane: restclient.OrderLane(r.ReduceOnly), deadline: r.Deadline,
	})
	return err
}

func (w *algoAmendment) setTerms(now *algoRecord, r venues.AmendRequest) {
	trigger, price := venues.FormatOptional(r.TriggerPrice), marketOrder
	if r.Type == venues.TypeStopLimit {
		price = venues.FormatOptional(r.Price)
	}
	switch {
	case now.OrdType == algoTrigger:
		w.NewTriggerPx, w.NewOrdPx = trigger, price
	case now.SlTriggerPx.Positive().Valid:
		w.NewSlTriggerPx, w.NewSlOrdPx = trigger, price
	default:
		w.NewTpTriggerPx, w.NewTpOrdPx = trigger, price
	}
}

// cancelStop cancels a stop, or the order that it became.
func (a *Account) cancelStop(ctx context.Context, k *contract, ref venues.OrderRef) error {
	_, err := a.send(ctx, change{
		path: algoCancelPath, limit: algoLimit, body: []algoName{algoNameOf(k, ref)}, k: k, lane: restclient.LaneCancel,
	})
	if !isGone(err) {
		return err
	}
	if now, lost := a.readAlgo(ctx, k, ref); lost == nil && now.child() != "" {
		return a.cancelOrder(ctx, k, orderName{instrumentName: k.name(), OrdID: now.child()})
	}
	if ref.ClientOrderID == "" {
		return a.cancelOrder(ctx, k, orderName{instrumentName: k.name(), OrdID: ref.VenueOrderID})
	}
	return err
}

// readAlgo asks for an algo order by its name.
func (a *Account) readAlgo(ctx context.Context, k *contract, ref venues.OrderRef) (*algoRecord, error) {
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
		return nil, notShown()
	}
	return &rows[0], nil
}

// queryAlgo reads a stop and, once it has triggered, the order that it became.
func (a *Account) queryAlgo(ctx context.Context, k *contract, ref venues.OrderRef) (venues.ExecutionReport, error) {
	row, err := a.readAlgo(ctx, k, ref)
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	return a.followAlgo(ctx, k, row)
}

// followAlgo tells a stop with the state of the order that it became. The venue
// remembers the stop for longer than that order: without it the stop's own state says
// nothing.
func (a *Account) followAlgo(ctx context.Context, k *contract, row *algoRecord) (venues.ExecutionReport, error) {
	stop, err := row.report(k)
	if err != nil {
		return venues.ExecutionReport{}, restclient.Unreadable(http.MethodGet, algoPath, err)
	}
	id := row.child()
	if id == "" || stop.Status == venues.StatusRejected {
		return stop, nil
	}
	ref := venues.OrderRef{Symbol: k.Symbol, VenueOrderID: id}
	child, err := a.queryOrder(ctx, k, ref)
	if isNotFound(err) {
		if a.c.clock.Now().Sub(stop.VenueTime) < absenceAfter {
			return stop, nil // it has only just triggered
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

// pendingKinds are asked for one after the other: the venue takes no other pairs.
var pendingKinds = []string{algoConditional + "," + algoOCO, algoTrigger, algoTrailing}

// addAlgos adds the stops that wait for their trigger.
func (a *Account) addAlgos(ctx context.Context, reports []venues.ExecutionReport) ([]venues.ExecutionReport, error) {
	for _, kinds := range pendingKinds {
		err := eachPage(pendingPagesMax, func(after string) (last string, more bool, err error) {
			var rows []algoRecord
			if err := a.get(ctx, algoPendingPath, pageAfter(restclient.Params{{"ordType", kinds}}, after), algoLimit, &rows); err != nil {
				return "", false, err
			}
			for n := range rows {
				if reports, err = a.addAlgo(ctx, reports, &rows[n]); err != nil {
					return "", false, restclient.Unreadable(http.MethodGet, algoPendingPath, err)
				}
				last = rows[n].AlgoID
			}
			return last, len(rows) == ordersPage, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return reports, nil
}

func (a *Account) addAlgo(ctx context.Context, reports []venues.ExecutionReport, row *algoRecord) ([]venues.ExecutionReport, error) {
	k, err := a.c.named(ctx, row.InstID)
	if err != nil || k == nil {
		return reports, err
	}
	report, err := row.report(k)
	if err != nil {
		return reports, err
	}
	return append(reports, report), nil
}
