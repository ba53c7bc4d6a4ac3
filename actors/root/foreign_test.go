package root_test

import (
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
	"venuegate/venues/binance"
)

// A position that was opened and closed at the venue while the service was down, in an
// instrument that was never traded here, is reported, and its loss counts.
func TestForeignRoundTripWhileDownIsReported(t *testing.T) {
	d := open(t)
	d.until("the first comparison", func() bool {
		state, err := d.store.AccountState(t.Context(), "c1", venues.Binance)
		return err == nil && !state.TradedUntil.IsZero()
	})
	d.stop()
	d.foreign(venues.Buy, "ETHUSDT", "0.5")
	d.foreign(venues.Sell, "ETHUSDT", "0.5")
	d.start(t.Context())
	d.wantEvents(persistence.EventPositionClosed, 1)
	page, err := d.store.Fills(t.Context(), persistence.FillQuery{Customer: "c1", Symbol: "ETHUSDT", Limit: 10})
	if err != nil || len(page.Items) < 2 {
		t.Fatalf("%d fills, %v, want at least 2", len(page.Items), err)
	}
}

// An adopted order has the time when it was placed in its id, and stays one order after a
// restart.
func TestForeignOrdersAreAdoptedOnceAndInOrder(t *testing.T) {
	d := open(t)
	from := time.Now().Add(-time.Second)
	d.foreign(venues.Buy, "ETHUSDT", "0.5")
	d.foreign(venues.Sell, "ETHUSDT", "0.5")
	d.wantEvents(persistence.EventPositionClosed, 1)
	before := d.adopted(from)
	d.stop()
	d.start(t.Context())
	d.until("the comparison after the restart", func() bool {
		state, err := d.store.AccountState(t.Context(), "c1", venues.Binance)
		return err == nil && state.TradedUntil.After(before[1].UpdatedAt.Time)
	})
	after := d.adopted(from)
	for i := range before {
		if after[i].OrderID != before[i].OrderID {
			t.Errorf("order %d is %s after the restart, want %s", i, after[i].OrderID, before[i].OrderID)
		}
	}
}

// adopted returns the two orders that were adopted, the newest first. Their ids sort like
// those of orders of the service.
func (d *harness) adopted(from time.Time) []persistence.OrderRecord {
	d.t.Helper()
	page, err := d.store.Orders(d.t.Context(), persistence.OrderQuery{Customer: "c1", View: persistence.OrdersClosed, Limit: 10})
	if err != nil || len(page.Items) != 2 {
		d.t.Fatalf("%d closed orders, %v, want 2", len(page.Items), err)
	}
	earliest := persistence.AdoptedOrderID(strings.Repeat("0", 16), from)
	if newer, older := page.Items[0].OrderID, page.Items[1].OrderID; newer < older || older < earliest {
		d.t.Errorf("ids, the newest first: %s and %s, want them in order and after %s", newer, older, earliest)
	}
	return page.Items
}

// foreign trades on the account without the service.
func (d *harness) foreign(side venues.Side, symbol, qty string) {
	d.t.Helper()
	demo := d.sim.DemoAccount()
	ends := d.sim.Endpoints()
	connector := binance.New(binance.Sim(ends.RestURL, ends.WsURL))
	defer connector.Close()
	other, err := connector.OpenAccount(venues.Credentials{APIKey: venues.Secret(demo.Credentials.APIKey), APISecret: venues.Secret(demo.Credentials.APISecret)})
	if err != nil {
		d.t.Fatal(err)
	}
	order := spec(side, venues.TypeMarket, qty, "")
	order.Symbol = symbol
	_, err = other.Place(d.t.Context(), venues.OrderRequest{
		OrderSpec: order, ClientOrderID: "by-hand-" + string(side), Deadline: time.Now().Add(testTimeout),
	})
	if err != nil {
		d.t.Fatal(err)
	}
}
