package position

import (
	"maps"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// fakeAccount is an account without missing executions unless incomplete is set. It records the
// calls of its State.
type fakeAccount struct {
	now time.Time
	// reconciledAt is when the last reconciliation began.
	reconciledAt time.Time
	incomplete   bool
	reads        int
	closed       []Closing
	published    []venues.Position
	stored       map[string]persistence.PositionRecord
	reconcileBy  time.Time
}

func (a *fakeAccount) Now() time.Time          { return a.now }
func (a *fakeAccount) Ready() bool             { return true }
func (a *fakeAccount) ReconciledAt() time.Time { return a.reconciledAt }
func (a *fakeAccount) IsComplete(string) bool  { return !a.incomplete }
func (a *fakeAccount) CloseReason(string, venues.PositionSide, time.Time) venues.CloseReason {
	return venues.ClosedManual
}
func (a *fakeAccount) WithTriggers(p venues.Position) venues.Position       { return p }
func (a *fakeAccount) Closed(_ string, c *Closing)                          { a.closed = append(a.closed, *c) }
func (a *fakeAccount) Dropped(*venues.Position, time.Time)                  {}
func (a *fakeAccount) Adopted(string, venues.PositionSide, decimal.Decimal) {}
func (a *fakeAccount) Publish(p venues.Position)                            { a.published = append(a.published, p) }

func (a *fakeAccount) Store(r persistence.PositionRecord) { a.stored[r.Symbol] = r }
func (a *fakeAccount) ReconcileBy(due time.Time)          { a.reconcileBy = due }
func (a *fakeAccount) ReadSoon()                          { a.reads++ }
func (a *fakeAccount) pass(s *State, d time.Duration)     { a.now = a.now.Add(d); s.Tick(a); s.Finish(a) }

func (a *fakeAccount) report(s *State, qty string) {
	s.Report(a, venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal(qty)})
	s.Finish(a)
}

func newFakeAccount() (*fakeAccount, *State) {
	return &fakeAccount{now: ledgerStart, reconciledAt: ledgerStart, stored: map[string]persistence.PositionRecord{}}, NewState("c1", venues.Binance)
}

func (a *fakeAccount) execute(s *State, n int, side venues.Side, qty, price string) {
	e := exec(n, side, qty, price)
	e.KnownAt = a.now
	s.Add(a, "BTCUSDT", e)
	s.Finish(a)
}

func TestCloseIsPublishedOnceExecutionsAndVenueAgree(t *testing.T) {
	a, s := newFakeAccount()
	a.execute(s, 1, venues.Buy, "2", "100")
	a.report(s, "2")
	a.pass(s, time.Second)
	a.execute(s, 2, venues.Sell, "2", "110")
	if len(a.closed) != 0 {
		t.Fatalf("%d closes before the venue has reported one, want 0", len(a.closed))
	}
	a.report(s, "0")
	if len(a.closed) != 1 || Pnl(venues.Long, &a.closed[0].Position).Decimal.String() != "20" {
		t.Fatalf("closed %+v, want one position with a P&L of 20", a.closed)
	}
	a.pass(s, time.Hour)
	if len(a.closed) != 1 {
		t.Errorf("%d closes in the end, want 1", len(a.closed))
	}
	if last := a.published[len(a.published)-1]; !last.Qty.IsZero() || last.Reason != venues.ClosedManual {
		t.Errorf("published %s closed by %q, want 0 closed by %q", last.Qty, last.Reason, venues.ClosedManual)
	}
	if r := a.stored["BTCUSDT"]; r.Long != nil || r.CutTrade != "2/v" {
		t.Errorf("stored %+v, want no open position and the last execution as the cut", r)
	}
}

func TestReportedClosesArePendingUpToALimit(t *testing.T) {
	a, s := newFakeAccount()
	for range 2 * ReportedClosesMax {
		a.execute(s, 1, venues.Buy, "1", "100")
		a.report(s, "1")
		a.report(s, "0")
	}
	if n := len(s.ledgers["BTCUSDT"].reported[venues.Long]); n > ReportedClosesMax {
		t.Errorf("%d reported closes are pending, want at most %d", n, ReportedClosesMax)
	}
}

func TestDifferenceFromTheVenueRequestsAReconciliation(t *testing.T) {
	a, s := newFakeAccount()
	a.execute(s, 1, venues.Buy, "2", "100")
	a.now = a.now.Add(time.Minute)
	s.Update(a, []venues.Position{{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("3")}}, a.now)
	s.Compare(a, a.now)
	if want := a.now.Add(MismatchRetry); !a.reconcileBy.Equal(want) {
		t.Fatalf("reconciliation by %s, want %s", a.reconcileBy, want)
	}
	if got, want := maps.Collect(s.Mismatched()), map[string]time.Time{"BTCUSDT": a.now}; !maps.Equal(got, want) || !s.HasMismatch() {
		t.Errorf("mismatches %v, want %v", got, want)
	}
	s.AdoptUnexplained(a, a.now.Add(time.Second), a.now, func(string) bool { return true })
	if got := s.Qty("BTCUSDT", venues.Long); got.String() != "3" {
		t.Errorf("open %s, want the 3 of the venue's list", got)
	}
}

// Of more executions than an instrument keeps the first ones become final. Only the positions
// that they have closed are published at once, and each position once.
func TestExecutionsAboveTheLimitBecomeFinal(t *testing.T) {
	const final = (RecentMax+1)/2 + 1
	for closes, want := range map[int][]string{final: {decimal.NewFromInt(final - 1).String()}, final + 1: nil} {
		a, s := newFakeAccount()
		for n := 1; n <= RecentMax+1; n++ {
			if n == closes {
				a.execute(s, n, venues.Sell, decimal.NewFromInt(int64(n-1)).String(), "110")
			} else {
				a.execute(s, n, venues.Buy, "1", "100")
			}
		}
		a.wantClosed(t, want...)
		a.pass(s, DisputeMax)
		a.wantClosed(t, decimal.NewFromInt(int64(closes-1)).String())
	}
}
