package root_test

import (
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
