package account

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/persistence"
	"venuegate/venues"
)

// life is what happens to an order at a venue: its fills, then its end.
type life struct {
	fills []*venues.Fill
	end   venues.OrderStatus
}

func drawLife(t *rapid.T, o *order) life {
	var l life
	left := 10
	for i := range rapid.IntRange(0, 4).Draw(t, "fills") {
		n := rapid.IntRange(1, left).Draw(t, "tenths")
		left -= n
		l.fills = append(l.fills, o.fill("t"+string(rune('a'+i)), decimal.New(int64(n), -1).String(), "60000"))
		if left == 0 {
			break
		}
	}
	l.end = rapid.SampledFrom([]venues.OrderStatus{venues.StatusOpen, venues.StatusCancelled, venues.StatusExpired}).Draw(t, "end")
	if left == 0 {
		l.end = venues.StatusFilled
	}
	return l
}

// reports returns every report that the venue can make of the order, in their order.
func (l life) reports(o *order) []venues.ExecutionReport {
	list := []venues.ExecutionReport{o.reportWith(venues.StatusOpen, "0")}
	filled := decimal.Zero
	for _, f := range l.fills {
		filled = filled.Add(f.Qty)
		status := venues.StatusPartiallyFilled
		if filled.Equal(o.Qty) {
			status = venues.StatusFilled
		}
		r := o.reportWith(status, filled.String())
		r.Fill = f
		list = append(list, r)
	}
	if l.end != venues.StatusOpen && l.end != venues.StatusFilled {
		list = append(list, o.reportWith(l.end, filled.String()))
	}
	return list
}

// TestReportsInAnyOrderConvergeToTheVenuesState loses, repeats and delays reports of the
// stream. Once a reconciliation has read the fills and the final state, the order is as the
// venue has it. Until then its filled quantity never falls, each change of status is
// allowed, and fills and filled quantity agree.
func TestReportsInAnyOrderConvergeToTheVenuesState(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newFixture(t, venues.Capabilities{})
		o := b.place(limitOrder("r1"))
		l := drawLife(rt, o)
		reports := l.reports(o)
		b.step(func(step stepContext) {
			b.state.placed(step, placeDone{orderID: o.OrderID, err: rapid.SampledFrom([]error{nil, errTimeout}).Draw(rt, "answer"), report: reports[0]})
		})
		for range rapid.IntRange(0, 12).Draw(rt, "messages") {
			r := reports[rapid.IntRange(0, len(reports)-1).Draw(rt, "message")]
			if rapid.Bool().Draw(rt, "bare") {
				r.Fill = nil
			}
			before, filled := o.Status, o.FilledQty
			b.step(func(step stepContext) { b.state.handleReport(step, r) })
			b.pass(time.Duration(rapid.IntRange(0, 2000).Draw(rt, "wait ms")) * time.Millisecond)
			checkStep(rt, b, o, before, filled)
		}
		final := reports[len(reports)-1]
		final.Fill = nil
		var fills []venues.Fill
		for _, f := range l.fills {
			fills = append(fills, *f)
		}
		b.step(func(step stepContext) { b.state.queryAnswered(step, queryDone{orderID: o.OrderID, report: final}) })
		b.step(func(step stepContext) { b.state.handleFills(step, fills) })
		want := l.end
		if want == venues.StatusOpen && len(l.fills) > 0 {
			want = venues.StatusPartiallyFilled
		}
		if o.Status != want {
			rt.Fatalf("ended %s, the venue has %s", o.Status, want)
		}
		if !o.FilledQty.Equal(final.FilledQty) {
			rt.Fatalf("filled %s, want %s", o.FilledQty, final.FilledQty)
		}
		if n := countEvents(b, persistence.EventOrderFilled); (o.Status == venues.StatusFilled) != (n == 1) || n > 1 {
			rt.Fatalf("%d events order.filled of an order that is %s, want one only if it is filled", n, o.Status)
		}
	})
}

func checkStep(rt *rapid.T, b *fixture, o *order, before venues.OrderStatus, filled decimal.Decimal) {
	if o.FilledQty.LessThan(filled) {
		rt.Fatalf("filled %s, want at least the %s before", o.FilledQty, filled)
	}
	if before.IsClosed() && o.Status != before {
		rt.Fatalf("status = %s, want %s to stay", o.Status, before)
	}
	sum := decimal.Zero
	for _, r := range b.puts {
		if f, ok := r.(persistence.FillRecord); ok {
			sum = sum.Add(f.Qty)
		}
	}
	if sum.GreaterThan(o.FilledQty) {
		rt.Fatalf("sum of the fills = %s, want at most the filled quantity %s", sum, o.FilledQty)
	}
	stored := b.puts[o.Key().String()].(persistence.OrderRecord)
	if stored.Status != o.Status || !stored.FilledQty.Equal(o.FilledQty) {
		rt.Fatalf("stored %s with %s filled, want %s with %s", stored.Status, stored.FilledQty, o.Status, o.FilledQty)
	}
}

func countEvents(b *fixture, kind persistence.EventType) int {
	n := 0
	for _, e := range b.events {
		if e.Type == kind {
			n++
		}
	}
	return n
}
