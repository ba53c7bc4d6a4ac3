package okxsim_test

import (
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

func TestPrivateStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.loggedIn("private")
		s.subscribe(`{"channel":"orders","instType":"SWAP"}`)
		s.subscribe(`{"channel":"positions","instType":"SWAP","extraParams":"{\"updateInterval\":\"0\"}"}`)
		s.push("positions", func(m, _ object) bool { return m["eventType"] == "snapshot" && m["lastPage"] == true })
		s.subscribe(`{"channel":"account"}`)
		s.push("account", func(m, first object) bool { return m["eventType"] == "snapshot" && first["details"] != nil })
		s.subscribe(`{"channel":"balance_and_position"}`)
		s.push("balance_and_position", func(_, first object) bool { return first["eventType"] == "snapshot" })

		id := v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"m1","side":"buy","ordType":"market","sz":"1"}`)
		simtest.Expect(t, s.push("orders", state("live")), object{"ordId": id, "clOrdId": "m1", "avgPx": "0", "fillSz": "0", "accFillSz": "0"})
		simtest.Expect(t, s.push("orders", state("filled")), object{"ordId": id, "accFillSz": "1", "fillSz": "1", "execType": "T", "fillFeeCcy": "USDT"})
		held := s.push("positions", func(m, _ object) bool { return m["eventType"] == "event_update" })
		simtest.Expect(t, held, object{"pos": "1", "instId": btc, "posSide": "net"})
		v.post("/trade/close-position", `{"instId":"BTC-USDT-SWAP","mgnMode":"cross"}`)
		s.push("positions", func(m, first object) bool { return m["eventType"] == "event_update" && first["pos"] == "0" })
	})
}

func TestLoginIsRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.stream("private")
		s.Send(`{"op":"subscribe","args":[{"channel":"orders","instType":"SWAP"}]}`)
		simtest.Expect(t, s.Next(), object{"event": "error", "code": "60011"})
		s.Send(v.loginText("wrong"))
		simtest.Expect(t, s.Next(), object{"event": "error", "code": "60007"})
		if _, open := <-s.Messages; open {
			t.Fatal("the connection stays open, want it closed")
		}
	})
}

func TestPublicStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.stream("public")
		s.Send("ping")
		simtest.Expect(t, s.Next(), object{simtest.Text: "pong"})
		for bad, code := range map[string]string{
			`{`: "60012", `{}`: "60012", `{"op":"subscribe"}`: "60012", `{"op":"subscribe","args":[]}`: "60012", `{"op":"no"}`: "60019",
		} {
			s.Send(bad)
			simtest.Expect(t, s.Next(), object{"event": "error", "code": code})
		}
		s.Send(`{"id":"7","op":"subscribe","args":[{"channel":"candle1m","instId":"BTC-USDT-SWAP"}]}`)
		simtest.Expect(t, s.Next(), object{"event": "error", "code": "60018", "id": "7"})

		anything := func(_, _ object) bool { return true }
		s.subscribe(`{"channel":"books","instId":"BTC-USDT-SWAP"}`)
		snapshot := s.push("books", func(m, _ object) bool { return m["action"] == "snapshot" })
		simtest.Expect(t, snapshot, object{"prevSeqId": -1, "checksum": 0})
		s.subscribe(`{"channel":"trades","instId":"BTC-USDT-SWAP"}`)
		s.subscribe(`{"channel":"tickers","instId":"BTC-USDT-SWAP"}`)
		s.subscribe(`{"channel":"mark-price","instId":"BTC-USDT-SWAP"}`)
		s.push("mark-price", anything)
		v.control("/market/trade", `{"symbol":"BTCUSDT","side":"buy","qty":"1"}`)
		simtest.Expect(t, s.push("trades", anything), object{"side": "buy", "count": "1", "instId": btc})
		last := snapshot["seqId"]
		update := s.push("books", func(m, _ object) bool { return m["action"] == "update" })
		if update["prevSeqId"] != last {
			t.Fatalf("prevSeqId of the update = %v, want %v", update["prevSeqId"], last)
		}

		b := v.stream("business")
		b.subscribe(`{"channel":"candle1m","instId":"BTC-USDT-SWAP"}`)
		b.push("candle1m", anything)
	})
}

func TestLiquidation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.control("/accounts/demo", `{"balance":"1000"}`)
		v.post("/account/set-leverage", `{"instId":"BTC-USDT-SWAP","lever":"50","mgnMode":"cross"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"10"}`)
		s := v.loggedIn("private")
		s.subscribe(`{"channel":"orders","instType":"SWAP"}`)
		v.control("/market", `{"symbol":"BTCUSDT","price":"50000"}`)
		closing := s.push("orders", state("filled"))
		simtest.Expect(t, closing, object{"category": "full_liquidation", "side": "sell", "clOrdId": "", "tradeId": "0"})
		newest := v.get("/trade/fills?instType=SWAP").Data[0]
		if id, _ := newest["tradeId"].(string); newest["subType"] != "107" || id == "" || id[0] != '-' {
			t.Errorf("fill of the liquidation = %v, want subType 107 and a negative tradeId", newest)
		}
		simtest.ExpectLen(t, v.get("/account/positions").Data, 0)
	})
}

func TestLeverageIsShownInPositions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"1"}`)
		s := v.loggedIn("private")
		s.subscribe(`{"channel":"positions","instType":"ANY"}`)
		s.push("positions", func(_, first object) bool { return first["lever"] == "20" })
		v.post("/account/set-leverage", `{"instId":"BTC-USDT-SWAP","lever":"7","mgnMode":"cross"}`)
		s.push("positions", func(m, first object) bool { return m["eventType"] == "event_update" && first["lever"] == "7" })
		s.Send(`{"op":"unsubscribe","args":[{"channel":"positions","instType":"ANY"}]}`)
		for s.Next()["event"] != "unsubscribe" {
		}
	})
}

// A driven venue lists further instruments and sends their changes with each step.
func TestStreamsOfADrivenVenue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pace := simnet.Pace{Rate: 200, Symbols: 12, BookStep: 10 * time.Millisecond}
		v := start(t, okxsim.Options{Setup: simnet.Setup{Seed: 3, Pace: pace}})
		for _, channel := range []string{"books", "trades"} {
			s, anything := v.stream("public"), func(_, _ object) bool { return true }
			s.subscribe(`{"channel":"` + channel + `","instId":"SIM3-USDT-SWAP"}`)
			begun := simtest.Num(s.push(channel, anything)["ts"])
			var last object
			for range 100 {
				last = s.push(channel, anything)
			}
			if took := simtest.Num(last["ts"]).Sub(begun).IntPart(); took > 1_000 {
				t.Errorf("%s: 100 messages in %d ms, want 1000 ms at most", channel, took)
			}
		}
	})
}
