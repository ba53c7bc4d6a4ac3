package venues_test

import (
	"testing"
	"time"

	"venuegate/venues"
)

func TestHopEndsOnce(t *testing.T) {
	received := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	h := venues.NewHops(received)
	h.End(venues.HopSent, received.Add(3*time.Millisecond))
	h.End(venues.HopSent, received.Add(9*time.Millisecond))
	h.End(venues.HopAdmitted, received.Add(-time.Millisecond)) // clocks may be set back
	if sent, admitted, recorded := h.Ended(venues.HopSent), h.Ended(venues.HopAdmitted), h.Ended(venues.HopRecorded); sent != 3*time.Millisecond || admitted != 1 || recorded != 0 {
		t.Errorf("ended after %s, %s, %s, want 3ms, 1ns, 0s", sent, admitted, recorded)
	}
	var none *venues.Hops
	none.End(venues.HopSent, received) // records nothing
}
