package risk_test

import (
	"testing"
	"time"

	"venuegate/actors/account/position"
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

// admits returns the first rejection by the limits of the account.
func admits(s *risk.State, a risk.Account, spec *venues.OrderSpec, mark venues.Optional) *venues.Error {
	var first *venues.Error
	s.Admit(a, spec, mark, keepFirst(&first))
	return first
}

// admitsPosition returns the first rejection by the limits of the channel.
func admitsPosition(s *risk.State, a risk.Account, cmd *venues.PlaceOrder) *venues.Error {
	var first *venues.Error
	s.AdmitPosition(a, cmd, keepFirst(&first))
	return first
}

func keepFirst(first **venues.Error) func(venues.RuleCheck) {
	return func(r venues.RuleCheck) {
		if *first == nil {
			*first = r.Rejection
		}
	}
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
				if got := ruleOf(admitsPosition(s, a, &venues.PlaceOrder{OrderSpec: *buy("1"), MaxPosition: some("1")})); got != c.rule {
					t.Errorf("1 more beside one that is %s, with a limit of 1: rule = %v, want %v", state, got, c.rule)
				}
			}
		})
	}
	a, s := newState(persistence.RiskLimits{})
	a.live = []risk.Order{openBuy(func(o *persistence.OrderRecord) { o.Status = venues.StatusCancelled })}
	if got := ruleOf(admitsPosition(s, a, &venues.PlaceOrder{OrderSpec: *buy("1"), MaxPosition: some("1")})); got != nil {
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
		if got := ruleOf(admits(s, a, buy("1"), venues.Optional{})); got != c.rule {
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
			if got := ruleOf(admits(s, a, spec, c.mark)); got != want {
				t.Errorf("%s of 100 with a limit of %s: rule = %v, want %v", name, limit, got, want)
			}
		}
	}
}

// newLongState returns a State whose executions and list have a long position of 4.
func newLongState(limits persistence.RiskLimits) (*fakeAccount, *risk.State, *position.State) {
	a := &fakeAccount{now: noon, prices: map[string]string{}}
	positions := position.NewState("c1", venues.Binance)
	qty := venues.MustDecimal("4")
	positions.Add(holder{now: noon}, "BTCUSDT", position.Execution{
		Key: position.Key{At: noon, Trade: "1/1"}, Side: venues.Buy, Qty: qty, Price: venues.MustDecimal("100"), KnownAt: noon,
	})
	positions.Update(holder{now: noon}, []venues.Position{{Symbol: "BTCUSDT", Side: venues.Long, Qty: qty}}, noon)
	s := risk.NewState("c1", venues.Binance, 5*time.Second, positions)
	s.Restore(&persistence.VenueAccount{Limits: limits}, persistence.RiskRecord{}, risk.NewDay(noon))
	return a, s, positions
}

func sell(qty string) *venues.OrderSpec {
	spec := buy(qty)
	spec.Side = venues.Sell
	return spec
}

// An order of the other side reduces up to what the other live orders of its side leave of the
// position; in hedge mode none does.
func TestReducingOrders(t *testing.T) {
	for name, c := range map[string]struct {
		order   *venues.OrderSpec
		resting string // the quantity of another sell
		hedged  bool
		want    bool
	}{
		"the whole position":     {order: sell("4"), want: true},
		"more than the position": {order: sell("4.1")},
		"the same side":          {order: buy("1")},
		"all that is left":       {order: sell("3"), resting: "1", want: true},
		"more than is left":      {order: sell("3.1"), resting: "1"},
		"in hedge mode":          {order: sell("4"), hedged: true},
	} {
		t.Run(name, func(t *testing.T) {
			a, s, positions := newLongState(persistence.RiskLimits{})
			positions.HedgeMode = c.hedged
			if c.resting != "" {
				a.live = []risk.Order{openBuy(func(o *persistence.OrderRecord) { o.OrderSpec = *sell(c.resting) })}
			}
			if got := s.Reduces(a, c.order, nil); got != c.want {
				t.Errorf("reduces = %t, want %t", got, c.want)
			}
			if c.resting == "" {
				return
			}
			if own := a.live[0].OrderRecord; !s.Reduces(a, sell("4"), own) {
				t.Error("the resting order with the whole position does not reduce, want it not to count beside itself")
			}
		})
	}
}

// An amend that increases is checked like a new order, any other is admitted.
func TestLimitsOfAnAmend(t *testing.T) {
	for name, c := range map[string]struct {
		amended *venues.OrderSpec
		halted  bool
		want    venues.Code
	}{
		"to more":                             {amended: buy("1.5")},
		"to more than the limit":              {amended: buy("2.1"), want: venues.CodeRiskRejected},
		"to more of a halted account":         {amended: buy("1.5"), halted: true, want: venues.CodeTradingLocked},
		"to less of a halted account":         {amended: buy("0.5"), halted: true},
		"to an exit of a halted account":      {amended: sell("4"), halted: true},
		"to a position of a halted account":   {amended: sell("5"), halted: true, want: venues.CodeTradingLocked},
		"to an exit of more than the limit":   {amended: sell("4")},
		"to a position larger than the limit": {amended: sell("5"), want: venues.CodeRiskRejected},
	} {
		t.Run(name, func(t *testing.T) {
			a, s, _ := newLongState(persistence.RiskLimits{MaxOrderNotional: some("200")})
			s.Halted = c.halted
			order := openBuy(func(o *persistence.OrderRecord) { o.Side = c.amended.Side })
			a.live = []risk.Order{order}
			var got venues.Code
			if err := s.AdmitAmend(a, order.OrderRecord, c.amended, venues.Optional{}); err != nil {
				got = err.Code
			}
			if got != c.want {
				t.Errorf("code = %q, want %q", got, c.want)
			}
		})
	}
}

func TestOrderAgainstAnOpenPosition(t *testing.T) {
	for name, c := range map[string]struct {
		order  *venues.OrderSpec
		reject bool
		rule   any
	}{
		"of the other side": {sell("1"), true, venues.RuleOpposite},
		"that is accepted":  {sell("1"), false, nil},
		"of the same side":  {buy("1"), true, nil},
	} {
		a, s, _ := newLongState(persistence.RiskLimits{})
		if got := ruleOf(admitsPosition(s, a, &venues.PlaceOrder{OrderSpec: *c.order, RejectOpposite: c.reject})); got != c.rule {
			t.Errorf("an order %s: rule = %v, want %v", name, got, c.rule)
		}
	}
}

// After an execution that seems to have closed a position, a reduce-only order of its side may
// have closed that position first: then the execution has opened one of its own side, which the
// limit of the channel counts until a list of the venue agrees.
func TestPositionThatMayBeOpenBehindAReducingOrder(t *testing.T) {
	closing := func(change func(o *persistence.OrderRecord)) risk.Order {
		return openBuy(func(o *persistence.OrderRecord) {
			o.Side, o.ReduceOnly, o.Qty, o.CreatedAt = venues.Sell, true, venues.MustDecimal("3"), venues.At(noon)
			change(o)
		})
	}
	recorded := closing(func(*persistence.OrderRecord) {})
	recorded.RecordedQty = venues.MustDecimal("2")
	for name, c := range map[string]struct {
		live  risk.Order
		after time.Duration // the execution, a list of the venue
		want  string        // the position with one more
	}{
		"an open one":               {closing(func(*persistence.OrderRecord) {}), 0, "4"},
		"one larger than it":        {closing(func(o *persistence.OrderRecord) { o.Qty = venues.MustDecimal("9") }), 0, "5"},
		"one that is recorded":      {recorded, 0, "2"},
		"a later one":               {closing(func(o *persistence.OrderRecord) { o.CreatedAt = venues.At(noon.Add(time.Minute)) }), 0, "1"},
		"a closed one":              {closing(func(o *persistence.OrderRecord) { o.Status = venues.StatusFilled }), 0, "1"},
		"one of the other side":     {closing(func(o *persistence.OrderRecord) { o.Side = venues.Buy }), 0, "1"},
		"one of another symbol":     {closing(func(o *persistence.OrderRecord) { o.Symbol = "ETHUSDT" }), 0, "1"},
		"one, and the venue's list": {closing(func(*persistence.OrderRecord) {}), time.Minute, "1"},
	} {
		a, s, positions := newLongState(persistence.RiskLimits{})
		at := noon.Add(time.Second)
		positions.Add(holder{now: at}, "BTCUSDT", position.Execution{
			Key: position.Key{At: at, Trade: "2/1"}, Side: venues.Sell, Qty: venues.MustDecimal("4"), Price: venues.MustDecimal("100"), KnownAt: at,
		})
		if c.after > 0 {
			positions.Update(holder{now: at.Add(c.after)}, nil, at.Add(c.after))
		}
		a.live = []risk.Order{c.live}
		err := admitsPosition(s, a, &venues.PlaceOrder{OrderSpec: *sell("1"), MaxPosition: some("0")})
		if err == nil || err.Details["given"] != c.want {
			t.Errorf("%s: %v, want a rejection of %s", name, err, c.want)
		}
	}
}
