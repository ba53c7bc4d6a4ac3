package risk_test

import (
	"testing"
	"time"

	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

// wantReport compares the amounts of a report; "" is one that is not known.
func wantReport(t *testing.T, a risk.Account, s *risk.State, when, realized, fees, change, forgiven, loss, remaining string) {
	t.Helper()
	r := s.Report(a)
	for _, c := range []struct {
		name, want string
		got        venues.Optional
	}{
		{"realized", realized, venues.Some(r.Realized)},
		{"fees", fees, venues.Some(r.Fees)},
		{"change of the unrealized P&L", change, r.UnrealizedChange},
		{"forgiven", forgiven, venues.Some(r.Forgiven)},
		{"loss", loss, r.Loss},
		{"remaining", remaining, r.Remaining},
	} {
		if got := venues.FormatOptional(c.got); got != c.want {
			t.Errorf("%s: %s = %q, want %q", when, c.name, got, c.want)
		}
	}
}

// The parts of a report add up to the loss that the limit counts.
func TestReportHasThePartsOfTheLoss(t *testing.T) {
	a, s, list := newHoldingState(persistence.RiskLimits{DailyLoss: some("100")}, "-40")
	wantReport(t, a, s, "at the start", "0", "0", "0", "0", "0", "100")
	a.now = noon.Add(time.Hour)
	list("-55")
	lose(a, s, "20", "0.5", "USDT")
	wantReport(t, a, s, "after a loss", "-20", "0.5", "-15", "0", "35.5", "64.5")
	lose(a, s, "0", "0.1", "BNB")
	wantReport(t, a, s, "after a fee without a price", "-20", "0.5", "-15", "0", "35.5", "64.5")
	a.prices["BNB"] = "10"
	s.Check(a)
	wantReport(t, a, s, "after its price is known", "-20", "1.5", "-15", "0", "36.5", "63.5")
	if got, want := s.Report(a).AsOf.Time, a.now; !got.Equal(want) {
		t.Errorf("as of %s, want %s, the reading of the list", got, want)
	}
}

func TestReportAfterAnUnlockAndOnTheNextDay(t *testing.T) {
	a, s := newState(persistence.RiskLimits{DailyLoss: some("100")})
	lose(a, s, "120", "0", "USDT")
	s.Unlock(a)
	wantReport(t, a, s, "after the unlock", "-120", "0", "0", "120", "0", "100")
	a.now = noon.Add(12 * time.Hour)
	wantReport(t, a, s, "on the next day", "0", "0", "0", "0", "0", "100")
	if got, want := s.Report(a).Day.Time, noon.Add(12*time.Hour); !got.Equal(want) {
		t.Errorf("day = %s, want %s", got, want)
	}
}

// A loss of which a part is not known is not known.
func TestReportOfAPositionWithoutPrice(t *testing.T) {
	a, s, positions := newLongState(persistence.RiskLimits{DailyLoss: some("100")})
	s.Check(a)
	if positions.IsValued() {
		t.Fatal("the position has an unrealized P&L, want none")
	}
	wantReport(t, a, s, "without a price", "0", "0", "", "0", "", "")
}

func TestReportWithoutALimit(t *testing.T) {
	a, s := newState(persistence.RiskLimits{})
	lose(a, s, "120", "0", "USDT")
	wantReport(t, a, s, "without a limit", "-120", "0", "0", "0", "120", "")
}
