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
		simtest.Expect(t, v.found(id), simtest.Object{"orderStatus": "New"})
		clock.Advance(engineDelay)
		simtest.Expect(t, s.data("order"), simtest.Object{"orderStatus": "Cancelled", "cancelType": "CancelByUser", "leavesQty": "0"})
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
		simtest.Expect(t, s.data("order"), simtest.Object{"orderStatus": "Filled", "cancelType": "UNKNOWN"})
		clock.Advance(engineDelay)
		simtest.Expect(t, s.data("order"), simtest.Object{"orderId": id, "orderStatus": "Filled", "cancelType": "CancelByUser", "rejectReason": "EC_OrigClOrdIDDoesNotExist"})
		simtest.Expect(t, v.found(id), simtest.Object{"orderStatus": "Filled", "cancelType": "UNKNOWN"})
		v.post("/v5/order/cancel", cancelOf(id)).expectCode(t, 110001)
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
			simtest.Equal(t, args+": success", s.With("op", "subscribe")["success"], any(success))
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
		simtest.Expect(t, v.found(id), simtest.Object{"orderStatus": "Filled", "qty": "0.03", "cumExecQty": "0.03"})
		v.placed(market("qty=0.03"))
		resting := v.placed(order("side=Sell", "reduceOnly=true", "price=66000", "qty=0.03"))
		v.placed(market("side=Sell", "qty=0.02"))
		v.move("66500")
		simtest.Expect(t, v.found(resting), simtest.Object{"cumExecQty": "0.01"})
		simtest.Expect(t, v.position(), simtest.Object{"size": "0"})
		v.placed(market())
		ended := v.placed(order("side=Sell", "reduceOnly=true", "price=70000"))
		v.placed(market("side=Sell"))
		simtest.Expect(t, v.found(ended), simtest.Object{"orderStatus": "Cancelled", "cancelType": "CancelByReduceOnly"})
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
		simtest.Expect(t, o[len(o)-1].(simtest.Object), simtest.Object{"orderStatus": "Deactivated", "cancelType": "CancelByTpSlTsClear"})
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
			v.post("/v5/order/create", market("triggerPrice=70000", "triggerDirection=1", "orderLinkId=c"+strconv.Itoa(i))).expectCode(t, want)
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
		v.post("/v5/order/create", order()).expectCode(t, 110020)
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
			simtest.Equal(t, "orders with the id of number "+strconv.Itoa(i), len(v.get("/v5/order/realtime", "category=linear&orderId="+ids[i]).rows(t)), want)
		}
		simtest.ExpectLen(t, v.get("/v5/order/history", "category=linear&orderId="+ids[0]).rows(t), 1)
	})
}

// The demo environment has no order entry over a socket.
func TestDemoHasNoTradeSocket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}, DemoTrading: true})
		simtest.Equal(t, "status of the handshake", v.Handshake("/v5/trade"), http.StatusNotFound)
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
			t.Errorf("candle = %v, want a volume and one minute", closed)
		}
		simtest.Expect(t, s.data("kline.1.BTCUSDT"), simtest.Object{"confirm": false})
	})
}
