package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// fakeMarket returns what the test has set, and records the reads other than those of
// candles.
type fakeMarket struct {
	fakeCandles
	err   error
	mu    sync.Mutex
	errs  map[venues.Venue]error // of tickers
	reads []string
}

func (f *fakeMarket) BookSnapshot(_ context.Context, customer string, exchange venues.Venue, symbol string, depth int) (venues.Frame, error) {
	f.reads = append(f.reads, fmt.Sprintf("book of %s at %s, depth %d, for %s", symbol, exchange, depth, customer))
	if f.err != nil {
		return venues.Frame{}, f.err
	}
	topic := venues.Topic{Kind: venues.TopicBook, Venue: exchange, Symbol: symbol, Depth: depth}
	now := time.Now()
	return venues.Frame{Bytes: api.StreamEncoder{}.AppendBook(nil, &venues.BookMessage{
		MessageHead: venues.MessageHead{Topic: topic.String(), Type: venues.MessageSnapshot, Seq: 7, Time: now, VenueTime: now},
		Scale:       venues.Scale{PriceDecimals: 1}, Bids: []venues.Level{{Price: 640000, Qty: 2}}, Asks: []venues.Level{{Price: 640001, Qty: 3}},
	})}, nil
}

func (f *fakeMarket) Trades(_ context.Context, exchange venues.Venue, symbol string, limit int) ([]venues.Trade, error) {
	f.reads = append(f.reads, fmt.Sprintf("%d trades of %s at %s", limit, symbol, exchange))
	return []venues.Trade{{
		Symbol: symbol, ID: "9", Price: venues.MustDecimal("64000.50"), Qty: venues.MustDecimal("0.5"), Side: venues.Sell, VenueTime: time.Now(),
	}}, f.err
}

func (f *fakeMarket) Tickers(_ context.Context, exchange venues.Venue, symbol string) ([]venues.Ticker, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads = append(f.reads, fmt.Sprintf("tickers of %q at %s", symbol, exchange))
	if err := f.errs[exchange]; err != nil {
		return nil, err
	}
	return []venues.Ticker{{Exchange: exchange, Symbol: "BTCUSDT", Last: some("64000.10"), VenueTime: venues.At(time.Now())}}, nil
}

// take returns the reads since the last call.
func (f *fakeMarket) take() string {
	slices.Sort(f.reads) // some are at the same time
	reads := fmt.Sprint(f.reads)
	f.reads = nil
	return reads
}

func TestBook(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1", venues.Binance)
	key := w.key("cus_1", persistence.ScopeRead)
	for path, want := range map[string]string{
		"/v1/book?exchange=binance&symbol=BTCUSDT":                      "[book of BTCUSDT at binance, depth 20, for cus_1]",
		"/v1/book?exchange=bybit&symbol=BTC%2FUSDT:USDT&depth=200":      "[book of BTCUSDT at bybit, depth 200, for cus_1]",
		"/v1/book?exchange=bybit&symbol=BTCUSDT-25SEP26&depth=1&later=": "[book of BTCUSDT-260925 at bybit, depth 1, for cus_1]",
	} {
		body := w.do(http.MethodGet, path, key, "").want(200).object()
		if got := w.market.take(); got != want || body["type"] != "snapshot" || body["seq"] != 7.0 {
			t.Errorf("%s: read = %s, answer %v, want %s and the snapshot", path, got, body, want)
		}
	}
}

func TestTrades(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1", venues.Binance)
	key := w.key("cus_1", persistence.ScopeRead)
	for path, want := range map[string]string{
		"/v1/trades?exchange=binance&symbol=btc-usdt-swap":      "[100 trades of BTCUSDT at binance]",
		"/v1/trades?exchange=bybit&symbol=BTCUSDT.P&limit=1000": "[1000 trades of BTCUSDT at bybit]",
	} {
		items := w.do(http.MethodGet, path, key, "").want(200).page().Items
		if got := w.market.take(); got != want || len(items) != 1 || items[0]["id"] != "9" || items[0]["price"] != "64000.5" || items[0]["side"] != "sell" {
			t.Errorf("%s: read = %s, answer %v, want %s and the trade", path, got, items, want)
		}
	}
}

func TestTickers(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1", venues.Binance)
	key := w.key("cus_1", persistence.ScopeRead)
	for path, want := range map[string]string{
		"/v1/tickers":                                 `[tickers of "" at binance tickers of "" at bybit]`,
		"/v1/tickers?exchange=bybit":                  `[tickers of "" at bybit]`,
		"/v1/tickers?symbol=ETH%2FUSDT:USDT":          `[tickers of "ETHUSDT" at binance]`,
		"/v1/tickers?symbol=BTCUSDT&exchange=binance": `[tickers of "BTCUSDT" at binance]`,
	} {
		items := w.do(http.MethodGet, path, key, "").want(200).page().Items
		if got := w.market.take(); got != want || items[0]["last"] != "64000.1" || items[0]["bid"] != nil {
			t.Errorf("%s: reads = %s, answer %v, want %s and the last price", path, got, items, want)
		}
	}
	w.do(http.MethodGet, "/v1/tickers?exchange=okx", key, "").want(404, venues.CodeNotFound)
	w.do(http.MethodGet, "/v1/tickers?symbol=NOPEUSDT", key, "").want(422, venues.CodeSymbolNotTradable)
	w.do(http.MethodGet, "/v1/tickers?exchange=bybit&symbol=ETHUSDT", key, "").want(422, venues.CodeSymbolNotTradable)
	w.do(http.MethodGet, "/v1/tickers?exchange=nowhere&symbol=", key, "").wantFieldErrors("exchange unknown_value", "symbol not_a_symbol")
	w.market.errs = map[venues.Venue]error{venues.Bybit: venues.Errorf(venues.CodeExchangeUnavailable, "bybit does not respond")}
	some := w.do(http.MethodGet, "/v1/tickers", key, "").want(200).page()
	if len(some.Items) != 1 || len(some.Errors) != 1 || some.Errors[0]["exchange"] != "bybit" {
		t.Errorf("answer = %+v, want the ticker of binance and the error of bybit", some)
	}
	w.do(http.MethodGet, "/v1/tickers?exchange=bybit", key, "").want(502, venues.CodeExchangeUnavailable)
}

func TestReadsOfMarketsRejectBadQueries(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1", venues.Binance)
	key := w.key("cus_1", persistence.ScopeRead)
	for path, want := range map[string]string{
		"/v1/book":                                          "exchange missing,symbol missing",
		"/v1/book?exchange=binance":                         "symbol missing",
		"/v1/book?exchange=nowhere&symbol=":                 "exchange unknown_value,symbol not_a_symbol",
		"/v1/book?exchange=binance&symbol=BTCUSDT&depth=7":  "depth unknown_value",
		"/v1/book?exchange=binance&symbol=BTCUSDT&depth=05": "depth unknown_value",
		"/v1/book?exchange=binance&symbol=BTCUSDT&depth=":   "depth unknown_value",
		"/v1/trades?limit=0":                                "exchange missing,symbol missing,limit out_of_range",
		"/v1/trades?exchange=okx&symbol=BTCUSDT&limit=1001": "limit out_of_range",
	} {
		if got := w.do(http.MethodGet, path, key, ""); got.status != 400 || strings.Join(got.fieldErrors(), ",") != want {
			t.Errorf("%s: status %d, %s, want 400 and %q", path, got.status, got.body, want)
		}
	}
	unknown := w.do(http.MethodGet, "/v1/book?exchange=binance&symbol=NOPEUSDT", key, "").want(422, venues.CodeSymbolNotTradable).error()
	if unknown.Details["symbol"] != "NOPEUSDT" || unknown.Details["reason"] != venues.ReasonUnknownSymbol {
		t.Errorf("details = %v, want the symbol and that it is unknown", unknown.Details)
	}
	w.do(http.MethodGet, "/v1/book?exchange=okx&symbol=BTCUSDT", key, "").want(404, venues.CodeNotFound)
	w.instruments[venues.OKX] = nil
	w.do(http.MethodGet, "/v1/book?exchange=okx&symbol=BTCUSDT", key, "").want(502, venues.CodeExchangeUnavailable)
	if got := w.market.take(); got != "[]" {
		t.Errorf("reads = %s, want none", got)
	}
	w.market.err = venues.Errorf(venues.CodeExchangeUnavailable, "not current").With("reason", venues.ReasonStale)
	stale := w.do(http.MethodGet, "/v1/book?exchange=binance&symbol=BTCUSDT", key, "").want(502, venues.CodeExchangeUnavailable).error()
	if stale.Details["reason"] != venues.ReasonStale {
		t.Errorf("details = %v, want the reason stale", stale.Details)
	}
}

func TestVenues(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1", venues.OKX)
	venuesOf := func(customer string) []map[string]any {
		return w.do(http.MethodGet, "/v1/venues", w.key(customer, persistence.ScopeRead), "").want(200).page().Items
	}
	items := venuesOf("cus_1")
	if len(items) != 2 || items[0]["connected"] != false || items[1]["connected"] != true || items[0]["clockOffsetMs"] != -12.0 ||
		items[1]["clockOffsetMs"] != nil || items[1]["status"] != "maintenance" || items[1]["orderEntry"] != "websocket" {
		t.Errorf("venues = %v, want binance and okx, of which okx is connected", items)
	}
	w.customer("cus_2")
	w.put(persistence.VenueAccount{Customer: "cus_2", Exchange: venues.OKX, RemovedAt: venues.At(time.Now())})
	if items := venuesOf("cus_2"); items[1]["connected"] != false {
		t.Errorf("venues = %v, want none connected", items)
	}
}
