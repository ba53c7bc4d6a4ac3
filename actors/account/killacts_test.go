package account

import (
	"fmt"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// protectedPosition is an entry whose filled quantity is protected by a stop loss at 58000.
func (r *killRun) protectedPosition(qty string) *order {
	in := protectedLimitOrder()
	in.cmd.TakeProfit = venues.Optional{}
	o := r.placeNow(in)
	r.fill(o, qty)
	r.run(time.Second)
	return o
}

// reduceOnlyStop is a stop that a client has placed to protect a position of 1.
func (r *killRun) reduceOnlyStop() *order {
	r.fill(r.placeNow(limitOrder("r1")), "1")
	in := limitOrder("r2")
	in.cmd.Side, in.cmd.Type, in.cmd.ReduceOnly = venues.Sell, venues.TypeStopMarket, true
	in.cmd.Price, in.cmd.TriggerPrice = venues.Optional{}, venues.Some(venues.MustDecimal("58000"))
	return r.placeNow(in)
}

// bracketedPosition is protectedPosition with a take profit at 65000.
func (r *killRun) bracketedPosition(qty string) *order {
	o := r.placeNow(protectedLimitOrder())
	r.fill(o, qty)
	r.run(time.Second)
	return o
}

func (r *killRun) cancelNow(o *order) {
	in := cancelOrder{orderReply: actors.ReplyFunc(func(venues.Order, error) {}), cmd: venues.CancelOrder{OrderID: o.OrderID}}
	r.do(func(step stepContext) { r.state.cancel(step, in) })
}

// fillStop lets the venue execute the stop at a trigger.
func (r *killRun) fillStop(trigger string) {
	stop := r.venue.stops(trigger)[0]
	r.venue.now = r.now
	r.venue.fill(stop, stop.Qty)
	r.stream(stop.ExecutionReport)
}

// stored returns the record of an order.
func (r *killRun) stored(clientID string) (found persistence.OrderRecord) {
	for _, stored := range r.puts {
		if o, is := stored.(persistence.OrderRecord); is && o.ClientOrderID == clientID {
			found = o
		}
	}
	return found
}

// wantStops checks that the open orders are stops of the size of the position at certain
// triggers.
func (r *killRun) wantStops(triggers ...string) error {
	stops := r.venue.stops("")
	if len(stops) != len(triggers) || len(r.venue.open()) != len(triggers) {
		return fmt.Errorf("stops = %s of %d open orders, want stops at %v only", describe(stops), len(r.venue.open()), triggers)
	}
	for _, trigger := range triggers {
		if at := r.venue.stops(trigger); len(at) != 1 || !at[0].Qty.Equal(r.venue.position) {
			return fmt.Errorf("stops = %s, want one of %s at %s", describe(stops), r.venue.position, trigger)
		}
	}
	return nil
}

// wantOrderOrReport checks that one order is open, or was reported as not placed.
func (r *killRun) wantOrderOrReport() error {
	open, lost := r.venue.open(), r.journalCount("absence_proven")
	if len(open) > 1 || (len(open) == 0) != (lost == 1) {
		return fmt.Errorf("%d open orders and %d reported as not placed, want one of either", len(open), lost)
	}
	return nil
}

// wantOnlyStop checks that the only open order is a stop of a size at a trigger.
func (r *killRun) wantOnlyStop(trigger, qty string) error {
	all, stops := r.venue.stops(""), r.venue.stops(trigger)
	if len(r.venue.open()) != 1 || len(stops) != 1 || !stops[0].Qty.Equal(venues.MustDecimal(qty)) {
		return fmt.Errorf("stops = %s, want one of %s at %s", describe(all), qty, trigger)
	}
	return nil
}

func describe(stops []*killOrder) (text string) {
	for _, o := range stops {
		text += fmt.Sprintf("[%s at %s] ", o.Qty, o.TriggerPrice.Decimal)
	}
	return text
}

// wantFlat checks that neither the position nor an order of it is left.
func (r *killRun) wantFlat() error {
	if r.venue.position.IsPositive() || len(r.venue.open()) != 0 {
		return fmt.Errorf("position %s with %d open orders, want none", r.venue.position, len(r.venue.open()))
	}
	return nil
}

// wantFlatOr is wantFlat, and accepts a position that is kept because the order that was to close it was lost: it
// is protected as before.
func (r *killRun) wantFlatOr(stop string) error {
	if r.venue.position.IsPositive() {
		return r.wantOnlyStop(stop, r.venue.position.String())
	}
	return r.wantFlat()
}

// killAct is an act of an account that is several requests. begin is what precedes the act, act
// is what the account is killed in; want checks the end.
type killAct struct {
	caps  venues.Capabilities
	begin func(*killRun) *order
	act   func(*killRun, *order)
	want  func(*killRun) error
	// before checks that the act is undone; nil if the position was protected before it.
	before func(*killRun) error
	// mayBeUnprotected is set if the act ends the protection.
	mayBeUnprotected bool
}

var killActs = map[string]*killAct{
	"protection after a fill": {
		begin: func(r *killRun) *order {
			in := protectedLimitOrder()
			in.cmd.TakeProfit = venues.Optional{}
			return r.placeNow(in)
		},
		act:  func(r *killRun, o *order) { r.fill(o, "1") },
		want: func(r *killRun) error { return r.wantOnlyStop("58000", "1") },
	},
	"protection after another fill": {
		begin: func(r *killRun) *order { return r.protectedPosition("0.4") },
		act:   func(r *killRun, o *order) { r.fill(o, "0.6") },
		want:  func(r *killRun) error { return r.wantOnlyStop("58000", "1") },
	},
	"move of a stop loss": {
		begin: func(r *killRun) *order { return r.protectedPosition("1") },
		act:   func(r *killRun, o *order) { r.amendNow(o, stopAt("59000")) },
		want:  func(r *killRun) error { return r.wantOnlyStop("59000", "1") },
	},
	"replacement of a reduce-only stop": {
		begin: (*killRun).reduceOnlyStop,
		act: func(r *killRun, o *order) {
			r.amendNow(o, func(a *venues.AmendOrder) { a.TriggerPrice = venues.Some(venues.MustDecimal("59000")) })
		},
		want: func(r *killRun) error {
			switch {
			case len(r.venue.stops("58000")) > 0: // the cancel was lost
				return r.wantOnlyStop("58000", "1")
			case r.journalCount("absence_proven") == 2: // both replacements were lost, and are reported
				return nil
			}
			return r.wantOnlyStop("59000", "1")
		},
	},
	"replacement of an entry": {
		begin: func(r *killRun) *order { return r.placeNow(stopOrder()) },
		act: func(r *killRun, o *order) {
			r.amendNow(o, func(a *venues.AmendOrder) { a.TriggerPrice = venues.Some(venues.MustDecimal("61500")) })
		},
		want: (*killRun).wantOrderOrReport,
	},
	"close in parts": {
		begin: func(r *killRun) *order { r.maxMarketQty = "0.4"; return r.protectedPosition("1") },
		act: func(r *killRun, o *order) {
			stop := r.venue.stops("58000")[0]
			stop.Status, stop.VenueTime = venues.StatusRejected, r.now
			stop.RejectReason = &venues.RejectReason{Code: venues.CodeOrderRejected, Reason: venues.ReasonWouldTrigger}
			report := stop.ExecutionReport
			r.do(func(step stepContext) { r.state.handleReport(step, report) })
		},
		want:             (*killRun).wantFlat,
		mayBeUnprotected: true,
	},
	"close, with its protection": {
		begin: func(r *killRun) *order { return r.protectedPosition("1") },
		act: func(r *killRun, _ *order) {
			in := limitOrder("r9")
			in.cmd.Side, in.cmd.Type, in.cmd.ReduceOnly, in.cmd.Price = venues.Sell, venues.TypeMarket, true, venues.Optional{}
			in.cmd.TimeInForce = venues.ImmediateOrCancel
			r.placeNow(in)
		},
		want: func(r *killRun) error { return r.wantFlatOr("58000") },
	},
	"halt that closes in parts": {
		begin: func(r *killRun) *order { return r.protectedPosition("1") },
		act: func(r *killRun, _ *order) {
			control := halted(r.now, true)
			r.puts[control.Key().String()] = control
			r.do(func(step stepContext) {
				r.state.configure(step, configure{actors.ReplyFunc(func(struct{}, error) {}), control})
			})
		},
		want:             (*killRun).wantFlat,
		mayBeUnprotected: true,
	},
	"order": {
		begin: func(*killRun) *order { return nil },
		act:   func(r *killRun, _ *order) { r.placeNow(limitOrder("r1")) },
		want:  (*killRun).wantOrderOrReport,
	},
	"amend of an order": {
		begin: func(r *killRun) *order { return r.placeNow(limitOrder("r1")) },
		act: func(r *killRun, o *order) {
			r.amendNow(o, func(a *venues.AmendOrder) { a.Price = venues.Some(venues.MustDecimal("59500")) })
		},
		want: func(r *killRun) error {
			open := r.venue.open()
			if len(open) != 1 || !venues.EqualOptional(open[0].Price, r.stored(open[0].ClientOrderID).Price) {
				return fmt.Errorf("open orders %+v, want one at the price of its record", open)
			}
			return nil
		},
	},
	"cancel of a partly filled entry": {
		begin: func(r *killRun) *order { return r.protectedPosition("0.4") },
		act:   func(r *killRun, o *order) { r.cancelNow(o) },
		want: func(r *killRun) error {
			if len(r.venue.open()) == 2 { // the cancel was lost
				return r.protection()
			}
			return r.wantOnlyStop("58000", "0.4")
		},
	},
	"move of stop loss and take profit": {
		begin: func(r *killRun) *order { return r.bracketedPosition("1") },
		act: func(r *killRun, o *order) {
			r.amendNow(o, func(a *venues.AmendOrder) { stopAt("59000")(a); targetAt("66000")(a) })
		},
		want: func(r *killRun) error { return r.wantStops("59000", "66000") },
	},
	"removal of a stop loss": {
		begin:            func(r *killRun) *order { return r.bracketedPosition("1") },
		act:              func(r *killRun, o *order) { r.amendNow(o, func(a *venues.AmendOrder) { a.RemoveStopLoss = true }) },
		want:             func(r *killRun) error { return r.wantStops("65000") },
		mayBeUnprotected: true,
	},
	"addition of a stop loss": {
		begin: func(r *killRun) *order {
			o := r.placeNow(limitOrder("r1"))
			r.fill(o, "0.4")
			return o
		},
		act:    func(r *killRun, o *order) { r.amendNow(o, stopAt("58000")) },
		before: (*killRun).wantOrderOrReport,
		want: func(r *killRun) error {
			if len(r.venue.open()) != 2 {
				return fmt.Errorf("%d open orders, want the entry and its stop", len(r.venue.open()))
			}
			return r.protection()
		},
	},
	"stop loss that closes the position": {
		begin:            func(r *killRun) *order { return r.bracketedPosition("1") },
		act:              func(r *killRun, _ *order) { r.fillStop("58000") },
		want:             (*killRun).wantFlat,
		mayBeUnprotected: true,
	},
	"stop loss of a partly filled entry": {
		begin:            func(r *killRun) *order { return r.bracketedPosition("0.4") },
		act:              func(r *killRun, _ *order) { r.fillStop("58000") },
		want:             (*killRun).wantFlat,
		mayBeUnprotected: true,
	},
	"attached protection after a fill": {
		caps:  attaching,
		begin: func(r *killRun) *order { return r.placeNow(protectedLimitOrder()) },
		act:   func(r *killRun, o *order) { r.fill(o, "1") },
		want:  func(r *killRun) error { return r.wantStops("58000", "65000") },
	},
	"attached protection that does not appear": {
		caps: attaching,
		begin: func(r *killRun) *order {
			r.venue.dropsLegs = true
			return r.placeNow(protectedLimitOrder())
		},
		act:              func(r *killRun, o *order) { r.fill(o, "1") },
		want:             func(r *killRun) error { return r.wantStops("58000", "65000") },
		mayBeUnprotected: true, // until the alarm
	},
	"move of an attached stop loss": {
		caps:  attaching,
		begin: func(r *killRun) *order { return r.bracketedPosition("1") },
		act:   func(r *killRun, o *order) { r.amendNow(o, stopAt("59000")) },
		want:  func(r *killRun) error { return r.wantStops("59000", "65000") },
	},
	"removal of an attached stop loss": {
		caps:             attaching,
		begin:            func(r *killRun) *order { return r.bracketedPosition("1") },
		act:              func(r *killRun, o *order) { r.amendNow(o, func(a *venues.AmendOrder) { a.RemoveStopLoss = true }) },
		want:             func(r *killRun) error { return r.wantStops("65000") },
		mayBeUnprotected: true,
	},
	"move of a stop loss that is not in force yet": {
		caps:  attaching,
		begin: func(r *killRun) *order { return r.placeNow(protectedLimitOrder()) },
		act: func(r *killRun, o *order) {
			r.amendNow(o, stopAt("59000"))
			r.run(time.Second)
			r.fill(o, "1")
		},
		want: func(r *killRun) error { return r.wantStops("59000", "65000") },
	},
}
