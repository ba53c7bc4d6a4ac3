package position

import (
	"slices"
	"testing"
	"time"

	"venuegate/venues"
)

func listedLong(qty string) venues.Position {
	return venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal(qty)}
}

// at moves the time to n seconds after the start.
func (a *fakeAccount) at(n int) { a.now = ledgerStart.Add(time.Duration(n) * time.Second) }

func (a *fakeAccount) wantClosed(t *testing.T, entered ...string) {
	t.Helper()
	var got []string
	for i := range a.closed {
		p := &a.closed[i].Position
		got = append(got, venues.Sum(p.EntryQty, p.UnpricedEntry).String())
	}
	if !slices.Equal(got, entered) {
		t.Fatalf("closed positions of %v, want %v", got, entered)
	}
}

func TestReportedCloseRequestsOneReconciliation(t *testing.T) {
	a, s := newFakeAccount()
	a.report(s, "2")
	a.report(s, "0")
	a.pass(s, MismatchRetry-1)
	if !a.reconcileBy.IsZero() {
		t.Fatalf("reconciliation by %s before %s have passed, want none", a.reconcileBy, MismatchRetry)
	}
	a.pass(s, 1)
	if !a.reconcileBy.Equal(a.now) {
		t.Fatalf("reconciliation by %s, want %s", a.reconcileBy, a.now)
	}
	a.reconcileBy = time.Time{}
	a.pass(s, time.Second)
	if !a.reconcileBy.IsZero() {
		t.Errorf("reconciliation by %s again, want one only", a.reconcileBy)
	}
}

func TestReportedCloseWithoutAnyExecutionIsPublished(t *testing.T) {
	a, s := newFakeAccount()
	a.report(s, "2")
	a.report(s, "0")
	a.published = nil
	a.pass(s, CloseFillsMax)
	if len(a.published) != 1 || !a.published[0].Qty.IsZero() || a.published[0].Reason != venues.ClosedManual {
		t.Errorf("published %+v, want one position of 0 closed by %q", a.published, venues.ClosedManual)
	}
	if s.HasPending() {
		t.Error("a close is pending after it was published, want none")
	}
}

// What was opened after a close whose executions are missing is a position of its own.
func TestPositionOpenedAfterACloseWithoutExecutions(t *testing.T) {
	for name, open := range map[string]func(*fakeAccount, *State){
		"opened by an execution": func(a *fakeAccount, s *State) { a.execute(s, 1, venues.Buy, "2", "100") },
		"adopted from the list": func(a *fakeAccount, s *State) {
			s.Update(a, []venues.Position{listedLong("2")}, a.now)
			s.Compare(a, a.now)
			a.at(3)
			s.AdoptUnexplained(a, a.now, a.now, func(string) bool { return true })
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, s := newFakeAccount()
			open(a, s)
			a.at(5)
			a.report(s, "2")
			a.at(10)
			a.report(s, "0")
			a.at(13)
			a.execute(s, 13, venues.Buy, "1", "110")
			a.report(s, "1")
			a.at(20)
			a.pass(s, 0)
			a.wantClosed(t, "2")
			if got := s.Qty("BTCUSDT", venues.Long).String(); got != "1" {
				t.Errorf("open %s, want the 1 that was opened after the close", got)
			}
		})
	}
}

// A position that is closed and opened again between two reports of the venue has no reported
// close. What the venue reported of it does not count for the next one.
func TestReopenedPositionIsConfirmedByItsOwnReports(t *testing.T) {
	a, s := newFakeAccount()
	a.execute(s, 1, venues.Buy, "5", "100")
	a.report(s, "5")
	a.at(10)
	a.execute(s, 10, venues.Sell, "5", "110")
	a.execute(s, 11, venues.Buy, "1", "110")
	a.at(11)
	a.report(s, "1")
	a.pass(s, ConfirmMax)
	a.wantClosed(t, "5")
	if got, _ := s.Find(key("BTCUSDT", venues.Long)); got.Qty.String() != "1" {
		t.Errorf("listed %s, want the 1 that was opened again", got.Qty)
	}
	a.at(30)
	a.execute(s, 30, venues.Sell, "1", "120")
	a.report(s, "0")
	a.wantClosed(t, "5", "1")
}

func TestCloseIsNotConfirmedWhileExecutionsAreMissing(t *testing.T) {
	a, s := newFakeAccount()
	r := unattributedFill(a, s)
	a.incomplete = true
	a.report(s, "0")
	a.wantClosed(t)
	a.incomplete = false
	if _, counted := s.Attribute(&r.Fill, Cause{Reason: venues.ClosedManual}); !counted {
		t.Fatal("the execution is not attributed, want it attributed")
	}
	s.Finish(a) // the execution was the last one that was missing
	a.wantClosed(t, "1")
}

// Executions that are known to be missing may change a closing until a reconciliation that began
// after it.
func TestDisputedCloseWaitsForAReconciliation(t *testing.T) {
	a, s := newFakeAccount()
	a.execute(s, 1, venues.Buy, "2", "100")
	a.report(s, "2")
	a.at(5)
	a.execute(s, 5, venues.Sell, "2", "110")
	closedAt := a.now
	a.incomplete = true
	a.pass(s, time.Hour)
	a.wantClosed(t)
	a.reconciledAt = closedAt.Add(ListLag)
	a.pass(s, 0)
	a.wantClosed(t)
	a.reconciledAt = closedAt.Add(ListLag + 1)
	a.pass(s, 0)
	a.wantClosed(t, "2")
}

func TestCloseIsNotConfirmedWhileTheListDiffers(t *testing.T) {
	a, s := newFakeAccount()
	a.execute(s, 1, venues.Buy, "2", "100")
	a.report(s, "2")
	a.at(5)
	a.execute(s, 5, venues.Sell, "2", "110")
	a.report(s, "0")
	a.wantClosed(t, "2")
	a.execute(s, 6, venues.Buy, "2", "100")
	a.report(s, "2")
	a.at(8)
	a.execute(s, 8, venues.Sell, "2", "110")
	a.report(s, "0")
	a.report(s, "1")
	a.wantClosed(t, "2", "2")
}

func TestMissingListOfACloseRequestsAReconciliation(t *testing.T) {
	a, s := newFakeAccount()
	a.execute(s, 1, venues.Buy, "2", "100")
	s.Compare(a, a.now)
	if !a.reconcileBy.IsZero() {
		t.Fatalf("reconciliation by %s of a list that may lag, want none", a.reconcileBy)
	}
	if a.reads != 0 {
		t.Fatalf("%d readings for an open position, want none", a.reads)
	}
	a.report(s, "2")
	a.execute(s, 2, venues.Sell, "2", "110")
	if a.reads == 0 {
		t.Error("no reading for a close, want one")
	}
	s.Compare(a, a.now)
	if want := a.now.Add(MismatchRetry); !a.reconcileBy.Equal(want) {
		t.Errorf("reconciliation by %s of a close, want %s", a.reconcileBy, want)
	}
	if s.HasMismatch() {
		t.Error("the executions differ from a list that may lag, want no mismatch")
	}
}

// A close that the venue does not report is published in the end. A reading that began before
// does not list the position again.
func TestCloseThatTheVenueDoesNotReport(t *testing.T) {
	a, s := newFakeAccount()
	a.execute(s, 1, venues.Buy, "2", "100")
	a.report(s, "2")
	a.at(5)
	a.execute(s, 5, venues.Sell, "2", "110")
	began := a.now
	a.pass(s, DisputeMax-1)
	a.wantClosed(t)
	a.pass(s, 1)
	a.wantClosed(t, "2")
	if last := a.published[len(a.published)-1]; !last.Qty.IsZero() || last.Reason != venues.ClosedManual || s.ListedCount() != 0 {
		t.Errorf("published %s closed by %q with %d listed; want 0 closed by %q with none", last.Qty, last.Reason, s.ListedCount(), venues.ClosedManual)
	}
	s.Update(a, []venues.Position{listedLong("2")}, began)
	if n := s.ListedCount(); n != 0 {
		t.Errorf("%d positions are listed by an older reading, want 0", n)
	}
}
