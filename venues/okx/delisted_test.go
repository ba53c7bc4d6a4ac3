package okx

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// delist reads a list without the instrument that the tests trade.
func (s *script) delist() {
	s.t.Helper()
	if _, err := s.connector.Instruments(background); err != nil {
		s.t.Fatal(err)
	}
	s.Replace("GET /api/v5/public/instruments", 200, strings.ReplaceAll(swaps, "BTC-USDT-SWAP", "XBT-USDT-SWAP"))
	s.On("GET /api/v5/public/instruments", 200, nothing)
	if list, err := s.connector.Instruments(background); err != nil || len(list) != 2 {
		s.t.Fatalf("%d instruments, %v, want 2 instruments", len(list), err)
	}
}

// Executions of a delisted instrument are reported in contracts, whose size only the list
// contained.
func TestDelistedInstrumentIsStillKnown(t *testing.T) {
	s := newScript(t)
	s.delist()
	s.On("GET /api/v5/trade/fills", 200, `{"code":"0","data":[`+
		`{"instType":"SWAP","instId":"BTC-USDT-SWAP","ordId":"1","tradeId":"2","billId":"3","side":"buy","posSide":"net","fillSz":"0.5","fillPx":"60000",`+
		`"fillTime":"`+strconv.FormatInt(time.Now().UnixMilli(), 10)+`","ts":"`+strconv.FormatInt(time.Now().UnixMilli(), 10)+`","fee":"-0.1","feeCcy":"USDT","execType":"T"}],"msg":""}`)
	fills, err := s.account.Fills(background, venues.FillsQuery{Symbol: "BTCUSDT", From: time.Now().Add(-time.Minute), To: time.Now().Add(time.Minute)})
	if err != nil || len(fills) != 1 || fills[0].Qty.String() != "0.005" {
		t.Errorf("fills = %+v, err = %v, want one fill of 0.005", fills, err)
	}
	if k, err := s.connector.cachedByVenueSymbol("BTC-USDT-SWAP"); err != nil || k.Status != venues.InstrumentClosed {
		t.Errorf("k = %+v, err = %v, want a closed instrument", k, err)
	}
	if (streams{s.connector}).Trading("BTCUSDT") {
		t.Error("the delisted instrument is trading, want it closed")
	}
}

// An instrument that was delisted between two runs is known if the earlier run has stored
// it. Without that, contracts cannot be converted.
func TestDelistedInstrumentOfAnEarlierRun(t *testing.T) {
	before := newScript(t)
	kept, err := before.connector.Instruments(background)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	kept = nil
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	now := strconv.FormatInt(time.Now().UnixMilli(), 10)
	execution := `{"code":"0","data":[{"instType":"SWAP","instId":"BTC-USDT-SWAP","ordId":"1","tradeId":"2","billId":"3","side":"buy","posSide":"net",` +
		`"fillSz":"0.5","fillPx":"60000","fillTime":"` + now + `","ts":"` + now + `","fee":"-0.1","feeCcy":"USDT","execType":"T"}],"msg":""}`
	query := venues.FillsQuery{Symbol: "BTCUSDT", From: time.Now().Add(-time.Minute), To: time.Now().Add(time.Minute)}
	start := func(seeded []venues.Instrument) *script {
		s := newScript(t)
		s.connector.Seed(seeded)
		s.Replace("GET /api/v5/public/instruments", 200, strings.ReplaceAll(swaps, "BTC-USDT-SWAP", "XBT-USDT-SWAP"))
		s.On("GET /api/v5/public/instruments", 200, nothing)
		s.On("GET /api/v5/trade/fills", 200, execution)
		return s
	}

	s := start(kept)
	fills, err := s.account.Fills(background, query)
	if err != nil || len(fills) != 1 || fills[0].Qty.String() != "0.005" || fills[0].Symbol != "BTCUSDT" {
		t.Errorf("fills = %+v, err = %v, want one fill of 0.005 BTCUSDT", fills, err)
	}
	if got := s.Last("GET /api/v5/trade/fills").Query.Get("instType"); got != instTypeSwap {
		t.Errorf("requested %s, want %s", got, instTypeSwap)
	}
	if traded, err := s.account.Traded(background, query.From, query.To); err != nil || len(traded) != 1 || traded[0] != "BTCUSDT" {
		t.Errorf("traded = %v, err = %v, want BTCUSDT", traded, err)
	}
	if k, err := s.connector.cachedByVenueSymbol("BTC-USDT-SWAP"); err != nil || k.Status != venues.InstrumentClosed {
		t.Errorf("k = %+v, err = %v, want a closed instrument", k, err)
	}
	if _, listed := s.connector.instruments.Load().set.Find("BTCUSDT"); listed {
		t.Error("the seeded instrument is listed, want it delisted")
	}
	if _, err := start(nil).account.Fills(background, query); !venues.IsUnlisted(err) {
		t.Errorf("unknown instrument: error %v, want one that IsUnlisted", err)
	}
	unsized := slices.Clone(kept)
	for n := range unsized {
		unsized[n].ContractSize = decimal.Zero
	}
	if _, err := start(unsized).account.Fills(background, query); !venues.IsUnlisted(err) {
		t.Errorf("instrument without a size: error %v, want one that IsUnlisted", err)
	}
}

// A stored instrument gives the same instrument as the venue's list.
func TestSeededContractsEqualListedOnes(t *testing.T) {
	s := newScript(t)
	list, err := s.connector.Instruments(background)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range list {
		got, want := newInstrument(&i), *s.connector.instruments.Load().byVenueSymbol(i.VenueSymbol)
		want.code = 0 // no orders for delisted instruments
		if !got.lot.Equal(want.lot) {
			t.Errorf("%s: lot %s, want %s", i.VenueSymbol, got.lot, want.lot)
		}
		want.lot = got.lot
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("%+v, want %+v", *got, want)
		}
	}
}

// The venue finds orders by id only for listed instruments.
func TestOrderOfADelistedInstrument(t *testing.T) {
	const history = "GET /api/v5/trade/orders-history"
	s := newScript(t)
	s.delist()
	s.On(readOrder, 200, `{"code":"51001","data":[],"msg":"Instrument ID, Instrument ID code, or Spread ID doesn't exist."}`)
	s.On(history, 200, answerOf(anOrder(`"live"`, `"canceled"`, `"cancelSource":""`, `"cancelSource":"7"`)))
	report, err := s.account.Order(background, refOf(limitOrder()))
	if err != nil || report.Status != venues.StatusCancelled || report.RejectReason == nil || report.RejectReason.Reason != "delivery" {
		t.Errorf("report = %+v, err = %v, want a cancelled order with the reason delivery", report, err)
	}
	s.Replace(history, 200, nothing)
	if _, err := s.account.Order(background, refOf(limitOrder())); venues.CodeOf(err) != venues.CodeNotFound {
		t.Error(err)
	}
}

// Executions in instruments that were never listed are skipped.
func TestTradedSkipsUnlistedInstruments(t *testing.T) {
	s := newScript(t)
	s.On("GET /api/v5/trade/fills", 200, `{"code":"0","data":[{"instId":"OLD-USDT-SWAP","billId":"4"},{"instId":"ETH-USDT-SWAP","billId":"3"}],"msg":""}`)
	traded, err := s.account.Traded(background, time.Now().Add(-time.Hour), time.Now())
	if err != nil || len(traded) != 1 || traded[0] != "ETHUSDT" {
		t.Errorf("traded = %v, err = %v, want ETHUSDT", traded, err)
	}
}
