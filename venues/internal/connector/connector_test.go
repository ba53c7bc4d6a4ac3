package connector_test

import (
	"errors"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
)

func TestRecvWindowEndsAtTheDeadline(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		left, lag, want time.Duration
		late            bool
	}{
		"standard":      {0, 0, 5 * time.Second, false},
		"rest":          {3 * time.Second, 0, 3 * time.Second, false},
		"with lag":      {3 * time.Second, 200 * time.Millisecond, 3200 * time.Millisecond, false},
		"longest":       {time.Hour, 0, connector.RecvWindowMax, false},
		"deadline past": {-time.Second, 0, 0, true},
	} {
		deadline := now.Add(c.left)
		if c.left == 0 {
			deadline = time.Time{}
		}
		got, err := connector.RecvWindow(connector.RecvWindowDefault, now, deadline, c.lag)
		if got != c.want || errors.Is(err, venues.ErrNotSent) != c.late {
			t.Errorf("%s: window %v, error %v, want %v, late %v", name, got, err, c.want, c.late)
		}
	}
}

func TestLeverageChangeStatesTheOutcome(t *testing.T) {
	failure := errors.New("failure")
	ten := venues.Some(decimal.NewFromInt(10))
	for name, c := range map[string]struct {
		reads []venues.Optional // unknown with an error before the first one
		write error
		want  error
	}{
		"success":             {[]venues.Optional{ten, ten}, nil, nil},
		"not read":            {nil, nil, venues.ErrNotSent},
		"rejected":            {[]venues.Optional{ten}, failure, failure},
		"not read back":       {[]venues.Optional{ten}, nil, venues.ErrOutcomeUnknown},
		"unknown when reread": {[]venues.Optional{ten, {}}, nil, venues.ErrOutcomeUnknown},
	} {
		read := 0
		change, err := connector.Leverage{
			Read: func() (venues.Optional, error) {
				if read == len(c.reads) {
					return venues.Optional{}, failure
				}
				read++
				return c.reads[read-1], nil
			},
			Write: func() error { return c.write },
		}.Change(venues.LeverageChange{})
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) || err == nil && !change.Leverage.Equal(ten.Decimal) {
			t.Errorf("%s: leverage %s, error %v, want %v", name, change.Leverage, err, c.want)
		}
	}
}

func TestScaleFollowsTheInstruments(t *testing.T) {
	var list connector.Instruments
	var cache connector.ScaleCache
	if _, err := cache.Scale(&list, "BTCUSDT"); !venues.IsUnlisted(err) {
		t.Fatalf("error %v before the list was read, want an unlisted instrument", err)
	}
	for _, tick := range []string{"0.1", "0.01"} {
		list.Store(venues.NewInstrumentSet([]venues.Instrument{{
			Symbol: "BTCUSDT", Status: venues.InstrumentTrading, TickSize: venues.MustDecimal(tick), QtyStep: venues.MustDecimal("1"),
		}}))
		if scale, err := cache.Scale(&list, "BTCUSDT"); err != nil || scale.PriceDecimals != len(tick)-2 {
			t.Errorf("tick size %s: scale %+v, error %v, want %d decimals", tick, scale, err, len(tick)-2)
		}
	}
	if !list.Trading("BTCUSDT") || list.Trading("ETHUSDT") {
		t.Error("Trading: want true for BTCUSDT alone")
	}
}
