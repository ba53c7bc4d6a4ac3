package account

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/actors"
	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

// checkOf returns the results of the checks of an order. The test fails if the step stores
// anything or does more than answer.
func (b *fixture) checkOf(in placeOrder) (result venues.OrderCheck, err error) {
	b.t.Helper()
	b.step(func(stepContext) {}) // whatever else is due
	reply := actors.ReplyFunc(func(c venues.OrderCheck, e error) { result, err = c, e })
	step := b.stepContext()
	b.state.check(step, checkOrder{reply, in})
	out := b.state.finish(step)
	if !out.Batch.Empty() {
		b.t.Fatalf("the step of a check stores %+v, want nothing", out.Batch)
	}
	if len(out.After) != 1 {
		b.t.Fatalf("effects = %v, want the reply alone", out.After)
	}
	out.After[0].run(nil, nil)
	return result, err
}

// broken returns what an order breaks: the rules of fields as "field rule", and other rules.
func broken(c *venues.OrderCheck) []string {
	var names []string
	for _, f := range c.Faults {
		names = append(names, f.Field+" "+f.Rule)
	}
	for _, r := range c.Rules {
		if r.Rejection != nil {
			names = append(names, r.Rule)
		}
	}
	return names
}

// named returns what a rejection names, in the notation of broken.
func named(rejection *venues.Error) []string {
	if fields, ok := rejection.Details["fields"].([]venues.FieldError); ok {
		return broken(&venues.OrderCheck{Faults: fields})
	}
	if rule, ok := rejection.Details["rule"].(string); ok {
		return []string{rule}
	}
	return []string{string(rejection.Code)}
}

func TestCheckListsEverythingThatIsWrong(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.state.risk.Limits = persistence.RiskLimits{MaxOpenOrders: 1, MaxOrderNotional: venues.Some(venues.MustDecimal("1000"))}
	b.place(func() placeOrder { in := limitOrder("r1"); in.cmd.Qty = venues.MustDecimal("0.01"); return in }())
	b.state.risk.Halted = true
	in := limitOrder("r2")
	in.instrument.Status = venues.InstrumentHalted
	in.cmd.Qty, in.cmd.Price = venues.MustDecimal("1.0005"), venues.Some(venues.MustDecimal("60000.05"))
	in.cmd.StopLoss = venues.Some(venues.MustDecimal("61000.05"))
	got, err := b.checkOf(in)
	want := []string{
		"qty not_a_multiple_of_step", "price not_a_multiple_of_tick", "stopLoss not_a_multiple_of_tick", "stopLoss wrong_side",
		"symbol_not_tradable", "trading_locked", risk.RuleMaxOpenOrders, risk.RuleMaxNotional,
	}
	if !slices.Equal(broken(&got), want) || err != nil {
		t.Errorf("broken = %q, %v, want %q", broken(&got), err, want)
	}
	if got.Passes() || !got.Notional.Decimal.Equal(venues.MustDecimal("60030.050025")) {
		t.Errorf("passes = %t, notional = %s, want false with quantity times price", got.Passes(), got.Notional.Decimal)
	}
}

func TestCheckShowsTheRulesThatPass(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.state.risk.Limits = persistence.RiskLimits{MaxOpenOrders: 5, MaxOrderNotional: venues.Some(venues.MustDecimal("60000"))}
	got, err := b.checkOf(limitOrder(""))
	want := []venues.RuleCheck{
		{Rule: "symbol_not_tradable", Limit: "trading", Given: "trading"},
		{Rule: "trading_locked"},
		{Rule: risk.RuleMaxOpenOrders, Limit: "5", Given: "1"},
		{Rule: risk.RuleMaxNotional, Limit: "60000", Given: "60000"},
	}
	if !reflect.DeepEqual(got.Rules, want) || !got.Passes() || err != nil {
		t.Errorf("rules = %+v, %v, want %+v", got.Rules, err, want)
	}
}

// A locked account names its limit, one that is not ready is in maintenance.
func TestCheckOfAnAccountThatTakesNoOrders(t *testing.T) {
	b := limited(t)
	b.realizeLoss(2, "1", "-100")
	if !b.state.risk.IsReduceOnly() {
		t.Fatal("the account trades after a loss at its limit, want it locked")
	}
	got, err := b.checkOf(limitOrder(""))
	i := slices.IndexFunc(got.Rules, func(r venues.RuleCheck) bool { return r.Rule == "trading_locked" })
	if err != nil || i < 0 || got.Rules[i].Rejection == nil || got.Rules[i].Limit != "100" || got.Rules[i].Given == "" {
		t.Errorf("rules = %+v, %v, want trading_locked with its limit", got.Rules, err)
	}
	reducing := limitOrder("")
	reducing.cmd.Side, reducing.cmd.ReduceOnly = venues.Sell, true
	if got, err := b.checkOf(reducing); err != nil || !got.Passes() {
		t.Errorf("reducing order of a locked account: broken = %q, %v, want none", broken(&got), err)
	}
	b.state.ready = false
	if _, err := b.checkOf(limitOrder("")); venues.CodeOf(err) != venues.CodeMaintenance {
		t.Errorf("check of an account that is not ready: %v, want maintenance", err)
	}
}

// TestCheckAgreesWithPlace compares the check of random orders with the answer of Place.
func TestCheckAgreesWithPlace(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newFixture(t, venues.Capabilities{AttachedProtection: rapid.Bool().Draw(rt, "attached")})
		b.prices = map[string]string{}
		b.adoptForeign(1, venues.Buy, "2", "60000", nil)
		b.streamPosition(venues.Long, "2")
		for i := range rapid.IntRange(0, 3).Draw(rt, "orders") {
			b.place(limitOrder(fmt.Sprint("open", i)))
		}
		b.state.risk.Limits = persistence.RiskLimits{
			MaxOpenOrders: rapid.IntRange(0, 4).Draw(rt, "open orders max"), MaxOrderNotional: drawOptional(rt, "notional max", 0, 200_000),
		}
		b.state.risk.Halted = rapid.IntRange(0, 9).Draw(rt, "halted") == 0
		in := drawPlace(rt)
		checked, err := b.checkOf(in)
		if err != nil {
			rt.Fatalf("check: %v, want none", err)
		}
		var rejection *venues.Error
		in.orderReply = actors.ReplyFunc(func(_ venues.Order, e error) { rejection, _ = errors.AsType[*venues.Error](e) })
		for _, e := range b.step(func(step stepContext) { b.state.place(step, in) }) {
			if r, ok := e.(replyOrder); ok {
				r.run(nil, nil)
			}
		}
		if checked.Passes() != (rejection == nil) {
			rt.Fatalf("passes = %t with %q, the order is answered %v, want the same", checked.Passes(), broken(&checked), rejection)
		}
		if rejection == nil {
			return
		}
		for _, name := range named(rejection) {
			if !slices.Contains(broken(&checked), name) {
				rt.Fatalf("broken = %q, want %q as well, which the order is rejected with", broken(&checked), name)
			}
		}
	})
}

func drawOptional(rt *rapid.T, label string, from, to int64) venues.Optional {
	if rapid.Bool().Draw(rt, label+" unknown") {
		return venues.Optional{}
	}
	return venues.Some(decimal.New(rapid.Int64Range(from*10, to*10).Draw(rt, label), -1))
}

// drawPlace draws an order, often a valid one.
func drawPlace(rt *rapid.T) placeOrder {
	in := limitOrder("")
	in.cmd.Side = rapid.SampledFrom([]venues.Side{venues.Buy, venues.Sell}).Draw(rt, "side")
	in.cmd.Type = rapid.SampledFrom([]venues.OrderType{venues.TypeMarket, venues.TypeLimit, venues.TypeStopMarket, venues.TypeStopLimit}).Draw(rt, "type")
	in.cmd.Qty = venues.MustDecimal(rapid.SampledFrom([]string{"0.001", "0.5", "2", "4", "0.0005", "0"}).Draw(rt, "qty"))
	in.cmd.Price, in.cmd.TriggerPrice = venues.Optional{}, venues.Optional{}
	if !in.cmd.Type.IsMarket() {
		in.cmd.Price = venues.Some(decimal.New(rapid.Int64Range(580_000, 620_000).Draw(rt, "price"), -1))
	}
	if in.cmd.Type.IsStop() {
		in.cmd.TriggerPrice = venues.Some(decimal.New(rapid.Int64Range(580_000, 620_000).Draw(rt, "trigger"), -1))
	}
	in.cmd.ReduceOnly = rapid.IntRange(0, 3).Draw(rt, "reduce-only") == 0
	in.cmd.StopLoss, in.cmd.TakeProfit = drawOptional(rt, "stop loss", 58_000, 62_000), drawOptional(rt, "take profit", 58_000, 62_000)
	in.cmd.MaxPosition = drawOptional(rt, "position max", 0, 10)
	in.cmd.RejectOpposite = rapid.Bool().Draw(rt, "reject opposite")
	in.mark = drawOptional(rt, "mark", 59_000, 61_000)
	in.instrument.Status = rapid.SampledFrom([]venues.InstrumentStatus{
		venues.InstrumentTrading, venues.InstrumentTrading, venues.InstrumentTrading, venues.InstrumentRestricted, venues.InstrumentHalted,
	}).Draw(rt, "status")
	in.instrument.MaxMarketQty = drawOptional(rt, "market quantity max", 0, 10)
	if rapid.IntRange(0, 19).Draw(rt, "listed") == 0 {
		in.instrument = nil
	}
	in.cmd.Deadline = time.Time{}
	return in
}

// The account counts its unfinished orders up to a bound of its own.
func TestCheckCountsUnfinishedOrders(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	for i := range UnfinishedMax {
		b.place(limitOrder(fmt.Sprint(i)))
	}
	got, err := b.checkOf(limitOrder(""))
	if want := []string{risk.RuleMaxOpenOrders}; err != nil || !slices.Equal(broken(&got), want) {
		t.Errorf("broken = %q, %v, want %q", broken(&got), err, want)
	}
}

func TestMarginOf(t *testing.T) {
	for _, c := range []struct{ notional, leverage, want string }{
		{"100", "3", "33.33333334"}, {"100", "10", "10"}, {"", "10", ""}, {"100", "", ""}, {"100", "0", ""},
	} {
		got := marginOf(optional(c.notional), optional(c.leverage))
		if want := optional(c.want); got.Valid != want.Valid || !got.Decimal.Equal(want.Decimal) {
			t.Errorf("margin of %q at leverage %q = %v, want %q", c.notional, c.leverage, got, c.want)
		}
	}
}

func optional(text string) venues.Optional {
	if text == "" {
		return venues.Optional{}
	}
	return venues.Some(venues.MustDecimal(text))
}
