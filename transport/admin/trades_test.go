package admin_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"venuegate/transport/registry"
	"venuegate/transport/registrytest"
	"venuegate/venues"
)

func openTrades(t *testing.T) (*fixture, *registrytest.Trades) {
	t.Helper()
	trades := &registrytest.Trades{}
	return open(t, func(o *registry.Options) { o.Trades = trades }), trades
}

func TestTradesAreExported(t *testing.T) {
	h, trades := openTrades(t)
	customer := h.customer("desk")
	price, closed := "64000.5", venues.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	trades.All = []registry.Trade{
		{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: "0.5", EntryPrice: &price, Reason: venues.ClosedManual, ClosedAt: closed, Comment: "a\nb"},
		{Exchange: venues.OKX, Symbol: "ETHUSDT", Side: venues.Short, Qty: "1", ClosedAt: closed},
	}
	a := h.call(http.StatusOK, "GET", "/admin/v1/trades/export?customer="+customer+"&exchange=binance&symbol=BTC-USDT-SWAP&from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z", "")
	lines := strings.SplitAfter(a.text, "\n")
	want := `{"exchange":"binance","symbol":"BTCUSDT","side":"long","qty":"0.5","entryPrice":"64000.5","exitPrice":null,"realizedPnl":null,"fee":null,` +
		`"feeCurrency":null,"reason":"manual","openedAt":null,"closedAt":"2026-03-01T12:00:00.000Z","heldSeconds":null,"comment":"a\nb"}` + "\n"
	if len(lines) != 3 || lines[0] != want {
		t.Errorf("exported %s, want two lines, the first:\n%s", a.text, want)
	}
	q := registry.TradeQuery{
		Customer: customer, Exchange: venues.Binance, Symbol: "BTCUSDT",
		From: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC),
	}
	if len(trades.Queries) != 1 || trades.Queries[0] != q {
		t.Errorf("queries = %+v, want %+v", trades.Queries, q)
	}
}

func TestTradesOfNobodyAreRejected(t *testing.T) {
	h, trades := openTrades(t)
	for _, query := range []string{"", "?customer=", "?customer=cus_1", "?customer=" + h.customer("desk") + "&limit=1", "?customer=" + h.customer("two") + "&exchange=nyse"} {
		h.call(http.StatusBadRequest, "GET", "/admin/v1/trades/export"+query, "")
	}
	if len(trades.Queries) != 0 {
		t.Errorf("queries = %+v, want none", trades.Queries)
	}
}

// An export that fails does not look complete.
func TestTradesThatCannotBeReadAreCutOff(t *testing.T) {
	h, trades := openTrades(t)
	trades.All, trades.Err = []registry.Trade{{Symbol: "BTCUSDT"}}, errors.New("the store is closed")
	response, err := h.client.Do(h.request("GET", "/admin/v1/trades/export?customer="+h.customer("desk"), ""))
	if err == nil {
		defer response.Body.Close()
		_, err = io.ReadAll(response.Body)
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want %v", err, io.ErrUnexpectedEOF)
	}
}
