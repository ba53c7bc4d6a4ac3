package venue_test

import (
	"errors"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"venuegate/actors/actortest"
	"venuegate/actors/venue"
	"venuegate/venues"
)

func TestInstrumentsAreReadRepeatedly(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k)
		if err := w.client.Ready(); err != nil {
			t.Fatal(err)
		}
		if h := w.client.Health(); h.Status != venue.StatusUp {
			t.Errorf("health %+v, want Status StatusUp", h)
		}
		if i, known := w.client.Instrument("BTC-USDT-SWAP"); !known || i.Symbol != "BTCUSDT" {
			t.Errorf("instrument = %+v, want BTCUSDT", i)
		}
		before := w.client.Instruments()
		w.exchange.set(func() {
			w.exchange.instruments = append(w.exchange.instruments, instrument("NEWUSDT", venues.InstrumentTrading))
		})
		k.Advance(time.Hour)
		if _, known := w.client.Instruments().Find("NEWUSDT"); !known || len(before.All()) != 4 {
			t.Errorf("new instrument found %t, old set of %d instruments, want true and 4", known, len(before.All()))
		}
		if w.exchange.lists < 4 || w.exchange.lists > 6 || w.exchange.clocks < 1440 || w.exchange.clocks > 1801 {
			t.Errorf("read %d times, clock %d times in an hour, want 4 to 6 and 1440 to 1801", w.exchange.lists, w.exchange.clocks)
		}
	})
}

func TestFailedRequestsAreRepeated(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k, func(d *venue.Deps) {
			d.Connector.(*exchange).err = errors.New("no route")
		})
		if err := w.client.Ready(); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Errorf("ready: %v, want code CodeExchangeUnavailable", err)
		}
		_, err := w.subscribe("trades:binance:BTCUSDT")
		if venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Errorf("subscribe: %v, want code CodeExchangeUnavailable", err)
		}
		if _, known := w.client.Quote("BTCUSDT"); known || w.client.Instruments() != nil {
			t.Error("quote without instruments is known, want it unknown")
		}
		k.Advance(5 * time.Minute)
		if h := w.client.Health(); h.Status != venue.StatusDown || h.LastError != "no route" || h.Reason == "" {
			t.Errorf("health %+v, want Status StatusDown, LastError no route, a Reason", h)
		}
		if w.exchange.lists < 10 || w.exchange.lists > 16 {
			t.Errorf("tried %d times in 5 minutes, want 10 to 16", w.exchange.lists)
		}
		w.exchange.set(func() { w.exchange.err = nil })
		k.Advance(time.Minute)
		if err := w.client.Ready(); err != nil || w.client.Health().Status != venue.StatusUp {
			t.Errorf("ready: error %v, health %+v, want none and up", err, w.client.Health())
		}
	})
}

func TestVenueIsDownAndUpWithinFiveSeconds(t *testing.T) {
	const within = 5 * time.Second
	for name, set := range map[string]func(w *world, lost bool){
		"requests are refused": func(w *world, lost bool) {
			w.exchange.set(func() {
				if w.exchange.err = nil; lost {
					w.exchange.err = errors.New("connection refused")
				}
			})
		},
		"streams are lost": func(w *world, lost bool) {
			if lost {
				w.client.ReportPrivate(venue.Streams{Wanted: 2})
				w.client.ReportFeed(venue.Feed{Topics: 3, Interrupted: 3, Cause: errors.New("reset")})
				return
			}
			w.client.ReportPrivate(venue.Streams{Wanted: 2, Connected: 2})
			w.client.ReportFeed(venue.Feed{Topics: 3})
		},
	} {
		t.Run(name, func(t *testing.T) {
			actortest.Run(t, func(k *actortest.Kit) {
				w := start(k)
				set(w, false)
				k.Advance(time.Minute)
				if h := w.client.Health(); h.Status != venue.StatusUp || w.client.Ready() != nil {
					t.Fatalf("at first: health = %+v, ready: %v, want up", h, w.client.Ready())
				}
				set(w, true)
				k.Advance(within)
				if h := w.client.Health(); h.Status != venue.StatusDown || h.Reason == "" || w.client.Ready() == nil {
					t.Errorf("%s later: health = %+v, ready: %v, want down with a reason", within, h, w.client.Ready())
				}
				k.Advance(10 * time.Minute)
				set(w, false)
				k.Advance(within)
				if h := w.client.Health(); h.Status != venue.StatusUp || w.client.Ready() != nil {
					t.Errorf("%s after the end: health = %+v, ready: %v, want up", within, h, w.client.Ready())
				}
			})
		})
	}
}

// An outage is logged once, however often requests fail in it; so is one that lasts from
// the start.
func TestVenueDownIsLoggedOnce(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k, func(d *venue.Deps) { d.Connector.(*exchange).err = errors.New("no route") })
		check := func(what string, want int) {
			t.Helper()
			entries := logs.FilterMessage("venue down").All()
			if len(entries) != want {
				t.Fatalf("%s: logged %d times, want %d", what, len(entries), want)
			}
			fields := entries[want-1].ContextMap()
			if fields["exchange"] != "binance" || fields["error"] != "no route" || fields["reason"] == "" {
				t.Errorf("%s: fields = %v, want exchange, reason and error", what, fields)
			}
		}
		k.Advance(10 * time.Minute)
		check("down from the start", 1)
		w.exchange.set(func() { w.exchange.err = nil })
		k.Advance(time.Minute)
		w.exchange.set(func() { w.exchange.err = errors.New("no route") })
		k.Advance(10 * time.Minute)
		check("down again", 2)
		if n := logs.Len(); n > 6 {
			t.Errorf("%d warnings, want few: %v", n, logs.All())
		}
	}, actortest.LogTo(zap.New(core)))
}

func TestClockSkewDegradesTheVenue(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k)
		w.exchange.set(func() { w.exchange.offset = 1500 * time.Millisecond })
		k.Advance(2 * time.Minute)
		if s := w.client.Stats(); s.ClockOffset != 1500*time.Millisecond || s.Status != venue.StatusDegraded {
			t.Errorf("stats %+v, want ClockOffset 1.5s, Status StatusDegraded", s)
		}
	})
}

func TestRefreshReadsTheInstrumentsOnce(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k)
		_, err := w.subscribe("trades:binance:BTCUSDT")
		if err != nil {
			t.Fatal(err)
		}
		w.exchange.set(func() { w.exchange.instruments[0].TickSize = venues.MustDecimal("0.01") })
		for range 50 {
			w.client.Refresh()
		}
		k.Advance(20 * time.Second)
		w.client.Refresh()
		k.Advance(time.Second)
		if w.exchange.lists != 3 {
			t.Errorf("read %d times, want 3", w.exchange.lists)
		}
		if got := w.books[0].scales; len(got) != 1 || got[0].PriceDecimals != 2 {
			t.Errorf("scales of the book = %v, want one with PriceDecimals 2", got)
		}
	})
}

const bookRestartWait = 31 * time.Second

func TestInterruptedFeedDegradesTheVenue(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k)
		w.client.ReportFeed(venue.Feed{Topics: 2, Interrupted: 1, Cause: errors.New("reset")})
		k.Settle()
		if s := w.client.Stats(); s.Status != venue.StatusDegraded || s.LastError != "reset" || s.Feed.Interrupted != 1 {
			t.Errorf("stats %+v, want Status StatusDegraded, LastError reset, Interrupted 1", s)
		}
	})
}
