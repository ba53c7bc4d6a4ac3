package channel_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/venues"
)

func reversing(c *persistence.Channel) { c.Rules.Opposite = persistence.OppositeReverse }

var errOpposite = venues.Errorf(venues.CodeRiskRejected, "a position is open").With("rule", venues.RuleOpposite)

// long returns a filled entry with its stop loss.
func long(status venues.ProtectionStatus) persistence.OrderRecord {
	return persistence.OrderRecord{Customer: "c1", ClientOrderID: "c-long", Order: venues.Order{
		OrderID: "ord_long", Exchange: venues.Binance, Status: venues.StatusFilled, FilledQty: venues.MustDecimal("1"), CreatedAt: venues.At(time.Now()),
		OrderSpec:  venues.OrderSpec{Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeMarket, Qty: venues.MustDecimal("1")},
		Protection: &venues.Protection{StopLoss: &venues.ProtectionLeg{Status: status, Price: venues.MustDecimal("60000"), OrderID: "ord_leg"}},
	}}
}

// leg returns the stop loss of long.
func leg(status venues.OrderStatus) persistence.OrderRecord {
	return persistence.OrderRecord{
		Customer: "c1", ClientOrderID: "c-leg",
		Order: venues.Order{
			OrderID: "ord_leg", Exchange: venues.Binance, Status: status, CreatedAt: venues.At(time.Now()),
			EntryOrderID: "ord_long", Protects: venues.LegStopLoss,
			OrderSpec: venues.OrderSpec{Symbol: "BTCUSDT", Side: venues.Sell, Type: venues.TypeStopMarket, Qty: venues.MustDecimal("1"), ReduceOnly: true},
		},
	}
}

// The other side is opened only after the protection of the position is gone: a leg
// would close the next position on the old side.
func TestReverseWaitsUntilTheProtectionIsGone(t *testing.T) {
	const closed = "place sell 0.5 BTCUSDT not opposite; close BTCUSDT opposite_signal"
	for name, left := range map[string]struct{ before, after persistence.Record }{
		"an open leg":                      {leg(venues.StatusUntriggered), leg(venues.StatusCancelled)},
		"legs that are not withdrawn yet":  {long(venues.ProtectionLive), long(venues.ProtectionCancelled)},
		"legs that have not been seen yet": {long(venues.ProtectionPending), long(venues.ProtectionCancelled)},
	} {
		t.Run(name, func(t *testing.T) {
			actortest.Run(t, func(kit *actortest.Kit) {
				h := open(kit, webhook(reversing), left.before)
				h.account.failures = []error{errOpposite}
				a := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
				if a.Status != "pending" || a.OrderID != "" || !a.FilledQty.IsZero() {
					t.Errorf("response during the plan = %+v, want Status pending, no OrderID, zero FilledQty", a)
				}
				if again := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell })); again.Status != "pending" || again.OrderID != "" {
					t.Errorf("repeat during the plan = %+v, want Status pending, no OrderID", again)
				}
				h.expectCalls(closed)
				if err := h.store.Commit(context.Background(), persistence.Batch{Fence: h.fence, Puts: []persistence.Record{left.after}}); err != nil {
					t.Fatal(err)
				}
				kit.Advance(time.Second)
				h.expectCalls(closed + "; place sell 0.5 BTCUSDT not opposite")
				if got := h.timeline(a.SignalID); strings.Count(got, "step:waits") != 1 {
					t.Errorf("timeline = %q, want step:waits once", got)
				}
			})
			actortest.Run(t, func(kit *actortest.Kit) {
				h := open(kit, webhook(reversing), left.before)
				h.account.failures = []error{errOpposite}
				a := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
				kit.Advance(time.Minute)
				h.expectCalls(closed)
				if r := h.record(a.SignalID); r.Status != persistence.SignalRejected || r.Error == nil || r.Error.Reason != "not_flat" {
					t.Errorf("record = %+v, want Status SignalRejected, an Error, Reason not_flat", r)
				}
			})
		})
	}
}

// Protection of the position to be opened, of another instrument, of an order that is still
// open, or of one that has ended unfilled, does not delay the plan.
func TestReverseIgnoresOtherProtection(t *testing.T) {
	short, other := leg(venues.StatusUntriggered), leg(venues.StatusUntriggered)
	short.OrderID, short.ClientOrderID, short.Side = "ord_short", "c-short", venues.Buy
	other.Symbol = "ETHUSDT"
	resting := long(venues.ProtectionPending)
	resting.OrderID, resting.ClientOrderID, resting.Status, resting.FilledQty = "ord_rests", "c-rests", venues.StatusOpen, decimal.Zero
	partly := resting
	partly.OrderID, partly.ClientOrderID, partly.Status, partly.FilledQty = "ord_partly", "c-partly", venues.StatusPartiallyFilled, venues.MustDecimal("0.4")
	cancelled := resting
	cancelled.OrderID, cancelled.ClientOrderID, cancelled.Status = "ord_ended", "c-ended", venues.StatusCancelled
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook(reversing), short, other, resting, partly, cancelled)
		h.account.failures = []error{errOpposite}
		if a := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell })); a.Status != "filled" {
			t.Errorf("response = %+v, want Status filled", a)
		}
	})
}

// The venue shows the position closed while the account still has executions of it:
// the account decides, and is retried a limited number of times.
func TestReverseWaitsForTheAccountsExecutions(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook(reversing))
		h.account.failures = []error{errOpposite, nil, errOpposite, errOpposite}
		a := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
		kit.Advance(2 * time.Second)
		h.expectCalls("place sell 0.5 BTCUSDT not opposite; close BTCUSDT opposite_signal" + strings.Repeat("; place sell 0.5 BTCUSDT not opposite", 3))
		if r := h.record(a.SignalID); r.Status != persistence.SignalDone {
			t.Errorf("record = %+v, want Status SignalDone", r)
		}
	})
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook(reversing))
		h.account.failures = []error{errOpposite, nil}
		for range 500 {
			h.account.failures = append(h.account.failures, errOpposite)
		}
		a := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
		kit.Advance(time.Minute)
		if n := strings.Count(h.account.calls(), "place"); n > 110 {
			t.Errorf("%d orders were placed, want at most 110", n)
		}
		if r := h.record(a.SignalID); r.Status != persistence.SignalRejected || r.Error.Reason != "not_flat" {
			t.Errorf("record = %+v, want Status SignalRejected, Reason not_flat", r)
		}
	})
}

// The account has executions of a position that the venue does not list yet: it is
// closed as soon as the venue lists it.
func TestReverseClosesAPositionThatIsListedLate(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook(reversing))
		h.account.positions = []venues.Position{{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}
		h.account.failures = []error{errOpposite, venues.Errorf(venues.CodeOrderRejected, "none").With("reason", venues.ReasonNoPosition)}
		if a := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell })); a.Status != "filled" {
			t.Errorf("response = %+v, want Status filled", a)
		}
		h.expectCalls("place sell 0.5 BTCUSDT not opposite" + strings.Repeat("; close BTCUSDT opposite_signal", 2) + "; place sell 0.5 BTCUSDT not opposite")
	})
}

// A partial close is followed by another close, each a step in the journal, until
// nothing is left.
func TestReverseClosesTheRestOfAPartialClose(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook(reversing))
		h.account.positions = []venues.Position{{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}
		h.account.failures, h.account.closes = []error{errOpposite}, []string{"0.4", "0", "0.6"}
		a := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
		kit.Advance(5 * time.Second) // a second, then two
		h.expectCalls("place sell 0.5 BTCUSDT not opposite" + strings.Repeat("; close BTCUSDT opposite_signal", 3) + "; place sell 0.5 BTCUSDT not opposite")
		if r := h.record(a.SignalID); r.Status != persistence.SignalDone || len(r.OrderIDs) != 4 {
			t.Errorf("record = %+v, want Status SignalDone, 4 OrderIDs", r)
		}
		const want = "received:order step:begun rule:refused step:begun step:cancelled step:begun step:begun step:cancelled step:begun " +
			"step:begun step:filled step:begun step:proven step:begun step:filled answer:done"
		if got := h.timeline(a.SignalID); got != want {
			t.Errorf("timeline = %q, want %q", got, want)
		}
	})
}

// The number of closes is limited. The rejection names the rest, and the other side
// is not opened.
func TestReverseRejectionNamesTheRest(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook(reversing))
		h.account.positions = []venues.Position{{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}
		h.account.failures, h.account.closes = []error{errOpposite}, slices.Repeat([]string{"0.1"}, 100)
		a := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
		kit.Advance(time.Minute)
		h.expectCalls("place sell 0.5 BTCUSDT not opposite" + strings.Repeat("; close BTCUSDT opposite_signal", 5))
		r := h.record(a.SignalID)
		if r.Status != persistence.SignalRejected || r.Error.Reason != "not_flat" || !strings.Contains(r.Error.Message, "0.5 of it") {
			t.Errorf("record = %+v, %+v, want Status SignalRejected, Reason not_flat, containing 0.5 of it", r, r.Error)
		}
	})
}

// A plan that was interrupted between two closes continues after the newest one.
func TestReverseContinuesAfterItsNewestClose(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook(reversing))
		h.account.positions = []venues.Position{{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}
		h.account.failures, h.account.closes = []error{errOpposite}, []string{"0.4", "0.1", "0.5"}
		h.account.wait = 2 * time.Second
		a := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
		kit.Advance(3 * time.Second) // the second close is under way
		h.start(webhook(reversing))
		kit.Advance(20 * time.Second)
		h.expectCalls("place sell 0.5 BTCUSDT not opposite" + strings.Repeat("; close BTCUSDT opposite_signal", 3) + "; place sell 0.5 BTCUSDT not opposite")
		if r := h.record(a.SignalID); r.Status != persistence.SignalDone || len(r.OrderIDs) != 4 {
			t.Errorf("record = %+v, want Status SignalDone, 4 OrderIDs", r)
		}
	})
}

// If the venue rejects the close of a rest it is tried again; if it rejects the first
// close the plan ends.
func TestReverseRetriesARejectedCloseOfTheRest(t *testing.T) {
	thin := venues.Errorf(venues.CodeOrderRejected, "no liquidity")
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook(reversing))
		h.account.positions = []venues.Position{{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}
		h.account.failures, h.account.closes = []error{errOpposite, nil, thin}, []string{"0.4", "0.6"}
		a := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
		kit.Advance(10 * time.Second)
		h.expectCalls("place sell 0.5 BTCUSDT not opposite" + strings.Repeat("; close BTCUSDT opposite_signal", 3) + "; place sell 0.5 BTCUSDT not opposite")
		if r := h.record(a.SignalID); r.Status != persistence.SignalDone {
			t.Errorf("record = %+v, want Status SignalDone", r)
		}
	})
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook(reversing))
		h.account.failures = []error{errOpposite, thin}
		if _, err := h.accept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell })); venues.CodeOf(err) != venues.CodeOrderRejected {
			t.Errorf("response = %v, want code CodeOrderRejected", err)
		}
	})
}

// The policy close also closes what a partial close has left.
func TestClosePolicyClosesTheRestOfAPartialClose(t *testing.T) {
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
				h := open(kit, webhook(func(c *persistence.Channel) { c.Rules.Opposite = persistence.OppositeClose }))
				h.account.positions = []venues.Position{{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}
				h.account.failures, h.account.closes = []error{errOpposite}, c.closes
				a := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
				kit.Advance(time.Minute)
				h.expectCalls("place sell 0.5 BTCUSDT not opposite" + strings.Repeat("; close BTCUSDT opposite_signal", c.calls))
				if r := h.record(a.SignalID); r.Status != c.status {
					t.Errorf("record = %+v, want status %s", r, c.status)
				}
			})
		})
	}
}
