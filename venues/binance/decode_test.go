package binance

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/payload"
)

const (
	tradeMessage = `{"e":"aggTrade","E":1626992741575,"a":16599292,"s":"CTKUSDT","p":"1.01100","q":"10","f":23961322,"l":23961322,"T":1626992741421,"m":true,"st":1}`
	klineMessage = `{"e":"kline","E":1626992741424,"s":"CTKUSDT","k":{"t":1626992700000,"T":1626992759999,"s":"CTKUSDT","i":"1m","f":1,"L":2,"o":"1.01000",` +
		`"c":"1.01100","h":"1.01100","l":"1.01000","v":"3917","n":48,"x":true,"q":"3957.89900","V":"1729","Q":"1748.01900","B":"0"}}`
	markMessage = `{"e":"markPriceUpdate","E":1597536008000,"s":"CTKUSDT","p":"1.01100000","i":"1.02","r":"0.0001","T":1597564800000,"st":1}`
	orderEvent  = `{"e":"ORDER_TRADE_UPDATE","T":1772461802803,"E":1772461802804,"o":{"s":"ACHUSDT","c":"vg01","S":"BUY","o":"MARKET","f":"GTC","q":"800","p":"0",` +
		`"ap":"0.006567","sp":"0","x":"TRADE","X":"PARTIALLY_FILLED","i":4903991227,"l":"500","z":"500","L":"0.006567","n":"0.0026268","N":"USDT","T":1772461802803,` +
		`"t":258306880,"b":"0","a":"0","m":true,"R":false,"wt":"CONTRACT_PRICE","ot":"MARKET","ps":"BOTH","cp":false,"rp":"0","pP":false,"si":0,"ss":0,"er":"0"}}`
	algoEvent = `{"e":"ALGO_UPDATE","T":1772462050745,"E":1772462050745,"o":{"caid":"vg01","aid":2000000547321628,"at":"CONDITIONAL","o":"STOP_MARKET","s":"ACHUSDT",` +
		`"S":"BUY","ps":"BOTH","f":"GTC","q":"800","X":"FINISHED","ai":"4904005884","ap":"0.00666","aq":"800","act":"MARKET","tp":"0.006659","p":"0","cp":false,"R":false,"tt":1}}`
	accountEvent = `{"e":"ACCOUNT_UPDATE","T":1639933384755,"E":1639933384763,"a":{"B":[{"a":"USDT","wb":"86.9","cw":"86.9","bc":"0"}],` +
		`"P":[{"s":"BTCUSDT","pa":"-0.001","ep":"47202.4","cr":"7.7","up":"-0.002","mt":"cross","iw":"0","ps":"BOTH","ma":"USDT"}],"m":"ORDER"}}`
)

// marketDecoders decode a message of their kind about CTKUSDT.
var marketDecoders = map[string]func([]byte) error{
	tradeMessage: func(m []byte) error {
		_, _, err := decodeAggTrade(new(fastjson.Parser), m, "CTKUSDT", "CTKUSDT")
		return err
	},
	klineMessage: func(m []byte) error {
		_, err := decodeKline(new(fastjson.Parser), m, venues.FeedTopic{Symbol: "CTKUSDT", Timeframe: "1m"}, "CTKUSDT")
		return err
	},
	markMessage: func(m []byte) error {
		_, err := decodeMark(new(fastjson.Parser), m, "CTKUSDT", "CTKUSDT")
		return err
	},
}

func TestMarketMessages(t *testing.T) {
	trade, id, err := decodeAggTrade(new(fastjson.Parser), []byte(tradeMessage), "CTKUSDT", "CTKUSDT")
	if err != nil || id != 16599292 || trade.ID != "16599292" || trade.Side != venues.Sell || !trade.Qty.Equal(dec("10").Decimal) ||
		!trade.Price.Equal(dec("1.011").Decimal) || trade.VenueTime.UnixMilli() != 1626992741421 {
		t.Errorf("trade %+v, error %v, want the sell 16599292 of 10 at 1.011", trade, err)
	}
	candle, err := decodeKline(new(fastjson.Parser), []byte(klineMessage), venues.FeedTopic{Symbol: "CTKUSDT", Timeframe: "1m"}, "CTKUSDT")
	if err != nil || !candle.Closed || candle.Start.UnixMilli() != 1626992700000 || candle.End.Sub(candle.Start) != time.Minute ||
		!candle.Volume.Equal(dec("3917").Decimal) || !candle.Turnover.Equal(dec("3957.899").Decimal) || !candle.Close.Equal(dec("1.011").Decimal) {
		t.Errorf("candle %+v, error %v, want the closed minute from 1626992700000 with volume 3917 and turnover 3957.899", candle, err)
	}
	mark, err := decodeMark(new(fastjson.Parser), []byte(markMessage), "CTKUSDT", "CTKUSDT")
	if err != nil || !mark.Price.Equal(dec("1.011").Decimal) || mark.VenueTime.UnixMilli() != 1597536008000 {
		t.Errorf("mark = %+v, err = %v, want the mark price 1.011 at 1597536008000", mark, err)
	}
}

// Each decoder rejects each defect that concerns it.
func TestMalformedMarketMessages(t *testing.T) {
	connectortest.RejectMalformed(t, marketDecoders, [][2]string{
		{`"s":"CTKUSDT"`, `"s":"BTCUSDT"`},
		{`"e":"`, `"e":"other`},
		{`"e":`, `"_":`},
		{`"1.01100`, `"1.011e0`},
		{`"1.01100`, `"NaN`},
		{`"p":"1.01`, `"p":"-1.01`},
		{`"p":"`, `"p":"x`},
		{`"q":"10"`, `"q":10`},
		{`"T":1626992741421`, `"T":"soon"`},
		{`"m":true`, `"m":"true"`},
		{`"m":true,`, ``},
		{`"a":16599292`, `"a":1.5`},
		{`"i":"1m"`, `"i":"5m"`},
		{`"k":{`, `"K":{`},
		{`"t":1626992700000,`, ``},
		{`"x":true`, `"x":1`},
		{`"o":"1.01000"`, `"o":""`},
		{`"v":"3917",`, ``},
	})
}

func TestOrderEvent(t *testing.T) {
	feed, h := privateStream(t)
	if err := feed.handle([]byte(orderEvent)); err != nil {
		t.Fatal(err)
	}
	if err := feed.handle([]byte(`{"stream":"ORDER_TRADE_UPDATE","data":` + orderEvent + `}`)); err != nil {
		t.Fatal(err)
	}
	for _, r := range h.Reports {
		if r.Status != venues.StatusPartiallyFilled || !r.FilledQty.Equal(dec("500").Decimal) || r.Fill == nil || r.Fill.Liquidity != venues.Maker ||
			!venues.EqualOptional(r.Fill.Fee, dec("0.0026268")) || r.VenueTime.UnixMilli() != 1772461802803 {
			t.Errorf("report %+v, want a maker fill with 500 filled at 1772461802803", r)
		}
	}
	if len(h.Reports) != 2 {
		t.Errorf("%d reports on the stream, want 2", len(h.Reports))
	}
}

func TestOrderEventKinds(t *testing.T) {
	for name, c := range map[string]struct {
		changes []string
		check   func(r venues.ExecutionReport) bool
	}{
		"no commission reported": {
			[]string{`"n":"0.0026268","N":"USDT",`, ``},
			func(r venues.ExecutionReport) bool { return r.Fill != nil && !r.Fill.Fee.Valid },
		},
		"liquidation": {
			[]string{`"vg01"`, `"autoclose-1596107620040000020"`, `"x":"TRADE"`, `"x":"CALCULATED"`},
			func(r venues.ExecutionReport) bool { return r.Forced && r.Fill != nil },
		},
		"deleveraging without a trade id": {
			[]string{`"vg01"`, `"adl_autoclose"`, `"t":258306880`, `"t":0`, `"x":"TRADE"`, `"x":"CALCULATED"`},
			func(r venues.ExecutionReport) bool { return r.Forced && r.Fill == nil && r.FilledQty.IsPositive() },
		},
		"triggered stop": {
			[]string{`"si":0,"ss":0`, `"si":2000000547321628,"ss":-1,"st":"ALGO_CONDITION"`},
			func(r venues.ExecutionReport) bool { return r.Type == venues.TypeStopMarket },
		},
		"untriggered stop of the old kind": {
			[]string{`"o":"MARKET"`, `"o":"STOP"`, `"ot":"MARKET"`, `"ot":"STOP"`, `"x":"TRADE"`, `"x":"NEW"`, `PARTIALLY_FILLED`, `NEW`},
			func(r venues.ExecutionReport) bool {
				return r.Status == venues.StatusUntriggered && r.Type == venues.TypeStopLimit && r.Fill == nil
			},
		},
		"stop of the old kind that failed": {
			[]string{`"o":"MARKET"`, `"o":"STOP"`, `"ot":"MARKET"`, `"ot":"STOP"`, `"x":"TRADE"`, `"x":"EXPIRED"`, `PARTIALLY_FILLED`, `EXPIRED`, `"er":"0"`, `"er":"8"`},
			func(r venues.ExecutionReport) bool {
				return r.Status == venues.StatusExpired && r.RejectReason != nil && r.RejectReason.Reason == "trigger_failed"
			},
		},
		"position gone": {
			[]string{`"x":"TRADE"`, `"x":"EXPIRED"`, `PARTIALLY_FILLED`, `EXPIRED`, `"f":"GTC"`, `"f":"GTE_GTC"`, `"o":"MARKET"`, `"o":"LIMIT"`, `"er":"0"`, `"er":"6"`},
			func(r venues.ExecutionReport) bool {
				return r.Status == venues.StatusExpired && r.RejectReason != nil && r.RejectReason.Reason == "no_position"
			},
		},
		"unknown time in force": {
			[]string{`"f":"GTC"`, `"f":"WHENEVER"`},
			func(r venues.ExecutionReport) bool { return r.TimeInForce == "" && !r.PostOnly },
		},
		"hedge close": {
			[]string{`"ps":"BOTH"`, `"ps":"SHORT"`},
			func(r venues.ExecutionReport) bool { return r.ReduceOnly },
		},
		"hedge open whatever the flag": {
			[]string{`"ps":"BOTH"`, `"ps":"LONG"`, `"R":false`, `"R":true`},
			func(r venues.ExecutionReport) bool { return !r.ReduceOnly },
		},
	} {
		feed, h := privateStream(t)
		text := strings.NewReplacer(c.changes...).Replace(orderEvent)
		if err := feed.handle([]byte(text)); err != nil {
			t.Errorf("%s: err = %v, want no error", name, err)
			continue
		}
		if len(h.Reports) != 1 || !c.check(h.Reports[0]) {
			t.Errorf("%s: reports %+v, want one that passes the check of the case", name, h.Reports)
		}
	}
}

// Members that decide about orders and positions are required. A failure is reported as a
// possible loss of events.
func TestMalformedPrivateEvents(t *testing.T) {
	for _, c := range []struct{ event, old, new string }{
		{orderEvent, `PARTIALLY_FILLED`, `HALF_FILLED`},
		{orderEvent, `"x":"TRADE"`, `"x":"GUESS"`},
		{orderEvent, `"S":"BUY"`, `"S":"buy"`},
		{orderEvent, `"o":"MARKET"`, `"o":"ICEBERG"`},
		{orderEvent, `"ps":"BOTH"`, `"ps":"MIDDLE"`},
		{orderEvent, `"ot":"MARKET"`, `"ot":"ICEBERG"`},
		{orderEvent, `"q":"800",`, ``},
		{orderEvent, `"z":"500",`, ``},
		{orderEvent, `"z":"500"`, `"z":"5e2"`},
		{orderEvent, `"z":"500"`, `"z":500`},
		{orderEvent, `"i":4903991227`, `"i":"4903991227"`},
		{orderEvent, `"i":4903991227,`, ``},
		{orderEvent, `"c":"vg01",`, ``},
		{orderEvent, `"s":"ACHUSDT"`, `"s":null`},
		{orderEvent, `"l":"500"`, `"l":"0"`},
		{orderEvent, `"L":"0.006567"`, `"L":"Infinity"`},
		{orderEvent, `"n":"0.0026268"`, `"n":"free"`},
		{orderEvent, `"m":true`, `"m":"yes"`},
		{orderEvent, `"t":258306880`, `"t":2.5`},
		{orderEvent, `"o":{`, `"O":{`},
		{orderEvent, `"T":1772461802803,"E"`, `"T":"now","E"`},
		{algoEvent, `FINISHED`, `DONE`},
		{algoEvent, `"S":"BUY"`, `"S":"HOLD"`},
		{algoEvent, `"aid":2000000547321628`, `"aid":0`},
		{algoEvent, `"o":"STOP_MARKET"`, `"o":"STOPPISH"`},
		{algoEvent, `"q":"800",`, ``},
		{algoEvent, `"aq":"800"`, `"aq":"8e2"`},
		{algoEvent, `"caid":"vg01",`, ``},
		{accountEvent, `"ps":"BOTH"`, `"ps":"NONE"`},
		{accountEvent, `"pa":"-0.001",`, ``},
		{accountEvent, `"pa":"-0.001"`, `"pa":-0.001`},
		{accountEvent, `"mt":"cross"`, `"mt":"sideways"`},
		{accountEvent, `"P":[{`, `"P":[1,{`},
		{accountEvent, `"P":[`, `"P":"none","Q":[`},
		{accountEvent, `"a":{`, `"A":{`},
		{`{"e":"ORDER_TRADE_UPDATE"}`, "", ""},
		{`{"e":"ALGO_UPDATE","o":null}`, "", ""},
		{`{"stream":"x","data":[]}`, "", ""},
		{`[]`, "", ""},
		{`<html>`, "", ""},
		{``, "", ""},
	} {
		feed, h := privateStream(t)
		text := strings.Replace(c.event, c.old, c.new, 1)
		if text == c.event && c.old != "" {
			t.Fatalf("%s does not occur in the event", c.old)
		}
		if err := feed.handle([]byte(text)); err == nil || len(h.Reports) != 0 {
			t.Errorf("%s: error %v, %d reports, want an error and no report", text, err, len(h.Reports))
		}
	}
	for _, event := range []string{orderEvent, algoEvent, accountEvent} {
		for n := range event {
			feed, _ := privateStream(t)
			if feed.handle([]byte(event[:n])) == nil {
				t.Fatalf("truncated at %d: no error for %s, want one", n, event[:n])
			}
		}
	}
}

func TestIgnoredPrivateEvents(t *testing.T) {
	feed, h := privateStream(t)
	for _, event := range []string{
		`{"e":"TRADE_LITE","E":1,"s":"ETHUSDT"}`, `{"e":"STRATEGY_UPDATE"}`, `{"e":"GRID_UPDATE"}`, `{"e":"SOMETHING_NEW","x":1}`,
		`{"e":"CONDITIONAL_ORDER_TRIGGER_REJECT","or":{"s":"X","i":1,"r":"why"}}`, `{"result":null,"id":1}`,
		`{"event":{"e":"serverShutdown"}}`, `{"e":"listenKeyExpired","E":"1693427319838","listenKey":"KEY"}`,
	} {
		if err := feed.handle([]byte(event)); err != nil {
			t.Errorf("event = %s, err = %v, want no error", event, err)
		}
	}
	if len(h.Losses)+len(h.Reports)+len(h.Positions)+h.Balances != 0 {
		t.Errorf("recorded %+v, want nothing", h)
	}
}

func TestAlgoEvents(t *testing.T) {
	for status, want := range map[string][]venues.OrderStatus{
		"NEW": {"untriggered"}, "TRIGGERING": nil, "TRIGGERED": nil, "FINISHED": {"filled"},
		"CANCELED": {"cancelled"}, "EXPIRED": {"expired"}, "REJECTED": {"rejected"},
	} {
		feed, h := privateStream(t)
		feed.play(t, []byte(strings.Replace(algoEvent, "FINISHED", status, 1)))
		if got := statusesOf(h.Reports, "vg01"); !slices.Equal(got, want) || len(h.Losses) != 0 {
			t.Errorf("%s: statuses %v, losses %v, want %v without a loss", status, got, h.Losses, want)
		}
	}
	feed, h := privateStream(t)
	feed.play(t, []byte(strings.NewReplacer(`FINISHED`, `REJECTED`, `"tt":1`, `"tt":1,"rm":"margin not enough"`).Replace(algoEvent)))
	feed.play(t, []byte(strings.NewReplacer(`FINISHED`, `REJECTED`, `"tt":1`, `"tt":1,"rm":"not today"`).Replace(algoEvent)))
	if len(h.Reports) != 2 || h.Reports[0].RejectReason.Code != venues.CodeInsufficientBalance || h.Reports[1].RejectReason.Code != venues.CodeOrderRejected {
		t.Errorf("reports %+v, want one with insufficient_balance and one with order_rejected", h.Reports)
	}
	feed, h = privateStream(t)
	feed.play(t, []byte(strings.NewReplacer(`"aq":"800"`, `"aq":"0"`).Replace(algoEvent)))
	if len(h.Reports) != 0 || len(h.Losses) != 0 {
		t.Errorf("algo order finished without a fill: reports %+v, want none", h.Reports)
	}
}

func TestPositionEvents(t *testing.T) {
	feed, h := privateStream(t)
	send := func(amount, book string) []venues.Position {
		before := len(h.Positions)
		feed.play(t, []byte(strings.NewReplacer(`"pa":"-0.001"`, `"pa":"`+amount+`"`, `"ps":"BOTH"`, `"ps":"`+book+`"`).Replace(accountEvent)))
		return h.Positions[before:]
	}
	type reported struct {
		side venues.PositionSide
		qty  string
	}
	for _, c := range []struct {
		amount, book string
		want         []reported
	}{
		{"0", "BOTH", nil}, // opened and closed between two messages
		{"-0.001", "BOTH", []reported{{venues.Short, "0.001"}}},
		{"0.002", "BOTH", []reported{{venues.Short, "0"}, {venues.Long, "0.002"}}}, // reversed
		{"0.003", "BOTH", []reported{{venues.Long, "0.003"}}},
		{"0", "BOTH", []reported{{venues.Long, "0"}}},
		{"0", "BOTH", nil}, // repeated
		{"0.5", "LONG", []reported{{venues.Long, "0.5"}}},
		{"-0.5", "SHORT", []reported{{venues.Short, "0.5"}}},
		{"0", "SHORT", []reported{{venues.Short, "0"}}},
		{"0", "SHORT", nil},
	} {
		var got []reported
		for _, p := range send(c.amount, c.book) {
			got = append(got, reported{p.Side, venues.FormatDecimal(p.Qty)})
			if p.Symbol != "BTCUSDT" || p.UpdatedAt.UnixMilli() != 1639933384755 {
				t.Errorf("position %+v, want BTCUSDT at 1639933384755", p)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %v, want %v", c.amount, c.book, got, c.want)
		}
	}
	if len(h.Losses) != 0 || h.Balances != 10 {
		t.Errorf("losses %v, %d balance changes, want no loss and 10 changes", h.Losses, h.Balances)
	}
}

func TestConfigEvents(t *testing.T) {
	feed, h := privateStream(t)
	feed.account.mode.Store(&venues.AccountMode{AccountType: singleAsset, Hedge: true})
	feed.play(t, []byte(`{"e":"ACCOUNT_CONFIG_UPDATE","E":1,"T":1,"ac":{"s":"BTCUSDT","l":25}}`))
	feed.play(t, []byte(`{"e":"ACCOUNT_CONFIG_UPDATE","E":1,"T":1,"ai":{"j":true}}`))
	feed.play(t, []byte(`{"e":"MARGIN_CALL","E":1,"cw":"3.1","p":[]}`))
	if mode := feed.account.mode.Load(); mode.AccountType != multiAssets || !mode.Hedge || h.Balances != 3 {
		t.Errorf("mode %+v, %d balance changes, want multi_assets in hedge mode and 3 changes", mode, h.Balances)
	}
}

func TestParseError(t *testing.T) {
	for text, want := range map[string]int{
		`{"code":-1121,"msg":"x"}`: -1121, `{"code":"200"}`: 200, `{"code":null}`: 0, `{}`: 0, `[]`: 0, ` {"code":-1}`: -1, `{"code":{}}`: 0, `{"code":1.5}`: 0,
	} {
		if code, _, isJSON := parseError([]byte(text)); code != want || !isJSON {
			t.Errorf("%s: code %d, JSON %v, want code %d of JSON", text, code, isJSON, want)
		}
	}
	for _, text := range []string{"", "<html>", "null", `{"code":`, "17"} {
		if _, _, isJSON := parseError([]byte(text)); isJSON {
			t.Errorf("%q: is JSON, want it rejected", text)
		}
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]venues.Optional{`"1.50"`: dec("1.5"), `1.5`: dec("1.5"), `""`: {}, `null`: {}, `"0"`: dec("0"), `-3`: dec("-3")} {
		var n payload.Number
		if err := json.Unmarshal([]byte(text), &n); err != nil || !venues.EqualOptional(n.Optional, want) {
			t.Errorf("%s decodes to %v, error %v, want %v", text, n, err, want)
		}
	}
	for _, text := range []string{`1e5`, `"1E5"`, `"NaN"`, `"Infinity"`, `true`, `{}`, `[]`, `" 1"`, `"1."`} {
		var n payload.Number
		if err := json.Unmarshal([]byte(text), &n); err == nil {
			t.Errorf("%s decodes to %v, want an error", text, n)
		}
	}
}

func FuzzMarketMessages(f *testing.F) {
	for message := range marketDecoders {
		f.Add([]byte(message))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		parser := new(fastjson.Parser)
		if trade, _, err := decodeAggTrade(parser, message, "CTKUSDT", "CTKUSDT"); err == nil && (!trade.Price.IsPositive() || !trade.Qty.IsPositive()) {
			t.Errorf("trade %+v, want price and quantity above zero", trade)
		}
		if candle, err := decodeKline(parser, message, venues.FeedTopic{Symbol: "CTKUSDT", Timeframe: "1m"}, "CTKUSDT"); err == nil && candle.Start.IsZero() {
			t.Errorf("candle %+v, want a start", candle)
		}
		if mark, err := decodeMark(parser, message, "CTKUSDT", "CTKUSDT"); err == nil && !mark.Price.IsPositive() {
			t.Errorf("mark price %+v, want one above zero", mark)
		}
		streams{}.Split(message)
	})
}

func FuzzStreamMessages(f *testing.F) {
	for _, message := range []string{
		`{"stream":"btcusdt@depth@100ms","data":` + depthMessage + `}`, `{"result":null,"id":1}`, `{"code":2,"msg":"Invalid request","id":1}`,
		`{"event":{"e":"serverShutdown"}}`, `{"error":{"code":1},"id":2}`, `{"id":-1}`, `{"stream":"`, `{"stream":"","data":}`,
	} {
		f.Add([]byte(message))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		s, h := publicStream(t, btc, bookOf("BTCUSDT"))
		s.Message(message)
		for _, u := range h.Books {
			if u.Symbol != "BTCUSDT" || u.FirstSeq > u.LastSeq {
				t.Errorf("book %+v, want BTCUSDT with FirstSeq not above LastSeq", u)
			}
		}
	})
}

func FuzzPrivateEvents(f *testing.F) {
	for _, event := range []string{orderEvent, algoEvent, accountEvent, `{"stream":"x","data":` + orderEvent + `}`, `{"e":"ACCOUNT_CONFIG_UPDATE","ai":{"j":true}}`} {
		f.Add([]byte(event))
	}
	f.Fuzz(func(t *testing.T, event []byte) {
		feed, h := privateStream(t)
		if err := feed.handle(event); err != nil {
			return
		}
		for _, r := range h.Reports {
			if !r.Status.Valid() || r.Symbol == "" && r.VenueOrderID == "" || r.Side == "" || r.Type == "" {
				t.Errorf("report %+v, want a valid status, a side, a type and an id", r)
			}
		}
		for _, p := range h.Positions {
			if p.Qty.IsNegative() || p.Side == "" {
				t.Errorf("position %+v, want a side and no negative quantity", p)
			}
		}
	})
}

func FuzzBodies(f *testing.F) {
	for _, body := range []string{
		openOrder, openAlgo, `{"code":-1121,"msg":"Invalid symbol."}`, `{"lastUpdateId":1,"bids":[["1","2"]],"asks":[]}`,
		`[1602669900000,"1","1","1","1","1",1602670199999,"1"]`, tradeRow(execution{1, 1, time.UnixMilli(1)}),
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		parseError(body)
		var order orderRecord
		if json.Unmarshal(body, &order) == nil {
			if r, err := order.report(); err == nil && !r.Status.Valid() {
				t.Errorf("order %+v, want a valid status", r)
			}
		}
		var algo algoRecord
		if json.Unmarshal(body, &algo) == nil {
			if r, err := algo.report(); err == nil && !r.Status.Valid() {
				t.Errorf("algo order %+v, want a valid status", r)
			}
		}
		var trade tradeRecord
		if json.Unmarshal(body, &trade) == nil {
			_, _ = trade.fill()
		}
		var book bookRecord
		if json.Unmarshal(body, &book) == nil {
			if u, err := book.update("X", btc, time.Now()); err == nil {
				u.Release()
			}
		}
		var row klineRow
		if json.Unmarshal(body, &row) == nil {
			_, _ = row.candle("X", "1m", time.Now())
		}
		var info exchangeInfo
		if json.Unmarshal(body, &info) == nil {
			for n := range info.Symbols {
				_, _ = info.Symbols[n].instrument(time.Now())
			}
		}
	})
}
