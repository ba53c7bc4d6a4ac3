package binancesim_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/shopspring/decimal"

	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// replaying starts a simulator that plays a recording.
func replaying(t testing.TB, path string, options binancesim.ReplayOptions) *venue {
	t.Helper()
	sim := create(t, binancesim.Options{Setup: simnet.Setup{Quiet: true}})
	if err := sim.Replay(path, options); err != nil {
		t.Fatal(err)
	}
	return serve(t, sim)
}

// localBook is a client's book, maintained by the documented rules.
type localBook struct {
	testing.TB
	bids, asks map[string]decimal.Decimal
	lastID     decimal.Decimal
	synced     bool
	applied    int
}

func newLocalBook(t testing.TB, snapshot map[string]any) *localBook {
	b := &localBook{TB: t, bids: map[string]decimal.Decimal{}, asks: map[string]decimal.Decimal{}}
	b.lastID = simtest.Num(snapshot["lastUpdateId"])
	b.put(b.bids, snapshot["bids"])
	b.put(b.asks, snapshot["asks"])
	return b
}

func (b *localBook) put(levels map[string]decimal.Decimal, rows any) {
	for _, row := range rows.([]any) {
		price, qty := simtest.Num(row.([]any)[0]), simtest.Num(row.([]any)[1])
		if qty.IsZero() {
			delete(levels, price.String())
		} else {
			levels[price.String()] = qty
		}
	}
}

// apply applies an event. It returns false where the event does not follow the last
// one and a new snapshot is needed.
func (b *localBook) apply(event map[string]any) bool {
	first, last, prev := simtest.Num(event["U"]), simtest.Num(event["u"]), simtest.Num(event["pu"])
	switch {
	case !b.synced && last.LessThan(b.lastID):
		return true
	case !b.synced && !(first.LessThanOrEqual(b.lastID) && last.GreaterThanOrEqual(b.lastID)) && !prev.Equal(b.lastID):
		return false
	case b.synced && !prev.Equal(b.lastID):
		b.Fatalf("pu = %s, want %s", prev, b.lastID)
	}
	b.put(b.bids, event["b"])
	b.put(b.asks, event["a"])
	b.lastID, b.synced = last, true
	b.applied++
	return true
}

func (b *localBook) best() (bid, ask decimal.Decimal) {
	for text := range b.bids {
		bid = decimal.Max(bid, simtest.Num(text))
	}
	for text := range b.asks {
		if p := simtest.Num(text); ask.IsZero() || p.LessThan(ask) {
			ask = p
		}
	}
	return bid, ask
}

func decoded(t testing.TB, data []byte) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var body map[string]any
	if err := decoder.Decode(&body); err != nil {
		t.Fatal(err)
	}
	return body
}

// syncedFrom returns a book after n events of a stream.
func syncedFrom(v *venue, s *stream, symbol string, n int) *localBook {
	v.Helper()
	snapshot := func() *localBook {
		return newLocalBook(v.TB, decoded(v.TB, v.public("/fapi/v1/depth?limit=1000&symbol="+symbol).Body))
	}
	s.Next()
	b := snapshot()
	for b.applied < n {
		event := s.Next()
		if data, ok := event["data"].(map[string]any); ok {
			event = data
		}
		if event["e"] == "depthUpdate" && !b.apply(event) {
			b = snapshot()
		}
	}
	return b
}

func TestReplayOfABook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := fixture(t, "ws_btcusdt_slice6000_2024.real.log.gz")
		v := replaying(t, path, binancesim.ReplayOptions{Speed: 10})
		recorded := v.stream("/public/stream?streams=btcusdt@depth@0ms")
		derived := v.stream("/public/stream?streams=btcusdt@depth@100ms")
		trades := v.stream("/market/ws/btcusdt@aggTrade/btcusdt@kline_1m")
		b := syncedFrom(v, recorded, "BTCUSDT", 150)
		slow := syncedFrom(v, derived, "BTCUSDT", 5)
		for name, local := range map[string]*localBook{"recorded": b, "derived": slow} {
			bid, ask := local.best()
			if !bid.LessThan(ask) || ask.Sub(bid).GreaterThan(dec("50")) || bid.LessThan(dec("61000")) {
				t.Errorf("%s: best bid %s and ask %s, want a spread of 0 to 50 above 61000", name, bid, ask)
			}
		}
		if p := simtest.Num(trades.nextOf("aggTrade")["p"]); p.LessThan(dec("61000")) || p.GreaterThan(dec("62500")) {
			t.Errorf("price of the trade = %s, want 61000 to 62500", p)
		}
		trades.nextOf("kline")
		// Orders match against the recorded market.
		answer := v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010&newOrderRespType=RESULT&newClientOrderId=x")
		simtest.Expect(t, answer, simtest.Object{"status": "FILLED"})
		price := simtest.Num(v.signed(http.MethodGet, orderPath, "symbol=BTCUSDT&origClientOrderId=x").Object(t)["avgPrice"])
		if price.LessThan(dec("61000")) || price.GreaterThan(dec("62500")) {
			t.Errorf("fill price = %s, want 61000 to 62500", price)
		}
	})
}

func dec(text string) decimal.Decimal { return simtest.Num(text) }

func TestReplaySendsTheRecordedBytes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := fixture(t, "ws_4symbols_depth100ms_aggTrade_kline_bookTicker_2021.real.log")
		v := replaying(t, path, binancesim.ReplayOptions{Speed: 20, SnapshotFile: fixture(t, "rest_depth_4symbols_limit1000_2021.real.log")})
		var info struct {
			Symbols []struct{ Symbol string } `json:"symbols"`
		}
		if err := json.Unmarshal(v.public("/fapi/v1/exchangeInfo").Body, &info); err != nil {
			t.Fatal(err)
		}
		listed := fmt.Sprint(info.Symbols)
		for _, symbol := range []string{"SUSHIUSDT", "AKROUSDT", "KEEPUSDT", "CTKUSDT", "BTCUSDT"} {
			if !strings.Contains(listed, symbol) {
				t.Errorf("symbols = %s, want %s among them", listed, symbol)
			}
		}
		recorded := map[string]bool{}
		eachLine(t, path, func(line []byte) {
			if _, message, ok := bytes.Cut(line, []byte(": ")); ok {
				recorded[string(message)] = true
			}
		})
		s := v.DialBytes("/public/stream?streams=sushiusdt@depth@100ms/sushiusdt@bookTicker")
		for range 100 {
			if message := <-s; !recorded[string(message)] {
				t.Fatalf("message = %s, want a recorded one", message)
			}
		}
		book := syncedFrom(v, v.stream("/public/ws/ctkusdt@depth@100ms"), "CTKUSDT", 3)
		if bid, ask := book.best(); !bid.LessThan(ask) {
			t.Errorf("best bid %s and ask %s, want the bid below the ask", bid, ask)
		}
	})
}

func TestReplayOfAPlainRecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := func(ms int, body string) string { return fmt.Sprintf("%d %s\n", ms*1_000_000, body) }
		text := line(0, `{"stream":"abcusdt@trade","data":{"e":"trade","p":"1.25","q":"40.5","m":false}}`) +
			line(1, `{"lastUpdateId":7,"E":1,"T":1,"bids":[["1.24","10.0"]],"asks":[["1.26","20.0"]]}`) +
			"this line is noise\n" +
			line(2, `{"stream":"abcusdt@depth@100ms","data":{"e":"depthUpdate","E":1,"T":1,"s":"ABCUSDT","U":8,"u":9,"pu":7,"b":[["1.24","0.0"],["1.23","5.0"]],"a":[]}}`)
		dir := t.TempDir()
		plain, zipped := filepath.Join(dir, "plain.log"), filepath.Join(dir, "zipped.gz")
		var packed bytes.Buffer
		writer := gzip.NewWriter(&packed)
		if _, err := writer.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(writer.Close(), os.WriteFile(zipped, packed.Bytes(), 0o600), os.WriteFile(plain, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{plain, zipped} {
			v := replaying(t, path, binancesim.ReplayOptions{})
			v.WaitFor("the last event", func() bool {
				return jsonText(v.public("/fapi/v1/depth?symbol=ABCUSDT").Object(t)["bids"]) == `[["1.23","5.0"]]`
			})
			simtest.Expect(t, v.public("/fapi/v1/ticker/price?symbol=ABCUSDT").Object(t), simtest.Object{"price": "1.25"})
		}
		sim := create(t, binancesim.Options{})
		empty := filepath.Join(dir, "empty.log")
		if err := os.WriteFile(empty, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{empty, filepath.Join(dir, "absent")} {
			if err := sim.Replay(path, binancesim.ReplayOptions{}); err == nil {
				t.Errorf("Replay of %s succeeds, want an error", path)
			}
		}
		serve(t, sim)
		if err := sim.Replay(plain, binancesim.ReplayOptions{}); !errors.Is(err, simnet.ErrServing) {
			t.Errorf("error of Replay after Serve = %v, want %v", err, simnet.ErrServing)
		}
	})
}
