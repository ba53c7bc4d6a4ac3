package rest_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// history stores n orders and n fills of the customer, one a second, newest last.
func (w *world) history(customer string, n int, until time.Time) {
	w.Helper()
	var puts []persistence.Record
	for i := range n {
		at := until.Add(time.Duration(i-n) * time.Second)
		symbol := []string{"BTCUSDT", "ETHUSDT"}[i%2]
		status := venues.StatusOpen
		if i%3 == 0 {
			status = venues.StatusFilled
		}
		order := venues.Order{
			OrderID: fmt.Sprintf("ord_%s_%04d", customer, i), RequestID: fmt.Sprintf("r%d", i), Exchange: venues.Binance, Status: status,
			OrderSpec: venues.OrderSpec{Symbol: symbol, Side: venues.Buy, Type: venues.TypeMarket, Qty: venues.MustDecimal("1")},
			Source:    venues.SourceAPI, Comment: "canary of " + customer, CreatedAt: venues.At(at), UpdatedAt: venues.At(at),
		}
		if i%4 == 1 {
			order.Source, order.ChannelID = venues.SourceWebhook, "hook_1"
		}
		puts = append(puts,
			persistence.OrderRecord{Order: order, Customer: customer, ClientOrderID: fmt.Sprintf("c%s%d", customer, i)},
			persistence.FillRecord{Customer: customer, Fill: venues.Fill{
				FillID: fmt.Sprintf("fil_%s_%04d", customer, i), OrderID: order.OrderID, RequestID: "canary-of-" + customer, Exchange: venues.Binance,
				Symbol: symbol, Side: venues.Buy, Qty: venues.MustDecimal("1"), Price: venues.MustDecimal("64000"), Source: venues.SourceAPI,
				VenueTradeID: fmt.Sprint(i), ExecutedAt: venues.At(at),
			}})
	}
	w.commit(customer, persistence.Batch{Puts: puts})
}

// walk reads a list to its last page and returns the ids.
func (w *world) walk(path, key, id string, query url.Values) (ids []string) {
	w.Helper()
	for range 100 {
		p := w.do(http.MethodGet, path+"?"+query.Encode(), key, "").want(200).page()
		for _, item := range p.Items {
			ids = append(ids, item[id].(string))
		}
		if p.NextCursor == nil {
			return ids
		}
		query.Set("cursor", *p.NextCursor)
	}
	w.Fatal("list has more than 100 pages, want an end")
	return nil
}

func TestPagesReturnEveryRecordOnce(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1", venues.Binance)
	w.history("cus_1", 25, time.Now())
	key := w.key("cus_1", persistence.ScopeRead)
	for path, id := range map[string]string{"/v1/orders": "orderId", "/v1/fills": "fillId"} {
		for _, limit := range []string{"1", "7", "24", "25", "26"} {
			query := url.Values{"limit": {limit}}
			if path == "/v1/orders" {
				query.Set("status", "all")
			}
			ids := w.walk(path, key, id, query)
			if len(ids) != 25 || !slices.IsSortedFunc(ids, func(a, b string) int { return strings.Compare(b, a) }) {
				t.Errorf("%s with limit %s: %d records, want 25 newest first: %q", path, limit, len(ids), ids)
			}
		}
	}
}

func TestFilters(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1", venues.Binance)
	now := time.Now().Truncate(time.Second)
	w.history("cus_1", 12, now)
	key := w.key("cus_1", persistence.ScopeRead)
	from := now.Add(-6 * time.Second).UTC().Format(venues.TimeFormat)
	for path, want := range map[string]int{
		"/v1/orders":                                          8, // open is the default
		"/v1/orders?status=closed":                            4,
		"/v1/orders?status=all&symbol=ETHUSDT":                6,
		"/v1/orders?status=all&symbol=eth%2Fusdt:usdt":        6,
		"/v1/orders?status=all&exchange=binance":              12,
		"/v1/orders?status=all&requestId=r3":                  1,
		"/v1/orders?status=all&from=" + from:                  6,
		"/v1/orders?status=all&to=" + from:                    6,
		"/v1/orders?limit=3":                                  3,
		"/v1/orders?source=webhook":                           2,
		"/v1/orders?status=all&source=webhook":                3,
		"/v1/orders?status=all&source=api&symbol=BTCUSDT":     6,
		"/v1/orders?status=closed&channelId=hook_1":           1,
		"/v1/orders?status=all&channelId=hook_2":              0,
		"/v1/orders?status=all&channelId=hook_1&requestId=r5": 1,
		"/v1/fills":                                                12,
		"/v1/fills?symbol=BTC-USDT-SWAP":                           6,
		"/v1/fills?orderId=ord_cus_1_0004":                         1,
		"/v1/fills?orderId=ord_cus_2_0004":                         0,
		"/v1/fills?exchange=binance&from=" + from:                  6,
		"/v1/fills?to=" + from:                                     6,
		"/v1/fills?symbol=XRPUSDT":                                 0,
		"/v1/orders?status=all&unknown=1&another=2&symbol=ETHUSDT": 6,
	} {
		if got := w.do(http.MethodGet, path, key, "").want(200).page(); len(got.Items) != want {
			t.Errorf("%s: %d items, want %d", path, len(got.Items), want)
		}
	}
}

func TestListsRejectBadQueries(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1", venues.Binance)
	key := w.key("cus_1", allScopes...)
	candles := "/v1/candles?" + candleQuery("1m").Encode()
	for path, want := range map[string]string{
		"/v1/orders?status=OPEN":                               "status unknown_value",
		"/v1/orders?status=cancelled":                          "status unknown_value",
		"/v1/orders?exchange=nowhere":                          "exchange unknown_value",
		"/v1/orders?limit=501":                                 "limit out_of_range",
		"/v1/orders?limit=0":                                   "limit out_of_range",
		"/v1/orders?cursor=x":                                  "cursor malformed",
		"/v1/orders?cursor=":                                   "cursor malformed",
		"/v1/orders?requestId=a%20b":                           "requestId malformed",
		"/v1/orders?source=hook":                               "source unknown_value",
		"/v1/orders?channelId=hook-1":                          "channelId malformed",
		"/v1/orders?from=yesterday":                            "from not_a_time",
		"/v1/orders?from=2026-11-21&to=2026-11-20":             "from out_of_range",
		"/v1/orders?status=open&status=all":                    "status duplicate",
		"/v1/orders?Status=all":                                "Status wrong_case",
		"/v1/orders?symbol=a%00b":                              "symbol not_a_symbol",
		"/v1/orders?symbol=%":                                  "query malformed",
		"/v1/fills?limit=501":                                  "limit out_of_range",
		"/v1/fills?from=2026-11-20&to=2026-11-20":              "from out_of_range",
		"/v1/fills?orderId=../x":                               "orderId malformed",
		"/v1/fills?cursor=AAAA":                                "cursor malformed",
		"/v1/events?limit=501":                                 "limit out_of_range",
		"/v1/events?after=evt_unknown":                         "after unknown_value",
		"/v1/events?after=%20":                                 "after malformed",
		"/v1/events?cursor=AAAA":                               "cursor malformed",
		"/v1/instruments?limit=1001":                           "limit out_of_range",
		"/v1/instruments?kind=option":                          "kind unknown_value",
		"/v1/instruments?status=closing":                       "status unknown_value",
		"/v1/instruments?cursor=AAAA":                          "cursor malformed",
		"/v1/account?currency=XYZ":                             "currency unknown_value",
		"/v1/account?currency=usdt":                            "currency unknown_value",
		"/v1/account?currency=":                                "currency unknown_value",
		"/v1/account?exchange=BINANCE":                         "exchange unknown_value",
		"/v1/positions?symbol=":                                "symbol not_a_symbol",
		"/v1/orders?limit=x&from=x&status=x&cursor=x":          "limit out_of_range,from not_a_time,status unknown_value",
		"/v1/candles":                                          "exchange missing,symbol missing,timeframe missing",
		candles + "&limit=1501":                                "limit out_of_range",
		candles + "&limit=0":                                   "limit out_of_range",
		candles + "&from=2026-11-21&to=2026-11-20":             "from out_of_range",
		candles + "&from=now":                                  "from not_a_time",
		candles + "&cursor=AAAA":                               "cursor malformed",
		"/v1/candles?exchange=binance&symbol=%00&timeframe=1M": "symbol not_a_symbol,timeframe unknown_value",
	} {
		got := w.do(http.MethodGet, path, key, "").want(400, venues.CodeInvalidRequest)
		errs, wanted := got.fieldErrors(), strings.Split(want, ",")
		slices.Sort(errs)
		slices.Sort(wanted)
		if !slices.Equal(errs, wanted) {
			t.Errorf("%s: field errors = %q, want %q", path, errs, wanted)
		}
	}
}

// A cursor is valid only for its list, customer and filters.
func TestCursorsAreBound(t *testing.T) {
	w := newWorld(t)
	for _, customer := range []string{"cus_1", "cus_2"} {
		w.customer(customer, venues.Binance)
		w.history(customer, 10, time.Now())
	}
	key, other := w.key("cus_1", persistence.ScopeRead), w.key("cus_2", persistence.ScopeRead)
	next := func(path string) string {
		p := w.do(http.MethodGet, path, key, "").want(200).page()
		if p.NextCursor == nil {
			t.Fatalf("%s: nextCursor = null, want a next page", path)
		}
		return url.QueryEscape(*p.NextCursor)
	}
	fills := next("/v1/fills?limit=2&symbol=BTCUSDT")
	w.do(http.MethodGet, "/v1/fills?limit=3&symbol=BTCUSDT&cursor="+fills, key, "").want(200) // the limit may change
	for _, path := range []string{
		"/v1/fills?limit=2&cursor=" + fills, "/v1/fills?limit=2&symbol=ETHUSDT&cursor=" + fills,
		"/v1/fills?limit=2&symbol=BTCUSDT&exchange=binance&cursor=" + fills, "/v1/orders?symbol=BTCUSDT&cursor=" + fills,
		"/v1/fills?limit=2&symbol=BTCUSDT&cursor=" + fills + "A",
		"/v1/fills?limit=2&cursor=" + next("/v1/orders?limit=2&status=all"),
	} {
		w.do(http.MethodGet, path, key, "").wantFieldErrors("cursor malformed")
	}
	w.do(http.MethodGet, "/v1/fills?limit=2&symbol=BTCUSDT&cursor="+fills, other, "").wantFieldErrors("cursor malformed")
}

func TestFillsPeriodIsBounded(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1", venues.Binance)
	key := w.key("cus_1", persistence.ScopeRead)
	day := func(n int) string { return time.Now().UTC().AddDate(0, 0, n).Format(venues.TimeFormat) }
	for query, tooLong := range map[string]bool{
		"": false, "?from=" + day(-30): false, "?from=" + day(-32): true, "?to=" + day(-40): false,
		"?from=" + day(-71) + "&to=" + day(-40): false, "?from=" + day(-72) + "&to=" + day(-40): true,
		"?from=2020-01-01&to=2020-02-01": false, "?from=2020-01-01&to=2020-02-01T00:00:00.001Z": true,
	} {
		got := w.do(http.MethodGet, "/v1/fills"+query, key, "")
		if !tooLong {
			got.want(200)
			continue
		}
		got.wantFieldErrors("from out_of_range")
		if fmt.Sprint(got.error().Details["maxDays"]) != fmt.Sprint(api.FillsWindowDaysMax) {
			t.Errorf("%s: error = %s, want maxDays %d", query, got.body, api.FillsWindowDaysMax)
		}
	}
}

// The period that the first page fixed applies to the pages after it, whatever
// happens in between.
func TestFillsPeriodDoesNotMoveBetweenPages(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1", venues.Binance)
	w.history("cus_1", 6, time.Now())
	key := w.key("cus_1", persistence.ScopeRead)
	first := w.do(http.MethodGet, "/v1/fills?limit=4", key, "").want(200).page()
	w.history("cus_1", 9, time.Now().Add(time.Hour))
	second := w.do(http.MethodGet, "/v1/fills?limit=4&cursor="+url.QueryEscape(*first.NextCursor), key, "").want(200).page()
	if len(first.Items) != 4 || second.NextCursor != nil {
		t.Errorf("pages of %d and %d items, want 4 and the last page", len(first.Items), len(second.Items))
	}
}

func TestExchangeThatIsNotConnectedIsNotFound(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1", venues.Binance)
	key := w.key("cus_1", allScopes...)
	for _, path := range []string{"/v1/orders?exchange=bybit", "/v1/fills?exchange=okx", "/v1/instruments?exchange=okx"} {
		got := w.do(http.MethodGet, path, key, "").want(404, venues.CodeNotFound)
		if exchange := got.error().Details["exchange"]; exchange != path[len(path)-len(exchange.(string)):] {
			t.Errorf("%s: error = %s, want details with the exchange", path, got.body)
		}
	}
}

func TestInstruments(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1")
	key := w.key("cus_1", persistence.ScopeRead)
	names := func(query url.Values) string {
		var list []string
		for range 10 {
			p := w.do(http.MethodGet, "/v1/instruments?"+query.Encode(), key, "").want(200).page()
			for _, i := range p.Items {
				list = append(list, i["exchange"].(string)+":"+i["symbol"].(string))
			}
			if p.NextCursor == nil {
				return strings.Join(list, " ")
			}
			query.Set("cursor", *p.NextCursor)
		}
		return "more than 10 pages"
	}
	const all = "binance:BTCUSDT binance:BTCUSDT-260925 binance:ETHUSDT bybit:BTCUSDT bybit:BTCUSDT-260925"
	for _, c := range []struct {
		query url.Values
		want  string
	}{
		{url.Values{}, all},
		{url.Values{"limit": {"1"}}, all},
		{url.Values{"limit": {"2"}}, all},
		{url.Values{"limit": {"3"}}, all},
		{url.Values{"limit": {"5"}}, all},
		{url.Values{"exchange": {"bybit"}, "limit": {"1"}}, "bybit:BTCUSDT bybit:BTCUSDT-260925"},
		{url.Values{"kind": {"future"}, "limit": {"1"}}, "binance:BTCUSDT-260925 bybit:BTCUSDT-260925"},
		{url.Values{"status": {"halted"}}, "bybit:BTCUSDT-260925"},
		{url.Values{"symbol": {"BTC-USDT-SWAP"}}, "binance:BTCUSDT bybit:BTCUSDT"},
		{url.Values{"symbol": {"BTCUSDT-25SEP26"}}, "bybit:BTCUSDT-260925"},
		{url.Values{"symbol": {"XRPUSDT"}}, ""},
		{url.Values{"exchange": {"binance"}, "kind": {"perpetual"}, "status": {"trading"}, "symbol": {"ethusdt"}}, "binance:ETHUSDT"},
	} {
		before := c.query.Encode()
		if got := names(c.query); got != c.want {
			t.Errorf("%s: instruments = %s, want %s", before, got, c.want)
		}
	}
}

// If the list changes between two pages, instruments that stayed are neither repeated
// nor skipped.
func TestInstrumentsChangeBetweenPages(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1")
	key := w.key("cus_1", persistence.ScopeRead)
	first := w.do(http.MethodGet, "/v1/instruments?exchange=binance&limit=2", key, "").want(200).page()
	list := w.instruments[venues.Binance].All()
	added := list[0]
	added.Symbol, added.VenueSymbol = "AAAUSDT", "AAAUSDT"
	w.instruments[venues.Binance] = venues.NewInstrumentSet([]venues.Instrument{list[0], added})
	second := w.do(http.MethodGet, "/v1/instruments?exchange=binance&limit=2&cursor="+url.QueryEscape(*first.NextCursor), key, "").want(200).page()
	if len(second.Items) != 1 || second.Items[0]["symbol"] != "ETHUSDT" || second.NextCursor != nil {
		t.Errorf("second page = %v, want ETHUSDT as the last item", second)
	}
}
