package position

import (
	"testing"
	"time"

	"venuegate/venues"
)

func TestExecutedSince(t *testing.T) {
	a, s := newFakeAccount()
	a.execute(s, 1, venues.Buy, "1", "100")
	a.at(5)
	since := a.now
	a.execute(s, 5, venues.Buy, "2", "100")
	a.execute(s, 6, venues.Buy, "4", "100")
	a.execute(s, 7, venues.Sell, "0.5", "100")
	if got := s.ExecutedSince("BTCUSDT", venues.Buy, since).String(); got != "6" {
		t.Errorf("bought %s since %s, want 6", got, since)
	}
	if got := s.ExecutedSince("ETHUSDT", venues.Buy, since); !got.IsZero() {
		t.Errorf("bought %s of an instrument without executions, want 0", got)
	}
}

func TestNewerListed(t *testing.T) {
	a, s := newFakeAccount()
	if _, newer := s.NewerListed("BTCUSDT", venues.Long); newer {
		t.Error("the list is newer without any execution, want it not newer")
	}
	a.execute(s, 1, venues.Buy, "2", "100")
	a.at(5)
	s.Update(a, []venues.Position{listedLong("3")}, a.now)
	if got, newer := s.NewerListed("BTCUSDT", venues.Long); !newer || got.String() != "3" {
		t.Errorf("listed %s, newer = %t; want 3, true", got, newer)
	}
	a.at(6)
	a.execute(s, 6, venues.Buy, "1", "100")
	if got, newer := s.NewerListed("BTCUSDT", venues.Long); newer {
		t.Errorf("listed %s is newer than a later execution, want it not newer", got)
	}
}

func TestReducibleIsTheSmallerQuantity(t *testing.T) {
	a, s := newFakeAccount()
	if _, known := s.Reducible("BTCUSDT", venues.Long); known {
		t.Error("reducible without any execution, want it unknown")
	}
	a.execute(s, 1, venues.Buy, "2", "100")
	for _, listed := range []string{"1", "3"} {
		s.SetTriggers(listedLong(listed))
		want := map[string]string{"1": "1", "3": "2"}[listed]
		if got, known := s.Reducible("BTCUSDT", venues.Long); !known || got.String() != want {
			t.Errorf("reducible %s, known = %t with %s listed; want %s, true", got, known, listed, want)
		}
	}
}

func TestIsUnconfirmed(t *testing.T) {
	a, s := newFakeAccount()
	want := func(when string, unconfirmed bool) {
		t.Helper()
		if got := s.IsUnconfirmed("BTCUSDT"); got != unconfirmed {
			t.Errorf("%s: unconfirmed = %t, want %t", when, got, unconfirmed)
		}
	}
	want("without executions", false)
	a.execute(s, 1, venues.Buy, "2", "100")
	want("before the list", true)
	a.at(2)
	a.report(s, "1")
	want("with another quantity on the list", true)
	a.at(3)
	a.report(s, "2")
	want("with the same quantity on the list", false)
	e := exec(4, venues.Buy, "1", "100")
	e.PositionSide, e.KnownAt = venues.Long, a.now.Add(time.Second)
	s.Add(a, "BTCUSDT", e)
	want("in hedge mode", false)
}

// Of a position that an execution has reduced since the venue reported it, only the open part
// has an unrealized P&L.
func TestUnrealizedOfAReducedPosition(t *testing.T) {
	a, s := newFakeAccount()
	a.execute(s, 1, venues.Buy, "4", "100")
	a.at(2)
	p := listedLong("4")
	p.UnrealizedPnl = venues.Some(venues.MustDecimal("40"))
	s.Update(a, []venues.Position{p}, a.now)
	want := func(gain, qty string, asOf time.Time) {
		t.Helper()
		for k, u := range s.Unrealized() {
			if k != p.Key() || u.Gain.String() != gain || u.Qty.String() != qty || !u.AsOf.Equal(asOf) {
				t.Errorf("unrealized %s of %s as of %s, want %s of %s as of %s", u.Gain, u.Qty, u.AsOf, gain, qty, asOf)
			}
		}
	}
	want("40", "4", a.now)
	a.at(3)
	a.execute(s, 2, venues.Buy, "1", "110")
	want("40", "4", time.Time{}) // of what was listed
	a.execute(s, 3, venues.Sell, "1", "110")
	a.execute(s, 3, venues.Sell, "1", "110")
	want("30", "3", time.Time{})
	a.execute(s, 3, venues.Sell, "4", "110")
	want("0", "0", time.Time{})
}
