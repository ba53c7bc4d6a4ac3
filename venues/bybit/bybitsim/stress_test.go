package bybitsim_test

import (
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// While many orders come and go in a moving market, the last word of the stream
// about each of them is what the venue knows, and no message is older than the
// one before it.
func TestTheStreamIsTheTruth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const workers, orders = 4, 20
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Seed: 5}, RateLimits: bybitsim.RateLimits{TradePerSecond: -1, QueryPerSecond: -1, RequestsPer5s: -1}})
		s := v.private("order", "execution")
		var working sync.WaitGroup
		for worker := range workers {
			working.Add(1)
			go func() {
				defer working.Done()
				for n := range orders {
					id := strconv.Itoa(worker) + "-" + strconv.Itoa(n)
					body := order("orderLinkId="+id, "price=64990")
					if n%3 == 0 {
						body = market("orderLinkId="+id, "side="+[]string{"Buy", "Sell"}[n%2])
					}
					v.post("/v5/order/create", body)
					if n%2 == 0 {
						v.post("/v5/order/cancel", `{"category":"linear","symbol":"BTCUSDT","orderLinkId":"`+id+`"}`)
					}
				}
			}()
		}
		working.Wait()
		v.post("/v5/order/cancel-all", `{"category":"linear","settleCoin":"USDT"}`).result(t)
		last, updated, fills := map[string]string{}, map[string]any{}, map[any]bool{}
		open := func() int {
			n := 0
			for _, status := range last {
				if status == "New" || status == "PartiallyFilled" {
					n++
				}
			}
			return n
		}
		for len(last) < workers*orders || open() > 0 {
			message := s.Next()
			for _, row := range message["data"].([]any) {
				record := row.(map[string]any)
				if message["topic"] == "execution" {
					fills[record["execId"]] = true
					continue
				}
				id := record["orderLinkId"].(string)
				if before, known := updated[id]; known && simtest.Num(record["updatedTime"]).LessThan(simtest.Num(before)) {
					t.Errorf("%s goes back in time", id)
				}
				last[id], updated[id] = record["orderStatus"].(string), record["updatedTime"]
			}
		}
		known := v.sim.Exchange().Fills(v.sim.DemoAccount().ID, func(*simcore.Fill) bool { return true })
		if len(known) != len(fills) {
			t.Errorf("%d fills were told of %d", len(fills), len(known))
		}
		for id, status := range last {
			rows := v.get("/v5/order/realtime", "category=linear&orderLinkId="+id).rows(t)
			if len(rows) != 1 || rows[0]["orderStatus"] != status {
				t.Errorf("%s was told as %s and is %v", id, status, rows)
			}
		}
	})
}

// What one call did is told together, however often the venue looks for news
// meanwhile: an order that fills at once is told once.
func TestACallIsToldWhole(t *testing.T) {
	t.Parallel()
	for _, delay := range []time.Duration{0, 5 * time.Millisecond} {
		t.Run(delay.String(), func(t *testing.T) { toldWhole(t, delay) })
	}
}

func toldWhole(t *testing.T, delay time.Duration) {
	const orders = 300
	sim := create(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true, Seed: 1}, PushDelay: delay})
	v := &venue{Client: simtest.Start(t, sim), sim: sim} // in real time: what looks never rests
	s := v.private("order")
	x, account := v.sim.Exchange(), v.sim.DemoAccount().ID
	done := make(chan struct{})
	var looking sync.WaitGroup
	for range 2 {
		looking.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					v.sim.Flush()
				}
			}
		})
	}
	for n := range orders {
		side := []simcore.Side{simcore.Buy, simcore.Sell}[n%2]
		if _, err := x.Place(simcore.OrderRequest{Account: account, Symbol: "BTCUSDT", Side: side, Type: simcore.Market, Qty: decimal.New(1, -3)}); err != nil {
			t.Fatal(err)
		}
	}
	for told := 0; told < orders; {
		for _, row := range s.With("topic", "order")["data"].([]any) {
			told++
			expect(t, row.(map[string]any), "orderStatus=Filled")
		}
	}
	close(done)
	looking.Wait()
}
