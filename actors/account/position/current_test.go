package position

import (
	"testing"
	"time"

	"venuegate/venues"
)

// A report that arrives after two executions includes the second only if it is newer by the
// venue's clock: the venue reports executions before positions.
func TestCurrentIncludesNewerExecutions(t *testing.T) {
	noMark := func(string) venues.Optional { return venues.Optional{} }
	first := exec(1, venues.Buy, "2", "100")
	for name, c := range map[string]struct {
		after time.Duration // the first execution
		want  string
	}{"an older report": {0, "1"}, "a report of its millisecond": {time.Second, "1"}, "a newer report": {2 * time.Second, "2"}} {
		t.Run(name, func(t *testing.T) {
			a, s := newFakeAccount()
			a.execute(s, 1, venues.Buy, "2", "100")
			a.execute(s, 2, venues.Sell, "1", "100")
			a.now = a.now.Add(time.Second)
			s.Report(a, venues.Position{
				Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("2"), UpdatedAt: venues.At(first.At.Add(c.after)),
			})
			if list := s.Current(a, noMark); len(list) != 1 || venues.FormatDecimal(list[0].Qty) != c.want {
				t.Errorf("positions %+v, want a quantity of %s", list, c.want)
			}
		})
	}
}

// The executions of a position that was opened elsewhere are not known until a reconciliation
// has read them: until then the venue's list counts, whatever is executed since.
func TestCurrentOfIncompleteExecutionsIsTheList(t *testing.T) {
	noMark := func(string) venues.Optional { return venues.Optional{} }
	a, s := newFakeAccount()
	list := func(qty string) {
		a.now = a.now.Add(time.Minute)
		s.Update(a, []venues.Position{{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal(qty)}}, a.now)
		s.Compare(a, a.now)
	}
	list("10")
	a.now = a.now.Add(time.Second)
	a.execute(s, 1, venues.Buy, "1", "100")
	for _, want := range []string{"10", "11"} {
		if open := s.Current(a, noMark); len(open) != 1 || venues.FormatDecimal(open[0].Qty) != want {
			t.Errorf("positions %+v, want a quantity of %s", open, want)
		}
		list("11")
	}
}

// A reading without the position is newer than the executions before it, although it may lack
// executions of the last ListLag.
func TestCurrentWithoutAPositionThatIsReportedClosed(t *testing.T) {
	a, s := newFakeAccount()
	a.execute(s, 1, venues.Buy, "2", "100")
	a.report(s, "2")
	a.at(1)
	s.Update(a, nil, a.now)
	if list := s.Current(a, func(string) venues.Optional { return venues.Optional{} }); len(list) != 0 {
		t.Errorf("positions %+v, want none", list)
	}
}

// An execution that leads to the listed quantity does not change the position.
func TestCurrentOfTheListedQuantity(t *testing.T) {
	a, s := newFakeAccount()
	listed := listedLong("2")
	listed.EntryPrice = venues.Some(venues.MustDecimal("101"))
	s.Report(a, listed)
	a.at(1)
	a.execute(s, 1, venues.Buy, "2", "100")
	list := s.Current(a, func(string) venues.Optional { return venues.Optional{} })
	if len(list) != 1 || list[0].Qty.String() != "2" || !venues.EqualOptional(list[0].EntryPrice, listed.EntryPrice) {
		t.Errorf("positions %+v, want the listed one", list)
	}
}

// The entry price of a position that the venue has not listed yet is the average of its
// executions; without a price there is none. The rest is known from the executions too.
func TestEntryPriceOfCurrent(t *testing.T) {
	for price, want := range map[string]venues.Optional{"130": venues.Some(venues.MustDecimal("110")), "0": {}} {
		a, s := newFakeAccount()
		if price != "0" {
			a.execute(s, 1, venues.Buy, "2", "100")
		}
		a.execute(s, 2, venues.Buy, "1", price)
		list := s.Current(a, func(string) venues.Optional { return venues.Optional{} })
		if len(list) != 1 || !venues.EqualOptional(list[0].EntryPrice, want) {
			t.Errorf("positions %+v, want one with the entry price %+v", list, want)
			continue
		}
		p, opened := list[0], ledgerStart.Add(2*time.Second)
		if price != "0" {
			opened = ledgerStart.Add(time.Second)
		}
		if p.Exchange != venues.Binance || p.Symbol != "BTCUSDT" || p.Side != venues.Long || !p.OpenedAt.Equal(opened) {
			t.Errorf("%s %s of %s, opened at %s; want binance BTCUSDT long at %s", p.Side, p.Symbol, p.Exchange, p.OpenedAt, opened)
		}
	}
}
