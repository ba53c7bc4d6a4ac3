package okxsim_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
)

// played starts a simulator that plays a file.
func played(t testing.TB, path string, speed int) *venue {
	t.Helper()
	sim := create(t, okxsim.Options{Setup: simnet.Setup{Quiet: true, Seed: 1}, RateLimits: okxsim.RateLimits{Off: true}})
	if err := sim.Replay(path, okxsim.ReplayOptions{Speed: speed}); err != nil {
		t.Fatal(err)
	}
	v := serve(t, sim)
	if err := sim.Replay(path, okxsim.ReplayOptions{}); !errors.Is(err, simnet.ErrServing) {
		t.Errorf("error of Replay after Serve = %v, want %v", err, simnet.ErrServing)
	}
	return v
}

func recordingFile(t testing.TB, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recording.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	recordedSnapshot = `{"recv":1.5,"msg":{"arg":{"channel":"books","instId":"BTC-USDT"},"action":"snapshot","data":[` +
		`{"asks":[["30001","0.5","0","2"],["30002","0.000001","0","1"]],"bids":[["30000","0.12345","0","1"],["29999.9","1","0","1"]],"ts":"1000000"}]}}`
	recordedUpdate = `{"arg":{"channel":"books","instId":"BTC-USDT"},"action":"update","data":[` +
		`{"asks":[["30001","0","0","0"],["30003","2","0","1"]],"bids":[["30000.5","1","0","1"]],"ts":"1000050","seqId":2,"prevSeqId":1}]}`
	recordedTrade = `{"arg":{"channel":"trades","instId":"BTC-USDT"},"data":[{"instId":"BTC-USDT","px":"30000.5","sz":"0.25","side":"sell","ts":"1000060","tradeId":"7"}]}`
)

// The exchange follows the recorded book and trades, in contracts of the swap, and
// orders match against them.
func TestReplay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := played(t, recordingFile(t, "nonsense", recordedSnapshot, recordedUpdate, recordedTrade), 1)
		v.WaitFor("the update", func() bool {
			view, _ := v.sim.Exchange().Book(btc, 10)
			return len(view.Bids) == 3 && view.Bids[0].Price.String() == "30000.5" && view.Bids[0].Qty.String() == "100" &&
				view.Bids[1].Qty.String() == "12.34" && len(view.Asks) == 1 && view.Asks[0].Qty.String() == "200"
		})
		v.WaitFor("the trade", func() bool {
			return strings.Contains(v.get("/market/trades?instId="+btc+"&limit=1").raw(), `"sz":"25"`)
		})
	})
}

// A recording of the venue is played to its end.
func TestReplayedRecording(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := played(t, fixturetest.Path(t, venues.OKX, "ws_public_recording_2022_books_trades_tickers.jsonl"), 100)
		begun, _ := v.sim.Exchange().Book(btc, 400)
		if len(begun.Bids) == 0 || len(begun.Asks) == 0 {
			t.Fatalf("book at the start = %v, want the recorded one", begun)
		}
		v.WaitFor("the market to move", func() bool {
			view, _ := v.sim.Exchange().Book(btc, 400)
			return view.UpdateID > begun.UpdateID && len(view.Bids) > 100 && view.Bids[0].Price.LessThan(view.Asks[0].Price)
		})
	})
}

func TestReplayErrors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := create(t, okxsim.Options{Setup: simnet.Setup{Quiet: true}})
		for name, path := range map[string]string{
			"absent":             filepath.Join(t.TempDir(), "absent"),
			"nothing":            recordingFile(t, "{}", "nonsense"),
			"no snapshot":        recordingFile(t, recordedUpdate, recordedTrade),
			"no such instrument": recordingFile(t, strings.ReplaceAll(recordedSnapshot, "BTC-USDT", "UNI-USD-SWAP")),
			"no time":            recordingFile(t, strings.Replace(recordedSnapshot, `"ts":"1000000"`, `"ts":"-1"`, 1)),
		} {
			if err := sim.Replay(path, okxsim.ReplayOptions{}); err == nil {
				t.Errorf("%s: Replay succeeds, want an error", name)
			}
		}
	})
}
