package account

import (
	"encoding/json"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

func protectedOrder() placeOrder {
	in := limitOrder("r1")
	in.cmd.StopLoss = venues.Some(venues.MustDecimal("58000"))
	in.cmd.TakeProfit = venues.Some(venues.MustDecimal("65000"))
	return in
}

// fillEntry opens a protected order and fills some of it.
func (b *bench) fillEntry(qty string) *order {
	b.t.Helper()
	o := b.open(protectedOrder(), venues.StatusOpen)
	b.fillMore(o, "t1", qty)
	return o
}

func (b *bench) fillMore(o *order, trade, qty string) {
	total := o.FilledQty.Add(venues.MustDecimal(qty))
	r := o.says(venues.StatusPartiallyFilled, total.String())
	if total.Equal(o.Qty) {
		r.Status = venues.StatusFilled
	}
	r.Fill = o.fill(trade, qty, "60000")
	b.step(func(m moment) { b.state.report(m, r) })
}

// legs lets the fills settle and returns the legs that were placed.
func (b *bench) legs(wait time.Duration) []*order {
	var legs []*order
	for _, e := range b.pass(wait) {
		if c, ok := e.(callPlace); ok {
			legs = append(legs, b.state.orders[c.orderID])
		}
	}
	return legs
}

func (b *bench) live(legs ...*order) {
	for _, leg := range legs {
		b.step(func(m moment) {
			b.state.placed(m, placeDone{orderID: leg.OrderID, report: leg.says(venues.StatusUntriggered, "0")})
		})
	}
}

// protectedEntry fills some of a protected order, of which both legs live.
func (b *bench) protectedEntry(qty string) (o *order, legs []*order) {
	b.t.Helper()
	o = b.fillEntry(qty)
	b.holds(qty)
	legs = b.legs(time.Second)
	b.live(legs...)
	return o, legs
}

// grows fills more of a protected order, and gives the legs that follow.
func (b *bench) grows(o *order, trade, qty string) []*order {
	b.fillMore(o, trade, qty)
	legs := b.legs(time.Second)
	b.live(legs...)
	return legs
}

// wantWithdrawn demands that none of the legs stays behind.
func wantWithdrawn(t *testing.T, legs ...*order) {
	t.Helper()
	for _, leg := range legs {
		if leg.PendingAction != venues.PendingCancel {
			t.Errorf("the %s of %s stays behind", leg.Protects, leg.Qty)
		}
	}
}

func wantLegs(t *testing.T, o *order, stop, profit venues.ProtectionStatus) {
	t.Helper()
	if o.Protection.StopLoss.Status != stop || o.Protection.TakeProfit.Status != profit {
		t.Fatalf("stop loss %s, take profit %s; want %s, %s", o.Protection.StopLoss.Status, o.Protection.TakeProfit.Status, stop, profit)
	}
}

// refuse answers an order of ours with a refusal.
func (b *bench) refuse(o *order, reason string) {
	refusal := venues.Errorf(venues.CodeOrderRejected, "no").With("reason", reason)
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, err: refusal}) })
}

// cutsShort ends a leg that was reached with less than it was for.
func (b *bench) cutsShort(leg *order, end venues.OrderStatus, filled string) {
	r := leg.says(end, filled)
	if r.FilledQty.IsPositive() {
		r.Fill = leg.fill("t-"+leg.OrderID, filled, "58000")
	}
	b.step(func(m moment) { b.state.report(m, r) })
}

var attaches = venues.Capabilities{AttachedProtection: true}

// attachedLeg is what a venue tells of a protecting order that it made.
func attachedLeg(id string, o *order, a venues.Attachment, status venues.OrderStatus, filled string) venues.ExecutionReport {
	r := venues.ExecutionReport{
		Symbol: o.Symbol, VenueOrderID: id, Side: o.Side.Opposite(), Type: venues.TypeStopMarket, Status: status,
		Qty: o.Qty, FilledQty: venues.MustDecimal(filled), ReduceOnly: true, Attachment: &a,
	}
	if a.StopLoss.Valid {
		r.TriggerPrice = a.StopLoss
	} else {
		r.TriggerPrice = a.TakeProfit
	}
	return r
}

func stopLeg(o *order) venues.Attachment {
	return venues.Attachment{EntryClientID: o.ClientOrderID, OfPosition: true, StopLoss: o.StopLoss}
}

func profitLeg(o *order) venues.Attachment {
	return venues.Attachment{EntryClientID: o.ClientOrderID, OfPosition: true, TakeProfit: o.TakeProfit}
}

func bothLegs(o *order) venues.Attachment {
	return venues.Attachment{EntryClientID: o.ClientOrderID, StopLoss: o.StopLoss, TakeProfit: o.TakeProfit}
}

// tells passes on a report of an order that the store does not know.
func (b *bench) tells(r venues.ExecutionReport) {
	b.t.Helper()
	for _, e := range b.step(func(m moment) { b.state.report(m, r) }) {
		if l, unknown := e.(lookUp); unknown {
			b.step(func(m moment) { b.state.lookedUp(m, lookedUp{report: l.report}) })
		}
	}
}

// holds tells a position.
func (b *bench) holds(qty string) {
	p := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal(qty)}
	b.step(func(m moment) { b.state.position(m, p) })
}

// readsFunds answers every reading of funds with what is held.
func (b *bench) readsFunds() {
	b.step(func(m moment) {
		b.state.fundsRead(m, fundsDone{funds: Funds{Positions: b.state.positions(), ReadAt: b.now}})
	})
}

func (b *bench) notes(kind string) int {
	n := 0
	for _, entry := range b.journal {
		if entry.Kind == "order."+kind {
			n++
		}
	}
	return n
}

func (b *bench) triggered() []string {
	var kinds []string
	for _, e := range b.events {
		if e.Type == persistence.EventStopTriggered {
			var data struct{ Kind, TriggerPrice string }
			if err := json.Unmarshal(e.Data, &data); err != nil {
				b.t.Fatal(err)
			}
			kinds = append(kinds, data.Kind+" "+data.TriggerPrice)
		}
	}
	return kinds
}
