package okx

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// recordedInstruments returns the linear instruments of every recorded list, and some other
// shapes that the venue has used since.
func recordedInstruments(t testing.TB) []*instrument {
	t.Helper()
	var all []*instrument
	for _, name := range []string{"rest_instruments_swap_2022_real_trimmed20.json"} {
		for _, row := range dataOf[instrumentRecord](t, fixture(t, name)) {
			if !row.isSupported() {
				continue
			}
			k, err := row.instrument(time.Now())
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, k)
		}
	}
	return append(all,
		btcSwap(t),
		instrumentOf(t, "ETH-USDT-SWAP", "0.1", "0.01", "0.01"),
		instrumentOf(t, "DOGE-USDT-SWAP", "1000", "0.00001", "0.01"),
		instrumentOf(t, "PEPE-USDT-SWAP", "10000000", "0.000000001", "0.1"),
		instrumentOf(t, "ODD-USDT-SWAP", "0.5", "0.001", "2"),
		instrumentOf(t, "HALF-USDT-SWAP", "0.1", "0.001", "0.5"),
		instrumentOf(t, "LTC-USDT-SWAP", "0.001", "0.01", "1"),
	)
}

func TestRecordedInstruments(t *testing.T) {
	rows := dataOf[instrumentRecord](t, fixture(t, "rest_instruments_swap_2022_real_trimmed20.json"))
	linear := 0
	for _, row := range rows {
		if row.isSupported() {
			linear++
		}
	}
	if len(rows) != 20 || linear == 0 {
		t.Fatalf("%d rows, %d linear, want 20 rows and some linear", len(rows), linear)
	}
	k, err := rows[0].instrument(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	i := k.Instrument
	for _, check := range []struct {
		field, got, want string
	}{
		{"symbol", i.Symbol, "BTCUSDT"},
		{"size", i.ContractSize.String(), "0.01"},
		{"step", i.QtyStep.String(), "0.01"},
		{"minimum", i.MinQty.String(), "0.01"},
		{"tick", i.TickSize.String(), "0.1"},
		{"maximum", i.MaxQty.Decimal.String(), "1000000"},
		{"maximum of market orders", i.MaxMarketQty.Decimal.String(), "16"},
		{"leverage", i.MaxLeverage.Decimal.String(), "125"},
		{"base", i.BaseCurrency, "BTC"},
		{"quote", i.QuoteCurrency, "USDT"},
		{"settle", i.SettleCurrency, "USDT"},
		{"status", string(i.Status), "trading"},
		{"kind", string(i.Kind), "perpetual"},
		{"name", i.VenueSymbol, "BTC-USDT-SWAP"},
	} {
		if check.got != check.want {
			t.Errorf("%s is %s, want %s", check.field, check.got, check.want)
		}
	}
	for _, row := range dataOf[instrumentRecord](t, fixture(t, "rest_instruments_spot_real_roq.json")) {
		if row.isSupported() {
			t.Errorf("spot instrument %s is supported, want only linear contracts", row.InstID)
		}
	}
}

func TestBrokenInstruments(t *testing.T) {
	good := instrumentRecord{
		InstType: instTypeFutures, InstID: "BTC-USDT-260925", CtType: "linear", CtVal: payload.Number{Optional: dec("0.01")}, CtValCcy: "BTC", SettleCcy: "USDT",
		TickSz: payload.Number{Optional: dec("0.1")}, LotSz: payload.Number{Optional: dec("1")}, MinSz: payload.Number{Optional: dec("1")}, State: "live",
	}
	k, err := good.instrument(time.Now())
	if err != nil || k.Symbol != "BTCUSDT-260925" || k.Kind != venues.KindFuture || k.QuoteCurrency != "USDT" {
		t.Fatalf("k = %+v, err = %v, want the future BTCUSDT-260925, quoted in USDT", k, err)
	}
	for name, spoil := range map[string]func(*instrumentRecord){
		"no size":      func(r *instrumentRecord) { r.CtVal = payload.Number{} },
		"zero factor":  func(r *instrumentRecord) { r.CtMult = payload.Number{Optional: dec("0")} },
		"no tick":      func(r *instrumentRecord) { r.TickSz = payload.Number{} },
		"negative lot": func(r *instrumentRecord) { r.LotSz = payload.Number{Optional: dec("-1")} },
		"no minimum":   func(r *instrumentRecord) { r.MinSz = payload.Number{} },
		"no name":      func(r *instrumentRecord) { r.InstID = "-" },
	} {
		bad := good
		spoil(&bad)
		if k, err := bad.instrument(time.Now()); err == nil {
			t.Errorf("%s: k = %+v, want an error", name, k)
		}
	}
}

// No quantity is altered on its way to the venue and back. A rejected quantity is
// rejected with valid neighbours.
func TestQuantitiesAreNeverAltered(t *testing.T) {
	for _, k := range recordedInstruments(t) {
		t.Run(k.VenueSymbol, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				steps := rapid.Int64Range(1, 1_000_000_000).Draw(t, "steps")
				base := k.QtyStep.Mul(decimal.New(steps, 0))
				if base.LessThan(k.MinQty) {
					return
				}
				text, err := k.toContracts(base)
				if err != nil {
					t.Fatalf("%s rejected: %v, want no error", base, err)
				}
				there, err := venues.ParseVenueDecimal(text)
				if err != nil {
					t.Fatal(err)
				}
				if back := k.toBase(there); !back.Equal(base) {
					t.Fatalf("%s became %s contracts and then %s, want the first", base, text, back)
				}
				if !venues.IsMultiple(there, k.lot) {
					t.Fatalf("%s contracts, want a multiple of the lot %s", text, k.lot)
				}
				off := base.Add(k.QtyStep.Mul(decimal.New(rapid.Int64Range(1, 999).Draw(t, "off"), -3)))
				_, err = k.toContracts(off)
				checkNeighbours(t, k, off, err)
			})
		})
	}
}

func checkNeighbours(t *rapid.T, k *instrument, off decimal.Decimal, err error) {
	if venues.CodeOf(err) != venues.CodeInvalidRequest {
		t.Fatalf("off = %s, err = %v, want invalid_request", off, err)
	}
	fieldErrors := fieldErrorsOf(err)
	if len(fieldErrors) != 1 {
		t.Fatalf("fieldErrors = %+v, want one", fieldErrors)
	}
	for neighbour := range strings.SplitSeq(fieldErrors[0].Allowed, " or ") {
		value := venues.MustDecimal(neighbour)
		if value.Sub(off).Abs().GreaterThanOrEqual(k.QtyStep) {
			t.Fatalf("neighbour %s, want one of %s", neighbour, off)
		}
		if _, err := k.toContracts(value); err != nil {
			t.Fatalf("neighbour %s: %v, want no error", neighbour, err)
		}
	}
}

func fieldErrorsOf(err error) []venues.FieldError {
	e, ok := errors.AsType[*venues.Error](err)
	if !ok {
		return nil
	}
	fieldErrors, _ := e.Details["fields"].([]venues.FieldError)
	return fieldErrors
}

func TestQuantityBelowMinimum(t *testing.T) {
	k := btcSwap(t)
	_, err := k.toContracts(venues.MustDecimal("0.00005"))
	fieldErrors := fieldErrorsOf(err)
	if len(fieldErrors) != 1 || fieldErrors[0].Rule != "below_minimum" || fieldErrors[0].Allowed != "0.0001" {
		t.Errorf("fieldErrors = %+v, want below_minimum with 0.0001 allowed", fieldErrors)
	}
}

// A quantity in fixed-point numbers equals the decimal one, or there is none.
func TestQtyRatioIsExact(t *testing.T) {
	for _, k := range recordedInstruments(t) {
		if k.ratio.div == 0 {
			t.Fatalf("%s has no ratio, want one", k.VenueSymbol)
		}
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.Int64Min(0).Draw(t, "contracts")
			got, ok := k.ratio.qty(n)
			want, err := payload.Fixed(k.toBase(decimal.New(n, int32(-k.ratio.decimals))), k.scale.QtyDecimals)
			if ok && (err != nil || got != want) {
				t.Fatalf("%s: %d is %d, want %d %v", k.VenueSymbol, n, got, want, err)
			}
		})
		lot, err := payload.Fixed(k.lot, k.ratio.decimals)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := k.ratio.qty(7 * lot); !ok || !k.scale.Qty(got).Equal(k.QtyStep.Mul(decimal.New(7, 0))) {
			t.Errorf("%s: seven lots are %d %v, want seven quantity steps", k.VenueSymbol, got, ok)
		}
	}
}

func TestSymbols(t *testing.T) {
	for name, want := range map[string]bool{
		"BTC-USDT-SWAP": true, "BTC-USDC-SWAP": true, "BTC-USDT-260925": true,
		"BTC-USD-SWAP": false, "BTC-USDT": false, "BTC-USD-260925-100000-C": false,
	} {
		if got, err := isSupportedName(name); got != want || err != nil {
			t.Errorf("isSupportedName(%q) = %v, %v; want %v, nil", name, got, err, want)
		}
	}
	if supported, err := isSupportedName(""); supported || err == nil {
		t.Errorf("isSupportedName(\"\") = %v, %v; want false and an error", supported, err)
	}
	c := New(Sim("http://x", "ws://x"))
	for symbol, want := range map[string]string{
		"BTCUSDT": "BTC-USDT-SWAP", "BTCUSDC": "BTC-USDC-SWAP", "BTCUSDT-260925": "BTC-USDT-260925",
	} {
		channel := venues.FeedTopic{Kind: venues.FeedBook, Symbol: symbol}
		if got := c.topicOf(channel); got.InstID != want || got.Channel != "books" {
			t.Errorf("%s is %+v, want channel books of %s", symbol, got, want)
		}
	}
}

func TestInstrumentStatus(t *testing.T) {
	for state, want := range map[string]venues.InstrumentStatus{
		"live": venues.InstrumentTrading, "post_only": venues.InstrumentRestricted, "preopen": venues.InstrumentPreOpen,
		"settling": venues.InstrumentSettling, "expired": venues.InstrumentClosed, "suspend": venues.InstrumentHalted,
		"rebase": venues.InstrumentHalted, "test": venues.InstrumentHalted, "what": venues.InstrumentHalted,
	} {
		if got := instrumentStatus(state); got != want {
			t.Errorf("%s is %s, want %s", state, got, want)
		}
	}
}
