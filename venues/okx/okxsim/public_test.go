package okxsim_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

func TestInstrumentsEqualTheVenues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		r := v.get("/public/instruments?instType=SWAP")
		halted := 0
		for _, row := range r.Data {
			simtest.Expect(t, row, object{"ctType": "linear", "settleCcy": "USDT", "ctMult": "1", "baseCcy": "", "instType": "SWAP"})
			if row["state"] != "live" {
				halted++
			}
		}
		if len(r.Data) != 9 || halted != 1 {
			t.Errorf("%d instruments, %d of them halted, want 9 and 1", len(r.Data), halted)
		}
		simtest.Expect(t, v.one(v.get("/public/instruments?instType=SWAP&instId="+btc)), object{
			"ctVal": "0.01", "ctValCcy": "BTC", "lotSz": "0.01", "minSz": "0.01", "tickSz": "0.1", "maxMktSz": "35000",
			"instFamily": "BTC-USDT", "lever": "100",
		})
		for target, code := range map[string]string{
			"/public/instruments":                              "50014",
			"/public/instruments?instType=SWAP&instId=NO":      "51001",
			"/market/books":                                    "50014",
			"/market/books?instId=NO":                          "51001",
			"/market/candles?instId=" + btc + "&bar=7m":        "51000",
			"/market/candles?instId=" + btc + "&bar=1h":        "51000",
			"/market/candles?instId=" + btc + "&bar=1mutc":     "51000",
			"/trade/orders-history":                            "50014",
			"/trade/order?instId=" + btc:                       "50015",
			"/trade/orders-algo-pending":                       "50014",
			"/account/leverage-info?instId=" + btc:             "51000",
			"/trade/fills?ordId=x":                             "51000",
			"/trade/orders-algo-history?ordType=conditional":   "50015",
			"/trade/order?instId=" + btc + "&ordId=notanumber": "51000",
			"/no/such/path":                                    "404",
		} {
			v.get(target).expectCode(t, code)
		}
	})
}

func TestMarketData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		for _, target := range []string{
			"/public/mark-price?instType=SWAP&instId=" + btc, "/public/price-limit?instId=" + btc, "/public/funding-rate?instId=" + btc,
			"/market/ticker?instId=" + btc, "/market/books?instId=" + btc + "&sz=400",
		} {
			v.one(v.get(target))
		}
		simtest.ExpectLen(t, v.get("/public/position-tiers?instType=SWAP&tdMode=cross&instFamily=BTC-USDT").Data, 5)
		var candles struct{ Data [][9]string }
		if err := json.Unmarshal([]byte(v.get("/market/candles?instId="+btc+"&bar=1H&limit=5").raw()), &candles); err != nil {
			t.Fatal(err)
		}
		if len(candles.Data) != 5 || candles.Data[0][0] <= candles.Data[4][0] || candles.Data[4][8] != "1" {
			t.Errorf("candles = %v, want 5, the newest first and the oldest complete", candles.Data)
		}
		var older struct{ Data [][9]string }
		raw := v.get("/market/candles?instId=" + btc + "&bar=1H&limit=5&after=" + candles.Data[2][0]).raw()
		if err := json.Unmarshal([]byte(raw), &older); err != nil {
			t.Fatal(err)
		}
		if older.Data[0][0] != candles.Data[3][0] {
			t.Errorf("first candle after %v = %v, want %v", candles.Data[2][0], older.Data[0][0], candles.Data[3][0])
		}
	})
}

// TestCandlesOfTwoCalls reads the oldest recent candle, and the candles around it by both
// calls.
func TestCandlesOfTwoCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		read := func(path, query string) (rows [][9]string) {
			t.Helper()
			var answer struct{ Data [][9]string }
			if err := json.Unmarshal([]byte(v.get("/market/"+path+"?instId="+btc+"&bar=1m"+query).raw()), &answer); err != nil {
				t.Fatal(err)
			}
			return answer.Data
		}
		millis := func(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }
		oldest := time.Now().Truncate(time.Minute).Add(-1439 * time.Minute)
		after := "&after=" + millis(oldest.Add(10*time.Minute))
		if recent := read("candles", after+"&limit=300"); len(recent) != 10 || recent[9][0] != millis(oldest) {
			t.Errorf("%d recent candles, want the 10 from %s", len(recent), millis(oldest))
		}
		past := read("history-candles", after+"&limit=300")
		if len(past) != 100 || past[9][0] != millis(oldest) {
			t.Errorf("%d candles of the history, want 100 over %s", len(past), millis(oldest))
		}
		if newest := read("history-candles", "&limit=1"); len(newest) != 1 || newest[0][8] != "1" || newest[0][0] != millis(time.Now().Truncate(time.Minute).Add(-time.Minute)) {
			t.Errorf("newest candle of the history = %v, want the last complete one", newest)
		}
	})
}

func TestLeverage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.post("/account/set-leverage", `{"instId":"BTC-USDT-SWAP","lever":"5","mgnMode":"cross"}`).expectCode(t, "0")
		simtest.Expect(t, v.one(v.get("/account/leverage-info?mgnMode=cross&instId="+btc)), object{"lever": "5", "mgnMode": "cross"})
		simtest.ExpectRows(t, v.post("/account/set-leverage", `{"instId":"BTC-USDT-SWAP","lever":7,"mgnMode":"cross"}`).Data, object{"lever": "7"})
		v.post("/account/set-leverage", `{"instId":"BTC-USDT-SWAP","lever":"101","mgnMode":"cross"}`).expectCode(t, "59102")
		v.order(restingBuy)
		v.post("/account/set-leverage", `{"instId":"BTC-USDT-SWAP","lever":"6","mgnMode":"cross"}`).expectCode(t, "59107")
	})
}

// book is a book maintained by the rules of the venue's documentation.
type book map[string]string

func (b book) apply(rows any) {
	levels, _ := rows.([]any)
	for _, row := range levels {
		level := row.([]any)
		if level[1] == "0" {
			delete(b, level[0].(string))
		} else {
			b[level[0].(string)] = level[1].(string)
		}
	}
}

// A book built from the chain of differences equals the book of the exchange.
func TestBookFollowsTheChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, okxsim.Options{Setup: simnet.Setup{Seed: 7}})
		s := v.stream("public")
		s.subscribe(`{"channel":"books","instId":"ETH-USDT-SWAP"}`)
		bids, asks, last := book{}, book{}, json.Number("-1")
		updates := 0
		s.push("books", func(m, first object) bool {
			if first["prevSeqId"] != last {
				t.Fatalf("message follows %v, want %v", first["prevSeqId"], last)
			}
			last = first["seqId"].(json.Number)
			bids.apply(first["bids"])
			asks.apply(first["asks"])
			updates++
			if updates == 10 {
				v.control("/market", `{"symbol":"ETHUSDT","pause":true}`)
			}
			truth, _ := v.sim.Exchange().Book("ETH-USDT-SWAP", 400)
			if updates < 10 || fmt.Sprint(truth.UpdateID) != last.String() {
				return false
			}
			if len(bids) != len(truth.Bids) || len(asks) != len(truth.Asks) {
				t.Fatalf("%d bids and %d asks, want %d and %d", len(bids), len(asks), len(truth.Bids), len(truth.Asks))
			}
			for _, l := range truth.Bids {
				if bids[l.Price.String()] != l.Qty.String() {
					t.Fatalf("bid %s is %s, want %s", l.Price, bids[l.Price.String()], l.Qty)
				}
			}
			return true
		})
	})
}
