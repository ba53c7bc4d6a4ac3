package position

import (
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// unattributedFill returns an execution that closes a position, without its order.
func unattributedFill(a *fakeAccount, s *State) persistence.FillRecord {
	a.execute(s, 1, venues.Buy, "1", "100")
	a.report(s, "1")
	a.pass(s, time.Second)
	a.execute(s, 2, venues.Sell, "1", "110")
	e := exec(2, venues.Sell, "1", "110")
	r := persistence.FillRecord{Fill: venues.Fill{
		Exchange: venues.Binance, Symbol: "BTCUSDT", Side: e.Side, Qty: e.Qty, Price: e.Price, Fee: e.Fee, FeeCurrency: e.FeeCurrency,
		VenueTradeID: "2", VenueOrderID: "v", ExecutedAt: venues.At(e.At),
	}}
	s.HoldUnattributed(a.now, r)
	return r
}

func TestAttribute(t *testing.T) {
	a, s := newFakeAccount()
	r := unattributedFill(a, s)
	f := r.Fill
	f.OrderID, f.RequestID, f.Source = "ord_1", "r", venues.SourceProtection
	why := Cause{Reason: venues.ClosedStopLoss, Comment: "stop"}
	want := r
	want.Fill, want.Closes, want.Comment = f, why.Reason, why.Comment
	f.Price = venues.MustDecimal("111") // what was counted stays
	if !s.IsUnattributed(&f) {
		t.Fatal("the execution is not held")
	}
	got, counted := s.Attribute(&f, why)
	if !counted || got.OrderID != want.OrderID || got.RequestID != want.RequestID || got.Source != want.Source ||
		got.Closes != want.Closes || got.Comment != want.Comment || !got.Price.Equal(want.Price) {
		t.Errorf("attributed %+v, counted = %t; want %+v, true", got, counted, want)
	}
	if got, counted := s.Attribute(&f, why); counted || s.IsUnattributed(&f) {
		t.Errorf("attributed %+v again", got)
	}
	a.report(s, "0")
	if len(a.published) == 0 {
		t.Fatal("no position is published, want a closed one")
	}
	if last := a.published[len(a.published)-1]; !last.Qty.IsZero() || last.Reason != why.Reason {
		t.Errorf("published %s closed by %q, want 0 closed by %q", last.Qty, last.Reason, why.Reason)
	}
}

func TestEvictUnattributed(t *testing.T) {
	a, s := newFakeAccount()
	r := unattributedFill(a, s)
	held := a.now
	s.HoldUnattributed(held.Add(time.Minute), r) // it is held already
	s.EvictUnattributed(held.Add(UnattributedKeep))
	if !s.IsUnattributed(&r.Fill) {
		t.Errorf("the execution is evicted after %s, want it held", UnattributedKeep)
	}
	s.EvictUnattributed(held.Add(UnattributedKeep + 1))
	if s.IsUnattributed(&r.Fill) {
		t.Errorf("the execution is held after more than %s, want it evicted", UnattributedKeep)
	}
}
