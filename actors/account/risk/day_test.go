package risk_test

import (
	"slices"
	"testing"
	"time"

	"venuegate/actors/account/position"
	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

// holder is the account as its positions use it, in so far as a reading of the list does.
type holder struct {
	position.Account
	now time.Time
}

func (h holder) Now() time.Time                                 { return h.now }
func (h holder) Ready() bool                                    { return true }
func (h holder) WithTriggers(p venues.Position) venues.Position { return p }
func (h holder) Publish(venues.Position)                        {}
func (h holder) ReadSoon()                                      {}
func (h holder) Dropped(*venues.Position, time.Time)            {}

// newHoldingState returns a State with a long position of 4, listed with an unrealized P&L at
// the start.
func newHoldingState(limits persistence.RiskLimits, gain string) (a *fakeAccount, s *risk.State, list func(gain string)) {
	a = &fakeAccount{now: noon, prices: map[string]string{}}
	positions := position.NewState("c1", venues.Binance)
	list = func(gain string) {
		p := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("4"), UnrealizedPnl: some(gain)}
		positions.Update(holder{now: a.now}, []venues.Position{p}, a.now)
	}
	list(gain)
	s = risk.NewState("c1", venues.Binance, 5*time.Second, positions)
	s.Restore(&persistence.VenueAccount{Limits: limits}, persistence.RiskRecord{}, risk.NewDay(noon))
	s.Check(a)
	return a, s, list
}

func wantLoss(t *testing.T, s *risk.State, when, want string) {
	t.Helper()
	if got := s.DailyLoss().String(); got != want {
		t.Errorf("%s: loss of the day = %s, want %s", when, got, want)
	}
}

// What a position had gained or lost before midnight does not count for the day.
func TestDailyLossCountsFromTheBaseline(t *testing.T) {
	a, s, list := newHoldingState(persistence.RiskLimits{DailyLoss: some("1000")}, "-40")
	wantLoss(t, s, "at the start", "0")
	a.now = noon.Add(time.Hour)
	list("-100")
	wantLoss(t, s, "an hour later", "60")
	a.now = noon.Add(12 * time.Hour)
	s.Check(a)
	wantLoss(t, s, "on the next day", "0")
	a.now = a.now.Add(time.Hour)
	list("-90")
	wantLoss(t, s, "after a gain", "-10")
}

// The baseline of a day does not include what an execution of the day before has closed, even if
// it becomes known after midnight.
func TestBaselineIsCorrectedByExecutionsOfTheDayBefore(t *testing.T) {
	a, s, list := newHoldingState(persistence.RiskLimits{DailyLoss: some("1000")}, "-40")
	a.now = noon.Add(12*time.Hour - time.Minute)
	list("-80")
	at := a.now.Add(30 * time.Second)
	a.now = noon.Add(12 * time.Hour)
	s.Check(a)
	count := func(side venues.Side, executedAt time.Time) {
		f := venues.Fill{Symbol: "BTCUSDT", Side: side, Qty: venues.MustDecimal("1"), ExecutedAt: venues.At(executedAt)}
		s.CountFill(a, &persistence.FillRecord{Fill: f}, position.ExecutionOf(&f, position.Cause{}, a.now))
	}
	wantBaseline := func(when, want string) {
		t.Helper()
		if got := a.stored.Baseline.Decimal.String(); got != want {
			t.Errorf("%s: baseline = %s, want %s", when, got, want)
		}
	}
	wantBaseline("at midnight", "-80")
	count(venues.Buy, at)
	count(venues.Sell, a.now)
	count(venues.Sell, at.Add(-time.Hour)) // the list includes it
	wantBaseline("after others", "-80")
	count(venues.Sell, at)
	wantBaseline("after an exit of 1 of 4", "-60")
	count(venues.Sell, at)
	wantBaseline("after another exit", "-40")
	for range 3 {
		count(venues.Sell, at)
	}
	wantBaseline("after exits of more than was open", "0")
}

// The result of an execution counts for the day of the execution, whenever it becomes known.
func TestExecutionOfTheDayBeforeIsNotEarned(t *testing.T) {
	a, s := newState(persistence.RiskLimits{DailyLoss: some("1000")})
	midnight := noon.Add(-12 * time.Hour)
	for _, c := range []struct {
		at   time.Time
		want string
	}{{midnight.Add(-1), "0"}, {midnight, "-7"}} {
		f := venues.Fill{Symbol: "BTCUSDT", Side: venues.Sell, Qty: venues.MustDecimal("1"), RealizedPnl: some("-7"), ExecutedAt: venues.At(c.at)}
		s.CountFill(a, &persistence.FillRecord{Fill: f}, position.ExecutionOf(&f, position.Cause{}, a.now))
		if got := s.Earned().String(); got != c.want {
			t.Errorf("earned after an execution at %s = %s, want %s", c.at, got, c.want)
		}
	}
}

// While the unrealized P&L counts for a limit, the positions are read again and again.
func TestPositionsAreReadWhileTheyCountForALimit(t *testing.T) {
	const every = 5 * time.Second
	for name, limits := range map[string]persistence.RiskLimits{"daily loss": {DailyLoss: some("1000")}, "no limit": {}} {
		t.Run(name, func(t *testing.T) {
			a, s, _ := newHoldingState(limits, "0")
			var got, want []time.Duration
			if limits.DailyLoss.Valid {
				want = []time.Duration{every, 2 * every}
			}
			for d := time.Second; d < 3*every; d += time.Second {
				reads := a.reads
				a.now = noon.Add(d)
				if s.Check(a); a.reads > reads {
					got = append(got, d)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("positions are read after %v, want after %v", got, want)
			}
		})
	}
}

func TestUncountedFeesEndWithTheirDay(t *testing.T) {
	a, s := newState(persistence.RiskLimits{DailyLoss: some("1000")})
	lose(a, s, "10", "0.1", "BNB")
	if want := noon.Add(risk.FeePriceEvery); !s.Due(a).Equal(want) {
		t.Errorf("due at %s, want %s, when the price is looked up again", s.Due(a), want)
	}
	other, unlimited := newState(persistence.RiskLimits{})
	lose(other, unlimited, "10", "0.1", "BNB")
	if want := noon.Add(12 * time.Hour); len(other.stored.Uncounted) != 1 || !unlimited.Due(other).Equal(want) {
		t.Errorf("uncounted fees %v without a limit, due at %s; want one, due at %s", other.stored.Uncounted, unlimited.Due(other), want)
	}
	a.now = noon.Add(12 * time.Hour)
	if s.Check(a); len(a.stored.Uncounted) != 0 {
		t.Errorf("uncounted fees %v on the next day, want none", a.stored.Uncounted)
	}
}
