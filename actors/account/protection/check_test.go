package protection_test

import (
	"testing"

	"venuegate/actors/account/protection"
	"venuegate/venues"
)

func TestCheckPrices(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*venues.OrderSpec)
		mark   string
		field  string
		rule   string
	}{
		"on both sides":               {change: func(*venues.OrderSpec) {}},
		"stop loss at the price":      {change: func(s *venues.OrderSpec) { s.StopLoss = s.Price }, field: "stopLoss", rule: "wrong_side"},
		"take profit below the price": {change: func(s *venues.OrderSpec) { s.TakeProfit = some("59000") }, field: "takeProfit", rule: "wrong_side"},
		"of a sale":                   {change: func(s *venues.OrderSpec) { s.Side = venues.Sell }, field: "takeProfit", rule: "wrong_side"},
		"of a market order":           {change: func(s *venues.OrderSpec) { s.Price = venues.Optional{} }, mark: "57000", field: "stopLoss", rule: "wrong_side"},
		"without a price":             {change: func(s *venues.OrderSpec) { s.Price = venues.Optional{} }},
		"of a stop order":             {change: func(s *venues.OrderSpec) { s.Price, s.TriggerPrice = venues.Optional{}, some("66000") }, field: "takeProfit", rule: "wrong_side"},
		"of a reduce-only order":      {change: func(s *venues.OrderSpec) { s.ReduceOnly = true }, field: "stopLoss", rule: "not_applicable"},
		"take profit, reduce-only":    {change: func(s *venues.OrderSpec) { s.ReduceOnly, s.StopLoss = true, venues.Optional{} }, field: "takeProfit", rule: "not_applicable"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := protectedOrder()
			c.change(&spec)
			var mark venues.Optional
			if c.mark != "" {
				mark = some(c.mark)
			}
			err := protection.CheckPrices(&spec, mark)
			if c.rule == "" {
				if err != nil {
					t.Fatalf("CheckPrices = %v, want no error", err)
				}
				return
			}
			if got := firstFieldError(t, err); got.Field != c.field || got.Rule != c.rule {
				t.Errorf("field error = %s %s, want %s %s", got.Field, got.Rule, c.field, c.rule)
			}
		})
	}
}

func TestCheckLegQty(t *testing.T) {
	i := &venues.Instrument{MaxMarketQty: some("0.5")}
	spec := protectedOrder()
	if got := firstFieldError(t, protection.CheckLegQty(i, &spec, false)); got.Field != "qty" || got.Rule != "above_maximum" {
		t.Errorf("field error = %s %s, want qty above_maximum", got.Field, got.Rule)
	}
	if err := protection.CheckLegQty(i, &spec, true); err != nil {
		t.Errorf("CheckLegQty of attached legs = %v, want no error", err)
	}
	spec.StopLoss, spec.TakeProfit = venues.Optional{}, venues.Optional{}
	if err := protection.CheckLegQty(i, &spec, false); err != nil {
		t.Errorf("CheckLegQty without legs = %v, want no error", err)
	}
}

func TestPlan(t *testing.T) {
	spec := protectedOrder()
	spec.TakeProfit = venues.Optional{}
	got := protection.Plan(&spec)
	if got.TakeProfit != nil || got.StopLoss.Status != venues.ProtectionPending || !got.StopLoss.Price.Equal(dec("58000")) {
		t.Errorf("Plan = %+v, want a pending stop loss at 58000", got)
	}
	spec.StopLoss = venues.Optional{}
	if got := protection.Plan(&spec); got != nil {
		t.Errorf("Plan = %+v, want nil", got)
	}
}
