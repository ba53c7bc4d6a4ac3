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
	s.Only("GET /api/v5/public/instruments", 200, strings.ReplaceAll(swaps, "BTC-USDT-SWAP", "XBT-USDT-SWAP"))
	s.On("GET /api/v5/public/instruments", 200, nothing)
	if list, err := s.connector.Instruments(background); err != nil || len(list) != 2 {
		s.t.Fatalf("%d instruments, %v", len(list), err)
	}
}

// What is told of an instrument after it has left the list is told in contracts,
// whose size only the list told.
func TestDelistedInstrumentIsRemembered(t *testing.T) {
	s := newScript(t)
	s.delist()
	s.On("GET /api/v5/trade/fills", 200, `{"code":"0","data":[`+
		`{"instType":"SWAP","instId":"BTC-USDT-SWAP","ordId":"1","tradeId":"2","billId":"3","side":"buy","posSide":"net","fillSz":"0.5","fillPx":"60000",`+
		`"fillTime":"`+strconv.FormatInt(time.Now().UnixMilli(), 10)+`","ts":"`+strconv.FormatInt(time.Now().UnixMilli(), 10)+`","fee":"-0.1","feeCcy":"USDT","execType":"T"}],"msg":""}`)
	fills, err := s.account.Fills(background, venues.FillsQuery{Symbol: "BTCUSDT", From: time.Now().Add(-time.Minute), To: time.Now().Add(time.Minute)})
	if err != nil || len(fills) != 1 || fills[0].Qty.String() != "0.005" {
		t.Errorf("%+v %v", fills, err)
	}
	if k, err := s.connector.knownName("BTC-USDT-SWAP"); err != nil || k.Status != venues.InstrumentClosed {
		t.Errorf("%+v %v", k, err)
	}
	if (streams{s.connector}).Trading("BTCUSDT") {
		t.Error("it trades")
	}
}

// An instrument that left the list between two runs is known as far as the run before
// has kept it; without that nothing is made of numbers of contracts.
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
	start := func(remembered []venues.Instrument) *script {
		s := newScript(t)
		s.connector.Remember(remembered)
		s.Only("GET /api/v5/public/instruments", 200, strings.ReplaceAll(swaps, "BTC-USDT-SWAP", "XBT-USDT-SWAP"))
		s.On("GET /api/v5/public/instruments", 200, nothing)
		s.On("GET /api/v5/trade/fills", 200, execution)
		return s
	}

	s := start(kept)
	fills, err := s.account.Fills(background, query)
	if err != nil || len(fills) != 1 || fills[0].Qty.String() != "0.005" || fills[0].Symbol != "BTCUSDT" {
		t.Errorf("%+v %v", fills, err)
	}
	if got := s.Last("GET /api/v5/trade/fills").Query.Get("instType"); got != instTypeSwap {
		t.Errorf("asked for %s", got)
	}
	if traded, err := s.account.Traded(background, query.From, query.To); err != nil || len(traded) != 1 || traded[0] != "BTCUSDT" {
		t.Errorf("%v %v", traded, err)
	}
	if k, err := s.connector.knownName("BTC-USDT-SWAP"); err != nil || k.Status != venues.InstrumentClosed {
		t.Errorf("%+v %v", k, err)
	}
	if _, listed := s.connector.catalogue.Load().set.Find("BTCUSDT"); listed {
		t.Error("it is listed")
	}
	if _, err := start(nil).account.Fills(background, query); !venues.IsUnlisted(err) {
		t.Errorf("of an instrument that nobody knows: %v", err)
	}
	unsized := slices.Clone(kept)
	for n := range unsized {
		unsized[n].ContractSize = decimal.Zero
	}
	if _, err := start(unsized).account.Fills(background, query); !venues.IsUnlisted(err) {
		t.Errorf("of an instrument without a size: %v", err)
	}
}

// What a run before has kept makes the same of an instrument as the venue's list.
func TestRememberedContracts(t *testing.T) {
	s := newScript(t)
	list, err := s.connector.Instruments(background)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range list {
		got, want := contractOfInstrument(&i), *s.connector.catalogue.Load().named(i.VenueSymbol)
		want.code = 0 // nothing is ordered of what is off the list
		if !got.lot.Equal(want.lot) {
			t.Errorf("%s: lot %s, want %s", i.VenueSymbol, got.lot, want.lot)
		}
		want.lot = got.lot
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("%+v, want %+v", *got, want)
		}
	}
}

// The venue finds orders of what it lists by their name, and of nothing else.
func TestOrderOfADelistedInstrument(t *testing.T) {
	const history = "GET /api/v5/trade/orders-history"
	s := newScript(t)
	s.delist()
	s.On(readOrder, 200, `{"code":"51001","data":[],"msg":"Instrument ID, Instrument ID code, or Spread ID doesn't exist."}`)
	s.On(history, 200, answerOf(anOrder(`"live"`, `"canceled"`, `"cancelSource":""`, `"cancelSource":"7"`)))
	report, err := s.account.Order(background, refOf(limitOrder()))
	if err != nil || report.Status != venues.StatusCancelled || report.Fault == nil || report.Fault.Reason != "delivery" {
		t.Errorf("%+v %v", report, err)
	}
	s.Only(history, 200, nothing)
	if _, err := s.account.Order(background, refOf(limitOrder())); venues.CodeOf(err) != venues.CodeNotFound {
		t.Error(err)
	}
}

// Executions of what was never listed here are of nothing that the service knows.
func TestTradedLeavesOutWhatIsNotListed(t *testing.T) {
	s := newScript(t)
	s.On("GET /api/v5/trade/fills", 200, `{"code":"0","data":[{"instId":"OLD-USDT-SWAP","billId":"4"},{"instId":"ETH-USDT-SWAP","billId":"3"}],"msg":""}`)
	traded, err := s.account.Traded(background, time.Now().Add(-time.Hour), time.Now())
	if err != nil || len(traded) != 1 || traded[0] != "ETHUSDT" {
		t.Errorf("%v %v", traded, err)
	}
}
