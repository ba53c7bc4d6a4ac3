package connectortest

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"venuegate/venues"
)

// SameJSON fails the test unless two texts are equal JSON. name identifies them in the
// failure message.
func SameJSON(t testing.TB, name, got, want string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatalf("%s: %v", want, err)
	}
	if err := json.Unmarshal([]byte(got), &a); err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%s = %s\nwant %s", name, got, want)
	}
}

// OrderLife is the time from the making of an order to its deadline: longer than the slowest
// machine takes to send it, and shorter than the longest receive window of a venue.
const OrderLife = 30 * time.Second

// LimitOrder returns a valid request whose deadline is OrderLife from now.
func LimitOrder(qty string) venues.OrderRequest {
	return venues.OrderRequest{
		OrderSpec: venues.OrderSpec{
			Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeLimit, Qty: venues.MustDecimal(qty),
			Price: Decimal("60000.0"), TimeInForce: venues.GoodTillCancel,
		},
		ClientOrderID: "vg00000001", Deadline: time.Now().Add(OrderLife),
	}
}

// Decimal parses a decimal as venues print it; "" is unknown. It panics if text is
// invalid.
func Decimal(text string) venues.Optional {
	if text == "" {
		return venues.Optional{}
	}
	d, err := venues.ParseVenueDecimal(text)
	if err != nil {
		panic(err)
	}
	return venues.Some(d)
}
