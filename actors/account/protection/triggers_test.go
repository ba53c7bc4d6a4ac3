package protection_test

import (
	"testing"

	"venuegate/actors/account/protection"
	"venuegate/venues"
)

func wantStops(t *testing.T, p venues.Position, stop, profit string) {
	t.Helper()
	text := func(o venues.Optional) string {
		if !o.Valid {
			return ""
		}
		return o.Decimal.String()
	}
	if gotStop, gotProfit := text(p.StopLoss), text(p.TakeProfit); gotStop != stop || gotProfit != profit {
		t.Errorf("stop loss %q, take profit %q, want %q, %q", gotStop, gotProfit, stop, profit)
	}
}

func TestPositionShowsItsLiveLegs(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	long := venues.Position{Symbol: "BTCUSDT", Side: venues.Long}
	o, legs := a.protectedEntry("1")
	position := a.keeper.WithTriggers(long)
	wantStops(t, position, "58000", "65000")
	wantStops(t, a.keeper.WithTriggers(venues.Position{Symbol: "BTCUSDT", Side: venues.Short}), "", "")
	a.executeAll(legs[0])
	position = a.keeper.UpdateTriggers(o, position)
	wantStops(t, position, "", "65000")
	a.cancel(legs[1])
	wantStops(t, a.keeper.UpdateTriggers(o, position), "", "")
}

// The position shows the trigger that the market reaches first of several entries.
func TestPositionShowsTheNearestTriggers(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	a.protectedEntry("1")
	spec := protectedOrder()
	spec.StopLoss, spec.TakeProfit = some("59000"), some("67000")
	nearer := a.open(spec)
	a.fill(nearer, "1")
	a.accept(a.pass(protection.GatherDelay)...)
	wantStops(t, a.keeper.WithTriggers(venues.Position{Symbol: "BTCUSDT", Side: venues.Long}), "59000", "65000")
}

func TestTriggerWithoutALegRemainsOnThePosition(t *testing.T) {
	a := newAccount(t, protection.Rules{})
	o := a.fillEntry("0.4")
	long := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, StopLoss: some("50000")}
	wantStops(t, a.keeper.UpdateTriggers(o, a.keeper.WithTriggers(long)), "50000", "")
}
