package position

import (
	"testing"
	"time"

	"venuegate/venues"
)

// valued returns a position in which every optional value is the given one.
func valued(d string) venues.Position {
	v := venues.Some(venues.MustDecimal(d))
	p := listedLong("1")
	p.EntryPrice, p.MarkPrice, p.LiquidationPrice, p.UnrealizedPnl, p.Leverage, p.StopLoss, p.TakeProfit = v, v, v, v, v, v, v
	return p
}

var values = map[string]func(p *venues.Position) *venues.Optional{
	"entry price":       func(p *venues.Position) *venues.Optional { return &p.EntryPrice },
	"mark price":        func(p *venues.Position) *venues.Optional { return &p.MarkPrice },
	"liquidation price": func(p *venues.Position) *venues.Optional { return &p.LiquidationPrice },
	"unrealized P&L":    func(p *venues.Position) *venues.Optional { return &p.UnrealizedPnl },
	"leverage":          func(p *venues.Position) *venues.Optional { return &p.Leverage },
	"stop loss":         func(p *venues.Position) *venues.Optional { return &p.StopLoss },
	"take profit":       func(p *venues.Position) *venues.Optional { return &p.TakeProfit },
}

func TestEqualComparesEveryValue(t *testing.T) {
	a, b := valued("1"), valued("1.0")
	if !Equal(&a, &b) {
		t.Error("positions with the same values are not equal, want them equal")
	}
	for name, of := range values {
		b := valued("1")
		if *of(&b) = venues.Some(venues.MustDecimal("2")); Equal(&a, &b) {
			t.Errorf("positions with another %s are equal, want them not equal", name)
		}
	}
	b = valued("1")
	if b.Qty = venues.MustDecimal("2"); Equal(&a, &b) {
		t.Error("positions with another quantity are equal, want them not equal")
	}
}

// A report of the stream keeps the values that it does not have, and replaces the others.
func TestReportKeepsTheValuesThatItLacks(t *testing.T) {
	for name, of := range values {
		a, s := newFakeAccount()
		before := valued("1")
		before.AccountType, before.MarginMode = "unified", venues.MarginIsolated
		s.Report(a, before)
		p := valued("2")
		*of(&p) = venues.Optional{}
		s.Report(a, p)
		got, _ := s.Find(p.Key())
		for other, value := range values {
			want := "2"
			if other == name {
				want = "1"
			}
			if value(&got).Decimal.String() != want {
				t.Errorf("a report without %s: %s = %s, want %s", name, other, value(&got).Decimal, want)
			}
		}
		if got.AccountType != before.AccountType || got.MarginMode != before.MarginMode {
			t.Errorf("account type %q, margin mode %q; want %q, %q", got.AccountType, got.MarginMode, before.AccountType, before.MarginMode)
		}
	}
}

func TestReadingClosesWhatItDoesNotList(t *testing.T) {
	a, s := newFakeAccount()
	a.report(s, "2")
	s.Update(a, nil, a.now) // it began when the stream reported the position
	if _, listed := s.Find(key("BTCUSDT", venues.Long)); !listed {
		t.Fatal("the position is closed by a reading that is not newer, want it listed")
	}
	a.at(1)
	s.Update(a, nil, a.now)
	if n := s.ListedCount(); n != 0 {
		t.Fatalf("%d positions are listed after a reading without any, want 0", n)
	}
	if s.Finish(a); !s.HasPending() {
		t.Error("no close is pending, want that of the position")
	}
}

// A reading that began before the stream reported a close does not list the position again.
func TestOlderReadingDoesNotUndoAClose(t *testing.T) {
	a, s := newFakeAccount()
	a.report(s, "2")
	began := a.now
	a.at(1)
	a.report(s, "0")
	s.Update(a, []venues.Position{listedLong("2")}, began)
	if n := s.ListedCount(); n != 0 {
		t.Fatalf("%d positions are listed, want 0", n)
	}
	a.at(2)
	s.Update(a, []venues.Position{listedLong("2")}, a.now)
	if n := s.ListedCount(); n != 1 {
		t.Errorf("%d positions are listed after a newer reading, want 1", n)
	}
}

func TestCurrentIncludesExecutionsThatTheListLacks(t *testing.T) {
	noMark := func(string) venues.Optional { return venues.Optional{} }
	a, s := newFakeAccount()
	want := func(when string, qty ...string) {
		t.Helper()
		got := s.Current(a, noMark)
		if len(got) != len(qty) || (len(qty) > 0 && got[0].Qty.String() != qty[0]) {
			t.Errorf("%s: open %+v, want %v", when, got, qty)
		}
	}
	a.at(10)
	a.execute(s, 10, venues.Buy, "2", "100")
	want("an execution before the list", "2")
	a.at(11)
	a.report(s, "2")
	want("the same quantity on the list", "2")
	a.at(12)
	a.execute(s, 12, venues.Buy, "1", "100")
	want("more executed than listed", "3")
	a.execute(s, 13, venues.Sell, "3", "100")
	want("all closed but on the list")
	a.at(14)
	a.report(s, "0")
	want("all closed")
	a.at(20)
	a.execute(s, 20, venues.Buy, "1", "100")
	a.at(21)
	a.report(s, "1")
	a.at(22)
	a.report(s, "0")
	want("closed by the stream, without an execution")
	a.pass(s, time.Second)
	want("a second later")
}
