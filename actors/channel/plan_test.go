package channel_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/venues"
)

func TestSlowVenueIsAnsweredPending(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		h.account.wait = 3 * time.Second
		begun := time.Now()
		a := h.mustAccept(order("r-1"))
		if took := time.Since(begun); a.Status != "pending" || a.OrderID != "ord_1" || !a.FilledQty.IsZero() || a.AvgPrice.Valid || took >= time.Second {
			t.Errorf("response = %+v after %s, want Status pending, OrderID ord_1, zero FilledQty, no AvgPrice, less than 1s", a, took)
		}
		if again := h.mustAccept(order("r-1")); !again.Duplicate || again.Status != "pending" || again.OrderID != "ord_1" {
			t.Errorf("repeat = %+v, want Duplicate, Status pending, OrderID ord_1", again)
		}
		kit.Advance(3 * time.Second)
		if r := h.record(a.SignalID); r.Status != persistence.SignalDone {
			t.Errorf("record = %+v, want Status SignalDone", r)
		}
	})
}

func TestOppositeSignals(t *testing.T) {
	opposite := venues.Errorf(venues.CodeRiskRejected, "a position is open").With("rule", venues.RuleOpposite)
	for policy, want := range map[persistence.OppositePolicy]struct{ calls, status string }{
		"":                          {"place sell 0.5 BTCUSDT", "done"},
		persistence.OppositeIgnore:  {"place sell 0.5 BTCUSDT not opposite", "ignored"},
		persistence.OppositeReject:  {"place sell 0.5 BTCUSDT not opposite", "rejected"},
		persistence.OppositeClose:   {"place sell 0.5 BTCUSDT not opposite; close BTCUSDT opposite_signal", "done"},
		persistence.OppositeReverse: {"place sell 0.5 BTCUSDT not opposite; close BTCUSDT opposite_signal; place sell 0.5 BTCUSDT not opposite", "done"},
	} {
		t.Run(string(policy), func(t *testing.T) {
			actortest.Run(t, func(kit *actortest.Kit) {
				h := open(kit, webhook(func(c *persistence.Channel) { c.Rules.Opposite = policy }))
				h.account.positions = []venues.Position{{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}
				if policy != "" {
					h.account.failures = []error{opposite}
				}
				_, err := h.accept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
				if rejected := want.status == "rejected"; (err != nil) != rejected {
					t.Errorf("error %v, want one %v", err, rejected)
				}
				h.expectCalls(want.calls)
				page, err := h.store.Signals(context.Background(), persistence.SignalQuery{Customer: "c1"})
				if err != nil || string(page.Items[0].Status) != want.status {
					t.Errorf("%+v, %v, want %s", page.Items, err, want.status)
				}
				if policy == persistence.OppositeReverse {
					got, want := h.timeline(page.Items[0].ID),
						"received:order step:begun rule:refused step:begun step:filled step:begun step:proven step:begun step:filled answer:done"
					if got != want {
						t.Errorf("timeline = %q, want %q", got, want)
					}
				}
			})
		})
	}
}

// The other side is opened only when the venue shows the position closed, and not at
// all if it never does.
func TestReverseWaitsUntilFlat(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook(func(c *persistence.Channel) { c.Rules.Opposite = persistence.OppositeReverse }))
		h.account.failures = []error{venues.Errorf(venues.CodeRiskRejected, "open").With("rule", venues.RuleOpposite)}
		h.account.positions = []venues.Position{{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}}
		h.account.keepsOpen = true
		a := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell }))
		kit.Advance(5 * time.Second)
		h.expectCalls("place sell 0.5 BTCUSDT not opposite; close BTCUSDT opposite_signal")
		kit.Advance(time.Minute)
		h.expectCalls("place sell 0.5 BTCUSDT not opposite; close BTCUSDT opposite_signal")
		r := h.record(a.SignalID)
		if r.Status != persistence.SignalRejected || r.Error == nil || r.Error.Reason != "not_flat" {
			t.Errorf("record = %+v, want Status SignalRejected, an Error, Reason not_flat", r)
		}
	})
}

func TestSignalsOfOneSymbolAreSerialized(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		h.account.wait = 2 * time.Second
		for _, s := range []venues.Signal{
			order("r-1"), order("r-2", func(s *venues.Signal) { s.Side = venues.Sell }),
			order("r-3", func(s *venues.Signal) { s.Symbol = "ETHUSDT" }),
			order("r-4", func(s *venues.Signal) { s.Action = venues.ActionCancelAll; s.Symbol, s.Exchange = "", "" }),
		} {
			go func() { _, _ = h.accept(s) }()
			kit.Settle()
		}
		h.expectCalls("place buy 0.5 BTCUSDT; place buy 0.5 ETHUSDT")
		kit.Advance(2 * time.Second)
		h.expectCalls("place buy 0.5 BTCUSDT; place buy 0.5 ETHUSDT; place sell 0.5 BTCUSDT")
		kit.Advance(2 * time.Second)
		h.expectCalls("place buy 0.5 BTCUSDT; place buy 0.5 ETHUSDT; place sell 0.5 BTCUSDT; cancel")
	})
}

// A signal that could not be carried out in time is never carried out.
func TestUnplacedSignalExpires(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		busy := venues.Errorf(venues.CodeMaintenance, "the account is starting")
		for range 100 {
			h.account.failures = append(h.account.failures, busy)
		}
		a := h.mustAccept(order("r-1"))
		if a.Status != "pending" {
			t.Errorf("response = %+v, want Status pending", a)
		}
		kit.Advance(61 * time.Second)
		calls := strings.Count(h.account.calls(), "place")
		kit.Advance(10 * time.Minute)
		if n := strings.Count(h.account.calls(), "place"); n != calls || n < 50 || n > 60 {
			t.Errorf("%d calls, then %d, want %v, at least 50, at most 60", calls, n, calls)
		}
		if r := h.record(a.SignalID); r.Status != persistence.SignalExpired {
			t.Errorf("record = %+v, want Status SignalExpired", r)
		}
		if got := h.timeline(a.SignalID); got != "received:order step:begun expired:expired" {
			t.Errorf("timeline = %q, want received:order step:begun expired:expired", got)
		}
	})
}

// A chart's own time counts if its channel sets a maximum age.
func TestSignalThatIsTooOldOnReceiptIsRejected(t *testing.T) {
	aged := func(c *persistence.Channel) { c.Rules.MaxAgeSec = 30 }
	chart := func(c *persistence.Channel) { c.Kind = persistence.ChannelChart }
	for name, c := range map[string]struct {
		record   persistence.Channel
		age      time.Duration
		rejected bool
	}{
		"too old":               {webhook(chart, aged), 30 * time.Second, true},
		"old":                   {webhook(chart, aged), 29 * time.Second, false},
		"no maximum age":        {webhook(chart), time.Hour, false},
		"of a signed channel":   {webhook(aged), time.Hour, false},
		"of a clock that leads": {webhook(chart, aged), -time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			actortest.Run(t, func(kit *actortest.Kit) {
				h := open(kit, c.record)
				a, err := h.accept(order("r-1", func(s *venues.Signal) { s.SentAt = venues.At(time.Now().Add(-c.age)) }))
				e, _ := errors.AsType[*venues.Error](err)
				switch {
				case !c.rejected && (err != nil || a.Status != "filled"):
					t.Errorf("response = %+v, %v, want Status filled", a, err)
				case c.rejected && (e == nil || e.Code != venues.CodeRiskRejected || e.Details["rule"] != "max_age" || e.Details["limit"] != "30" || e.Details["given"] != "30"):
					t.Errorf("error = %v, want risk_rejected by the rule max_age with limit and given 30", err)
				}
			})
		})
	}
}

func TestLimitOrdersHaveMoreTime(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		for range 120 {
			h.account.failures = append(h.account.failures, venues.Errorf(venues.CodeMaintenance, "the account is starting"))
		}
		a := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Type, s.Price = venues.TypeLimit, some("64000") }))
		kit.Advance(3 * time.Minute)
		if r := h.record(a.SignalID); r.Status != persistence.SignalDone {
			t.Errorf("record = %+v, want Status SignalDone", r)
		}
	})
}

func TestNotificationTradesNothing(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		a := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Action, s.Comment = venues.ActionNotify, "look at this" }))
		if a.Status != "done" || a.OrderID != "" {
			t.Errorf("response = %+v, want Status done, OrderID", a)
		}
		h.expectCalls("")
		events, err := h.store.Events(context.Background(), "c1", "", 0)
		if err != nil || len(events) != 1 || events[0].Type != persistence.EventNotification || !strings.Contains(string(events[0].Data), "look at this") {
			t.Errorf("events = %+v, %v, want 1 events, Type EventNotification, containing look at this", events, err)
		}
		if again := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Action, s.Comment = venues.ActionNotify, "look at this" })); !again.Duplicate {
			t.Errorf("repeat = %+v, want Duplicate", again)
		}
	})
}

// A restart continues from the inbox: steps that were carried out are found, others
// are carried out, expired signals are not.
func TestRestartContinuesFromTheInbox(t *testing.T) {
	stored := func(id, requestID string, received time.Time) persistence.SignalRecord {
		s := order(requestID, func(s *venues.Signal) { s.Symbol, s.ReceivedAt = "BTCUSDT", venues.At(received) })
		return persistence.SignalRecord{Signal: s, ID: id, Status: persistence.SignalAccepted, Attempt: 1, ExpiresAt: venues.At(received.Add(time.Minute))}
	}
	actortest.Run(t, func(kit *actortest.Kit) {
		now := time.Now()
		made := venues.Order{
			OrderID: "ord_7", Exchange: venues.Binance, Status: venues.StatusFilled, CreatedAt: venues.At(now),
			OrderSpec: venues.OrderSpec{Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeMarket, Qty: venues.MustDecimal("0.5")},
		}
		h := open(kit, webhook(),
			stored("sig_1", "r-1", now.Add(-10*time.Second)),
			stored("sig_2", "r-2", now.Add(-9*time.Second)),
			stored("sig_3", "r-3", now.Add(-2*time.Minute)),
			stored("sig_4", "r-4", now.Add(-3*time.Minute)), // late, but its order was placed in time
			persistence.OrderRecord{Order: made, Customer: "c1", ClientOrderID: "c7"},
			persistence.IdempotencyRecord{Customer: "c1", Scope: "hook_1", RequestID: "r-1", Attempt: 1, OrderID: "ord_7", FirstReceived: venues.At(now.Add(-10 * time.Second))},
			persistence.IdempotencyRecord{Customer: "c1", Scope: "hook_1", RequestID: "r-4", Attempt: 1, OrderID: "ord_7", FirstReceived: venues.At(now.Add(-3 * time.Minute))},
		)
		kit.Advance(time.Second)
		h.expectCalls("place buy 0.5 BTCUSDT") // sig_2
		for id, want := range map[string]persistence.SignalStatus{
			"sig_1": persistence.SignalDone, "sig_2": persistence.SignalDone, "sig_3": persistence.SignalExpired, "sig_4": persistence.SignalDone,
		} {
			if r := h.record(id); r.Status != want {
				t.Errorf("%s: %+v, want %s", id, r, want)
			}
		}
	})
}

// The order of a step that was not answered is looked up, not placed again.
func TestUnansweredStepIsLookedUp(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		h.account.wait = time.Minute // longer than any step may take
		a := h.mustAccept(order("r-1"))
		kit.Advance(30 * time.Second)
		h.expectCalls("place buy 0.5 BTCUSDT")
		if r := h.record(a.SignalID); r.Status != persistence.SignalDone || len(r.OrderIDs) != 1 {
			t.Errorf("record = %+v, want Status SignalDone, 1 OrderIDs", r)
		}
	})
}

func TestTestModeSendsNothing(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook(func(c *persistence.Channel) { c.TestMode, c.Rules.Opposite = true, persistence.OppositeReverse }))
		h.account.positions = []venues.Position{{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Short, Qty: venues.MustDecimal("1")}}
		actions := []venues.SignalAction{venues.ActionOrder, venues.ActionClose, venues.ActionCancelAll, venues.ActionNotify}
		for n := range 200 {
			a := h.mustAccept(order(fmt.Sprintf("r-%d", n), func(s *venues.Signal) { s.Action = actions[n%len(actions)] }))
			if a.Status != "test" {
				t.Fatalf("response = %+v, want Status test", a)
			}
			if timeline := h.timeline(a.SignalID); !strings.HasSuffix(timeline, "answer:test") {
				t.Fatalf("timeline = %q, want ending in answer:test", timeline)
			}
		}
		h.expectCalls("")
	})
}

// A signal that was received in one mode is not carried out in the other.
func TestModeSwitchCarriesNothingOver(t *testing.T) {
	for _, testMode := range []bool{true, false} {
		actortest.Run(t, func(kit *actortest.Kit) {
			before := persistence.SignalRecord{
				Signal: order("r-1", func(s *venues.Signal) { s.Symbol = "BTCUSDT" }), ID: "sig_1", Status: persistence.SignalAccepted, Attempt: 1,
				ExpiresAt: venues.At(time.Now().Add(time.Minute)), Test: !testMode,
			}
			h := open(kit, webhook(func(c *persistence.Channel) { c.TestMode = testMode }), before)
			kit.Advance(time.Second)
			h.expectCalls("")
			if r := h.record("sig_1"); r.Status != persistence.SignalTested {
				t.Errorf("record = %+v, want Status SignalTested", r)
			}
		})
	}
}

func TestEqualBodiesOfAChartAreRepeats(t *testing.T) {
	chart := func(c *persistence.Channel) { c.Kind = persistence.ChannelChart }
	signal := func() venues.Signal { return order("", func(s *venues.Signal) { s.Implied = true }) }
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook(chart))
		first := h.mustAccept(signal())
		kit.Advance(29 * time.Second)
		if a := h.mustAccept(signal()); !a.Duplicate || a.SignalID != first.SignalID || a.RequestID != first.RequestID {
			t.Errorf("after 29 s: %+v, want Duplicate, the same SignalID, RequestID RequestID", a)
		}
		kit.Advance(time.Second)
		if a := h.mustAccept(signal()); a.Duplicate {
			t.Errorf("after 30 s: %+v, want no Duplicate", a)
		}
	})
	actortest.Run(t, func(kit *actortest.Kit) { // repeats are recognized after a restart
		before := persistence.SignalRecord{Signal: signal(), ID: "sig_1", Status: persistence.SignalDone, Attempt: 1}
		before.RequestID = "implied-sig_1"
		h := open(kit, webhook(chart), before)
		if a := h.mustAccept(signal()); !a.Duplicate || a.SignalID != "sig_1" {
			t.Errorf("after a restart: %+v, want Duplicate, SignalID sig_1", a)
		}
	})
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook(chart, func(c *persistence.Channel) { c.AllowRepeats = true }))
		h.mustAccept(signal())
		if a := h.mustAccept(signal()); a.Duplicate {
			t.Errorf("signal while repeats are allowed = %+v, want no Duplicate", a)
		}
	})
}

// A signal that could not be stored is rejected.
func TestSignalThatIsNotStoredIsRejected(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		h.store.FailNext(persistence.ErrUnavailable)
		if _, err := h.accept(order("r-1")); venues.CodeOf(err) != venues.CodeMaintenance {
			t.Errorf("error %v, want code CodeMaintenance", err)
		}
		h.expectCalls("")
		if a := h.mustAccept(order("r-1")); a.Duplicate || a.Status != "filled" {
			t.Errorf("second attempt = %+v, want no Duplicate, Status filled", a)
		}
	})
}

// A notification is finished with its first commit.
func TestNotificationThatIsNotStoredIsRejected(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		notify := order("r-1", func(s *venues.Signal) { s.Action = venues.ActionNotify })
		h.store.FailNext(persistence.ErrUnavailable)
		if _, err := h.accept(notify); venues.CodeOf(err) != venues.CodeMaintenance {
			t.Errorf("error %v, want code CodeMaintenance", err)
		}
		if a := h.mustAccept(notify); a.Duplicate {
			t.Errorf("second attempt = %+v, want no Duplicate", a)
		}
	})
}

func TestPendingSignalsAreLimited(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		h.account.wait = 5 * time.Second
		var mu sync.Mutex
		refused := 0
		for n := range 1100 {
			go func() {
				if _, err := h.accept(order(fmt.Sprintf("r-%d", n))); venues.CodeOf(err) == venues.CodeRateLimited {
					mu.Lock()
					defer mu.Unlock()
					refused++
				}
			}()
			kit.Settle()
		}
		kit.Advance(2 * time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if refused != 100 {
			t.Errorf("%d signals were rejected, want 100", refused)
		}
	})
}
