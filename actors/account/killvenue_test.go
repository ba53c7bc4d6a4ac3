package account

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/protection"
	"venuegate/venues"
)

// killVenue is a venue with one instrument that carries out the effects of a fixture. It
// outlives the kills of the account.
type killVenue struct {
	now      time.Time
	orders   []*killOrder
	position decimal.Decimal // of a long position
	fills    []venues.Fill
	// late are requests that were on their way when the account was killed.
	late   []effect
	lateAt time.Time
	// dropsStops loses the requests that place stops, failsCancels rejects cancels.
	dropsStops, failsCancels bool
	// attaches makes legs for orders with a stop loss or take profit, once they fill;
	// dropsLegs loses them.
	attaches, dropsLegs bool
}

// killOrder is an order at a killVenue. isLate marks one that arrived after a kill.
type killOrder struct {
	venues.ExecutionReport
	ReduceOnly, isLate bool
	// triggers are those that are attached to the order.
	triggers map[venues.LegKind]venues.Optional
	// of is the order to which the venue has attached this leg of a kind; nil if it is none.
	of   *killOrder
	kind venues.LegKind
}

func (v *killVenue) find(clientID string) *killOrder {
	return v.lookUp(venues.OrderRef{ClientOrderID: clientID})
}

func (v *killVenue) lookUp(ref venues.OrderRef) *killOrder {
	for _, o := range v.orders {
		if (o.ClientOrderID == ref.ClientOrderID && ref.ClientOrderID != "") || (o.VenueOrderID == ref.VenueOrderID && ref.VenueOrderID != "") {
			return o
		}
	}
	return nil
}

// place accepts stops and limit orders, and fills market orders.
func (v *killVenue) place(r venues.OrderRequest, isLate bool) (venues.ExecutionReport, error) {
	if r.ReduceOnly && !v.position.IsPositive() {
		return venues.ExecutionReport{}, venues.Errorf(venues.CodeOrderRejected, "no position").With("reason", venues.ReasonNoPosition)
	}
	o := &killOrder{ReduceOnly: r.ReduceOnly, isLate: isLate, ExecutionReport: venues.ExecutionReport{
		Symbol: r.Symbol, ClientOrderID: r.ClientOrderID, VenueOrderID: "v-" + r.ClientOrderID, Side: r.Side, Type: r.Type,
		Status: venues.StatusOpen, Qty: r.Qty, Price: r.Price, TriggerPrice: r.TriggerPrice, VenueTime: v.now,
	}}
	if v.attaches {
		o.triggers = map[venues.LegKind]venues.Optional{venues.LegStopLoss: r.StopLoss, venues.LegTakeProfit: r.TakeProfit}
	}
	v.orders = append(v.orders, o)
	switch {
	case r.Type.IsStop():
		o.Status = venues.StatusUntriggered
	case r.Type.IsMarket():
		v.fill(o, r.Qty)
	}
	return o.ExecutionReport, nil
}

// fill executes a part of an order. A reduce-only order executes no more than is open.
func (v *killVenue) fill(o *killOrder, qty decimal.Decimal) {
	o.Status = venues.StatusPartiallyFilled
	if o.ReduceOnly && qty.GreaterThan(v.position) {
		qty, o.Status = v.position, venues.StatusExpired
	}
	if o.FilledQty = o.FilledQty.Add(qty); o.FilledQty.Equal(o.Qty) {
		o.Status = venues.StatusFilled
	}
	if o.Side == venues.Sell {
		qty = qty.Neg()
	}
	v.position = v.position.Add(qty)
	f := venues.Fill{
		Symbol: o.Symbol, Side: o.Side, Qty: qty.Abs(), Price: venues.MustDecimal("60000"),
		Fee: venues.Some(venues.MustDecimal("0.5")), FeeCurrency: "USDT",
		VenueTradeID: "t-" + o.ClientOrderID + o.FilledQty.String(), VenueOrderID: o.VenueOrderID, ExecutedAt: venues.At(v.now),
	}
	v.fills = append(v.fills, f)
	o.Fill, o.VenueTime = &f, v.now
	for _, kind := range protection.Kinds() {
		v.attach(o, kind)
	}
}

// attach makes the leg of a kind of an order, or changes it. It has the size of the position.
func (v *killVenue) attach(o *killOrder, kind venues.LegKind) {
	trigger, leg := o.triggers[kind], v.legOf(o, kind)
	switch {
	case !o.FilledQty.IsPositive() || v.dropsLegs || (leg == nil && !trigger.Valid):
		return
	case leg == nil:
		id := "leg-" + string(kind) + "-" + o.VenueOrderID
		leg = &killOrder{ReduceOnly: true, of: o, kind: kind, ExecutionReport: venues.ExecutionReport{
			Symbol: o.Symbol, VenueOrderID: id, Side: o.Side.Opposite(), Type: venues.TypeStopMarket, Status: venues.StatusUntriggered, ReduceOnly: true,
		}}
		v.orders = append(v.orders, leg)
	case !trigger.Valid:
		leg.Status = venues.StatusCancelled
	}
	leg.Qty, leg.VenueTime = v.position, v.now
	if trigger.Valid {
		leg.TriggerPrice = trigger
		leg.Attachment = &venues.Attachment{EntryClientID: o.ClientOrderID, WholePosition: true}
		if kind == venues.LegStopLoss {
			leg.Attachment.StopLoss = trigger
		} else {
			leg.Attachment.TakeProfit = trigger
		}
	}
}

func (v *killVenue) legOf(o *killOrder, kind venues.LegKind) *killOrder {
	for _, leg := range v.orders {
		if leg.of == o && leg.kind == kind && !leg.Status.IsClosed() {
			return leg
		}
	}
	return nil
}

// legs returns the reports of the legs that the venue has made.
func (v *killVenue) legs() (list []venues.ExecutionReport) {
	for _, o := range v.orders {
		if o.of != nil {
			list = append(list, o.ExecutionReport)
		}
	}
	return list
}

// protect changes attached triggers.
func (v *killVenue) protect(r venues.ProtectRequest) error {
	o := v.lookUp(r.Entry)
	if o == nil {
		return notFound()
	}
	for kind, target := range map[venues.LegKind]*venues.Optional{venues.LegStopLoss: r.StopLoss, venues.LegTakeProfit: r.TakeProfit} {
		if target != nil {
			o.triggers[kind] = *target
			v.attach(o, kind)
		}
	}
	return nil
}

func (v *killVenue) amend(r venues.AmendRequest) (venues.ExecutionReport, error) {
	o := v.lookUp(r.OrderRef)
	if o == nil || o.Status.IsClosed() {
		return venues.ExecutionReport{}, notFound()
	}
	o.Qty, o.Price, o.Fill, o.VenueTime = r.Qty, r.Price, nil, v.now
	return o.ExecutionReport, nil
}

func (v *killVenue) cancel(ref venues.OrderRef) (venues.ExecutionReport, error) {
	o := v.lookUp(ref)
	if o == nil || o.Status.IsClosed() {
		return venues.ExecutionReport{}, notFound()
	}
	o.Status, o.Fill, o.VenueTime = venues.StatusCancelled, nil, v.now
	return o.ExecutionReport, nil
}

func (v *killVenue) open() (list []venues.ExecutionReport) {
	for _, o := range v.orders {
		if !o.Status.IsClosed() {
			list = append(list, o.ExecutionReport)
		}
	}
	return list
}

func (v *killVenue) funds() Funds {
	f := Funds{ReadAt: v.now}
	if v.position.IsPositive() {
		f.Positions = []venues.Position{{Symbol: "BTCUSDT", Side: venues.Long, Qty: v.position}}
	}
	return f
}

// fillsSince returns copies of the executions since a time.
func (v *killVenue) fillsSince(from time.Time) []venues.Fill {
	return slices.DeleteFunc(slices.Clone(v.fills), func(f venues.Fill) bool { return f.ExecutedAt.Before(from) })
}

// stops returns the stops that would close the position, at a trigger or, if it is empty, at
// any.
func (v *killVenue) stops(trigger string) (list []*killOrder) {
	for _, o := range v.orders {
		if o.Status == venues.StatusUntriggered && o.ReduceOnly && (trigger == "" || o.TriggerPrice.Decimal.Equal(venues.MustDecimal(trigger))) {
			list = append(list, o)
		}
	}
	return list
}

// carryOut carries out one effect and returns the message with its result; nil for none.
func (v *killVenue) carryOut(e effect, isLate bool) any {
	switch in := e.(type) {
	case callPlace:
		if v.dropsStops && in.request.Type.IsStop() {
			return placeDone{orderID: in.orderID, err: errTimeout}
		}
		report, err := v.place(in.request, isLate)
		return placeDone{in.orderID, report, err}
	case callCancel:
		if v.failsCancels {
			return cancelDone{orderID: in.orderID, err: errPoolFull}
		}
		report, err := v.cancel(in.ref)
		return cancelDone{in.orderID, report, err}
	case callAmend:
		report, err := v.amend(in.request)
		return amendDone{in.orderID, report, err}
	case callProtect:
		return protectDone{in.orderID, v.protect(in.request)}
	case callQuery:
		return v.query(in.orderID, in.ref)
	case callAbsenceCheck:
		return absenceCheckDone{orders: in.orders, open: v.open(), fills: v.fillsSince(in.from["BTCUSDT"]), knownOrders: map[venueKey]bool{}}
	case callHaltRead:
		return haltReadDone{open: v.open(), funds: v.funds(), versions: in.versions, maxMarketQty: map[string]decimal.Decimal{"BTCUSDT": venues.MustDecimal("0.4")}}
	case callFunds:
		return fundsDone{funds: v.funds(), part: in.part, versions: in.versions}
	case callFills:
		return fillsDone{orderID: in.orderID, fills: v.fillsSince(in.from)}
	case lookUpFills:
		return lookedUpFills{symbol: in.symbol, venueOrderID: in.venueOrderID, fills: in.fills, began: v.now}
	}
	return nil
}

func (v *killVenue) query(orderID string, ref venues.OrderRef) queryDone {
	done := queryDone{orderID: orderID, began: v.now, err: notFound()}
	if o := v.lookUp(ref); o != nil {
		done.report, done.err = o.ExecutionReport, nil
	}
	return done
}

// reconcile reads what the account reads in a reconciliation of a kind.
func (v *killVenue) reconcile(in callReconcile) reconcileDone {
	done := reconcileDone{kind: in.kind, startedAt: v.now.Add(time.Millisecond), fillsRead: map[string]bool{}, funds: v.funds(), versions: in.versions}
	if in.readsList {
		done.open = v.open()
	}
	for _, r := range notAmong(in.refs, done.open) {
		done.answers = append(done.answers, v.query(r.orderID, r.ref))
	}
	from := in.fillsFrom
	if in.kind == reconcileStart {
		from = filledMore(in, &done)
	}
	for symbol, since := range from {
		done.fills, done.fillsRead[symbol] = v.fillsSince(since), true // there is one symbol
	}
	return done
}
