package bybitsim_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// localBook is a client's book, maintained by the documented rules.
type localBook struct {
	testing.TB
	sides map[string]map[string]decimal.Decimal
	u     decimal.Decimal
}

func (b *localBook) apply(message map[string]any) {
	b.Helper()
	data := message["data"].(map[string]any)
	u := simtest.Num(data["u"])
	if message["type"] == "snapshot" {
		b.sides = map[string]map[string]decimal.Decimal{"b": {}, "a": {}}
	} else if !u.Equal(b.u.Add(simtest.Num("1"))) {
		b.Fatalf("u = %s after %s, want the next number", u, b.u)
	}
	b.u = u
	for side, levels := range b.sides {
		for _, row := range data[side].([]any) {
			price, qty := simtest.Num(row.([]any)[0]).String(), simtest.Num(row.([]any)[1])
			if _, known := levels[price]; qty.IsZero() && !known {
				b.Fatalf("a delta removes the unknown level %s", price)
			}
			if levels[price] = qty; qty.IsZero() {
				delete(levels, price)
			}
		}
	}
}

// A book built from the stream has a window of fixed size and never crosses while
// the market moves.
func TestBookStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Seed: 3}})
		for _, levels := range []string{"50", "200"} {
			s := v.public("orderbook." + levels + ".BTCUSDT")
			book := &localBook{TB: t}
			first := s.With("topic", "orderbook."+levels+".BTCUSDT")
			if first["type"] != "snapshot" {
				t.Fatalf("first message = %v, want a snapshot", first)
			}
			book.apply(first)
			for range 12 {
				book.apply(s.With("topic", "orderbook."+levels+".BTCUSDT"))
				for side := range book.sides {
					if n := decimal.NewFromInt(int64(len(book.sides[side]))); !n.Equal(simtest.Num(levels)) {
						t.Fatalf("%s levels on side %s, want %s", n, side, levels)
					}
				}
			}
		}
	})
}

func TestBooksRestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.public("orderbook.50.BTCUSDT")
		s.With("type", "snapshot")
		v.sim.RestartBooks()
		message := s.With("type", "snapshot")
		if u := simtest.Num(message["data"].(map[string]any)["u"]); !u.Equal(simtest.Num("1")) {
			t.Errorf("u after the restart = %s, want 1", u)
		}
		v.placed(order("price=64999"))
		if message = s.Next(); message["type"] != "delta" || !simtest.Num(message["data"].(map[string]any)["u"]).Equal(simtest.Num("2")) {
			t.Errorf("message = %v, want a delta with u 2", message)
		}
	})
}

// Level 1 has only snapshots, repeated after three seconds under the same u.
func TestTopOfBookIsRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.public("orderbook.1.BTCUSDT")
		first, second := s.With("type", "snapshot"), s.With("type", "snapshot")
		if a, b := first["data"].(map[string]any), second["data"].(map[string]any); a["u"] != b["u"] || len(a["b"].([]any)) != 1 {
			t.Errorf("snapshots = %v and %v, want the same u and one level", a, b)
		}
	})
}

func TestTradesTickersAndCandles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		trades, tickers, candles := v.public("publicTrade.BTCUSDT"), v.public("tickers.BTCUSDT"), v.public("kline.1.BTCUSDT")
		for _, s := range []*stream{trades, tickers, candles} {
			simtest.Expect(t, s.With("op", "subscribe"), simtest.Object{"success": true, "req_id": "1"})
		}
		if m := tickers.With("topic", "tickers.BTCUSDT"); m["type"] != "snapshot" || m["data"].(map[string]any)["fundingRate"] != "0.0001" {
			t.Errorf("ticker = %v, want a snapshot with funding rate 0.0001", m)
		}
		v.Script(http.MethodPost, "/market/trade", `{"symbol":"BTCUSDT","side":"buy","qty":"0.5"}`)
		if d := trades.data("publicTrade.BTCUSDT"); d["S"] != "Buy" || d["s"] != "BTCUSDT" || !simtest.Num(d["v"]).IsPositive() {
			t.Errorf("trade = %v, want a buy of some quantity of BTCUSDT", d)
		}
		delta := tickers.With("type", "delta")["data"].(map[string]any)
		if _, whole := delta["fundingRate"]; whole || delta["symbol"] != "BTCUSDT" {
			t.Errorf("delta = %v, want BTCUSDT without the unchanged funding rate", delta)
		}
		simtest.Expect(t, candles.data("kline.1.BTCUSDT"), simtest.Object{"confirm": false, "interval": "1"})
		rows := v.get("/v5/market/recent-trade", "category=linear&symbol=BTCUSDT&limit=5").rows(t)
		if len(rows) == 0 || rows[0]["side"] != "Buy" {
			t.Errorf("rows = %v, want a buy first", rows)
		}
	})
}

func TestPublicErrors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.public("orderbook.50.BTCUSDT")
		s.With("op", "subscribe")
		for _, test := range []struct{ sent, want string }{
			{`{"op":"subscribe","args":["orderbook.50.NOPEUSDT"]}`, "error:handler not found,topic:orderbook.50.NOPEUSDT"},
			{`{"op":"subscribe","args":["orderbook.500.BTCUSDT"]}`, "error:handler not found,topic:orderbook.500.BTCUSDT"},
			{`{"op":"subscribe","args":["tickers.BTCUSDT","kline.7.BTCUSDT"]}`, "error:handler not found,topic:kline.7.BTCUSDT"},
			{`{"op":"subscribe","args":["orderbook.50.BTCUSDT"]}`, "error:already subscribed,topic:orderbook.50.BTCUSDT"},
			{`{"op":"subscribe","args":["` + strings.Repeat("x", 21_001) + `"]}`, "error:args size too large"},
			{`{"op":"dance"}`, "error:invalid op"},
			{`{"op":"ping","req_id":"p"}`, "pong"},
			{`{"op":"ping","req_id":1}`, "pong"},
		} {
			s.Send(test.sent)
			for {
				if m := s.Next(); m["conn_id"] != nil {
					simtest.Equal(t, "answer to "+test.sent, m["ret_msg"], any(test.want))
					break
				}
			}
		}
		s.Send("nonsense")
		s.With(simtest.Text, "Failed to decode incoming data:nonsense")
	})
}

func TestPrivateSocketNeedsAuth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.stream("/v5/private")
		s.Send(`{"op":"subscribe","args":["order"]}`)
		simtest.Expect(t, s.Next(), simtest.Object{"success": false})
		s.Send(`{"op":"auth","args":["` + v.Credentials.APIKey + `",4102444800000,"00"]}`)
		simtest.Expect(t, s.Next(), simtest.Object{"success": false, "op": "auth"})
		s.Send(`{"op":"ping","req_id":"7"}`)
		simtest.Expect(t, s.Next(), simtest.Object{"op": "pong", "req_id": "7"})
		private := v.private("order.linear", "execution.linear", "wallet")
		v.placed(market())
		simtest.Expect(t, private.data("execution.linear"), simtest.Object{"symbol": "BTCUSDT"})
		private.data("order.linear")
		private.data("wallet")
	})
}

// A driven venue lists further instruments and sends their changes with each step.
func TestStreamsOfADrivenVenue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pace := simnet.Pace{Rate: 200, Symbols: 12, BookStep: 10 * time.Millisecond}
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Seed: 3, Pace: pace}})
		for _, topic := range []string{"orderbook.200.SIM3USDT", "publicTrade.SIM3USDT"} {
			s := v.public(topic)
			begun := simtest.Num(s.With("topic", topic)["ts"])
			var last map[string]any
			for range 100 {
				last = s.With("topic", topic)
			}
			if took := simtest.Num(last["ts"]).Sub(begun).IntPart(); took > 1_000 {
				t.Errorf("%s: 100 messages in %d ms, want 1000 ms at most", topic, took)
			}
		}
	})
}
