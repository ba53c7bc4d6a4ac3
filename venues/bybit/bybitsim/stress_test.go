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

// While many orders are placed and cancelled in a moving market, the last message
// about each of them equals the venue's record, and no message is older than the one
// before it.
func TestLastMessageEqualsTheRecord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const workers, orders = 4, 20
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Seed: 5}, RateLimits: bybitsim.RateLimits{TradePerSecond: -1, QueryPerSecond: -1, RequestsPer5s: -1}})
		s := v.private("order", "execution")
		var working sync.WaitGroup
		for worker := range workers {
			working.Go(func() {
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
			})
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
					t.Errorf("updatedTime of order %s = %v after %s, want no earlier time", id, record["updatedTime"], before)
				}
				last[id], updated[id] = record["orderStatus"].(string), record["updatedTime"]
			}
		}
		known := v.sim.Exchange().Fills(v.sim.DemoAccount().ID, func(*simcore.Fill) bool { return true })
		simtest.Equal(t, "published fills", len(fills), len(known))
		for id, status := range last {
			rows := v.get("/v5/order/realtime", "category=linear&orderLinkId="+id).rows(t)
			simtest.ExpectRows(t, rows, simtest.Object{"orderStatus": status})
		}
	})
}

// The effects of one call are published together, however often the venue flushes
// meanwhile: an order that fills immediately is published once.
func TestEffectsOfACallArePublishedTogether(t *testing.T) {
	t.Parallel()
	for _, delay := range []time.Duration{0, 5 * time.Millisecond} {
		t.Run(delay.String(), func(t *testing.T) { publishesTogether(t, delay) })
	}
}

func publishesTogether(t *testing.T, delay time.Duration) {
	const orders = 300
	sim := create(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true, Seed: 1}, PushDelay: delay})
	v := &venue{Client: simtest.Start(t, sim), sim: sim} // in real time, because the flushing goroutine never blocks
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
	for published := 0; published < orders; {
		for _, row := range s.With("topic", "order")["data"].([]any) {
			published++
			expect(t, row.(map[string]any), "orderStatus=Filled")
		}
	}
	close(done)
	looking.Wait()
}
