package risk_test

import (
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/position"
	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fakeAccount is a reconciled account. It records the calls of its State.
type fakeAccount struct {
	now          time.Time
	live, closed []risk.Order
	sending      bool
	reads        int
	prices       map[string]string
	stored       persistence.RiskRecord
	locks        []persistence.RiskLock
	rows         []string
}

func (a *fakeAccount) Now() time.Time { return a.now }
func (a *fakeAccount) Ready() bool    { return true }
func (a *fakeAccount) Price(currency, _ string) venues.Optional {
	if price, known := a.prices[currency]; known {
		return venues.Some(venues.MustDecimal(price))
	}
	return venues.Optional{}
}
func (a *fakeAccount) Live() iter.Seq[risk.Order]              { return slices.Values(a.live) }
func (a *fakeAccount) Unrecorded() iter.Seq[risk.Order]        { return slices.Values(a.closed) }
func (a *fakeAccount) IsSending() bool                         { return a.sending }
func (a *fakeAccount) Store(r persistence.RiskRecord)          { a.stored = r }
func (a *fakeAccount) LimitReached(lock *persistence.RiskLock) { a.locks = append(a.locks, *lock) }
func (a *fakeAccount) ReadPositions()                          { a.reads++ }
func (a *fakeAccount) Journal(kind string, _ ...persistence.JournalField) {
	a.rows = append(a.rows, kind)
}

func newState(limits persistence.RiskLimits) (*fakeAccount, *risk.State) {
	a := &fakeAccount{now: noon, prices: map[string]string{}}
	s := risk.NewState("c1", venues.Binance, 5*time.Second, position.NewState("c1", venues.Binance))
	s.Restore(&persistence.VenueAccount{Limits: limits}, persistence.RiskRecord{}, risk.NewDay(noon))
	s.Check(a)
	return a, s
}

func some(d string) venues.Optional { return venues.Some(venues.MustDecimal(d)) }

func buy(qty string) *venues.OrderSpec {
	return &venues.OrderSpec{Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeLimit, Qty: venues.MustDecimal(qty), Price: some("100")}
}

// lose counts an execution that has realized a loss.
func lose(a *fakeAccount, s *risk.State, loss, fee, currency string) {
	f := venues.Fill{
		Symbol: "BTCUSDT", Side: venues.Sell, Qty: decimal.NewFromInt(1), RealizedPnl: venues.Some(venues.MustDecimal(loss).Neg()),
		Fee: some(fee), FeeCurrency: currency, ExecutedAt: venues.At(a.now),
	}
	r := persistence.FillRecord{Fill: f, FeeInSettlement: risk.FeeInSettlement(a, &f)}
	s.CountFill(a, &r, position.ExecutionOf(&f, position.Cause{}, a.now))
	s.Check(a)
}

func TestDailyLossLocksOnceNothingIncreasingIsSent(t *testing.T) {
	a, s := newState(persistence.RiskLimits{DailyLoss: some("100")})
	a.sending = true
	lose(a, s, "99", "1", "USDT")
	if !s.IsReduceOnly() || len(a.locks) != 0 {
		t.Fatalf("closed = %t with %d locks while an order is sent, want true with none", s.IsReduceOnly(), len(a.locks))
	}
	if err := admits(s, a, buy("1"), venues.Optional{}); venues.CodeOf(err) != venues.CodeTradingLocked {
		t.Errorf("increasing order: %v, want %s", err, venues.CodeTradingLocked)
	}
	reducing := buy("1")
	reducing.ReduceOnly = true
	if err := admits(s, a, reducing, venues.Optional{}); err != nil {
		t.Errorf("reducing order: %v, want none", err)
	}
	a.sending = false
	s.Check(a)
	if len(a.locks) != 1 || a.stored.Lock == nil || a.locks[0].Actual.String() != "100" {
		t.Fatalf("locks %+v, want one for a loss of 100", a.locks)
	}
	s.Unlock(a)
	if s.IsReduceOnly() || !s.DailyLoss().IsZero() {
		t.Errorf("closed = %t with a loss of %s after the unlock, want false with 0", s.IsReduceOnly(), s.DailyLoss())
	}
	if want := []string{"risk.locked", "risk.unlocked"}; !slices.Equal(a.rows, want) {
		t.Errorf("journal rows %v, want %v", a.rows, want)
	}
}

// The rejection of an increasing order says which limit was reached, from the decision to
// lock on; a halt comes first.
func TestTradingLockedHasTheReason(t *testing.T) {
	a, s := newState(persistence.RiskLimits{DailyLoss: some("100")})
	reason := func() [3]any {
		d := s.TradingLocked().Details
		return [3]any{d["limit"], d["threshold"], d["actual"]}
	}
	locked := [3]any{"daily_loss", "100", "120"}
	a.sending = true
	lose(a, s, "120", "0", "USDT")
	if got := reason(); got != locked {
		t.Errorf("reason %v before the lock, want %v", got, locked)
	}
	a.sending = false
	if s.Check(a); reason() != locked {
		t.Errorf("reason %v of the lock, want %v", reason(), locked)
	}
	s.Halted = true
	if got, want := reason(), [3]any{"halted"}; got != want {
		t.Errorf("reason %v of a halted account, want %v", got, want)
	}
	s.Unlock(a)
	if got, want := reason(), [3]any{"halted"}; got != want {
		t.Errorf("reason %v of a halted account without a lock, want %v", got, want)
	}
}

func TestLockDoesNotWaitLongerThanARequestLives(t *testing.T) {
	a, s := newState(persistence.RiskLimits{DailyLoss: some("100")})
	a.sending = true
	lose(a, s, "100", "0", "USDT")
	if want := noon.Add(5 * time.Second); !s.Due(a).Equal(want) {
		t.Fatalf("due at %s, want %s", s.Due(a), want)
	}
	a.now = noon.Add(5 * time.Second)
	if s.Check(a); len(a.locks) != 1 {
		t.Errorf("%d locks, want 1", len(a.locks))
	}
}

func TestLockEndsWithItsDay(t *testing.T) {
	a, s := newState(persistence.RiskLimits{DailyLoss: some("100")})
	lose(a, s, "100", "0", "USDT")
	a.now = noon.Add(12 * time.Hour)
	if s.Check(a); s.IsReduceOnly() || !s.DailyLoss().IsZero() {
		t.Errorf("closed = %t with a loss of %s on the next day, want false with 0", s.IsReduceOnly(), s.DailyLoss())
	}
}

func TestForeignFeeIsCountedOnceItsPriceIsKnown(t *testing.T) {
	a, s := newState(persistence.RiskLimits{DailyLoss: some("1000")})
	lose(a, s, "10", "0.1", "BNB")
	if got := s.DailyLoss().String(); got != "10" || len(a.stored.Uncounted) != 1 {
		t.Fatalf("loss = %s with uncounted fees %v, want 10 with one", got, a.stored.Uncounted)
	}
	a.prices["BNB"] = "600"
	if s.Check(a); s.DailyLoss().String() != "70" || len(a.stored.Uncounted) != 0 {
		t.Errorf("loss = %s with uncounted fees %v, want 70 with none", s.DailyLoss(), a.stored.Uncounted)
	}
	if want := []string{"risk.fee_uncounted", "risk.fee_counted"}; !slices.Equal(a.rows, want) {
		t.Errorf("journal rows %v, want %v", a.rows, want)
	}
}

func TestLimitsOfAnOrder(t *testing.T) {
	open := risk.Order{OrderRecord: &persistence.OrderRecord{Order: venues.Order{OrderSpec: *buy("1"), Status: venues.StatusOpen}}}
	for name, c := range map[string]struct {
		limits persistence.RiskLimits
		order  *venues.OrderSpec
		rule   any
	}{
		"within":               {persistence.RiskLimits{MaxOrderNotional: some("100"), MaxOpenOrders: 2}, buy("1"), nil},
		"too large":            {persistence.RiskLimits{MaxOrderNotional: some("100")}, buy("1.1"), risk.RuleMaxNotional},
		"of an unknown price":  {persistence.RiskLimits{MaxOrderNotional: some("100")}, &venues.OrderSpec{Qty: venues.MustDecimal("1")}, risk.RuleMaxNotional},
		"one order too many":   {persistence.RiskLimits{MaxOpenOrders: 1}, buy("1"), risk.RuleMaxOpenOrders},
		"reduce-only, too big": {persistence.RiskLimits{MaxOrderNotional: some("1")}, &venues.OrderSpec{Qty: venues.MustDecimal("9"), ReduceOnly: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a, s := newState(c.limits)
			a.live = []risk.Order{open}
			var got any
			if err := admits(s, a, c.order, venues.Optional{}); err != nil {
				got = err.Details["rule"]
			}
			if got != c.rule {
				t.Errorf("rule = %v, want %v", got, c.rule)
			}
		})
	}
}

// TestWorstCasePositionCountsEverythingInFlight: an open order, a pending amend to more,
// and a closed order whose executions are still to come.
func TestWorstCasePositionCountsEverythingInFlight(t *testing.T) {
	order := func(qty, filled string, status venues.OrderStatus) *persistence.OrderRecord {
		return &persistence.OrderRecord{Order: venues.Order{OrderSpec: *buy(qty), FilledQty: venues.MustDecimal(filled), Status: status}}
	}
	a, s := newState(persistence.RiskLimits{})
	a.live = []risk.Order{{OrderRecord: order("1", "0", venues.StatusUnknown)}, {OrderRecord: order("1", "0", venues.StatusOpen), AmendQty: some("2")}}
	a.closed = []risk.Order{{OrderRecord: order("0.5", "0.5", venues.StatusFilled)}}
	for limit, want := range map[string]any{"4.5": nil, "4.4": venues.RuleMaxPosition} {
		var got any
		if err := admitsPosition(s, a, &venues.PlaceOrder{OrderSpec: *buy("1"), MaxPosition: some(limit)}); err != nil {
			got = err.Details["rule"]
		}
		if got != want {
			t.Errorf("1 more with a limit of %s: rule = %v, want %v", limit, got, want)
		}
	}
}

func TestClosedGateStopsIncreasingRequests(t *testing.T) {
	var g risk.Gate
	for _, closed := range []bool{false, true} {
		g.Set(closed)
		if increasing, exempt := g.Allows(false), g.Allows(true); increasing == closed || !exempt {
			t.Errorf("gate with closed = %t allows increasing = %t, exempt = %t, want %t and true", closed, increasing, exempt, !closed)
		}
	}
}
