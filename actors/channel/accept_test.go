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

func TestSignalPlacesAnOrder(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		a := h.mustAccept(order("r-1"))
		if a.Status != "filled" || a.OrderID != "ord_1" || a.RequestID != "r-1" || a.Duplicate || a.FilledQty.String() != "0.5" {
			t.Errorf("response = %+v, want Status filled, OrderID ord_1, RequestID r-1, no Duplicate, FilledQty 0.5", a)
		}
		h.expectCalls("place buy 0.5 BTCUSDT")
		r := h.record(a.SignalID)
		if r.Status != persistence.SignalDone || r.Symbol != "BTCUSDT" || !slices.Equal(r.OrderIDs, []string{"ord_1"}) {
			t.Errorf("record = %+v, want done in BTCUSDT with order ord_1", r)
		}
		if got, want := h.timeline(a.SignalID), "received:order step:begun step:filled answer:done"; got != want {
			t.Errorf("timeline = %q, want %q", got, want)
		}
		again := h.mustAccept(order("r-1"))
		if !again.Duplicate || again.OrderID != "ord_1" || again.SignalID != a.SignalID || again.Status != "filled" {
			t.Errorf("repeat = %+v, want Duplicate, OrderID ord_1, the same SignalID, Status filled", again)
		}
		h.expectCalls("place buy 0.5 BTCUSDT")
	})
}

func TestConcurrentRepeatsPlaceOneOrder(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		var wait sync.WaitGroup
		var mu sync.Mutex
		firsts := 0
		for range 16 {
			wait.Go(func() {
				a, err := h.accept(order("r-1"))
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
		h.expectCalls("place buy 0.5 BTCUSDT")
		if firsts != 1 {
			t.Errorf("%d answers are not repeats, want 1", firsts)
		}
	})
}

func TestRulesRejectSignals(t *testing.T) {
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
				h := open(kit, webhook(c.rules))
				_, err := h.accept(order("r-1", c.signal))
				rejection, _ := errors.AsType[*venues.Error](err)
				if rejection == nil || rejection.Code != c.code || (c.rule != "" && rejection.Details["rule"] != c.rule) {
					t.Fatalf("%v %v, want %s, rule %q", err, rejection, c.code, c.rule)
				}
				h.expectCalls("")
				page, err := h.store.Signals(context.Background(), persistence.SignalQuery{Customer: "c1"})
				if err != nil || len(page.Items) != 1 || page.Items[0].Status != persistence.SignalRejected {
					t.Fatalf("signals %+v, %v, want 1, Status SignalRejected", page.Items, err)
				}
				if got, want := h.timeline(page.Items[0].ID), "refused answer:rejected"; !strings.HasSuffix(got, want) {
					t.Errorf("timeline = %q, want ... %q", got, want)
				}
			})
		})
	}
}

// A rejected signal has placed nothing, so its requestId may be used again, unless
// it was derived from the signed body, where that would be a replay.
func TestRejectedSignalFreesItsRequestID(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		unfunded := venues.Errorf(venues.CodeInsufficientBalance, "not enough").With("required", "10")
		h.account.failures = []error{unfunded, nil, unfunded}
		if _, err := h.accept(order("r-1")); venues.CodeOf(err) != venues.CodeInsufficientBalance {
			t.Fatalf("first: %v, want code CodeInsufficientBalance", err)
		}
		if a := h.mustAccept(order("r-1")); a.Duplicate || a.Status != "filled" {
			t.Errorf("second: %+v, want no Duplicate, Status filled", a)
		}
		implied := order("implied-0123", func(s *venues.Signal) { s.Implied = true })
		if _, err := h.accept(implied); venues.CodeOf(err) != venues.CodeInsufficientBalance {
			t.Fatalf("implied: %v, want code CodeInsufficientBalance", err)
		}
		if a := h.mustAccept(implied); !a.Duplicate || a.Status != "rejected" {
			t.Errorf("replay = %+v, want Duplicate, Status rejected", a)
		}
	})
}
