package root_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
	"venuegate/venues/simcore"
)

// closedPosition is the payload of position.closed.
type closedPosition struct {
	Exchange, Symbol, Side, Qty, EntryPrice, ExitPrice, RealizedPnl, Fee, Reason, OpenedAt string
}

// events returns the stored events of a type.
func (d *harness) events(kind persistence.EventType) []persistence.Event {
	d.t.Helper()
	all, err := d.store.Events(d.t.Context(), "c1", "", 1000)
	if err != nil {
		d.t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(e persistence.Event) bool { return e.Type != kind })
}

// until waits for a condition.
func (d *harness) until(what string, is func() bool) {
	d.t.Helper()
	for deadline := time.Now().Add(testTimeout); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			d.t.Fatalf("timeout, want %s", what)
		}
	}
}

// positionClosed waits for the nth event position.closed.
func (d *harness) positionClosed(n int) closedPosition {
	d.t.Helper()
	d.until("position.closed", func() bool { return len(d.events(persistence.EventPositionClosed)) >= n })
	events := d.events(persistence.EventPositionClosed)
	if len(events) != n {
		d.t.Fatalf("%d events, want %d", len(events), n)
	}
	var p closedPosition
	if err := json.Unmarshal(events[n-1].Data, &p); err != nil {
		d.t.Fatal(err)
	}
	return p
}

// configure stores the account's record, changed by change.
func (d *harness) configure(change func(*persistence.VenueAccount)) {
	d.t.Helper()
	records, err := d.store.VenueAccounts(d.t.Context(), "c1")
	if err != nil || len(records) != 1 {
		d.t.Fatal(records, err)
	}
	change(&records[0])
	if err := d.tree.Configure(d.t.Context(), records[0]); err != nil {
		d.t.Fatal(err)
	}
}

func (d *harness) moves(to string) {
	d.t.Helper()
	if _, err := d.sim.Control().Market(simcore.MarketRequest{Symbol: "BTCUSDT", Price: price(to)}); err != nil {
		d.t.Fatal(err)
	}
}

// wantCode places an order and checks the code of the rejection.
func (d *harness) wantCode(requestID string, s venues.OrderSpec, want venues.Code) *venues.Error {
	d.t.Helper()
	_, err := d.place(requestID, s)
	rejection, _ := errors.AsType[*venues.Error](err)
	if rejection == nil || rejection.Code != want {
		d.t.Fatalf("%v, want %s", err, want)
	}
	return rejection
}

// Fills at the simulated venue lose more than the account may. From then on only orders
// that reduce pass, after a restart too, until an administrator unlocks the account.
func TestDailyLossLocksAcrossRestarts(t *testing.T) {
	d := open(t)
	d.becomes(venues.StatusFilled, "open", spec(venues.Buy, venues.TypeMarket, "1", ""))
	d.configure(func(a *persistence.VenueAccount) { a.Limits.DailyLoss = venues.Some(venues.MustDecimal("500")) })
	d.moves("64000")
	d.becomes(venues.StatusFilled, "part", spec(venues.Sell, venues.TypeMarket, "0.6", ""))
	d.until("the lock", func() bool { return len(d.events(persistence.EventRiskLimitReached)) == 1 })
	rejection := d.wantCode("more", spec(venues.Buy, venues.TypeMarket, "0.1", ""), venues.CodeTradingLocked)
	if rejection.Details["limit"] != "daily_loss" || rejection.Details["threshold"] != "500" || rejection.Details["until"] == nil {
		t.Errorf("details = %v, want daily_loss of 500 with until", rejection.Details)
	}
	d.stop()
	d.start(t.Context())
	_ = d.wantCode("more", spec(venues.Buy, venues.TypeLimit, "0.1", "20000"), venues.CodeTradingLocked)
	_ = d.wantCode("turn", spec(venues.Sell, venues.TypeMarket, "0.5", ""), venues.CodeTradingLocked)
	d.becomes(venues.StatusFilled, "rest", spec(venues.Sell, venues.TypeMarket, "0.4", "")) // it reduces
	closed := d.positionClosed(1)
	if closed.Side != "long" || closed.Qty != "1" || closed.Reason != "manual" || closed.OpenedAt == "" || !venues.MustDecimal(closed.RealizedPnl).LessThan(venues.MustDecimal("-500")) {
		t.Errorf("closed position = %+v, want a manual close of long 1 with a loss of more than 500", closed)
	}
	before, err := d.tree.Risk(t.Context(), "c1", venues.Binance)
	if err != nil || !before.Loss.Valid || !before.Realized.LessThan(venues.MustDecimal("-500")) || !before.Fees.IsPositive() || !before.Remaining.Decimal.IsNegative() {
		t.Errorf("risk = %+v, %v, want a realized loss of more than 500, fees, and nothing that remains", before, err)
	}
	if err := d.tree.Unlock(t.Context(), "c1", venues.Binance); err != nil {
		t.Fatal(err)
	}
	d.becomes(venues.StatusOpen, "more", spec(venues.Buy, venues.TypeLimit, "0.1", "20000"))
	if n := len(d.events(persistence.EventRiskLimitReached)); n != 1 {
		t.Errorf("%d events risk.limit_reached, want 1", n)
	}
}

// Orders of the service and of others, a stop and a position.
func TestHaltCancelsAndClosesEverything(t *testing.T) {
	d := open(t)
	entry := spec(venues.Buy, venues.TypeMarket, "0.5", "")
	entry.StopLoss = venues.Some(venues.MustDecimal("50000"))
	d.becomes(venues.StatusFilled, "open", entry)
	for n := range 3 {
		d.becomes(venues.StatusOpen, fmt.Sprintf("rests%d", n), spec(venues.Buy, venues.TypeLimit, "1", "20000"))
	}
	d.configure(func(a *persistence.VenueAccount) { a.Halt(time.Now(), true) })
	result, err := d.tree.AwaitHalt(t.Context(), "c1", venues.Binance)
	if err != nil || !result.Done || result.OpenOrders != 0 || result.OpenPositions != 0 {
		t.Fatalf("%+v, %v, want Done, OpenOrders 0, OpenPositions 0", result, err)
	}
	for _, o := range d.sim.Control().Ledger().Orders {
		if o.Rejection == "" && (o.Status == "NEW" || o.Status == "PARTIALLY_FILLED") {
			t.Errorf("open order at the venue = %+v, want none", o)
		}
	}
	if closed := d.positionClosed(1); closed.Side != "long" || closed.Qty != "0.5" || closed.Reason != "manual" {
		t.Errorf("%+v, want Side long, Qty 0.5, Reason manual", closed)
	}
	d.stop()
	d.start(t.Context())
	rejection := d.wantCode("more", spec(venues.Buy, venues.TypeLimit, "1", "20000"), venues.CodeTradingLocked)
	if rejection.Details["limit"] != "halted" {
		t.Errorf("details = %v, want limit halted", rejection.Details)
	}
	d.configure(func(a *persistence.VenueAccount) { a.Resume() })
	d.becomes(venues.StatusOpen, "more", spec(venues.Buy, venues.TypeLimit, "1", "20000"))
}

// One order closes a position and opens the other side.
func TestOrderReversesAPosition(t *testing.T) {
	d := open(t)
	for n, s := range []venues.OrderSpec{
		spec(venues.Buy, venues.TypeMarket, "0.2", ""), spec(venues.Sell, venues.TypeMarket, "0.5", ""), spec(venues.Buy, venues.TypeMarket, "0.3", ""),
	} {
		d.becomes(venues.StatusFilled, fmt.Sprint(n), s)
		if n == 1 {
			if closed := d.positionClosed(1); closed.Side != "long" || closed.Qty != "0.2" {
				t.Fatalf("%+v, want Side long, Qty 0.2", closed)
			}
		}
	}
	if closed := d.positionClosed(2); closed.Side != "short" || closed.Qty != "0.3" {
		t.Fatalf("%+v, want Side short, Qty 0.3", closed)
	}
	fills, err := d.store.Fills(t.Context(), persistence.FillQuery{Customer: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	reported, fees := decimal.Zero, decimal.Zero
	for _, f := range fills.Items {
		reported, fees = reported.Add(f.RealizedPnl.Decimal), fees.Add(f.Fee.Decimal)
	}
	var brought, paid decimal.Decimal
	for _, e := range d.events(persistence.EventPositionClosed) {
		var p closedPosition
		if err := json.Unmarshal(e.Data, &p); err != nil {
			t.Fatal(err)
		}
		brought, paid = brought.Add(venues.MustDecimal(p.RealizedPnl)), paid.Add(venues.MustDecimal(p.Fee))
	}
	if !brought.Sub(reported).Abs().LessThan(venues.MustDecimal("0.0001")) || !paid.Equal(fees) {
		t.Errorf("sum of the events = %s with fees %s, want the venue's %s with fees %s", brought, paid, reported, fees)
	}
}
