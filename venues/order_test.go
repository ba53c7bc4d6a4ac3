package venues_test

import (
	"testing"

	"venuegate/venues"
)

func TestSidesOfOrdersAndPositions(t *testing.T) {
	if venues.Buy.Opens() != venues.Long || venues.Sell.Opens() != venues.Short {
		t.Error("a buy opens a long position, a sell a short one")
	}
	for _, side := range []venues.Side{venues.Buy, venues.Sell} {
		if side.Reduces() == side.Opens() || side.Reduces().ClosedBy() != side || side.Opens().ClosedBy() != side.Opposite() {
			t.Errorf("%s opens %s and reduces %s", side, side.Opens(), side.Reduces())
		}
	}
}
