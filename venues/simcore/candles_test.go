package simcore_test

import (
	"testing"
	"time"

	"venuegate/venues/simcore"
)

func TestIntervalStarts(t *testing.T) {
	at := time.Date(2026, 9, 3, 13, 47, 12, 345, time.UTC)
	for interval, want := range map[simcore.Interval]string{
		"1m": "2026-09-03T13:47:00Z", "3m": "2026-09-03T13:45:00Z", "15m": "2026-09-03T13:45:00Z",
		"1h": "2026-09-03T13:00:00Z", "4h": "2026-09-03T12:00:00Z", "8h": "2026-09-03T08:00:00Z",
		"12h": "2026-09-03T12:00:00Z", "1d": "2026-09-03T00:00:00Z", "1w": "2026-08-31T00:00:00Z", "1M": "2026-09-01T00:00:00Z",
	} {
		if got := interval.Start(at).Format(time.RFC3339); got != want {
			t.Errorf("start of %s = %s, want %s", interval, got, want)
		}
	}
	if end := simcore.Interval("1M").End(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)); end.Day() != 1 || end.Month() != time.March {
		t.Errorf("end of February = %s, want March 1", end)
	}
	if simcore.Interval("7m").Valid() {
		t.Error("7m is valid, want invalid")
	}
}

func TestCandlesIncludeTrades(t *testing.T) {
	e := newEngine(t)
	trade := func(side simcore.Side, price, qty string) {
		e.must(e.Print("BTCUSDT", side, dec(price), dec(qty)))
	}
	trade(simcore.Buy, "60010", "1")
	trade(simcore.Sell, "59990", "2")
	trade(simcore.Buy, "60000", "0.5")
	for _, interval := range simcore.Intervals {
		candles := e.Candles("BTCUSDT", interval, time.Time{}, time.Time{}, 1)
		if len(candles) != 1 {
			t.Fatalf("%s: %d candles, want 1", interval, len(candles))
		}
		c := candles[0]
		if c.Closed || c.Trades < 3 {
			t.Errorf("%s: closed %t with %d trades, want open with at least 3", interval, c.Closed, c.Trades)
		}
	}
	c := e.Candles("BTCUSDT", "1m", time.Time{}, time.Time{}, 1)[0]
	e.equal("high", c.High, "60010")
	e.equal("low", c.Low, "59990")
	e.equal("close", c.Close, "60000")
	e.equal("volume", c.Volume, "3.5")
	e.equal("taker volume", c.TakerVolume, "1.5")
	e.equal("quote", c.QuoteVolume, "209990")
}

func TestCandlesCloseAtTheirEnd(t *testing.T) {
	e := newEngine(t)
	e.must(e.Print("BTCUSDT", simcore.Buy, dec("60010"), dec("1")))
	mark := len(e.events)
	e.advance(time.Minute)
	closed := map[simcore.Interval]simcore.Candle{}
	for _, event := range e.events[mark:] {
		if body, ok := event.Body.(simcore.CandleEvent); ok && body.Symbol == "BTCUSDT" {
			closed[body.Interval] = body.Candle
		}
	}
	// 08:00 UTC ends everything up to eight hours, but not twelve.
	for _, interval := range []simcore.Interval{"1m", "5m", "1h", "4h", "8h"} {
		if c, ok := closed[interval]; !ok || !c.Closed || !c.Close.Equal(dec("60010")) {
			t.Errorf("%s = %+v, want closed at 60010", interval, c)
		}
	}
	if _, ok := closed["12h"]; ok {
		t.Error("12h candle closed at 08:00, want it open until 12:00")
	}
	flat := e.Candles("BTCUSDT", "1m", time.Time{}, time.Time{}, 1)[0]
	e.equal("open of the next", flat.Open, "60010")
	if flat.Trades != 0 {
		t.Errorf("new candle has %d trades, want 0", flat.Trades)
	}
	e.clock.SetOffset(3 * time.Hour)
	e.advance(0)
	bars := e.Candles("BTCUSDT", "1m", e.now, e.now.Add(3*time.Hour), 1000)
	if len(bars) != 180 {
		t.Errorf("%d candles of three hours without a trade, want 180", len(bars))
	}
}

// TestCandleHistoryIsContiguous reads the history of markets that have been open for some
// time, the last one for longer than candles are kept.
func TestCandleHistoryIsContiguous(t *testing.T) {
	for _, open := range []time.Duration{0, 3 * time.Hour, 40 * time.Hour} {
		clock := simcore.NewClock(func() time.Time { return testStart })
		x, err := simcore.New(simcore.Options{Instruments: testInstruments(), Seed: 7, Quiet: true, Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Print("BTCUSDT", simcore.Buy, dec("60010"), dec("1")); err != nil {
			t.Fatal(err)
		}
		for at := time.Hour; at <= open; at += time.Hour {
			clock.SetOffset(at)
			x.Tick()
		}
		for _, interval := range []simcore.Interval{"1m", "5m", "15m", "1h", "12h", "1d"} {
			candles := x.Candles("BTCUSDT", interval, time.Time{}, time.Time{}, 100)
			if len(candles) != 100 {
				t.Errorf("%s: %d candles, want 100", interval, len(candles))
			}
			checkContiguous(t, interval, candles)
		}
	}
}

func checkContiguous(t *testing.T, interval simcore.Interval, candles []simcore.Candle) {
	t.Helper()
	for i := 1; i < len(candles); i++ {
		if !candles[i].Start.Equal(candles[i-1].End) || !candles[i].Open.Equal(candles[i-1].Close) && candles[i].Trades > 0 {
			t.Fatalf("%s: %v follows %v, want contiguous candles", interval, candles[i], candles[i-1])
		}
		if candles[i].High.LessThan(candles[i].Low) || candles[i].High.LessThan(candles[i].Close) {
			t.Fatalf("%s: %v, want a high above low and close", interval, candles[i])
		}
	}
}
