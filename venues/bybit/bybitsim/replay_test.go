package bybitsim_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"venuegate/venues"
	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/fixturetest"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

const recordingName = "ws_public_linear_BTC_DOGE_20260809.real.jsonl.gz"

// recording returns the path of the recorded file.
func recording(t testing.TB) string {
	t.Helper()
	return fixturetest.Path(t, venues.Bybit, recordingName)
}

// A recorded book arrives without a gap for early and for late listeners, and orders
// match against the recorded market.
func TestReplay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := recording(t)
		sim := create(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}})
		if err := sim.Replay(path, bybitsim.ReplayOptions{Speed: 4}); err != nil {
			t.Fatal(err)
		}
		v := serve(t, sim)
		const topic = "orderbook.200.BTCUSDT"
		for range 2 {
			s := v.public(topic)
			book := &localBook{TB: t}
			first := s.With("topic", topic)
			simtest.Expect(t, first, simtest.Object{"type": "snapshot"})
			book.apply(first)
			for range 20 {
				book.apply(s.With("topic", topic))
			}
		}
		derived := &localBook{TB: t}
		s := v.public("orderbook.50.BTCUSDT")
		for range 3 {
			derived.apply(s.With("topic", "orderbook.50.BTCUSDT"))
		}
		if d := v.public("publicTrade.BTCUSDT").data("publicTrade.BTCUSDT"); !simtest.Num(d["p"]).GreaterThan(simtest.Num("60000")) {
			t.Errorf("trade = %v, want a price above 60000", d)
		}
		simtest.Expect(t, v.public("tickers.BTCUSDT").With("topic", "tickers.BTCUSDT"), simtest.Object{"type": "snapshot"})
		v.placed(market())
		rest := v.get("/v5/market/orderbook", "category=linear&symbol=BTCUSDT&limit=200").result(t)
		best, entry := simtest.Num(rest["b"].([]any)[0].([]any)[0]), simtest.Num(v.position()["avgPrice"])
		if entry.Sub(best).Abs().GreaterThan(simtest.Num("100")) {
			t.Errorf("entry price = %s with a bid of %s, want a difference of at most 100", entry, best)
		}
		if err := sim.Replay(path, bybitsim.ReplayOptions{}); !errors.Is(err, simnet.ErrServing) {
			t.Errorf("error of Replay after Serve = %v, want %v", err, simnet.ErrServing)
		}
	})
}

func TestReplayErrors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := create(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}})
		empty := filepath.Join(t.TempDir(), "empty.jsonl")
		if err := os.WriteFile(empty, []byte("{}\nnonsense\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{empty, filepath.Join(t.TempDir(), "absent")} {
			if err := sim.Replay(path, bybitsim.ReplayOptions{}); err == nil {
				t.Errorf("Replay of %s succeeds, want an error", path)
			}
		}
	})
}
