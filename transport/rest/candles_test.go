package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// fakeCandles has a candle for each start, of which the present one is open, or an error.
type fakeCandles struct {
	mu    sync.Mutex
	err   error
	reads []venues.ReadCandles
}

func (f *fakeCandles) Candles(_ context.Context, q venues.ReadCandles) (list []venues.Candle, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads = append(f.reads, q)
	if f.err != nil {
		return nil, f.err
	}
	length := venues.Timeframes()[q.Timeframe]
	for at := q.From; at.Before(q.To); at = at.Add(length) {
		list = append(list, venues.Candle{
			Symbol: "BTCUSDT", Timeframe: q.Timeframe, Start: at, End: at.Add(length), Open: venues.MustDecimal("64000.50"),
			High: venues.MustDecimal("64001"), Low: venues.MustDecimal("1000.0"), Close: venues.MustDecimal("64000"), Volume: venues.MustDecimal("0.10"),
			Turnover: venues.MustDecimal("6400"), Closed: !at.Add(length).After(time.Now()),
		})
	}
	return list, nil
}

func (f *fakeCandles) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func candleQuery(timeframe string, bounds ...string) url.Values {
	query := url.Values{"exchange": {"okx"}, "symbol": {"BTC-USDT-SWAP"}, "timeframe": {timeframe}}
	for pair := range slices.Chunk(bounds, 2) {
		query.Set(pair[0], pair[1])
	}
	return query
}

// TestPagesOfCandlesAreContiguous reads a period whose bounds are within candles.
func TestPagesOfCandlesAreContiguous(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1")
	key := w.key("cus_1", persistence.ScopeRead)
	for _, c := range []struct {
		timeframe, from, to, first, last string
		count                            int
	}{
		{"1h", "2026-11-01T00:30:00Z", "2026-11-02T01:00:00Z", "2026-11-01T01:00:00.000Z", "2026-11-02T00:00:00.000Z", 24},
		{"1h", "2026-11-01", "2026-11-02T00:00:01Z", "2026-11-01T00:00:00.000Z", "2026-11-02T00:00:00.000Z", 25},
		{"1w", "2026-01-01", "2026-02-01", "2026-01-05T00:00:00.000Z", "2026-01-26T00:00:00.000Z", 4},
		{"1m", "2026-11-01T00:00:01Z", "2026-11-01T00:00:59Z", "", "", 0},
	} {
		for _, limit := range []string{"1", "7", "24", "25", "1500"} {
			starts := w.walk("/v1/candles", key, "start", candleQuery(c.timeframe, "from", c.from, "to", c.to, "limit", limit))
			if len(starts) != c.count || !slices.IsSortedFunc(starts, strings.Compare) || len(slices.Compact(slices.Clone(starts))) != c.count {
				t.Errorf("%s from %s to %s by %s: got %q, want %d", c.timeframe, c.from, c.to, limit, starts, c.count)
			}
			if c.count > 0 && (starts[0] != c.first || starts[len(starts)-1] != c.last) {
				t.Errorf("%s from %s to %s by %s: from %s to %s, want from %s to %s", c.timeframe, c.from, c.to, limit, starts[0], starts[len(starts)-1], c.first, c.last)
			}
		}
	}
}

func TestCandles(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1")
	key := w.key("cus_1", persistence.ScopeRead)
	read := func(query url.Values) page {
		return w.do(http.MethodGet, "/v1/candles?"+query.Encode(), key, "").want(200).page()
	}

	newest := read(candleQuery("1m"))
	if len(newest.Items) != 500 || newest.NextCursor != nil {
		t.Fatalf("%d candles, cursor %v, want the newest 500 on one page", len(newest.Items), newest.NextCursor)
	}
	for n, c := range newest.Items {
		if open := n == 499; c["closed"] == open {
			t.Errorf("candle %d = %v, want only the last one open", n, c)
		}
	}
	want := `map[close:64000 closed:true end:` + newest.Items[1]["start"].(string) + ` high:64001 low:1000 open:64000.5 start:` +
		newest.Items[0]["start"].(string) + ` turnover:6400 volume:0.1]`
	if got := fmt.Sprint(newest.Items[0]); got != want {
		t.Errorf("candle = %s, want %s", got, want)
	}
	if before := read(candleQuery("1d", "to", "2026-11-03", "limit", "2")); len(before.Items) != 2 || before.Items[1]["start"] != "2026-11-02T00:00:00.000Z" || before.NextCursor != nil {
		t.Errorf("page = %v, want the 2 days before November 3 and no further page", before)
	}
	if future := read(candleQuery("1m", "from", time.Now().Add(time.Hour).Format(time.RFC3339))); len(future.Items) != 0 || future.NextCursor != nil {
		t.Errorf("page = %v, want an empty one, the last", future)
	}
	if old := read(candleQuery("1d", "from", "1970-01-02", "limit", "1")); len(old.Items) != 1 || old.Items[0]["start"] != "2017-01-01T00:00:00.000Z" {
		t.Errorf("page = %v, want no request for candles before 2017", old)
	}
}

// The period ends where it ended on the first page, also if candles begin in the meantime.
func TestCandlesPeriodDoesNotMoveBetweenPages(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1")
	key := w.key("cus_1", persistence.ScopeRead)
	query := candleQuery("1m", "from", time.Now().Add(-10*time.Minute).Format(time.RFC3339), "limit", "3")
	first := w.do(http.MethodGet, "/v1/candles?"+query.Encode(), key, "").want(200).page()
	query.Set("cursor", *first.NextCursor)
	query.Set("limit", "1500")
	second := w.do(http.MethodGet, "/v1/candles?"+query.Encode(), key, "").want(200).page()
	if len(first.Items)+len(second.Items) != 10 || second.NextCursor != nil || second.Items[0]["start"] != first.Items[2]["end"] {
		t.Errorf("pages of %d and %d candles, want 10 in all, the second page after the first", len(first.Items), len(second.Items))
	}
	query.Set("timeframe", "3m")
	w.do(http.MethodGet, "/v1/candles?"+query.Encode(), key, "").wantFieldErrors("cursor malformed")
}

func TestErrorsOfCandles(t *testing.T) {
	w := newWorld(t)
	w.customer("cus_1")
	key := w.key("cus_1", persistence.ScopeRead)
	path := "/v1/candles?" + candleQuery("1m").Encode()
	limited := venues.Errorf(venues.CodeRateLimited, "the venue's rate limit is used up").With("scope", venues.LimitOfVenue).With("limit", "weight")
	limited.RetryAfter = 1500 * time.Millisecond
	for _, c := range []struct {
		err    error
		status int
		code   venues.Code
	}{
		{venues.Errorf(venues.CodeNotFound, "okx is not connected").With("exchange", "okx"), 404, venues.CodeNotFound},
		{venues.Errorf(venues.CodeSymbolNotTradable, "no such instrument").With("symbol", "NOPE"), 422, venues.CodeSymbolNotTradable},
		{limited, 429, venues.CodeRateLimited},
		{venues.Errorf(venues.CodeExchangeUnavailable, "okx does not respond"), 502, venues.CodeExchangeUnavailable},
	} {
		w.market.fail(c.err)
		got := w.do(http.MethodGet, path, key, "").want(c.status, c.code)
		if retry := got.header.Get("Retry-After"); c.status == 429 && retry != "2" {
			t.Errorf("Retry-After = %q, want 2", retry)
		}
	}
	w.market.fail(nil)
	w.do(http.MethodGet, path, w.key("cus_1", persistence.ScopeTrade, persistence.ScopeAccount), "").want(403, venues.CodeScopeRequired)
	unknown := w.do(http.MethodGet, "/v1/candles?"+candleQuery("7m").Encode(), key, "").want(400, venues.CodeInvalidRequest)
	if !strings.Contains(string(unknown.body), `"allowed":"1m, 3m, 5m, 15m, 30m, 1h, 2h, 4h, 6h, 12h, 1d, 1w"`) {
		t.Errorf("error = %s, want the allowed timeframes", unknown.body)
	}
}
