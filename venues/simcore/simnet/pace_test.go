package simnet_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

func TestPaceIsChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pace simnet.Pace
		want string
	}{
		{simnet.Pace{Rate: -1}, "rate must be between 1 and 20000, not -1"},
		{simnet.Pace{Rate: simnet.RateMax + 1}, "not 20001"},
		{simnet.Pace{Symbols: -1}, "symbols must be between 1 and 500, not -1"},
		{simnet.Pace{Symbols: simnet.SymbolsMax + 1}, "not 501"},
		{simnet.Pace{BookStep: -time.Second}, "book-step must be between 1ms and 1m0s, not -1s"},
		{simnet.Pace{BookStep: time.Hour}, "not 1h0m0s"},
	} {
		if _, err := simnet.NewVenue(simnet.Setup{Pace: c.pace}, rules()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error of %+v = %v, want %q", c.pace, err, c.want)
		}
	}
	for _, pace := range []simnet.Pace{{}, {Rate: 1, Symbols: 1, BookStep: simnet.BookStepMin}, {simnet.RateMax, simnet.SymbolsMax, simnet.BookStepMax}} {
		if err := pace.Check(); err != nil {
			t.Errorf("error of %+v = %v, want none", pace, err)
		}
	}
}

// A venue takes a step as often as its books change, but not less often than usual.
func TestVenueStepsAsOftenAsItsBooks(t *testing.T) {
	for step, want := range map[time.Duration]int64{
		5 * time.Millisecond: 200, 50 * time.Millisecond: 20, time.Second: 20,
	} {
		synctest.Test(t, func(t *testing.T) {
			v, steps := newVenue(t, simnet.Setup{Pace: simnet.Pace{BookStep: step}})
			simtest.StartInMemory(t, v)
			time.Sleep(time.Second + time.Nanosecond)
			simtest.Equal(t, "steps a second with books that change every "+step.String(), steps.Load(), want)
			if err := v.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
