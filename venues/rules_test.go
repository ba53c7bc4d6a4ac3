package venues_test

import (
	"testing"

	"venuegate/venues"
)

func testInstrument() *venues.Instrument {
	return &venues.Instrument{
		Symbol: "BTCUSDT", Exchange: venues.Binance, Status: venues.InstrumentTrading,
		TickSize: venues.MustDecimal("0.10"), QtyStep: venues.MustDecimal("0.001"), MinQty: venues.MustDecimal("0.001"),
		MaxQty: some("1000"), MaxMarketQty: some("120"), MinNotional: some("100"), MinPrice: some("556.8"), MaxPrice: some("4529764"),
	}
}

func some(text string) venues.Optional { return venues.Some(venues.MustDecimal(text)) }

func TestCheckOrderNamesTheNearestValidValues(t *testing.T) {
	limit := func(qty, price string) venues.OrderSpec {
		return venues.OrderSpec{Type: venues.TypeLimit, Side: venues.Buy, Qty: venues.MustDecimal(qty), Price: some(price)}
	}
	market := venues.OrderSpec{Type: venues.TypeMarket, Side: venues.Buy, Qty: venues.MustDecimal("200")}
	protected := limit("1", "60000")
	protected.StopLoss = some("59000.05")
	reducing := limit("0.001", "60000")
	reducing.ReduceOnly = true
	for name, c := range map[string]struct {
		spec                 venues.OrderSpec
		field, rule, allowed string
	}{
		"fine":              {limit("0.002", "60000"), "", "", ""},
		"small but reduces": {reducing, "", "", ""},
		"off tick":          {limit("1", "60000.05"), "price", "not_a_multiple_of_tick", "60000 or 60000.1"},
		"off step":          {limit("1.0005", "60000"), "qty", "not_a_multiple_of_step", "1 or 1.001"},
		"too small":         {limit("0.0001", "60000"), "qty", "below_minimum", "0.001"},
		"zero":              {limit("0", "60000"), "qty", "below_minimum", "0.001"},
		"negative price":    {limit("1", "-1"), "price", "not_positive", "0.1"},
		"too cheap":         {limit("1", "500"), "price", "below_minimum", "556.8"},
		"too expensive":     {limit("1", "5000000"), "price", "above_maximum", "4529764"},
		"too large":         {limit("1001", "60000"), "qty", "above_maximum", "1000"},
		"large for market":  {market, "qty", "above_maximum", "120"},
		"low notional":      {limit("0.001", "60000"), "qty", "below_minimum_notional", "at least 0.002 (notional 100)"},
		"stop off tick":     {protected, "stopLoss", "not_a_multiple_of_tick", "59000 or 59000.1"},
	} {
		t.Run(name, func(t *testing.T) {
			err := testInstrument().CheckOrder(&c.spec, some("60000"))
			if c.field == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil {
				t.Fatalf("no error, want %s %s", c.field, c.rule)
			}
			got := err.Details["fields"].([]venues.FieldError)[0]
			if got.Field != c.field || got.Rule != c.rule || got.Allowed != c.allowed {
				t.Fatalf("field error = %+v, want %s %s, allowed %s", got, c.field, c.rule, c.allowed)
			}
		})
	}
}

func TestOnlyTradingAcceptsOpeningOrders(t *testing.T) {
	for _, status := range []venues.InstrumentStatus{
		venues.InstrumentPreOpen, venues.InstrumentRestricted, venues.InstrumentHalted, venues.InstrumentSettling, venues.InstrumentClosed,
	} {
		i := testInstrument()
		i.Status = status
		spec := venues.OrderSpec{Type: venues.TypeMarket, Qty: venues.MustDecimal("1")}
		if err := i.CheckOrder(&spec, venues.Optional{}); err == nil || err.Code != venues.CodeSymbolNotTradable {
			t.Errorf("%s: error %v, want %s", status, err, venues.CodeSymbolNotTradable)
		}
		spec.ReduceOnly = true
		if err := i.CheckOrder(&spec, venues.Optional{}); (err == nil) != (status == venues.InstrumentRestricted) {
			t.Errorf("%s, reduce-only: error %v, want one unless restricted", status, err)
		}
	}
}
