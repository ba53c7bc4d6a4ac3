package registry_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"venuegate/persistence/storetest"
	"venuegate/transport/registry"
	"venuegate/transport/registrytest"
	"venuegate/venues"
)

// closed returns a trade that was closed a number of minutes after noon.
func closed(symbol string, minute int, pnl, fee, feeCurrency string) registry.Trade {
	t := registry.Trade{
		Exchange: venues.Binance, Symbol: symbol, Side: venues.Long, Qty: "1",
		ClosedAt: venues.At(time.Date(2026, 3, 1, 12, minute, 0, 0, time.UTC)),
	}
	if pnl != "" {
		t.RealizedPnl = &pnl
	}
	if fee != "" {
		t.Fee, t.FeeCurrency = &fee, &feeCurrency
	}
	return t
}

// tradesOf returns the trades of a customer.
func tradesOf(t *testing.T, all *registrytest.Trades) *registry.Trades {
	t.Helper()
	store := storetest.NewMemory()
	t.Cleanup(func() { _ = store.Close() })
	options := registrytest.Options(store, &registrytest.Service{Store: store})
	options.Trades = all
	r := registry.New(options)
	customer := made(r.Customers.Create(t.Context(), registry.NewCustomer{Name: "Alice"})).ID
	return r.For(customer, registry.Author{}).Trades
}

// total formats a total; what is not known is "?".
func total(t registry.TradeTotal) string {
	known := func(text *string) string {
		if text == nil {
			return "?"
		}
		return *text
	}
	return fmt.Sprintf("%s %d %s fees %s", known(t.Currency), t.Trades, known(t.RealizedPnl), known(t.Fees))
}

func TestTradesAreTotalledByCurrency(t *testing.T) {
	for _, test := range []struct {
		name string
		all  []registry.Trade
		want []string
	}{
		{"none", nil, nil},
		{"exact", []registry.Trade{closed("BTCUSDT", 1, "0.1", "0.01", "USDT"), closed("ETHUSDT", 2, "0.2", "0.02", "USDT")}, []string{"USDT 2 0.3 fees 0.03"}},
		{"of two currencies", []registry.Trade{closed("BTCUSDT", 1, "1", "0.1", "USDT"), closed("BTCUSDC", 2, "-5", "0.5", "USDC")}, []string{"USDC 1 -5 fees 0.5", "USDT 1 1 fees 0.1"}},
		{"fees in another currency", []registry.Trade{closed("BTCUSDT", 1, "1", "0.002", "BNB"), closed("BTCUSDT", 2, "1", "0.1", "USDT")}, []string{"BNB 0 0 fees 0.002", "USDT 2 2 fees 0.1"}},
		{"result not known", []registry.Trade{closed("BTCUSDT", 1, "1", "0.1", "USDT"), closed("BTCUSDT", 2, "", "0.1", "USDT")}, []string{"USDT 2 ? fees 0.2"}},
		{"fee not known", []registry.Trade{closed("BTCUSDT", 1, "1", "", ""), closed("BTCUSDT", 2, "1", "0.1", "USDT")}, []string{"USDT 2 2 fees ?"}},
		{"a future", []registry.Trade{closed("BTCUSDT-261225", 1, "1", "0.1", "USDT")}, []string{"USDT 1 1 fees 0.1"}},
		{"of no known currency", []registry.Trade{closed("BTCEUR", 1, "1", "", "")}, []string{"? 1 1 fees ?"}},
		{"beyond the digits of orders", []registry.Trade{closed("BTCUSDT", 1, "0.0000000000000000000001", "0", "USDT")}, []string{"USDT 1 0.0000000000000000000001 fees 0"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			trades := tradesOf(t, &registrytest.Trades{All: test.all})
			page := made(trades.List(t.Context(), registry.TradeQuery{}, registry.PageRequest{Limit: 1}))
			var got []string
			for _, one := range page.Totals {
				got = append(got, total(one))
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("totals = %q, want %q", got, test.want)
			}
		})
	}
}

// A reader has the trades in the order of their opening; a list is in that of their closing. Its
// pages do not repeat or lose a trade, though others are closed meanwhile.
func TestTradesArePagedByTheirClosing(t *testing.T) {
	all := &registrytest.Trades{}
	for _, minute := range []int{3, 1, 5, 2, 4} {
		all.All = append(all.All, closed("BTCUSDT", minute, "1", "0", "USDT"))
	}
	all.All = append(all.All, closed("ETHUSDT", 3, "1", "0", "USDT"))
	trades := tradesOf(t, all)
	var got []string
	next := registry.PageRequest{Limit: 2}
	for {
		page := made(trades.List(t.Context(), registry.TradeQuery{}, next))
		for _, one := range page.Items {
			got = append(got, fmt.Sprintf("%s %d", one.Symbol, one.ClosedAt.Minute()))
		}
		if page.NextCursor == nil {
			break
		}
		next.Cursor = *page.NextCursor
		all.All = append(all.All, closed("BTCUSDT", 10+len(got), "1", "0", "USDT"))
	}
	want := []string{"BTCUSDT 5", "BTCUSDT 4", "BTCUSDT 3", "ETHUSDT 3", "BTCUSDT 2", "BTCUSDT 1"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("trades = %q, want %q", got, want)
	}
}

func TestTradeListsAreChecked(t *testing.T) {
	trades := tradesOf(t, &registrytest.Trades{})
	for name, page := range map[string]registry.PageRequest{"limit": {Limit: registry.PageMax + 1}, "cursor": {Cursor: "x"}} {
		if _, err := trades.List(t.Context(), registry.TradeQuery{}, page); venues.CodeOf(err) != venues.CodeInvalidRequest {
			t.Errorf("%s: error %v, want %s", name, err, venues.CodeInvalidRequest)
		}
	}
	if page := made(trades.List(t.Context(), registry.TradeQuery{}, registry.PageRequest{})); page.Items == nil || page.NextCursor != nil {
		t.Errorf("page = %+v, want no trades and no other page", page)
	}
}
