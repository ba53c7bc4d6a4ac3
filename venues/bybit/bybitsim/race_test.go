package bybitsim_test

import (
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

const engineDelay = time.Second

// slow starts a venue with an engine delay of a second of a clock that the test
// moves.
func slow(t *testing.T) (*venue, *simtest.Clock) {
	t.Helper()
	clock := simtest.NewClock()
	return start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true, Seed: 1, Now: clock.Now}, EngineDelay: engineDelay}), clock
}

func cancelOf(id string) string {
	return `{"category":"linear","symbol":"BTCUSDT","orderId":"` + id + `"}`
}

// An acknowledged cancellation is applied after the engine delay.
func TestAcknowledgedBeforeItIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, clock := slow(t)
		s := v.private("order")
		id := v.placed(order())
		s.data("order")
		v.post("/v5/order/cancel", cancelOf(id)).result(t)
		if o := v.found(id); o["orderStatus"] != "New" {
			t.Errorf(`o = %v, want o["orderStatus"] == "New"`, o)
		}
		clock.Advance(engineDelay)
		if o := s.data("order"); o["orderStatus"] != "Cancelled" || o["cancelType"] != "CancelByUser" || o["leavesQty"] != "0" {
			t.Errorf(`o = %v, want o["orderStatus"] == "Cancelled" && o["cancelType"] == "CancelByUser" && o["leavesQty"] == "0"`, o)
		}
	})
}

// An order that fills before its cancellation is published twice as filled.
func TestFillPrecedesTheCancellation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, clock := slow(t)
		s := v.private("order")
		id := v.placed(order("price=64500"))
		s.data("order")
		v.post("/v5/order/cancel", cancelOf(id)).result(t)
		v.move("64000")
		if o := s.data("order"); o["orderStatus"] != "Filled" || o["cancelType"] != "UNKNOWN" {
			t.Errorf(`o = %v, want o["orderStatus"] == "Filled" && o["cancelType"] == "UNKNOWN"`, o)
		}
		clock.Advance(engineDelay)
		if o := s.data("order"); o["orderId"] != id || o["orderStatus"] != "Filled" || o["cancelType"] != "CancelByUser" || o["rejectReason"] != "EC_OrigClOrdIDDoesNotExist" {
			t.Errorf(`o = %v, want o["orderId"] == id && o["orderStatus"] == "Filled" && o["cancelType"] == "CancelByUser" && o["rejectReason"] == "EC_OrigClOrdIDDoesNotExist"`, o)
		}
		if o := v.found(id); o["orderStatus"] != "Filled" || o["cancelType"] != "UNKNOWN" {
			t.Errorf(`o = %v, want o["orderStatus"] == "Filled" && o["cancelType"] == "UNKNOWN"`, o)
		}
		if r := v.post("/v5/order/cancel", cancelOf(id)); r.code(t) != 110001 {
			t.Errorf("r.Body = %s, want r.code(t) == 110001", r.Body)
		}
	})
}

// topics returns the topics of the next messages.
func (s *stream) topics(n int) []string {
	s.Helper()
	var topics []string
	for range n {
		topics = append(topics, s.Next()["topic"].(string))
	}
	return topics
}

func equalTexts(t *testing.T, got []string, want ...string) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

// The fast execution comes first. Placed, cancelled and amended orders are followed
// by the position and the wallet, too.
func TestOrderOfMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.private("execution.fast", "execution", "order", "position", "wallet")
		v.placed(market())
		equalTexts(t, s.topics(5), "execution.fast", "execution", "order", "position", "wallet")
		id := v.placed(order())
		equalTexts(t, s.topics(3), "order", "position", "wallet")
		v.amends(id, "price=60100")
		equalTexts(t, s.topics(3), "order", "position", "wallet")
		v.post("/v5/order/cancel", cancelOf(id)).result(t)
		equalTexts(t, s.topics(3), "order", "position", "wallet")
	})
}

// Plain topics and those of a category cannot be mixed.
func TestKindsOfPrivateTopics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.private("wallet")
		for args, success := range map[string]bool{
			`"order","execution.linear"`: false, `"wallet.linear"`: false, `"nothing"`: false, `"order.linear","wallet"`: true,
		} {
			s.Send(`{"op":"subscribe","args":[` + args + `]}`)
			if m := s.With("op", "subscribe"); m["success"] != success {
				t.Errorf(`%s: %v, want m["success"] == success`, args, m)
			}
		}
	})
}

// A reduce-only order is reduced to the position, never closes more, and ends with
// it.
func TestReduceOnlyOrderShrinks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.placed(market("qty=0.03"))
		id := v.placed(market("side=Sell", "reduceOnly=true", "qty=0.05"))
		if o := v.found(id); o["orderStatus"] != "Filled" || o["qty"] != "0.03" || o["cumExecQty"] != "0.03" {
			t.Errorf(`o = %v, want o["orderStatus"] == "Filled" && o["qty"] == "0.03" && o["cumExecQty"] == "0.03"`, o)
		}
		v.placed(market("qty=0.03"))
		resting := v.placed(order("side=Sell", "reduceOnly=true", "price=66000", "qty=0.03"))
		v.placed(market("side=Sell", "qty=0.02"))
		v.move("66500")
		if o := v.found(resting); o["cumExecQty"] != "0.01" || v.position()["size"] != "0" {
			t.Errorf(`o = %v, want o["cumExecQty"] == "0.01" && v.position()["size"] == "0"`, o)
		}
		v.placed(market())
		ended := v.placed(order("side=Sell", "reduceOnly=true", "price=70000"))
		v.placed(market("side=Sell"))
		if o := v.found(ended); o["orderStatus"] != "Cancelled" || o["cancelType"] != "CancelByReduceOnly" {
			t.Errorf(`o = %v, want o["orderStatus"] == "Cancelled" && o["cancelType"] == "CancelByReduceOnly"`, o)
		}
	})
}

// Stops that are attached end with their position.
func TestStopsEndWithThePosition(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.placed(market("stopLoss=64000"))
		s := v.private("order")
		v.placed(market("side=Sell", "reduceOnly=true"))
		o := s.Where(func(m simtest.Object) bool {
			rows, _ := m["data"].([]any)
			return len(rows) > 0 && rows[len(rows)-1].(simtest.Object)["stopOrderType"] == "StopLoss"
		})["data"].([]any)
		if last := o[len(o)-1].(simtest.Object); last["orderStatus"] != "Deactivated" || last["cancelType"] != "CancelByTpSlTsClear" {
			t.Errorf(`last = %v, want last["orderStatus"] == "Deactivated" && last["cancelType"] == "CancelByTpSlTsClear"`, last)
		}
	})
}

func TestNumberOfOrdersIsLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}, RateLimits: bybitsim.RateLimits{TradePerSecond: -1, RequestsPer5s: -1}})
		for i := range 11 {
			want := 0
			if i == 10 {
				want = 110009
			}
			if r := v.post("/v5/order/create", market("triggerPrice=70000", "triggerDirection=1", "orderLinkId=c"+strconv.Itoa(i))); r.code(t) != want {
				t.Errorf("conditional order %d: %s, want r.code(t) == want", i, r.Body)
			}
		}
		for range 500 {
			_, err := v.sim.Exchange().Place(simcore.OrderRequest{
				Account: v.sim.DemoAccount().ID, Symbol: "BTCUSDT", Side: simcore.Buy, Type: simcore.Limit,
				Price: decimal.NewFromInt(60_000), Qty: decimal.New(1, -3),
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if r := v.post("/v5/order/create", order()); r.code(t) != 110020 {
			t.Errorf("r.Body = %s, want r.code(t) == 110020", r.Body)
		}
	})
}

// By id, realtime returns the last 500 closed orders.
func TestRealtimeReturnsTheLastClosedOrders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clock := simtest.NewClock()
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true, Now: clock.Now}, RateLimits: bybitsim.RateLimits{TradePerSecond: -1}})
		x, account := v.sim.Exchange(), v.sim.DemoAccount().ID
		var ids []string
		for range 501 {
			o, err := x.Place(simcore.OrderRequest{
				Account: account, Symbol: "BTCUSDT", Side: simcore.Buy, Type: simcore.Limit, Price: decimal.NewFromInt(60_000), Qty: decimal.New(1, -3),
			})
			if err == nil {
				_, err = x.Cancel(account, o.Symbol, simcore.OrderRef{ID: o.ID})
			}
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, bybitsim.UUIDOf(o.ID))
			clock.Advance(time.Millisecond)
		}
		for i, want := range []int{0, 1} {
			if rows := v.get("/v5/order/realtime", "category=linear&orderId="+ids[i]).rows(t); len(rows) != want {
				t.Errorf("order %d: %d rows, want len(rows) == want", i, len(rows))
			}
		}
		if rows := v.get("/v5/order/history", "category=linear&orderId="+ids[0]).rows(t); len(rows) != 1 {
			t.Errorf("rows = %v, want len(rows) == 1", rows)
		}
	})
}

// The demo environment has no order entry over a socket.
func TestDemoHasNoTradeSocket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}, DemoTrading: true})
		if status := v.Handshake("/v5/trade"); status != http.StatusNotFound {
			t.Errorf("status %d, want status == http.StatusNotFound", status)
		}
		v.private()
	})
}

// A candle is confirmed once, at its end.
func TestCandleIsConfirmed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, clock := slow(t)
		s := v.public("kline.1.BTCUSDT")
		s.data("kline.1.BTCUSDT")
		v.Script(http.MethodPost, "/market/trade", `{"symbol":"BTCUSDT","side":"buy","qty":"0.5"}`)
		clock.Advance(time.Minute)
		closed := s.Where(func(m simtest.Object) bool {
			rows, _ := m["data"].([]any)
			return len(rows) > 0 && rows[0].(simtest.Object)["confirm"] == true
		})["data"].([]any)[0].(simtest.Object)
		if !simtest.Num(closed["volume"]).IsPositive() || !simtest.Num(closed["end"]).Sub(simtest.Num(closed["start"])).Equal(decimal.NewFromInt(59_999)) {
			t.Errorf(`closed = %v, want simtest.Num(closed["volume"]).IsPositive() && simtest.Num(closed["end"]).Sub(simtest.Num(closed["start"])).Equal(decimal.NewFromInt(59_999))`, closed)
		}
		if next := s.data("kline.1.BTCUSDT"); next["confirm"] != false {
			t.Errorf(`next = %v, want next["confirm"] == false`, next)
		}
	})
}
