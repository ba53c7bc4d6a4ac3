package channel_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/venues"
)

func TestASignalBecomesAnOrder(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook())
		a := d.mustAccept(order("r-1"))
		if a.Status != "filled" || a.OrderID != "ord_1" || a.RequestID != "r-1" || a.Duplicate || a.FilledQty.String() != "0.5" {
			t.Errorf("answer %+v", a)
		}
		d.expectCalls("place buy 0.5 BTCUSDT")
		r := d.record(a.SignalID)
		if r.Status != persistence.SignalDone || r.Symbol != "BTCUSDT" || !slices.Equal(r.OrderIDs, []string{"ord_1"}) {
			t.Errorf("record %+v", r)
		}
		if got, want := d.timeline(a.SignalID), "received:order step:begun step:filled answer:done"; got != want {
			t.Errorf("timeline %q, want %q", got, want)
		}
		again := d.mustAccept(order("r-1"))
		if !again.Duplicate || again.OrderID != "ord_1" || again.SignalID != a.SignalID || again.Status != "filled" {
			t.Errorf("repeat %+v", again)
		}
		d.expectCalls("place buy 0.5 BTCUSDT")
	})
}

func TestEqualSignalsAtTheSameTimeAreOne(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook())
		var wait sync.WaitGroup
		var mu sync.Mutex
		firsts := 0
		for range 16 {
			wait.Go(func() {
				a, err := d.accept(order("r-1"))
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				} else if !a.Duplicate {
					firsts++
				}
			})
		}
		wait.Wait()
		d.expectCalls("place buy 0.5 BTCUSDT")
		if firsts != 1 {
			t.Errorf("%d answers are not repeats, want 1", firsts)
		}
	})
}

func TestRulesWin(t *testing.T) {
	for name, c := range map[string]struct {
		rules  func(*persistence.Channel)
		signal func(*venues.Signal)
		code   venues.Code
		rule   string
	}{
		"an unknown instrument":  {func(*persistence.Channel) {}, func(s *venues.Signal) { s.Symbol = "NOUSDT" }, venues.CodeSymbolNotTradable, ""},
		"an exchange not there":  {func(*persistence.Channel) {}, func(s *venues.Signal) { s.Exchange = venues.OKX }, venues.CodeNotFound, ""},
		"a paused channel":       {func(c *persistence.Channel) { c.Paused = true }, func(*venues.Signal) {}, venues.CodeRiskRejected, "paused"},
		"another instrument":     {func(c *persistence.Channel) { c.Rules.Symbols = []string{"ETHUSDT"} }, func(*venues.Signal) {}, venues.CodeSymbolNotTradable, "symbols"},
		"all instruments":        {func(c *persistence.Channel) { c.Rules.Symbols = []string{"ETHUSDT"} }, func(s *venues.Signal) { s.Action, s.Symbol = venues.ActionCancelAll, "" }, venues.CodeSymbolNotTradable, "symbols"},
		"too much":               {func(c *persistence.Channel) { c.Rules.MaxQty = some("0.4") }, func(*venues.Signal) {}, venues.CodeRiskRejected, "max_qty"},
		"without a stop":         {func(c *persistence.Channel) { c.Rules.StopRequired = true }, func(*venues.Signal) {}, venues.CodeRiskRejected, "stop_required"},
		"without a stop, paused": {func(c *persistence.Channel) { c.Rules.StopRequired, c.Paused = true, true }, func(*venues.Signal) {}, venues.CodeRiskRejected, "paused"},
	} {
		t.Run(name, func(t *testing.T) {
			actortest.Run(t, func(kit *actortest.Kit) {
				d := open(kit, webhook(c.rules))
				_, err := d.accept(order("r-1", c.signal))
				refusal, _ := errors.AsType[*venues.Error](err)
				if refusal == nil || refusal.Code != c.code || (c.rule != "" && refusal.Details["rule"] != c.rule) {
					t.Fatalf("%v %v, want %s, rule %q", err, refusal, c.code, c.rule)
				}
				d.expectCalls("")
				page, err := d.store.Signals(context.Background(), persistence.SignalQuery{Customer: "c1"})
				if err != nil || len(page.Items) != 1 || page.Items[0].Status != persistence.SignalRejected {
					t.Fatalf("signals %+v, %v", page.Items, err)
				}
				if got, want := d.timeline(page.Items[0].ID), "refused answer:rejected"; !strings.HasSuffix(got, want) {
					t.Errorf("timeline %q, want ... %q", got, want)
				}
			})
		})
	}
}

// A refusal proves that nothing was placed: the same key may be used again,
// unless it was made from what was signed, where that would be a replay.
func TestARefusedSignalFreesItsKey(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook())
		poor := venues.Errorf(venues.CodeInsufficientBalance, "not enough").With("required", "10")
		d.account.refusals = []error{poor, nil, poor}
		if _, err := d.accept(order("r-1")); venues.CodeOf(err) != venues.CodeInsufficientBalance {
			t.Fatalf("first: %v", err)
		}
		if a := d.mustAccept(order("r-1")); a.Duplicate || a.Status != "filled" {
			t.Errorf("second: %+v", a)
		}
		implied := order("implied-0123", func(s *venues.Signal) { s.Implied = true })
		if _, err := d.accept(implied); venues.CodeOf(err) != venues.CodeInsufficientBalance {
			t.Fatalf("implied: %v", err)
		}
		if a := d.mustAccept(implied); !a.Duplicate || a.Status != "rejected" {
			t.Errorf("replay of the implied one: %+v", a)
		}
	})
}
