package binancesim_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestBookSyncsByTheDocumentedRules(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, binancesim.Options{Setup: simnet.Setup{Seed: 3}})
		for _, path := range []string{"/public/ws/btcusdt@depth@100ms", "/public/stream?streams=ethusdt@depth@0ms"} {
			symbol := strings.ToUpper(path[strings.LastIndexAny(path, "/=")+1 : strings.Index(path, "@")])
			b := syncedFrom(v, v.stream(path), symbol, 6)
			if len(b.bids) < 200 || len(b.asks) < 200 {
				t.Errorf("%s: %d bids and %d asks, want at least 200 of each", symbol, len(b.bids), len(b.asks))
			}
			if bid, ask := b.best(); !bid.LessThan(ask) {
				t.Errorf("%s: best bid %s and ask %s, want the bid below the ask", symbol, bid, ask)
			}
		}
	})
}

func TestMarketStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, binancesim.Options{Setup: simnet.Setup{Seed: 3}})
		for path, want := range map[string][]string{
			"/market/ws/btcusdt@aggTrade/btcusdt@markPrice@1s/btcusdt@kline_1m/btcusdt@depth@100ms": {"aggTrade", "kline", "markPriceUpdate"},
			"/public/ws/btcusdt@trade/btcusdt@bookTicker/btcusdt@depth5@100ms/btcusdt@aggTrade":     {"trade", "bookTicker", "depthUpdate"},
			"/market/ws/btcusdt@ticker/btcusdt@miniTicker":                                          {"24hrTicker", "24hrMiniTicker"},
		} {
			s, seen := v.stream(path), map[any]bool{}
			for len(seen) < len(want) {
				seen[s.Next()["e"]] = true
			}
			for _, event := range want {
				if !seen[event] {
					t.Errorf("%s: events %v, want %s among them", path, seen, event)
				}
			}
		}
		for _, path := range []string{"/market/ws/!markPrice@arr@1s", "/market/ws/!ticker@arr", "/market/ws/!miniTicker@arr"} {
			var all []map[string]any
			if err := json.Unmarshal(<-v.DialBytes(path), &all); err != nil || len(all) != 9 {
				t.Errorf("%s: %d symbols, %v, want 9", path, len(all), err)
			}
		}
		simtest.Expect(t, v.stream("/public/ws/!bookTicker").Next(), simtest.Object{"e": "bookTicker", "st": 1})
		partial := v.stream("/public/stream?streams=solusdt@depth10@100ms").Next()
		data := partial["data"].(map[string]any)
		if partial["stream"] != "solusdt@depth10@100ms" || len(data["b"].([]any)) != 10 || len(data["a"].([]any)) != 10 {
			t.Errorf("message = %v, want 10 levels a side of solusdt@depth10@100ms", partial)
		}
	})
}

func TestStreamFieldsEqualTheRecordedOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, binancesim.Options{Setup: simnet.Setup{Seed: 3}})
		// Fields that the venue added after the recordings, or that these lack.
		added := map[string]bool{"a": true, "st": true, "ps": true, "nq": true, "ap": true, "P": true, "i": true, "X": true}
		check := func(recorded []byte, stream, category string) {
			t.Helper()
			raw := v.DialBytes("/" + category + "/ws/" + stream)
			got, want := map[string]bool{}, keys(t, recorded)
			for _, key := range keys(t, <-raw) {
				got[key] = true
			}
			for _, key := range want {
				if !got[key] {
					t.Errorf("%s has no member %s, want it as recorded", stream, key)
				}
				delete(got, key)
			}
			for key := range got {
				if !added[key] {
					t.Errorf("%s has the member %s, want none as recorded", stream, key)
				}
			}
		}
		eachLine(t, fixture(t, "ws_market_singles.real.jsonl"), func(line []byte) {
			var message struct {
				Stream string          `json:"stream"`
				Data   json.RawMessage `json:"data"`
			}
			if err := json.Unmarshal(line, &message); err != nil {
				t.Fatal(err)
			}
			_, topic, _ := strings.Cut(message.Stream, "@")
			switch topic {
			case "aggTrade", "markPrice@1s":
				check(message.Data, "btcusdt@"+topic, "market")
			case "trade", "bookTicker":
				check(message.Data, "btcusdt@"+topic, "public")
			}
		})
	})
}

func TestStreamCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, binancesim.Options{Setup: simnet.Setup{Seed: 3}})
		s := v.stream("/market/ws")
		for _, test := range []struct{ send, want string }{
			{`{"method":"SUBSCRIBE","params":["btcusdt@nothing","nopeusdt@aggTrade"],"id":1}`, `{"id":1,"result":null}`},
			{`{"method":"LIST_SUBSCRIPTIONS","id":2}`, `{"id":2,"result":["btcusdt@nothing","nopeusdt@aggTrade"]}`},
			{`{"method":"UNSUBSCRIBE","params":["btcusdt@nothing","nopeusdt@aggTrade"],"id":3}`, `{"id":3,"result":null}`},
			{`{"method":"LIST_SUBSCRIPTIONS","id":4}`, `{"id":4,"result":[]}`},
			{`{"method":"GET_PROPERTY","params":["combined"],"id":5}`, `{"id":5,"result":false}`},
			{`{"method":"SHOUT","id":6}`, "{\"code\":2,\"msg\":\"Invalid request: unknown variant `SHOUT`\"}"},
			{`{"method":"SUBSCRIBE","params":["a"],"id":-1}`, ``},
			{`{"method":"SUBSCRIBE","params":["a"]}`, `{"code":2,"msg":"Invalid request: request ID must be an unsigned integer"}`},
			{`{`, ``},
		} {
			s.Send(test.send)
			answer := s.Next()
			if got := jsonText(answer); test.want != "" && got != test.want {
				t.Errorf("%s: %s, want %s", test.send, got, test.want)
			}
			if test.want == "" && answer["code"] == nil {
				t.Errorf("answer to %s = %v, want an error", test.send, answer)
			}
		}
	})
}

func TestTooManyCommandsEndTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.stream("/market/ws")
		for i := range 11 {
			s.Send(fmt.Sprintf(`{"method":"LIST_SUBSCRIPTIONS","id":%d}`, i))
		}
		s.Closed()
	})
}

func TestConnectionsEndAfterTheirLifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, binancesim.Options{Setup: simnet.Setup{Quiet: true}, SessionLifeMax: 50 * time.Millisecond})
		v.stream("/market/ws/btcusdt@aggTrade").Closed()
	})
}

func TestServerPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, binancesim.Options{Setup: simnet.Setup{Quiet: true}, PingInterval: 20 * time.Millisecond})
		conn := v.DialRaw("/market/ws")
		pinged := make(chan string, 1)
		conn.SetPingHandler(func(payload string) error {
			pinged <- payload
			return fmt.Errorf("enough")
		})
		if _, _, err := conn.ReadMessage(); err == nil {
			t.Fatal("a message was read, want pings alone")
		}
		if payload := <-pinged; payload == "" {
			t.Error("the ping is empty, want a payload")
		}
	})
}

func TestUnsplitPathsAreNotServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		for _, path := range []string{"/ws/btcusdt@aggTrade", "/stream?streams=btcusdt@aggTrade"} {
			simtest.Equal(t, path+": status of the handshake", v.Handshake(path), http.StatusNotFound)
		}
	})
}

func TestClosedCandleIsSentOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		halfPast := time.Now().Truncate(time.Minute).Add(30 * time.Second)
		v := start(t, binancesim.Options{Setup: simnet.Setup{Quiet: true, Now: func() time.Time { return halfPast }}})
		s := v.stream("/market/ws/btcusdt@kline_1m")
		s.settled()
		v.Script(http.MethodPost, "/market/trade", `{"symbol":"BTCUSDT","side":"buy","qty":"0.5"}`)
		live := s.nextOf("kline")["k"].(map[string]any)
		if live["x"] != false || simtest.Num(live["v"]).IsZero() {
			t.Errorf("candle = %v, want an open one with a volume", live)
		}
		v.Script(http.MethodPost, "/clock", `{"offsetMs":60000}`)
		closed := s.nextOf("kline")["k"].(map[string]any)
		simtest.Expect(t, closed, simtest.Object{"x": true, "t": live["t"], "c": live["c"]})
	})
}

// A driven venue lists further instruments and sends their changes with each step.
func TestStreamsOfADrivenVenue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pace := simnet.Pace{Rate: 200, Symbols: 12, BookStep: 10 * time.Millisecond}
		v := start(t, binancesim.Options{Setup: simnet.Setup{Seed: 3, Pace: pace}})
		for path, event := range map[string]string{"/public/ws/sim3usdt@depth@100ms": "depthUpdate", "/market/ws/sim3usdt@aggTrade": "aggTrade"} {
			s := v.stream(path)
			first := s.With("e", event)
			for range 100 {
				first = s.With("e", event)
			}
			begun := simtest.Num(first["E"])
			for range 100 {
				first = s.With("e", event)
			}
			if took := simtest.Num(first["E"]).Sub(begun).IntPart(); took > 1_000 {
				t.Errorf("%s: 100 messages in %d ms, want 1000 ms at most", path, took)
			}
		}
		var info struct {
			Symbols []struct{ Symbol, Status string }
		}
		if err := json.Unmarshal(v.public("/fapi/v1/exchangeInfo").Body, &info); err != nil {
			t.Fatal(err)
		}
		if n := len(info.Symbols); n != 12 || info.Symbols[n-1].Symbol != "SIM3USDT" || info.Symbols[n-1].Status != "TRADING" {
			t.Errorf("symbols = %v, want 12 with SIM3USDT at the end", info.Symbols)
		}
	})
}
