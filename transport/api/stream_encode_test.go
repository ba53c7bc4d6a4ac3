package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/transport/api"
	"venuegate/venues"
)

var timestamp = time.Date(2026, 11, 20, 9, 19, 0, 123_000_000, time.UTC)

func sampleTrade() *venues.TradeMessage {
	return &venues.TradeMessage{
		MessageHead: venues.MessageHead{
			Topic: "trades:bybit:ETHUSDT", Type: venues.MessageUpdate, Seq: 9,
			Time: timestamp, VenueTime: timestamp.Add(-4 * time.Millisecond),
		},
		Trade: venues.Trade{
			Symbol: "ETHUSDT", ID: "2290000000068789123", Price: venues.MustDecimal("3120.50"), Qty: venues.MustDecimal("0.020"),
			Side: venues.Sell, VenueTime: timestamp.Add(-4 * time.Millisecond),
		},
	}
}

func sampleCandle() *venues.CandleMessage {
	return &venues.CandleMessage{
		MessageHead: venues.MessageHead{
			Topic: "kline:okx:SOLUSDT:1m", Type: venues.MessageSnapshot, Seq: 3,
			Time: timestamp, VenueTime: timestamp.Add(-9 * time.Millisecond),
		},
		Candle: venues.Candle{
			Symbol: "SOLUSDT", Timeframe: "1m", Start: timestamp.Truncate(time.Minute), End: timestamp.Truncate(time.Minute).Add(time.Minute),
			Open: venues.MustDecimal("150.10"), High: venues.MustDecimal("150.9"), Low: venues.MustDecimal("149.00"), Close: venues.MustDecimal("150"),
			Volume: venues.MustDecimal("12345.5"), Turnover: venues.MustDecimal("1851825"),
		},
	}
}

func TestMarketMessages(t *testing.T) {
	encode := api.StreamEncoder{}
	book := depth20()
	book.Bids, book.Asks = book.Bids[:2], book.Asks[:1]
	book.Asks[0].Qty = 0
	stale := *book
	stale.Type, stale.VenueTime = venues.MessageStale, time.Time{}
	empty := *book
	empty.Type, empty.Bids, empty.Asks = venues.MessageSnapshot, nil, nil

	for _, tt := range []struct{ name, got, want string }{
		{
			"book delta", string(encode.AppendBook(nil, book)),
			`{"channel":"book:binance:BTCUSDT:20","type":"delta","seq":81234567,"ts":"2026-11-20T09:19:00.123Z","venueTs":"2026-11-20T09:19:00.120Z",` +
				`"data":{"bids":[["61234.5","0.001"],["61234.4","7.92"]],"asks":[["61234.6","0"]]}}`,
		},
		{
			"book stale", string(encode.AppendBook(nil, &stale)),
			`{"channel":"book:binance:BTCUSDT:20","type":"stale","seq":81234567,"ts":"2026-11-20T09:19:00.123Z","venueTs":null}`,
		},
		{
			"empty book", string(encode.AppendBook(nil, &empty)),
			`{"channel":"book:binance:BTCUSDT:20","type":"snapshot","seq":81234567,"ts":"2026-11-20T09:19:00.123Z","venueTs":"2026-11-20T09:19:00.120Z",` +
				`"data":{"bids":[],"asks":[]}}`,
		},
		{
			"trade", string(encode.AppendTrade(nil, sampleTrade())),
			`{"channel":"trades:bybit:ETHUSDT","type":"update","seq":9,"ts":"2026-11-20T09:19:00.123Z","venueTs":"2026-11-20T09:19:00.119Z",` +
				`"data":{"id":"2290000000068789123","price":"3120.5","qty":"0.02","side":"sell","ts":"2026-11-20T09:19:00.119Z"}}`,
		},
		{
			"candle", string(encode.AppendCandle(nil, sampleCandle())),
			`{"channel":"kline:okx:SOLUSDT:1m","type":"snapshot","seq":3,"ts":"2026-11-20T09:19:00.123Z","venueTs":"2026-11-20T09:19:00.114Z",` +
				`"data":{"start":"2026-11-20T09:19:00.000Z","end":"2026-11-20T09:20:00.000Z","open":"150.1","high":"150.9","low":"149","close":"150",` +
				`"volume":"12345.5","turnover":"1851825","closed":false}}`,
		},
		{
			"gap", string(encode.AppendGap(nil, "trades:okx:BTCUSDT", 12, 4, timestamp)),
			`{"channel":"trades:okx:BTCUSDT","type":"gap","seq":12,"ts":"2026-11-20T09:19:00.123Z","venueTs":null,"missed":4}`,
		},
		{
			"gap of unknown size", string(encode.AppendGap(nil, "trades:okx:BTCUSDT", 12, 0, timestamp)),
			`{"channel":"trades:okx:BTCUSDT","type":"gap","seq":12,"ts":"2026-11-20T09:19:00.123Z","venueTs":null,"missed":null}`,
		},
	} {
		if tt.got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.name, tt.got, tt.want)
		}
	}
}

func TestMarketEncodersAppendToDst(t *testing.T) {
	prefix := []byte("before")
	got := string(api.StreamEncoder{}.AppendTrade(prefix, sampleTrade()))
	if !strings.HasPrefix(got, `before{"channel"`) {
		t.Fatalf("message = %s, want it after the prefix", got)
	}
}

func TestMarketEncodersDoNotAllocate(t *testing.T) {
	encode, buffer := api.StreamEncoder{}, make([]byte, 0, 8192)
	book, trade, candle := depth20(), sampleTrade(), sampleCandle()
	for name, f := range map[string]func(){
		"book":   func() { encode.AppendBook(buffer, book) },
		"trade":  func() { encode.AppendTrade(buffer, trade) },
		"candle": func() { encode.AppendCandle(buffer, candle) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
}

// A level is encoded exactly like the decimals that it represents.
func TestLevelsEncodeLikeDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		level := venues.Level{Price: rapid.Int64().Draw(t, "price"), Qty: rapid.Int64().Draw(t, "qty")}
		scale := venues.Scale{
			PriceDecimals: rapid.IntRange(0, venues.DecimalDigitsMax).Draw(t, "priceDecimals"),
			QtyDecimals:   rapid.IntRange(0, venues.DecimalDigitsMax).Draw(t, "qtyDecimals"),
		}
		if rapid.Bool().Draw(t, "round") {
			level.Price -= level.Price % 1_000_000
		}
		var got struct {
			Data struct {
				Bids [][2]string `json:"bids"`
			} `json:"data"`
		}
		message := api.StreamEncoder{}.AppendBook(nil, &venues.BookMessage{Scale: scale, Bids: []venues.Level{level}})
		if err := json.Unmarshal(message, &got); err != nil {
			t.Fatalf("%v in %s", err, message)
		}
		want := [2]string{venues.FormatDecimal(scale.Price(level.Price)), venues.FormatDecimal(scale.Qty(level.Qty))}
		if got.Data.Bids[0] != want {
			t.Fatalf("bid = %v, want %v", got.Data.Bids[0], want)
		}
	})
}

func TestTradePriceEncodesLikeFormatDecimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := decimal.New(rapid.Int64().Draw(t, "coefficient"), rapid.Int32Range(-30, 6).Draw(t, "exponent"))
		if rapid.Bool().Draw(t, "long") {
			d = d.Mul(decimal.New(rapid.Int64().Draw(t, "factor"), 0))
		}
		trade := sampleTrade()
		trade.Price = d
		var got struct {
			Data struct {
				Price string `json:"price"`
			} `json:"data"`
		}
		if err := json.Unmarshal(api.StreamEncoder{}.AppendTrade(nil, trade), &got); err != nil {
			t.Fatal(err)
		}
		if want := venues.FormatDecimal(d); got.Data.Price != want {
			t.Fatalf("price = %s, want %s", got.Data.Price, want)
		}
	})
}

func TestMessageTimeEncodesLikeTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMilli(rapid.Int64Range(-1<<42, 1<<43).Draw(t, "milliseconds"))
		message := api.StreamEncoder{}.AppendGap(nil, "orders", 1, 1, at)
		want, _ := venues.At(at).MarshalJSON()
		if !strings.Contains(string(message), `"ts":`+string(want)+`,`) {
			t.Fatalf("message = %s, want ts %s", message, want)
		}
	})
}

func TestStreamMessageType(t *testing.T) {
	stale := api.StreamEncoder{}.AppendBook(nil, &venues.BookMessage{MessageHead: venues.MessageHead{Topic: "book:okx:X:5", Type: venues.MessageStale}})
	for _, tt := range []struct {
		message, topic string
		want           venues.MessageType
	}{
		{string(stale), "book:okx:X:5", venues.MessageStale},
		{string(stale), "book:okx:XY:5", ""},
		{`{"channel":"orders","type":"update`, "orders", ""},
		{``, "orders", ""},
		{`{}`, "", ""},
	} {
		if got := api.StreamMessageType([]byte(tt.message), tt.topic); got != tt.want {
			t.Errorf("type of %q on %s = %q, want %q", tt.message, tt.topic, got, tt.want)
		}
	}
}
