package channel_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/venues"
)

func reversing(c *persistence.Channel) { c.Rules.Opposite = persistence.OppositeReverse }

var errOpposite = venues.Errorf(venues.CodeRiskRejected, "a position is open").With("rule", venues.RuleOpposite)

// long is an entry that was filled, with its stop loss.
func long(status venues.ProtectionStatus) persistence.OrderRecord {
	return persistence.OrderRecord{Customer: "c1", ClientOrderID: "c-long", Order: venues.Order{
		OrderID: "ord_long", Exchange: venues.Binance, Status: venues.StatusFilled, FilledQty: venues.MustDecimal("1"), CreatedAt: venues.At(time.Now()),
		OrderSpec:  venues.OrderSpec{Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeMarket, Qty: venues.MustDecimal("1")},
		Protection: &venues.Protection{StopLoss: &venues.ProtectionLeg{Status: status, Price: venues.MustDecimal("60000"), OrderID: "ord_leg"}},
	}}
}

// leg is the stop loss of long.
func leg(status venues.OrderStatus) persistence.OrderRecord {
	return persistence.OrderRecord{
		Customer: "c1", ClientOrderID: "c-leg", EntryOrderID: "ord_long", Protects: venues.ProtectingStopLoss,
		Order: venues.Order{
			OrderID: "ord_leg", Exchange: venues.Binance, Status: status, CreatedAt: venues.At(time.Now()),
			OrderSpec: venues.OrderSpec{Symbol: "BTCUSDT", Side: venues.Sell, Type: venues.TypeStopMarket, Qty: venues.MustDecimal("1"), ReduceOnly: true},
		},
	}
}

// The other side is not opened before what protected the position is gone: it
// would close the next position on the old side.
func TestReverseWaitsForTheProtection(t *testing.T) {
	const closed = "place sell 0.5 BTCUSDT not opposite; close BTCUSDT opposite_signal"
	for name, left := range map[string]struct{ before, after persistence.Record }{
		"a leg that lives":                 {leg(venues.StatusUntriggered), leg(venues.StatusCancelled)},
		"legs that are not withdrawn yet":  {long(venues.ProtectionLive), long(venues.ProtectionCancelled)},
		"legs that have not been seen yet": {long(venues.ProtectionPending), long(venues.ProtectionCancelled)},
	} {
		t.Run(name, func(t *testing.T) {
			actortest.Run(t, func(kit *actortest.Kit) {
				d := open(kit, webhook(reversing), left.before)
				d.account.refusals = []error{errOpposite}
				a := d.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
				if a.Status != "pending" || a.OrderID != "" || !a.FilledQty.IsZero() {
					t.Errorf("in the midst of the plan: %+v", a)
				}
				if again := d.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell })); again.Status != "pending" || again.OrderID != "" {
					t.Errorf("a repeat in the midst of the plan: %+v", again)
				}
				d.expectCalls(closed)
				if err := d.store.Commit(context.Background(), persistence.Batch{Fence: d.fence, Puts: []persistence.Record{left.after}}); err != nil {
					t.Fatal(err)
				}
				kit.Advance(time.Second)
				d.expectCalls(closed + "; place sell 0.5 BTCUSDT not opposite")
				if got := d.timeline(a.SignalID); strings.Count(got, "step:waits") != 1 {
					t.Errorf("timeline %q", got)
				}
			})
			actortest.Run(t, func(kit *actortest.Kit) {
				d := open(kit, webhook(reversing), left.before)
				d.account.refusals = []error{errOpposite}
				a := d.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
				kit.Advance(time.Minute)
				d.expectCalls(closed)
				if r := d.record(a.SignalID); r.Status != persistence.SignalRejected || r.Error == nil || r.Error.Reason != "not_flat" {
					t.Errorf("record %+v", r)
				}
			})
		})
	}
}

// What protects the position that is to be opened, or one of another instrument,
// is not in the way.
func TestOtherProtectionIsNotWaitedFor(t *testing.T) {
	short, other := leg(venues.StatusUntriggered), leg(venues.StatusUntriggered)
	short.OrderID, short.ClientOrderID, short.Side = "ord_short", "c-short", venues.Buy
	other.Symbol = "ETHUSDT"
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook(reversing), short, other)
		d.account.refusals = []error{errOpposite}
		if a := d.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell })); a.Status != "filled" {
			t.Errorf("answer %+v", a)
		}
	})
}

// The venue shows the position closed and the account knows of executions that
// say otherwise: the account has the last word, and is not asked without end.
func TestReverseWaitsForTheAccountToo(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook(reversing))
		d.account.refusals = []error{errOpposite, nil, errOpposite, errOpposite}
		a := d.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
		kit.Advance(2 * time.Second)
		d.expectCalls("place sell 0.5 BTCUSDT not opposite; close BTCUSDT opposite_signal" + strings.Repeat("; place sell 0.5 BTCUSDT not opposite", 3))
		if r := d.record(a.SignalID); r.Status != persistence.SignalDone {
			t.Errorf("record %+v", r)
		}
	})
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook(reversing))
		d.account.refusals = []error{errOpposite, nil}
		for range 500 {
			d.account.refusals = append(d.account.refusals, errOpposite)
		}
		a := d.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
		kit.Advance(time.Minute)
		if n := strings.Count(d.account.said(), "place"); n > 110 {
			t.Errorf("the account was asked %d times", n)
		}
		if r := d.record(a.SignalID); r.Status != persistence.SignalRejected || r.Error.Reason != "not_flat" {
			t.Errorf("record %+v", r)
		}
	})
}

// The account knows by its executions of a position that the venue does not list
// yet: it is closed as soon as it is there to close.
func TestReverseClosesWhatWasNotThereToClose(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook(reversing))
		d.account.positions = []venues.Position{{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}
		d.account.refusals = []error{errOpposite, venues.Errorf(venues.CodeOrderRejected, "none").With("reason", venues.ReasonNoPosition)}
		if a := d.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell })); a.Status != "filled" {
			t.Errorf("answer %+v", a)
		}
		d.expectCalls("place sell 0.5 BTCUSDT not opposite" + strings.Repeat("; close BTCUSDT opposite_signal", 2) + "; place sell 0.5 BTCUSDT not opposite")
	})
}

// A close that was filled in part is followed by another one, each step in the
// journal, until nothing is left.
func TestReverseClosesWhatACloseHasLeft(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook(reversing))
		d.account.positions = []venues.Position{{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}
		d.account.refusals, d.account.closes = []error{errOpposite}, []string{"0.4", "0", "0.6"}
		a := d.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
		kit.Advance(5 * time.Second) // a second, then two
		d.expectCalls("place sell 0.5 BTCUSDT not opposite" + strings.Repeat("; close BTCUSDT opposite_signal", 3) + "; place sell 0.5 BTCUSDT not opposite")
		if r := d.record(a.SignalID); r.Status != persistence.SignalDone || len(r.OrderIDs) != 4 {
			t.Errorf("record %+v", r)
		}
		const want = "received:order step:begun rule:refused step:begun step:cancelled step:begun step:begun step:cancelled step:begun " +
			"step:begun step:filled step:begun step:proven step:begun step:filled answer:done"
		if got := d.timeline(a.SignalID); got != want {
			t.Errorf("timeline %q, want %q", got, want)
		}
	})
}

// There is an end to it, which says what remains; the other side is not opened.
func TestReverseSaysWhatRemains(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook(reversing))
		d.account.positions = []venues.Position{{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}
		d.account.refusals, d.account.closes = []error{errOpposite}, slices.Repeat([]string{"0.1"}, 100)
		a := d.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
		kit.Advance(time.Minute)
		d.expectCalls("place sell 0.5 BTCUSDT not opposite" + strings.Repeat("; close BTCUSDT opposite_signal", 5))
		r := d.record(a.SignalID)
		if r.Status != persistence.SignalRejected || r.Error.Reason != "not_flat" || !strings.Contains(r.Error.Message, "0.5 of it") {
			t.Errorf("record %+v, %+v", r, r.Error)
		}
	})
}

// A plan that was cut off between two closes goes on behind the newest.
func TestAReverseGoesOnBehindItsNewestClose(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook(reversing))
		d.account.positions = []venues.Position{{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}
		d.account.refusals, d.account.closes = []error{errOpposite}, []string{"0.4", "0.1", "0.5"}
		d.account.wait = 2 * time.Second
		a := d.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
		kit.Advance(3 * time.Second) // the second close is under way
		d.start(webhook(reversing))
		kit.Advance(20 * time.Second)
		d.expectCalls("place sell 0.5 BTCUSDT not opposite" + strings.Repeat("; close BTCUSDT opposite_signal", 3) + "; place sell 0.5 BTCUSDT not opposite")
		if r := d.record(a.SignalID); r.Status != persistence.SignalDone || len(r.OrderIDs) != 4 {
			t.Errorf("record %+v", r)
		}
	})
}

// A venue that does not take what is left now is asked again; a first close that
// it does not take ends the plan.
func TestAReverseOutlivesARefusalOfTheRest(t *testing.T) {
	thin := venues.Errorf(venues.CodeOrderRejected, "no liquidity")
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook(reversing))
		d.account.positions = []venues.Position{{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}
		d.account.refusals, d.account.closes = []error{errOpposite, nil, thin}, []string{"0.4", "0.6"}
		a := d.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
		kit.Advance(10 * time.Second)
		d.expectCalls("place sell 0.5 BTCUSDT not opposite" + strings.Repeat("; close BTCUSDT opposite_signal", 3) + "; place sell 0.5 BTCUSDT not opposite")
		if r := d.record(a.SignalID); r.Status != persistence.SignalDone {
			t.Errorf("record %+v", r)
		}
	})
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook(reversing))
		d.account.refusals = []error{errOpposite, thin}
		if _, err := d.accept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell })); venues.CodeOf(err) != venues.CodeOrderRejected {
			t.Errorf("answer %v", err)
		}
	})
}

// The policy that closes is not done with a part either.
func TestCloseClosesWhatACloseHasLeft(t *testing.T) {
	for name, c := range map[string]struct {
		closes []string
		calls  int
		status persistence.SignalStatus
	}{
		"in one":   {[]string{"1"}, 1, persistence.SignalDone},
		"in parts": {[]string{"0.4", "0.6"}, 2, persistence.SignalDone},
		"never":    {slices.Repeat([]string{"0"}, 100), 5, persistence.SignalRejected},
	} {
		t.Run(name, func(t *testing.T) {
			actortest.Run(t, func(kit *actortest.Kit) {
				d := open(kit, webhook(func(c *persistence.Channel) { c.Rules.Opposite = persistence.OppositeClose }))
				d.account.positions = []venues.Position{{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}
				d.account.refusals, d.account.closes = []error{errOpposite}, c.closes
				a := d.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
				kit.Advance(time.Minute)
				d.expectCalls("place sell 0.5 BTCUSDT not opposite" + strings.Repeat("; close BTCUSDT opposite_signal", c.calls))
				if r := d.record(a.SignalID); r.Status != c.status {
					t.Errorf("record %+v", r)
				}
			})
		})
	}
}
