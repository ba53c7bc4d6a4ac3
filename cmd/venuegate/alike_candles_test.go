package main

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

var candleSuite = suite{"candles", `{}`, nil, []scenario{
	{"rejections, and an empty page", func(w *trader) {
		w.observe("before the first one", w.get(w.candlePath("1w", "from", "2019-01-01", "to", "2019-02-01")))
		w.observe("unknown timeframe", w.trade(http.StatusBadRequest, http.MethodGet, w.candlePath("7m"), ""))
		w.observe("from after to", w.trade(http.StatusBadRequest, http.MethodGet, w.candlePath("1m", "from", "2026-01-02", "to", "2026-01-01"), ""))
		w.observe("limit out of range", w.trade(http.StatusBadRequest, http.MethodGet, w.candlePath("1m", "limit", "1501"), ""))
		w.observe("unknown symbol", w.trade(http.StatusUnprocessableEntity, http.MethodGet, w.candlePath("1m", "symbol", "NOPEUSDT"), ""))
	}},
	{"a candle is the sum of shorter ones", func(w *trader) {
		now := time.Now().UTC()
		// Over the opening of the market, and over more minutes than OKX has in its call for
		// recent ones.
		w.sumsUp("1h", "1m", now.Add(-30*time.Hour).Truncate(time.Hour), now)
		old := now.AddDate(0, 0, -300).Truncate(24 * time.Hour)
		w.sumsUp("1d", "2h", old, old.AddDate(0, 0, 5))
		w.sumsUp("1w", "1d", old, old.AddDate(0, 0, 28))
	}},
	{"the newest candle agrees with trades and with the stream", func(w *trader) {
		k := w.subscribe("kline:" + string(w.venue) + ":BTCUSDT:1d")
		before := w.newestCandle()
		w.place(`"side":"buy","type":"limit","qty":"5","price":"65000"`)
		w.marketTrades("sell", "5")
		streamed := k.until("the trade", func(m record) bool {
			return figure(m, "volume").Sub(decimalOf(before, "volume")).Equal(decimal.NewFromInt(5))
		})["data"]
		read := w.until("the same candle", w.newestCandle, func(c record) bool { return c.text("volume") == record(streamed.(map[string]any)).text("volume") })
		if fmt.Sprint(map[string]any(read)) != fmt.Sprint(streamed) {
			w.t.Errorf("candle = %v, want %v as in the stream", read, streamed)
		}
		traded := record{"volume": decimalOf(read, "volume").Sub(decimalOf(before, "volume")).String(), "turnover": decimalOf(read, "turnover").Sub(decimalOf(before, "turnover")).String()}
		if traded.text("volume") != "5" || traded.text("turnover") != "325000" || read.text("close") != "65000" || read["closed"] != false {
			w.t.Errorf("traded %v in %v, want 5 coins for 325000 in an open candle that closes at 65000", traded, read)
		}
		w.observe("candle", read)
		w.flat()
	}},
}}

// candlePath returns the request of candles of BTCUSDT at the venue. parameters are names and
// values, which may replace those.
func (w *trader) candlePath(timeframe string, parameters ...string) string {
	query := url.Values{"exchange": {string(w.venue)}, "symbol": {"BTCUSDT"}, "timeframe": {timeframe}}
	for pair := range slices.Chunk(parameters, 2) {
		query.Set(pair[0], pair[1])
	}
	return "/v1/candles?" + query.Encode()
}

// newestCandle returns the candle of this day.
func (w *trader) newestCandle() record {
	w.t.Helper()
	return w.get(w.candlePath("1d", "limit", "1")).items()[0]
}

// candles reads a period in pages of an odd size and checks that it is contiguous.
func (w *trader) candles(timeframe string, from, to time.Time) (list []record) {
	w.t.Helper()
	parameters := []string{"from", from.Format(time.RFC3339), "to", to.Format(time.RFC3339Nano), "limit", "701"}
	for {
		page := w.get(w.candlePath(timeframe, parameters...))
		list = append(list, page.items()...)
		next := page.text("nextCursor")
		if next == "" {
			break
		}
		parameters = append(parameters, "cursor", next)
	}
	for n, c := range list {
		if n > 0 && (c["start"] != list[n-1]["end"] || c["open"] != list[n-1]["close"]) {
			w.t.Errorf("%s: %v follows %v, want contiguous candles", timeframe, c, list[n-1])
		}
	}
	return list
}

// sumsUp compares each candle of a period with the shorter ones in it.
func (w *trader) sumsUp(long, short string, from, to time.Time) {
	w.t.Helper()
	longs, shorts := w.candles(long, from, to), w.candles(short, from, to)
	length := venues.Timeframes()[venues.Timeframe(long)]
	if count := int(to.Sub(from) / length); len(longs) < count {
		w.t.Errorf("%d candles of %s from %s to %s, want at least %d", len(longs), long, from, to, count)
	}
	for _, c := range longs {
		if c.text("end") > to.Format(venues.TimeFormat) && c["closed"] == true {
			continue // complete since the shorter ones were read, or not within the period
		}
		first := slices.IndexFunc(shorts, func(s record) bool { return s["start"] == c["start"] })
		if first < 0 {
			w.t.Errorf("%s: no candle begins with %v, want one", short, c)
			continue
		}
		high, low := decimalOf(shorts[first], "high"), decimalOf(shorts[first], "low")
		var volume, turnover decimal.Decimal
		last := shorts[first]
		for _, s := range shorts[first:] {
			if s.text("start") >= c.text("end") {
				break
			}
			high, low, last = decimal.Max(high, decimalOf(s, "high")), decimal.Min(low, decimalOf(s, "low")), s
			volume, turnover = volume.Add(decimalOf(s, "volume")), turnover.Add(decimalOf(s, "turnover"))
		}
		const format = "open %v, high %v, low %v, close %v, volume %v, turnover %v"
		got := fmt.Sprintf(format, c["open"], c["high"], c["low"], c["close"], c["volume"], c["turnover"])
		if want := fmt.Sprintf(format, shorts[first]["open"], high, low, last["close"], volume, turnover); got != want {
			w.t.Errorf("%s from %v: got %s, want %s of the candles of %s", long, c["start"], got, want, short)
		}
	}
}

func decimalOf(r record, name string) decimal.Decimal { return venues.MustDecimal(r.text(name)) }

// TestCandlesLeaveOrdersTheirLimits reads candles until their part of the venue's limit is
// used up, and then trades. The candles are older than the first one: a request of none
// has the weight of any other and is answered faster.
func TestCandlesLeaveOrdersTheirLimits(t *testing.T) {
	t.Parallel()
	file, _ := startSimProcess(t)
	s := startService(t, t.TempDir(), "--sim", file)
	w := newTrader(t, s, venues.Binance, `{}`)
	w.begin(t)
	refused := false
	for n := 0; n < 590 && !refused; n++ {
		at := time.Date(2019, time.January, 1, 0, 0, 0, 0, time.UTC).Add(-time.Duration(n) * 5 * time.Hour).Format(time.RFC3339)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.demo.BaseURL+w.candlePath("1m", "limit", "1", "to", at), nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+w.demo.APIKey)
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		refused = response.StatusCode == http.StatusTooManyRequests
		if !refused && response.StatusCode != http.StatusOK || refused && response.Header.Get("Retry-After") == "" {
			t.Fatalf("read %d: %d with Retry-After %q, want 200, or 429 with it", n, response.StatusCode, response.Header.Get("Retry-After"))
		}
	}
	if !refused {
		t.Fatal("590 reads of candles were answered, want a refusal before")
	}
	order := w.place(`"side":"buy","type":"limit","qty":"0.02","price":"64000"`)
	w.change(order, `"price":"63900"`)
	w.cancel(order)
	if list := w.list("/v1/positions"); len(list) != 0 {
		t.Errorf("positions = %v, want none", list)
	}
}
