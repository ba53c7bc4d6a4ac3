package simcore_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// With CrossingCancels the exchange accepts and cancels orders that it otherwise
// rejects.
func TestCrossingOrdersAreCancelled(t *testing.T) {
	e := newEngine(t, func(o *simcore.Options) { o.CrossingCancels = true })
	account, err := e.CreateAccount(simcore.AccountRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		tif   simcore.TimeInForce
		qty   string
		price string
		end   simcore.EndReason
	}{
		{simcore.PostOnly, "0.01", "60100", simcore.EndPostOnly},
		{simcore.FOK, "1", "59000", simcore.EndFillOrKill},
	} {
		placed, err := e.Place(simcore.OrderRequest{
			Account: account.ID, Symbol: "BTCUSDT", Side: simcore.Buy, TimeInForce: test.tif,
			Qty: dec(test.qty), Price: dec(test.price), ClientID: "id-" + test.qty,
		})
		if err != nil || placed.Status != simcore.StatusCancelled || placed.Reason != test.end {
			t.Errorf("%v: placed %+v, %v, want cancelled for %v", test.tif, placed, err, test.end)
		}
		found, err := e.Order(account.ID, "", simcore.OrderRef{ClientID: "id-" + test.qty})
		if err != nil || found.ID != placed.ID || !found.FilledQty().Equal(decimal.Zero) {
			t.Errorf("%v: found %+v, %v, want order %d without fills", test.tif, found, err, placed.ID)
		}
	}
	if open := e.OpenOrders(account.ID, ""); len(open) != 0 {
		t.Errorf("open orders = %v, want none", open)
	}
}
