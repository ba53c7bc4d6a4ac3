package bybit

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

const (
	tradeMessage = `{"topic":"publicTrade.BTCUSDT","type":"snapshot","ts":1774021164130,"data":[{"T":1774021164129,"s":"BTCUSDT","S":"Buy","v":"0.020","p":"69916.90",` +
		`"L":"ZeroMinusTick","i":"f60eae3c","BT":false,"RPI":false,"seq":549792208812},{"T":1774021164129,"s":"BTCUSDT","S":"Sell","v":"1","p":"69916.80","i":"f60eae3d"}]}`
	klineMessage = `{"topic":"kline.1.BTCUSDT","type":"snapshot","ts":1790409768441,"data":[{"start":1790409720000,"end":1790409779999,"interval":"1","open":"84045",` +
		`"close":"84017.8","high":"84045","low":"84017.8","volume":"7.316","turnover":"614833.7084","confirm":true,"timestamp":1790409768441}]}`
	tickerMessage = `{"topic":"tickers.BTCUSDT","type":"delta","data":{"symbol":"BTCUSDT","markPrice":"63585.74","indexPrice":""},"cs":764144450620,"ts":1786659827983}`
)

// marketDecoders decode a message of their kind about BTCUSDT.
var marketDecoders = map[string]func([]byte) error{
	tradeMessage: func(m []byte) error {
		_, err := decodeTrades(new(fastjson.Parser), m, "publicTrade.BTCUSDT", "BTCUSDT", "BTCUSDT")
		return err
	},
	klineMessage: func(m []byte) error {
		_, err := decodeCandles(new(fastjson.Parser), m, "kline.1.BTCUSDT", venues.FeedTopic{Symbol: "BTCUSDT", Timeframe: "1m"})
		return err
	},
	tickerMessage: func(m []byte) error {
		_, _, err := decodeMark(new(fastjson.Parser), m, "tickers.BTCUSDT", "BTCUSDT", "BTCUSDT")
		return err
	},
}

func TestMarketMessages(t *testing.T) {
	trades, err := decodeTrades(new(fastjson.Parser), []byte(tradeMessage), "publicTrade.BTCUSDT", "BTCUSDT", "BTCUSDT")
	if err != nil || len(trades) != 2 || trades[0].Side != venues.Buy || trades[1].Side != venues.Sell || trades[0].ID != "f60eae3c" ||
		!trades[0].Qty.Equal(dec("0.02").Decimal) || !trades[0].Price.Equal(dec("69916.9").Decimal) || trades[0].VenueTime.UnixMilli() != 1774021164129 {
		t.Errorf("trades %+v, error %v, want the buy f60eae3c of 0.02 at 69916.9 and a sell", trades, err)
	}
	candles, err := decodeCandles(new(fastjson.Parser), []byte(klineMessage), "kline.1.BTCUSDT", venues.FeedTopic{Symbol: "BTCUSDT", Timeframe: "1m"})
	if err != nil || len(candles) != 1 || !candles[0].Closed || candles[0].Start.UnixMilli() != 1790409720000 || candles[0].End.Sub(candles[0].Start) != time.Minute ||
		!candles[0].Volume.Equal(dec("7.316").Decimal) || !candles[0].Close.Equal(dec("84017.8").Decimal) {
		t.Errorf("candles %+v, error %v, want the closed minute from 1790409720000 with volume 7.316", candles, err)
	}
	mark, reported, err := decodeMark(new(fastjson.Parser), []byte(tickerMessage), "tickers.BTCUSDT", "BTCUSDT", "BTCUSDT")
	if err != nil || !reported || !mark.Price.Equal(dec("63585.74").Decimal) || mark.VenueTime.UnixMilli() != 1786659827983 {
		t.Errorf("mark = %+v, err = %v, want the mark price 63585.74 at 1786659827983", mark, err)
	}
	quiet := strings.Replace(tickerMessage, `"markPrice":"63585.74",`, "", 1)
	if _, reported, err = decodeMark(new(fastjson.Parser), []byte(quiet), "tickers.BTCUSDT", "BTCUSDT", "BTCUSDT"); err != nil || reported {
		t.Errorf("changed %v, error %v, want no change", reported, err)
	}
}

// Each decoder rejects each defect that concerns it.
func TestMalformedMarketMessages(t *testing.T) {
	connectortest.RejectMalformed(t, marketDecoders, [][2]string{
		{`"s":"BTCUSDT"`, `"s":"ETHUSDT"`},
		{`"symbol":"BTCUSDT"`, `"symbol":"ETHUSDT"`},
		{`"topic":"`, `"topic":"other`},
		{`"topic":`, `"_":`},
		{`"data":`, `"Data":`},
		{`"data":[`, `"data":[1,`},
		{`"data":{`, `"data":7,"x":{`},
		{`"S":"Buy"`, `"S":"Hold"`},
		{`"v":"0.020"`, `"v":"0"`},
		{`"v":"0.020"`, `"v":0.02`},
		{`"p":"69916.90"`, `"p":"-1"`},
		{`"p":"69916.90"`, `"p":"7e4"`},
		{`"i":"f60eae3c"`, `"i":""`},
		{`"T":1774021164129`, `"T":"soon"`},
		{`"T":1774021164129`, `"T":0`},
		{`"interval":"1"`, `"interval":"5"`},
		{`"start":1790409720000,`, ``},
		{`"confirm":true`, `"confirm":1`},
		{`"open":"84045"`, `"open":""`},
		{`"volume":"7.316",`, ``},
		{`"markPrice":"63585.74"`, `"markPrice":"0"`},
		{`"markPrice":"63585.74"`, `"markPrice":"NaN"`},
		{`"markPrice":"63585.74"`, `"markPrice":1}`},
	})
}

func TestTopicOf(t *testing.T) {
	for message, want := range map[string]string{
		`{"topic":"a.b","type":"x"}`: "a.b", `{"type":"x","topic":"a.b"}`: "a.b", `{"id":1,"topic" : "a.b"}`: "a.b",
		`{"op":"pong"}`: "", `{"topic":"`: "", `{"x":"\"topic\""}`: "", "": "", `{"topic":7}`: "", `"topic"`: "",
	} {
		if topic, ok := topicOf([]byte(message)); string(topic) != want && ok || ok != (want != "") {
			t.Errorf("%s: topic %q, %v, want %q", message, topic, ok, want)
		}
	}
}

// Decisive enums are never guessed; descriptive ones may have any value.
func TestOrderEnums(t *testing.T) {
	for name, c := range map[string]struct {
		changes []string
		check   func(r venues.ExecutionReport) bool
	}{
		"open": {nil, func(r venues.ExecutionReport) bool { return r.Status == venues.StatusOpen && r.RejectReason == nil }},
		"post-only that would take": {
			[]string{`"New"`, `"Cancelled"`, "EC_NoError", "EC_PostOnlyWillTakeLiquidity", "GTC", "PostOnly"},
			func(r venues.ExecutionReport) bool {
				return r.Status == venues.StatusCancelled && r.PostOnly && r.RejectReason.Reason == venues.ReasonPostOnlyWouldTake
			},
		},
		"IOC without a counterpart": {
			[]string{`"New"`, `"Cancelled"`, "EC_NoError", "EC_NoImmediateQtyToFill", "GTC", "IOC"},
			func(r venues.ExecutionReport) bool { return r.RejectReason.Reason == venues.ReasonIOCNotFilled },
		},
		"IOC filled in part": {
			[]string{`"New"`, `"Cancelled"`, "EC_NoError", "EC_NoImmediateQtyToFill", "GTC", "IOC", `"cumExecQty":"0"`, `"cumExecQty":"0.004"`},
			func(r venues.ExecutionReport) bool {
				return r.Status == venues.StatusCancelled && r.RejectReason == nil
			},
		},
		"market without a counterpart": {
			[]string{`"New"`, `"Cancelled"`, "EC_NoError", "EC_NoImmediateQtyToFill", "Limit", "Market"},
			func(r venues.ExecutionReport) bool { return r.RejectReason.Reason == "no_liquidity" && !r.Price.Valid },
		},
		"FOK": {
			[]string{`"New"`, `"Cancelled"`, "EC_NoError", "EC_CancelForNoFullFill", "GTC", "FOK"},
			func(r venues.ExecutionReport) bool { return r.RejectReason.Reason == venues.ReasonFOKNotFilled },
		},
		"cancelled by its owner": {
			[]string{`"New"`, `"Cancelled"`, "EC_NoError", "EC_PerCancelRequest", `"UNKNOWN"`, `"CancelByUser"`},
			func(r venues.ExecutionReport) bool {
				return r.Status == venues.StatusCancelled && r.RejectReason == nil
			},
		},
		"reduce-only without a position": {
			[]string{`"New"`, `"Cancelled"`, `"UNKNOWN"`, `"CancelByReduceOnly"`},
			func(r venues.ExecutionReport) bool { return r.RejectReason.Reason == venues.ReasonNoPosition },
		},
		"rejected": {
			[]string{`"New"`, `"Rejected"`, "EC_NoError", "EC_Others"},
			func(r venues.ExecutionReport) bool {
				return r.Status == venues.StatusRejected && r.RejectReason.Reason == "rejected" && r.RejectReason.VenueMessage == "EC_Others"
			},
		},
		"untriggered stop": {
			[]string{`"New"`, `"Untriggered"`, `"stopOrderType":""`, `"stopOrderType":"Stop"`, `"triggerPrice":""`, `"triggerPrice":"59000"`},
			func(r venues.ExecutionReport) bool {
				return r.Status == venues.StatusUntriggered && r.Type == venues.TypeStopLimit && r.TriggerPrice.Valid
			},
		},
		"stop that triggers": {
			[]string{`"New"`, `"Triggered"`, `"stopOrderType":""`, `"stopOrderType":"StopLoss"`},
			func(r venues.ExecutionReport) bool { return r.Status == venues.StatusOpen && r.Type.IsStop() },
		},
		"liquidation": {
			[]string{"CreateByUser", "CreateByLiq"},
			func(r venues.ExecutionReport) bool { return r.Forced },
		},
		"hedge mode": {
			[]string{`"positionIdx":0`, `"positionIdx":2`},
			func(r venues.ExecutionReport) bool { return r.ReduceOnly },
		},
		"unknown time in force": {
			[]string{"GTC", "WHENEVER"},
			func(r venues.ExecutionReport) bool { return r.TimeInForce == "" },
		},
	} {
		f, h := privateStream(t)
		if err := f.handle([]byte(orderPush(c.changes...)), time.Now()); err != nil || len(h.Reports) != 1 || !c.check(h.Reports[0]) {
			t.Errorf("%s: reports %+v, error %v, want one that passes the check of the case", name, h.Reports, err)
		}
	}
}

func TestMalformedOrderEvents(t *testing.T) {
	for _, change := range [][]string{
		{`"New"`, `"Asleep"`},
		{`"Buy"`, `"Hold"`},
		{`"Limit"`, `"Swap"`},
		{`"positionIdx":0`, `"positionIdx":9`},
		{`"qty":"0.01"`, `"qty":""`},
		{`"cumExecQty":"0"`, `"cumExecQty":null`},
		{`"qty":"0.01"`, `"qty":"1e1"`},
		{`"symbol":"BTCUSDT"`, `"symbol":""`},
		{ours.VenueOrderID, ""},
		{`"updatedTime":"1737725795596"`, `"updatedTime":"soon"`},
		{`"reduceOnly":false`, `"reduceOnly":"no"`},
	} {
		f, h := privateStream(t)
		if err := f.handle([]byte(orderPush(change...)), time.Now()); err == nil || len(h.Reports) != 0 {
			t.Errorf("%v: reports %+v, want an error and no report", change, h.Reports)
		}
	}
	f, h := privateStream(t) // one malformed order does not hide the next one
	message := `{"topic":"order.linear","data":[` + orderRow(`"Buy"`, `"Hold"`) + "," + orderRow() + "," + orderRow(`{"symbol"`, `{"category":"spot","symbol"`) + `]}`
	if err := f.handle([]byte(message), time.Now()); err == nil || len(h.Reports) != 1 {
		t.Errorf("%d reports, error %v, want an error and one report", len(h.Reports), err)
	}
	for _, message := range []string{
		"", "[]", `{"topic":"order"}`, `{"topic":"execution","data":{}}`,
		`{"topic":"execution","data":[{"category":"other","symbol":"BTCUSDT","orderId":"1","execType":"Trade"}]}`,
		`{"topic":"position","data":7}`, `{"topic":7}`,
	} {
		if f.handle([]byte(message), time.Now()) == nil {
			t.Errorf("no error for %s, want one", message)
		}
	}
}

// A malformed position event is a loss, and reports no position.
func TestMalformedPositionEvents(t *testing.T) {
	row := `{"symbol":"BTCUSDT","positionIdx":0,"side":"Sell","size":"0.5","entryPrice":"60000"}`
	push := func(changes ...string) []byte {
		return []byte(`{"topic":"position","data":[` + strings.NewReplacer(changes...).Replace(row) + `]}`)
	}
	for _, change := range [][]string{
		{`"positionIdx":0`, `"positionIdx":9`},
		{`"positionIdx":0`, `"positionIdx":""`},
		{`"positionIdx":0,`, ``},
		{`"Sell"`, `"Hold"`},
		{`"size":"0.5"`, `"size":"half"`},
		{`"size":"0.5"`, `"size":null`},
		{`"size":"0.5"`, `"size":"-0.5"`},
		{`"60000"`, `"5e4"`},
		{`"symbol":"BTCUSDT"`, `"symbol":""`},
	} {
		f, h := privateStream(t)
		if err := f.handle(push(change...), time.Now()); err == nil || len(h.Positions) != 0 {
			t.Errorf("%v: positions %+v, error %v, want an error and no position", change, h.Positions, err)
		}
	}
	f, h := privateStream(t)
	if err := f.handle(push(), time.Now()); err != nil || len(h.Positions) != 1 {
		t.Errorf("positions %+v, error %v, want one position", h.Positions, err)
	}
}

// The end of a position is reported once, with its side: the venue repeats with every
// order that a position is flat.
func TestPositionEvents(t *testing.T) {
	f, h := privateStream(t)
	for n, c := range []struct {
		side, size, index string
		want              string
	}{
		{"", "0", "0", ""},
		{"Buy", "1", "0", "long 1"},
		{"Sell", "2", "0", "long 0 short 2"},
		{"", "0", "0", "short 0"},
		{"", "0", "0", ""},
		{"Buy", "1", "1", "long 1"},
		{"", "0", "2", ""},
		{"", "0", "1", "long 0"},
		{"", "0", "1", ""},
	} {
		before := len(h.Positions)
		row := `{"symbol":"BTCUSDT","positionIdx":` + c.index + `,"side":"` + c.side + `","size":"` + c.size + `","entryPrice":"60000"}`
		if err := f.handle([]byte(`{"topic":"position","data":[`+row+`]}`), time.Now()); err != nil {
			t.Fatal(err)
		}
		var reported []string
		for _, p := range h.Positions[before:] {
			reported = append(reported, string(p.Side), p.Qty.String())
		}
		if got := strings.Join(reported, " "); got != c.want {
			t.Errorf("event %d: positions %q, want %q", n, got, c.want)
		}
	}
}

// Execution and order are reported together, in whichever order they arrive.
func TestFillJoin(t *testing.T) {
	at := time.UnixMilli(1700000000000)
	last := executionPush(executionRow("e2", at, `"leavesQty":"1"`, `"leavesQty":"0"`, `"order"`, `"o"`))
	first := executionPush(executionRow("e1", at, `"order"`, `"o"`))
	filled := orderPush(`"New"`, `"Filled"`, `"cumExecQty":"0"`, `"cumExecQty":"2"`, `"qty":"0.01"`, `"qty":"2"`, ours.VenueOrderID, "o")
	partial, full := venues.StatusPartiallyFilled, venues.StatusFilled
	for name, c := range map[string]struct {
		messages []string
		statuses []venues.OrderStatus
		fills    string
	}{
		"execution first":    {[]string{first, last, filled}, []venues.OrderStatus{partial, full}, "e1 e2"},
		"order first":        {[]string{first, filled, last}, []venues.OrderStatus{partial, full, full}, "e1 - e2"},
		"order before all":   {[]string{filled, first, last}, []venues.OrderStatus{full, full, full}, "- e1 e2"},
		"execution alone":    {[]string{last}, []venues.OrderStatus{partial}, "e2"},
		"order alone":        {[]string{filled}, []venues.OrderStatus{full}, "-"},
		"everything twice":   {[]string{last, filled, last, filled}, []venues.OrderStatus{full, full}, "e2 e2"},
		"both in one volley": {[]string{executionPush(executionRow("e1", at, `"order"`, `"o"`), executionRow("e2", at, `"leavesQty":"1"`, `"leavesQty":"0"`, `"order"`, `"o"`)), filled}, []venues.OrderStatus{partial, full}, "e1 e2"},
	} {
		f, h := privateStream(t)
		var messages [][]byte
		for _, m := range c.messages {
			messages = append(messages, []byte(m))
		}
		f.play(t, messages...)
		var statuses []venues.OrderStatus
		var fills []string
		for _, r := range h.Reports {
			statuses = append(statuses, r.Status)
			id := "-"
			if r.Fill != nil {
				id = r.Fill.VenueTradeID
			}
			fills = append(fills, id)
		}
		if !slices.Equal(statuses, c.statuses) || strings.Join(fills, " ") != c.fills {
			t.Errorf("%s: statuses %v, fills %v, want %v and %s", name, statuses, fills, c.statuses, c.fills)
		}
		if len(f.join.executions)+len(f.join.orders) != 0 {
			t.Errorf("%s: a report is still pending, want none", name)
		}
	}
}

// Forced orders have few members; their executions count.
func TestForcedExecutions(t *testing.T) {
	at := time.UnixMilli(1700000000000)
	for name, change := range map[string][]string{
		"takeover":     {`"execType":"Trade"`, `"execType":"BustTrade"`, `"orderType":"Market"`, `"orderType":"UNKNOWN"`, `"orderQty":"2"`, `"orderQty":"0"`, `"leavesQty":"1"`, `"leavesQty":"0"`},
		"deleveraging": {`"execType":"Trade"`, `"execType":"AdlTrade"`, `"orderType":"Market"`, `"orderType":"UNKNOWN"`, `"leavesQty":"1"`, `"leavesQty":""`},
		"liquidation":  {"CreateByUser", "CreateByLiq"},
	} {
		f, h := privateStream(t)
		f.play(t, []byte(executionPush(executionRow("e", at, change...))))
		if len(h.Reports) != 1 || !h.Reports[0].Forced || !h.Reports[0].FilledQty.Equal(dec("1").Decimal) || h.Reports[0].Qty.LessThan(dec("1").Decimal) {
			t.Errorf("%s: reports %+v, want one of a forced order with 1 filled", name, h.Reports)
		}
	}
	f, h := privateStream(t)
	f.play(t, []byte(executionPush(
		executionRow("e", at, `"execType":"Trade"`, `"execType":"Funding"`),
		executionRow("e", at, `"execType":"Trade"`, `"execType":"Settle"`, `"orderId":"order"`, `"orderId":""`))))
	if len(h.Reports) != 0 {
		t.Errorf("funding and settlement: reports %+v, want none", h.Reports)
	}
	if f.handle([]byte(executionPush(executionRow("e", at, `"orderType":"Market"`, `"orderType":"UNKNOWN"`))), at) == nil {
		t.Error("no error for an order of an unknown kind")
	}
}

// Pending reports are bounded, and a fill above the bound is reported immediately.
func TestFillJoinIsBounded(t *testing.T) {
	var j fillJoin
	now := time.UnixMilli(1)
	for range joinsMax {
		j.execution(venues.ExecutionReport{VenueOrderID: "x"}, true, now)
	}
	if reported := j.execution(venues.ExecutionReport{VenueOrderID: "y"}, true, now); len(reported) != 1 || len(j.executions) != joinsMax {
		t.Errorf("%d reported, %d pending, want 1 and %d", len(reported), len(j.executions), joinsMax)
	}
	if early := j.flush(now.Add(joinWait)); len(early) != 0 {
		t.Errorf("%d reports too early, want 0", len(early))
	}
	if due := j.flush(now.Add(2 * joinWait)); len(due) != joinsMax {
		t.Errorf("%d reports flushed, want %d", len(due), joinsMax)
	}
}

// No message makes a decoder fail unexpectedly.
func FuzzMarketMessages(f *testing.F) {
	for message := range marketDecoders {
		f.Add([]byte(message))
	}
	f.Add([]byte(bookMessage))
	f.Fuzz(func(t *testing.T, message []byte) {
		s, h := publicStream(t, map[string]venues.Scale{"BTCUSDT": btc}, topicsOf("BTCUSDT")...)
		s.Message(message)
		checkTrades(t, h.Trades)
		for _, m := range h.Marks {
			if !m.Price.IsPositive() {
				t.Errorf("mark price %+v, want one above zero", m)
			}
		}
	})
}

func FuzzPrivateEvents(f *testing.F) {
	at := time.UnixMilli(1700000000000)
	f.Add([]byte(orderPush()))
	f.Add([]byte(orderPush(`"New"`, `"Filled"`, `"cumExecQty":"0"`, `"cumExecQty":"1"`)))
	f.Add([]byte(executionPush(executionRow("e", at))))
	f.Add([]byte(`{"topic":"position","data":[{"symbol":"BTCUSDT","positionIdx":0,"side":"Sell","size":"0.5","entryPrice":"60000"}]}`))
	f.Add([]byte(`{"topic":"wallet","data":[]}`))
	f.Add([]byte(`{"success":true,"op":"subscribe","req_id":"subscribe"}`))
	f.Fuzz(func(t *testing.T, message []byte) {
		feed, h := privateStream(t)
		_ = feed.handle(message, at) // it may fail, but must not report invalid values
		for _, r := range h.Reports {
			if !r.Status.Valid() || r.VenueOrderID == "" || r.Symbol == "" {
				t.Errorf("report %+v, want a valid status, an id and a symbol", r)
			}
		}
		for _, p := range h.Positions {
			if p.Side != venues.Long && p.Side != venues.Short || p.Qty.IsNegative() {
				t.Errorf("position %+v, want a side and no negative quantity", p)
			}
		}
	})
}
