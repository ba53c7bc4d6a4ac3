package risk_test

import (
	"testing"

	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

// openBuy returns an order with a change.
func openBuy(change func(o *persistence.OrderRecord)) risk.Order {
	o := &persistence.OrderRecord{Order: venues.Order{OrderSpec: *buy("1"), Status: venues.StatusOpen}}
	change(o)
	return risk.Order{OrderRecord: o}
}

// ruleOf returns the rule of a rejection, nil if there is none.
func ruleOf(err *venues.Error) any {
	if err == nil {
		return nil
	}
	return err.Details["rule"]
}

func TestOnlyOrdersThatMayAddToThePositionCount(t *testing.T) {
	for name, c := range map[string]struct {
		change func(o *persistence.OrderRecord)
		rule   any
	}{
		"of the same side":  {func(*persistence.OrderRecord) {}, venues.RuleMaxPosition},
		"of another symbol": {func(o *persistence.OrderRecord) { o.Symbol = "ETHUSDT" }, nil},
		"of the other side": {func(o *persistence.OrderRecord) { o.Side = venues.Sell }, nil},
		"reduce-only":       {func(o *persistence.OrderRecord) { o.ReduceOnly = true }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			live := openBuy(c.change)
			filled := openBuy(c.change)
			filled.Status, filled.FilledQty = venues.StatusFilled, filled.Qty
			for state, orders := range map[string][2][]risk.Order{"live": {{live}, nil}, "not recorded": {nil, {filled}}} {
				a, s := newState(persistence.RiskLimits{})
				a.live, a.closed = orders[0], orders[1]
				if got := ruleOf(s.AdmitPosition(a, &venues.PlaceOrder{OrderSpec: *buy("1"), MaxPosition: some("1")})); got != c.rule {
					t.Errorf("1 more beside one that is %s, with a limit of 1: rule = %v, want %v", state, got, c.rule)
				}
			}
		})
	}
	a, s := newState(persistence.RiskLimits{})
	a.live = []risk.Order{openBuy(func(o *persistence.OrderRecord) { o.Status = venues.StatusCancelled })}
	if got := ruleOf(s.AdmitPosition(a, &venues.PlaceOrder{OrderSpec: *buy("1"), MaxPosition: some("1")})); got != nil {
		t.Errorf("1 more beside a cancelled one, with a limit of 1: rule = %v, want none", got)
	}
}

func TestLegsExitsAndClosedOrdersAreNoOpenOrders(t *testing.T) {
	for name, c := range map[string]struct {
		change func(o *persistence.OrderRecord)
		rule   any
	}{
		"open":      {func(*persistence.OrderRecord) {}, risk.RuleMaxOpenOrders},
		"cancelled": {func(o *persistence.OrderRecord) { o.Status = venues.StatusCancelled }, nil},
		"a leg":     {func(o *persistence.OrderRecord) { o.EntryOrderID = "ord_1" }, nil},
		"an exit":   {func(o *persistence.OrderRecord) { o.Source = venues.SourceProtection }, nil},
	} {
		a, s := newState(persistence.RiskLimits{MaxOpenOrders: 1})
		a.live = []risk.Order{openBuy(c.change)}
		if got := ruleOf(s.Admit(a, buy("1"), venues.Optional{})); got != c.rule {
			t.Errorf("an order beside one that is %s: rule = %v, want %v", name, got, c.rule)
		}
	}
}

// An order is valued at its price, or else at the mark price, or else at its trigger price.
func TestPriceOfTheNotional(t *testing.T) {
	for name, c := range map[string]struct{ price, mark, trigger venues.Optional }{
		"price":         {price: some("100"), mark: some("101"), trigger: some("101")},
		"mark price":    {mark: some("100"), trigger: some("101")},
		"trigger price": {trigger: some("100")},
	} {
		for limit, want := range map[string]any{"100": nil, "99.9": risk.RuleMaxNotional} {
			a, s := newState(persistence.RiskLimits{MaxOrderNotional: some(limit)})
			spec := buy("1")
			spec.Price, spec.TriggerPrice = c.price, c.trigger
			if got := ruleOf(s.Admit(a, spec, c.mark)); got != want {
				t.Errorf("%s of 100 with a limit of %s: rule = %v, want %v", name, limit, got, want)
			}
		}
	}
}
