package api_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/transport/api"
	"venuegate/venues"
)

func d(text string) decimal.Decimal { return venues.MustDecimal(text) }

func some(text string) venues.Optional { return venues.Some(d(text)) }

func at(ms int) venues.Time {
	return venues.At(time.Date(2026, 11, 20, 9, 19, 0, ms*int(time.Millisecond), time.UTC))
}

func wantJSON(t *testing.T, got []byte, want string) {
	t.Helper()
	var compact jsontext.Value = []byte(want)
	if err := compact.Compact(); err != nil {
		t.Fatalf("golden text is not JSON: %v", err)
	}
	if string(got) != string(compact) {
		t.Errorf("got  %s\nwant %s", got, compact)
	}
}

func fullOrder() venues.Order {
	return venues.Order{
		OrderID: "ord_1", RequestID: "r-1", Exchange: venues.Binance,
		Status: venues.StatusPartiallyFilled, PendingAction: venues.PendingAmend,
		OrderSpec: venues.OrderSpec{
			Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeStopLimit, Qty: d("0.500"),
			Price: some("64000.00"), TriggerPrice: some("64100.5"), StopLoss: some("63000"), TakeProfit: some("66000"),
			ReduceOnly: true, PostOnly: true, TimeInForce: venues.GoodTillCancel,
		},
		FilledQty: d("0.2"), AvgPrice: some("63999.95"), Fee: some("-0.01"), FeeCurrency: "USDT",
		Protection: &venues.Protection{
			StopLoss:   &venues.ProtectionLeg{Status: venues.ProtectionLive, Price: d("63000"), OrderID: "ord_2"},
			TakeProfit: &venues.ProtectionLeg{Status: venues.ProtectionPending, Price: d("66000")},
		},
		Source: venues.SourceAPI, ChannelID: "hook_1", Comment: "breakout \"A\"\n<b>", VenueOrderID: "77",
		Replaces: "ord_0", ReplacedBy: "ord_3", EntryOrderID: "ord_4", Protects: venues.LegTakeProfit,
		Error: &venues.RejectReason{
			Code: venues.CodeOrderRejected, Message: "m", Reason: "post_only_would_cross", VenueCode: "-5022", VenueMessage: "v",
		},
		CreatedAt: at(123), UpdatedAt: at(0),
	}
}

func TestAppendOrder(t *testing.T) {
	full := fullOrder()
	wantJSON(t, api.AppendOrder(nil, &full), `{
		"orderId":"ord_1","requestId":"r-1","exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"stop_limit",
		"status":"partially_filled","pendingAction":"amend","qty":"0.5","filledQty":"0.2","remainingQty":"0.3",
		"price":"64000","triggerPrice":"64100.5","avgPrice":"63999.95","stopLoss":"63000","takeProfit":"66000",
		"protection":{"stopLoss":{"status":"live","price":"63000","orderId":"ord_2"},
		              "takeProfit":{"status":"pending","price":"66000","orderId":null}},
		"reduceOnly":true,"postOnly":true,"timeInForce":"gtc","fee":"-0.01","feeCurrency":"USDT","source":"api",
		"channelId":"hook_1","comment":"breakout \"A\"\n<b>","venueOrderId":"77","replaces":"ord_0","replacedBy":"ord_3",
		"entryOrderId":"ord_4","protects":"take_profit",
		"error":{"code":"order_rejected","message":"m","reason":"post_only_would_cross","venueCode":"-5022","venueMessage":"v"},
		"createdAt":"2026-11-20T09:19:00.123Z","updatedAt":"2026-11-20T09:19:00.000Z"}`)

	bare := venues.Order{
		OrderID: "ord_1", Exchange: venues.OKX, Status: venues.StatusPending, Source: venues.SourceVenue,
		OrderSpec: venues.OrderSpec{Symbol: "BTCUSDT", Side: venues.Sell, Type: venues.TypeMarket, Qty: d("1")},
		CreatedAt: at(1),
	}
	wantJSON(t, api.AppendOrder(nil, &bare), `{
		"orderId":"ord_1","requestId":null,"exchange":"okx","symbol":"BTCUSDT","side":"sell","type":"market",
		"status":"pending","pendingAction":null,"qty":"1","filledQty":"0","remainingQty":"1",
		"price":null,"triggerPrice":null,"avgPrice":null,"stopLoss":null,"takeProfit":null,"protection":null,
		"reduceOnly":false,"postOnly":false,"timeInForce":null,"fee":null,"feeCurrency":null,"source":"venue",
		"channelId":null,"comment":null,"venueOrderId":null,"replaces":null,"replacedBy":null,"entryOrderId":null,"protects":null,"error":null,
		"createdAt":"2026-11-20T09:19:00.001Z","updatedAt":null}`)
}

func TestRemainingQtyOfAClosedOrderIsZero(t *testing.T) {
	o := fullOrder()
	o.Status = venues.StatusCancelled
	if got := string(api.AppendOrder(nil, &o)); !strings.Contains(got, `"filledQty":"0.2","remainingQty":"0",`) {
		t.Errorf("cancelled order = %s, want remainingQty 0", got)
	}
}

func TestAppendFill(t *testing.T) {
	wantJSON(t, api.AppendFill(nil, &venues.Fill{
		FillID: "fil_1", OrderID: "ord_1", RequestID: "r", Exchange: venues.Bybit, Symbol: "ETHUSDT", Side: venues.Sell,
		Qty: d("2.50"), Price: d("3000.10"), Fee: some("-0.75"), FeeCurrency: "USDT", Liquidity: venues.Maker,
		RealizedPnl: some("12.5"), Source: venues.SourceWebhook, VenueTradeID: "t1", VenueOrderID: "v1", ExecutedAt: at(5),
	}), `{"fillId":"fil_1","orderId":"ord_1","requestId":"r","exchange":"bybit","symbol":"ETHUSDT","side":"sell",
		"qty":"2.5","price":"3000.1","fee":"-0.75","feeCurrency":"USDT","liquidity":"maker","realizedPnl":"12.5",
		"source":"webhook","venueTradeId":"t1","executedAt":"2026-11-20T09:19:00.005Z"}`)
	wantJSON(t, api.AppendFill(nil, &venues.Fill{
		FillID: "fil_2", Exchange: venues.Bybit, Symbol: "ETHUSDT", Side: venues.Buy, Qty: d("1"), Price: d("2"),
		Source: venues.SourceVenue, VenueTradeID: "t2", ExecutedAt: at(5),
	}), `{"fillId":"fil_2","orderId":null,"requestId":null,"exchange":"bybit","symbol":"ETHUSDT","side":"buy",
		"qty":"1","price":"2","fee":null,"feeCurrency":null,"liquidity":null,"realizedPnl":null,
		"source":"venue","venueTradeId":"t2","executedAt":"2026-11-20T09:19:00.005Z"}`)
}

func TestAppendPosition(t *testing.T) {
	open := venues.Position{
		Exchange: venues.OKX, Symbol: "BTCUSDT", Side: venues.Long, Qty: d("0.10"), EntryPrice: some("64000"),
		MarkPrice: some("64010.5"), UnrealizedPnl: some("1.05"), Leverage: some("10"), AccountType: "cross",
		MarginMode: venues.MarginIsolated, StopLoss: some("60000"), OpenedAt: at(1), UpdatedAt: at(2),
	}
	wantJSON(t, api.AppendPosition(nil, &open), `{"exchange":"okx","symbol":"BTCUSDT","side":"long","qty":"0.1",
		"entryPrice":"64000","markPrice":"64010.5","liquidationPrice":null,"unrealizedPnl":"1.05","leverage":"10",
		"accountType":"cross","marginMode":"isolated","stopLoss":"60000","takeProfit":null,
		"openedAt":"2026-11-20T09:19:00.001Z","updatedAt":"2026-11-20T09:19:00.002Z"}`)
	closed := venues.Position{Exchange: venues.OKX, Symbol: "BTCUSDT", Side: venues.Short, Reason: venues.ClosedStopLoss}
	wantJSON(t, api.AppendPosition(nil, &closed), `{"exchange":"okx","symbol":"BTCUSDT","side":"short","qty":"0",
		"entryPrice":null,"markPrice":null,"liquidationPrice":null,"unrealizedPnl":null,"leverage":null,
		"accountType":null,"marginMode":null,"stopLoss":null,"takeProfit":null,
		"openedAt":null,"updatedAt":null,"reason":"stop_loss"}`)
}

func TestAppendBalanceAndFailures(t *testing.T) {
	balances := []venues.Balance{{
		Exchange: venues.Binance, AccountType: "um_futures", Equity: d("100000.00"), Available: d("90000"),
		UsedMargin: d("10000"), UnrealizedPnl: d("-3.20"), Currency: "USDT",
	}}
	const record = `{"exchange":"binance","accountType":"um_futures","equity":"100000","available":"90000",
		"usedMargin":"10000","unrealizedPnl":"-3.2","currency":"USDT"}`
	wantJSON(t, api.AppendVenueList(nil, balances, api.AppendBalance, nil), `{"items":[`+record+`]}`)
	wantJSON(t, api.AppendVenueList(nil, balances, api.AppendBalance, []venues.VenueFailure{
		{Exchange: venues.OKX, Error: venues.Errorf(venues.CodeExchangeUnavailable, "no answer")},
	}), `{"items":[`+record+`],"errors":[{"exchange":"okx","code":"exchange_unavailable","message":"no answer"}]}`)
}

func TestAppendInstrument(t *testing.T) {
	wantJSON(t, api.AppendInstrument(nil, &venues.Instrument{
		Symbol: "BTCUSDT", Exchange: venues.OKX, Kind: venues.KindPerpetual, TickSize: d("0.10"), MinQty: d("0.0001"),
		Status: venues.InstrumentTrading, QtyStep: d("0.0001"), MaxQty: some("1000"), ContractSize: d("0.01"),
		BaseCurrency: "BTC", QuoteCurrency: "USDT", SettleCurrency: "USDT", MaxLeverage: some("100"),
		VenueSymbol: "BTC-USDT-SWAP", UpdatedAt: at(9), MinPrice: some("1"),
	}), `{"symbol":"BTCUSDT","exchange":"okx","kind":"perpetual","tickSize":"0.1","minQty":"0.0001","status":"trading",
		"qtyStep":"0.0001","minNotional":null,"maxQty":"1000","maxMarketQty":null,"contractSize":"0.01",
		"baseCurrency":"BTC","quoteCurrency":"USDT","settleCurrency":"USDT","maxLeverage":"100",
		"venueSymbol":"BTC-USDT-SWAP","updatedAt":"2026-11-20T09:19:00.009Z"}`)
}

func TestAppendSmallRecords(t *testing.T) {
	wantJSON(t, api.AppendLeverage(nil, &venues.LeverageChange{Exchange: venues.Bybit, Symbol: "BTCUSDT", Leverage: d("10")}),
		`{"exchange":"bybit","symbol":"BTCUSDT","leverage":"10","previousLeverage":null}`)
	results := []venues.CancelResult{
		{OrderID: "ord_1", Exchange: venues.OKX, Symbol: "BTCUSDT", Result: venues.CancelDone},
		{
			OrderID: "ord_2", Exchange: venues.OKX, Symbol: "BTCUSDT", Result: venues.CancelFailed,
			Error: venues.Errorf(venues.CodeExchangeUnavailable, "no answer"),
		},
	}
	wantJSON(t, api.AppendList(nil, results, api.AppendCancelResult), `{"items":[
		{"orderId":"ord_1","exchange":"okx","symbol":"BTCUSDT","result":"cancelled"},
		{"orderId":"ord_2","exchange":"okx","symbol":"BTCUSDT","result":"failed",
		 "error":{"code":"exchange_unavailable","message":"no answer"}}]}`)
	wantJSON(t, api.AppendList[venues.Order](nil, nil, api.AppendOrder), `{"items":[]}`)
	wantJSON(t, api.AppendPage[venues.Order](nil, nil, api.AppendOrder, ""), `{"items":[],"nextCursor":null}`)
	wantJSON(t, api.AppendPage[venues.Order](nil, nil, api.AppendOrder, "abc"), `{"items":[],"nextCursor":"abc"}`)
	wantJSON(t, api.AppendEvent(nil, "evt_1", "order.filled", at(1), []byte(`{"qty":"1"}`)),
		`{"id":"evt_1","type":"order.filled","createdAt":"2026-11-20T09:19:00.001Z","data":{"qty":"1"}}`)
}

func TestAppendDecimal(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"0", "0"},
		{"0.0", "0"},
		{"-0.00", "0"},
		{"1", "1"},
		{"64000.00", "64000"},
		{"0.5", "0.5"},
		{"-0.05", "-0.05"},
		{"0.000000000000000001", "0.000000000000000001"},
		{"999999999999999999.999999999999999999", "999999999999999999.999999999999999999"},
		{"100", "100"},
		{"12.340", "12.34"},
		{"-7.10", "-7.1"},
	} {
		if got := string(api.AppendDecimal(nil, d(c.in))); got != `"`+c.want+`"` {
			t.Errorf("AppendDecimal(%s) = %s, want %q", c.in, got, c.want)
		}
	}
	for _, c := range []struct {
		in   decimal.Decimal
		want string
	}{
		{decimal.New(64, 3), "64000"},
		{decimal.New(math.MinInt64, 0), "-9223372036854775808"},
		{decimal.New(1, -19), "0.0000000000000000001"},
		{decimal.Decimal{}, "0"},
	} {
		if got := string(api.AppendDecimal(nil, c.in)); got != `"`+c.want+`"` {
			t.Errorf("AppendDecimal(%s) = %s, want %q", c.in, got, c.want)
		}
	}
}

func TestAppendDecimalEqualsTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := decimal.New(rapid.Int64().Draw(t, "coefficient"), rapid.Int32Range(-40, 20).Draw(t, "exponent"))
		if got, want := string(api.AppendDecimal(nil, value)), `"`+value.String()+`"`; got != want {
			t.Fatalf("AppendDecimal = %s, want %s", got, want)
		}
	})
}

// naiveOrder is the order record as a struct that is encoded by reflection.
type naiveOrder struct {
	OrderID       string           `json:"orderId"`
	RequestID     *string          `json:"requestId"`
	Exchange      string           `json:"exchange"`
	Symbol        string           `json:"symbol"`
	Side          string           `json:"side"`
	Type          string           `json:"type"`
	Status        string           `json:"status"`
	PendingAction *string          `json:"pendingAction"`
	Qty           string           `json:"qty"`
	FilledQty     string           `json:"filledQty"`
	RemainingQty  string           `json:"remainingQty"`
	Price         *string          `json:"price"`
	TriggerPrice  *string          `json:"triggerPrice"`
	AvgPrice      *string          `json:"avgPrice"`
	StopLoss      *string          `json:"stopLoss"`
	TakeProfit    *string          `json:"takeProfit"`
	Protection    *naiveProtection `json:"protection"`
	ReduceOnly    bool             `json:"reduceOnly"`
	PostOnly      bool             `json:"postOnly"`
	TimeInForce   *string          `json:"timeInForce"`
	Fee           *string          `json:"fee"`
	FeeCurrency   *string          `json:"feeCurrency"`
	Source        string           `json:"source"`
	ChannelID     *string          `json:"channelId"`
	Comment       *string          `json:"comment"`
	VenueOrderID  *string          `json:"venueOrderId"`
	Replaces      *string          `json:"replaces"`
	ReplacedBy    *string          `json:"replacedBy"`
	EntryOrderID  *string          `json:"entryOrderId"`
	Protects      *string          `json:"protects"`
	Error         *naiveReason     `json:"error"`
	CreatedAt     venues.Time      `json:"createdAt"`
	UpdatedAt     venues.Time      `json:"updatedAt"`
}

type naiveProtection struct {
	StopLoss   *naiveLeg `json:"stopLoss"`
	TakeProfit *naiveLeg `json:"takeProfit"`
}

type naiveLeg struct {
	Status  string  `json:"status"`
	Price   string  `json:"price"`
	OrderID *string `json:"orderId"`
}

type naiveReason struct {
	Code         string  `json:"code"`
	Message      string  `json:"message"`
	Reason       *string `json:"reason"`
	VenueCode    *string `json:"venueCode"`
	VenueMessage *string `json:"venueMessage"`
}

func naiveText[T ~string](text T) *string {
	if text == "" {
		return nil
	}
	s := string(text)
	return &s
}

func naiveNumber(o venues.Optional) *string {
	if !o.Valid {
		return nil
	}
	return naiveText(o.Decimal.String())
}

func naive(o *venues.Order) naiveOrder {
	n := naiveOrder{
		OrderID: o.OrderID, RequestID: naiveText(o.RequestID), Exchange: string(o.Exchange), Symbol: o.Symbol,
		Side: string(o.Side), Type: string(o.Type), Status: string(o.Status), PendingAction: naiveText(o.PendingAction),
		Qty: o.Qty.String(), FilledQty: o.FilledQty.String(), RemainingQty: o.RemainingQty().String(),
		Price: naiveNumber(o.Price), TriggerPrice: naiveNumber(o.TriggerPrice), AvgPrice: naiveNumber(o.AvgPrice),
		StopLoss: naiveNumber(o.StopLoss), TakeProfit: naiveNumber(o.TakeProfit),
		ReduceOnly: o.ReduceOnly, PostOnly: o.PostOnly, TimeInForce: naiveText(o.TimeInForce),
		Fee: naiveNumber(o.Fee), FeeCurrency: naiveText(o.FeeCurrency), Source: string(o.Source),
		ChannelID: naiveText(o.ChannelID), Comment: naiveText(o.Comment), VenueOrderID: naiveText(o.VenueOrderID),
		Replaces: naiveText(o.Replaces), ReplacedBy: naiveText(o.ReplacedBy), EntryOrderID: naiveText(o.EntryOrderID), Protects: naiveText(string(o.Protects)), CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt,
	}
	if p := o.Protection; p != nil {
		n.Protection = &naiveProtection{StopLoss: naiveLegOf(p.StopLoss), TakeProfit: naiveLegOf(p.TakeProfit)}
	}
	if f := o.Error; f != nil {
		n.Error = &naiveReason{string(f.Code), f.Message, naiveText(f.Reason), naiveText(f.VenueCode), naiveText(f.VenueMessage)}
	}
	return n
}

func naiveLegOf(leg *venues.ProtectionLeg) *naiveLeg {
	if leg == nil {
		return nil
	}
	return &naiveLeg{string(leg.Status), leg.Price.String(), naiveText(leg.OrderID)}
}

// checkOrderJSON compares AppendOrder with the encoding by reflection.
func checkOrderJSON(t testing.TB, o *venues.Order) {
	t.Helper()
	got := api.AppendOrder(nil, o)
	if !json.Valid(got) {
		t.Fatalf("order = %s, want JSON", got)
	}
	n := naive(o)
	want, err := jsonv2.Marshal(&n, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
}

// FuzzOrder compares the encoder with reflection, for any text and number.
func FuzzOrder(f *testing.F) {
	f.Add("r-1", "breakout", int64(500), int64(200), int32(-3), uint16(0xffff))
	f.Add("", "\x00\"\\\u2028\xff<script>", int64(-1), int64(math.MaxInt64), int32(-30), uint16(0))
	f.Fuzz(func(t *testing.T, a, b string, m, n int64, exponent int32, bits uint16) {
		exponent %= 64
		x, y := decimal.New(m, exponent), decimal.New(n, -exponent)
		o := venues.Order{
			OrderID: a, RequestID: b, Status: venues.OrderStatus(a), Exchange: venues.Venue(b),
			OrderSpec: venues.OrderSpec{
				Symbol: b, Qty: x, Price: venues.Optional{Decimal: y, Valid: bits&1 > 0},
				StopLoss: venues.Optional{Decimal: x, Valid: bits&2 > 0}, ReduceOnly: bits&4 > 0, TimeInForce: venues.TimeInForce(a),
			},
			FilledQty: y, Fee: venues.Optional{Decimal: y, Valid: bits&8 > 0}, Comment: a, CreatedAt: venues.At(time.UnixMilli(m % 1e14)),
		}
		if bits&16 > 0 {
			o.Protection = &venues.Protection{StopLoss: &venues.ProtectionLeg{Price: x, OrderID: b}}
		}
		if bits&32 > 0 {
			o.Error = &venues.RejectReason{Message: a, VenueCode: b}
		}
		checkOrderJSON(t, &o)
	})
}

func TestAppendOrderEqualsReflection(t *testing.T) {
	full := fullOrder()
	checkOrderJSON(t, &full)
	checkOrderJSON(t, &venues.Order{})
}

func TestEncodersDoNotAllocate(t *testing.T) {
	order, dst := fullOrder(), make([]byte, 0, 4096)
	fill := venues.Fill{Qty: d("2.5"), Price: d("3000.1"), Fee: some("0.75"), ExecutedAt: at(1)}
	position := venues.Position{Qty: d("1.25"), EntryPrice: some("64000"), OpenedAt: at(1)}
	instrument := venues.Instrument{TickSize: d("0.1"), MaxQty: some("1000"), UpdatedAt: at(1)}
	balance := venues.Balance{Equity: d("100000.25")}
	for name, c := range map[string]struct {
		most   float64
		append func()
	}{
		// The remaining quantity may need a subtraction of decimals.
		"order":      {1, func() { api.AppendOrder(dst, &order) }},
		"fill":       {0, func() { api.AppendFill(dst, &fill) }},
		"position":   {0, func() { api.AppendPosition(dst, &position) }},
		"instrument": {0, func() { api.AppendInstrument(dst, &instrument) }},
		"balance":    {0, func() { api.AppendBalance(dst, &balance) }},
	} {
		if got := testing.AllocsPerRun(100, c.append); got > c.most {
			t.Errorf("%s: %v allocations, want at most %v", name, got, c.most)
		}
	}
}

func BenchmarkAppendOrder(b *testing.B) {
	order, dst := fullOrder(), make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		dst = api.AppendOrder(dst[:0], &order)
	}
}
