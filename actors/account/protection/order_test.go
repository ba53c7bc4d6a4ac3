package protection_test

import (
	"testing"

	"venuegate/actors/account/protection"
	"venuegate/venues"
)

// The triggers of an order can be changed while it is active, and afterwards while what it has
// filled is protected.
func TestIsChangeable(t *testing.T) {
	leg := func(s venues.ProtectionStatus) *venues.Protection {
		return &venues.Protection{StopLoss: &venues.ProtectionLeg{Status: s}}
	}
	for name, c := range map[string]struct {
		order venues.Order
		want  bool
	}{
		"open":                         {venues.Order{Status: venues.StatusOpen}, true},
		"partly filled":                {venues.Order{Status: venues.StatusPartiallyFilled, FilledQty: dec("1")}, true},
		"filled and protected":         {venues.Order{Status: venues.StatusFilled, FilledQty: dec("1"), Protection: leg(venues.ProtectionLive)}, true},
		"filled without protection":    {venues.Order{Status: venues.StatusFilled, FilledQty: dec("1")}, false},
		"filled, protection withdrawn": {venues.Order{Status: venues.StatusFilled, FilledQty: dec("1"), Protection: leg(venues.ProtectionCancelled)}, false},
		"cancelled before it filled":   {venues.Order{Status: venues.StatusCancelled, Protection: leg(venues.ProtectionLive)}, false},
	} {
		if got := protection.IsChangeable(&c.order); got != c.want {
			t.Errorf("%s: changeable = %t, want %t", name, got, c.want)
		}
	}
}

// Only an entry with protection protects a position.
func TestProtectedPosition(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	entry, legs := a.protectedEntry("1")
	plain := protectedOrder()
	plain.StopLoss, plain.TakeProfit = venues.Optional{}, venues.Optional{}
	for name, c := range map[string]struct {
		order *protection.Order
		want  string
	}{
		"entry": {entry, "BTCUSDT/long"}, "leg": {legs[0], ""}, "order without protection": {a.open(plain), ""},
	} {
		if got := c.order.ProtectedPosition(); got != c.want {
			t.Errorf("%s protects %q, want %q", name, got, c.want)
		}
	}
}
