package simcore_test

import (
	"fmt"
	"testing"
	"time"

	"venuegate/venues/simcore"
)

// historicalMarket opens a market in the middle of an hour, trades in it over the end of that hour,
// and returns the exchange.
func historicalMarket(t *testing.T, opening time.Time, seed uint64) *simcore.Exchange {
	t.Helper()
	clock := simcore.NewClock(func() time.Time { return opening })
	x, err := simcore.New(simcore.Options{Instruments: testInstruments(), Seed: seed, Quiet: true, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 40 {
		clock.SetOffset(time.Duration(n) * time.Minute)
		x.Tick()
		price := dec("60010").Sub(dec(fmt.Sprint(n % 7)))
		if err := x.Print("BTCUSDT", simcore.Buy, price, dec("0.5")); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// TestCandlesAreSumsOfTheirMinutes compares the newest candles of each interval, which
// extend over the opening of the market, with the minutes in them.
func TestCandlesAreSumsOfTheirMinutes(t *testing.T) {
	opening := time.Date(2026, 9, 3, 13, 37, 12, 345, time.UTC)
	x := historicalMarket(t, opening, 7)
	minutes := x.Candles("BTCUSDT", "1m", opening.AddDate(0, 0, -40), time.Time{}, 100_000)
	for _, interval := range simcore.Intervals {
		limit := 20
		switch interval {
		case "1M", "1w":
			limit = 2
		case "3d":
			limit = 10
		}
		candles := x.Candles("BTCUSDT", interval, time.Time{}, time.Time{}, limit)
		if len(candles) != limit {
			t.Errorf("%s: %d candles, want %d", interval, len(candles), limit)
		}
		checkContiguous(t, interval, candles)
		for _, c := range candles {
			want := sumOf(minutes, c.Start, c.End)
			if !c.Open.Equal(want.Open) || !c.High.Equal(want.High) || !c.Low.Equal(want.Low) || !c.Close.Equal(want.Close) ||
				!c.Volume.Equal(want.Volume) || !c.QuoteVolume.Equal(want.QuoteVolume) || c.Trades != want.Trades {
				t.Fatalf("%s from %s: got %+v, want %+v", interval, c.Start, c, want)
			}
		}
	}
}

func sumOf(minutes []simcore.Candle, from, to time.Time) (sum simcore.Candle) {
	for _, m := range minutes {
		switch {
		case m.Start.Before(from) || !m.Start.Before(to):
		case sum.Start.IsZero():
			sum = m
		default:
			if m.High.GreaterThan(sum.High) {
				sum.High = m.High
			}
			if m.Low.LessThan(sum.Low) {
				sum.Low = m.Low
			}
			sum.Close, sum.Trades = m.Close, sum.Trades+m.Trades
			sum.Volume, sum.QuoteVolume = sum.Volume.Add(m.Volume), sum.QuoteVolume.Add(m.QuoteVolume)
		}
	}
	return sum
}

func TestHistoryIsAYearFromTheSeed(t *testing.T) {
	opening := time.Date(2026, 9, 3, 0, 0, 20, 0, time.UTC) // the day of the opening has no history
	x := historicalMarket(t, opening, 7)
	days := x.Candles("BTCUSDT", "1d", time.Time{}, time.Time{}, 1000)
	if len(days) != 366 || !days[0].Start.Equal(time.Date(2025, 9, 3, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%d days from %s, want 366 from 2025-09-03", len(days), days[0].Start)
	}
	checkContiguous(t, "1d", days)
	if got := days[364].Close; !got.Equal(dec("60000")) {
		t.Errorf("the day before the opening closes at %s, want 60000, at which the market opens", got)
	}
	from := opening.AddDate(0, -6, 0).Truncate(time.Hour)
	read := func(x *simcore.Exchange, to time.Time, limit int) string {
		return fmt.Sprint(x.Candles("BTCUSDT", "15m", from, to, limit))
	}
	whole := read(x, from.Add(24*time.Hour), 96)
	if again := read(historicalMarket(t, opening, 7), from.Add(24*time.Hour), 96); again != whole {
		t.Error("candles of the same seed differ, want equal ones")
	}
	if other := read(historicalMarket(t, opening, 8), from.Add(24*time.Hour), 96); other == whole {
		t.Error("candles of two seeds are equal, want different ones")
	}
	// A bound within a candle, and a limit: the newest that begin before the bound.
	part := x.Candles("BTCUSDT", "15m", from, from.Add(31*time.Minute), 2)
	if len(part) != 2 || !part[0].Start.Equal(from.Add(15*time.Minute)) || !part[1].Start.Equal(from.Add(30*time.Minute)) {
		t.Errorf("candles = %+v, want the two that begin 15 and 30 minutes after %s", part, from)
	}
	if !part[1].Closed || part[1].Trades < 15*20 {
		t.Errorf("candle = %+v, want it closed and complete", part[1])
	}
}
