package binance

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

func recordedInfo(t *testing.T, name string) ([]byte, exchangeInfo) {
	t.Helper()
	data := fixture(t, name)
	data = data[bytes.IndexByte(data, '{'):] // a log line begins with the address
	var first json.RawMessage                // and more lines follow
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&first); err != nil {
		t.Fatal(err)
	}
	data = first
	var info exchangeInfo
	if err := json.Unmarshal(data, &info); err != nil {
		t.Fatal(err)
	}
	return data, info
}

// Every recorded instrument is decoded, and every number of its filters is exact.
func TestRecordedInstruments(t *testing.T) {
	for name, count := range map[string]int{"exchangeInfo.real.json": 25, "exchangeInfo_2021.real.log": 0} {
		t.Run(name, func(t *testing.T) {
			data, info := recordedInfo(t, name)
			if len(info.Symbols) == 0 || count > 0 && len(info.Symbols) != count {
				t.Fatalf("%d symbols, want %d", len(info.Symbols), count)
			}
			var raw struct {
				Symbols []struct {
					Symbol  string
					Filters []map[string]any
				}
			}
			if err := json.Unmarshal(data, &raw); err != nil {
				t.Fatal(err)
			}
			c := New(Sim("http://127.0.0.1:1", "ws://127.0.0.1:1"))
			for n := range info.Symbols {
				i, err := info.Symbols[n].instrument(time.Now())
				if err != nil {
					t.Errorf("info.Symbols[n].Symbol = %s, err = %v, want no error", info.Symbols[n].Symbol, err)
					continue
				}
				if got := c.venueSymbol(i.Symbol); got != raw.Symbols[n].Symbol {
					t.Errorf("%s becomes %s, and back %s, want the first", raw.Symbols[n].Symbol, i.Symbol, got)
				}
				checkFilters(t, &i, raw.Symbols[n].Filters)
				checkScale(t, &i)
			}
		})
	}
}

func checkFilters(t *testing.T, i *venues.Instrument, filters []map[string]any) {
	t.Helper()
	check := func(what string, got venues.Optional, raw any) {
		text, _ := raw.(string)
		want := dec(text)
		if text == "" {
			want = venues.Optional{}
		}
		if !venues.EqualOptional(got, venues.SomePositive(want.Decimal)) {
			t.Errorf("%s: %s = %v, want %v", i.VenueSymbol, what, got, raw)
		}
	}
	for _, f := range filters {
		switch f["filterType"] {
		case "PRICE_FILTER":
			check("tick", venues.Some(i.TickSize), f["tickSize"])
			check("minimum price", i.MinPrice, f["minPrice"])
			check("maximum price", i.MaxPrice, f["maxPrice"])
		case "LOT_SIZE":
			check("step", venues.Some(i.QtyStep), f["stepSize"])
			check("minimum quantity", venues.Some(i.MinQty), f["minQty"])
			check("maximum quantity", i.MaxQty, f["maxQty"])
		case "MARKET_LOT_SIZE":
			check("maximum market quantity", i.MaxMarketQty, f["maxQty"])
		case "MIN_NOTIONAL":
			check("minimum notional", i.MinNotional, f["notional"])
		}
	}
}

// checkScale checks that the smallest and largest numbers of an instrument can be
// converted to fixed point and back.
func checkScale(t *testing.T, i *venues.Instrument) {
	t.Helper()
	s := i.Scale()
	for _, text := range []string{venues.FormatDecimal(i.TickSize), venues.FormatDecimal(i.MaxPrice.Decimal.Sub(i.MaxPrice.Decimal.Mod(i.TickSize)))} {
		n, err := payload.Fixed(dec(text).Decimal, s.PriceDecimals)
		if err != nil || !s.Price(n).Equal(dec(text).Decimal) {
			t.Errorf("%s: price %s becomes %d, error %v, want the same number", i.Symbol, text, n, err)
		}
	}
	for _, text := range []string{venues.FormatDecimal(i.QtyStep), venues.FormatDecimal(i.MaxQty.Decimal)} {
		n, err := payload.Fixed(dec(text).Decimal, s.QtyDecimals)
		if err != nil || !s.Qty(n).Equal(dec(text).Decimal) {
			t.Errorf("%s: quantity %s becomes %d, error %v, want the same number", i.Symbol, text, n, err)
		}
	}
}

func TestRecordedInstrumentEnums(t *testing.T) {
	_, info := recordedInfo(t, "exchangeInfo.real.json")
	kinds, statuses := map[venues.Kind]int{}, map[venues.InstrumentStatus]int{}
	for n := range info.Symbols {
		i, err := info.Symbols[n].instrument(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		kinds[i.Kind]++
		statuses[i.Status]++
		if i.Status == venues.InstrumentHalted {
			t.Errorf("%s: the status %q is not known", i.VenueSymbol, info.Symbols[n].Status)
		}
		if i.Symbol == "BTCUSDT" && (!i.TickSize.Equal(venues.MustDecimal("0.1")) || !venues.EqualOptional(i.MinNotional, dec("100"))) {
			t.Errorf("BTCUSDT: tick %v, minimum notional %v, want 0.1 and 100", i.TickSize, i.MinNotional)
		}
	}
	if kinds[venues.KindFuture] == 0 || kinds[venues.KindPerpetual] == 0 || statuses[venues.InstrumentSettling] == 0 {
		t.Errorf("kinds %v, statuses %v, want futures, perpetuals and a settling one", kinds, statuses)
	}
}

func TestInstrumentWithoutRules(t *testing.T) {
	for name, text := range map[string]string{
		"no filters":     `{"symbol":"BTCUSDT"}`,
		"no lot size":    `{"symbol":"BTCUSDT","filters":[{"filterType":"PRICE_FILTER","tickSize":"0.1"}]}`,
		"tick zero":      `{"symbol":"BTCUSDT","filters":[{"filterType":"PRICE_FILTER","tickSize":"0"},{"filterType":"LOT_SIZE","stepSize":"1","minQty":"1"}]}`,
		"no symbol":      `{"symbol":""}`,
		"symbol of tags": `{"symbol":"<b>"}`,
	} {
		var r symbolRecord
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		if _, err := r.instrument(time.Now()); err == nil {
			t.Errorf("%s: no error, want one", name)
		}
	}
	var r symbolRecord
	if json.Unmarshal([]byte(`{"symbol":"X","filters":[{"tickSize":"1e-3"}]}`), &r) == nil {
		t.Error("tick size with an exponent: no error")
	}
}
