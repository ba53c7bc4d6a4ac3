package channel_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// The store is slow: a repeat of a signal that is not durable yet waits for its
// outcome.
func TestRepeatWaitsUntilTheFirstSignalIsDurable(t *testing.T) {
	chart := func(c *persistence.Channel) { c.Kind = persistence.ChannelChart }
	actortest.Run(t, func(kit *actortest.Kit) {
		h := openOn(kit, storetest.NewMemory(storetest.Async(300*time.Millisecond)), webhook(chart))
		kit.Advance(time.Second)
		signal := order("", func(s *venues.Signal) { s.Implied = true })
		first := make(chan venues.SignalResponse, 1)
		go func() { first <- h.mustAccept(signal) }()
		kit.Settle()
		again := h.mustAccept(signal)
		if a := <-first; a.Duplicate || !again.Duplicate || again.SignalID != a.SignalID {
			t.Errorf("first %+v, repeat %+v, want no Duplicate, Duplicate, the same SignalID", a, again)
		}
	})
	actortest.Run(t, func(kit *actortest.Kit) { // if the first signal is not stored, neither is the repeat
		h := openOn(kit, storetest.NewMemory(storetest.Async(300*time.Millisecond)), webhook(chart))
		kit.Advance(time.Second)
		h.store.FailNext(persistence.ErrUnavailable)
		signal := order("", func(s *venues.Signal) { s.Implied = true })
		first := make(chan error, 1)
		go func() { _, err := h.accept(signal); first <- err }()
		kit.Settle()
		_, err := h.accept(signal)
		if venues.CodeOf(<-first) != venues.CodeMaintenance || venues.CodeOf(err) != venues.CodeMaintenance {
			t.Errorf("repeat: error = %v, want code CodeMaintenance", err)
		}
	})
}

// A channel that stops while a signal is being stored acknowledges it only once it is
// durable.
func TestStopAcknowledgesOnlyDurableSignals(t *testing.T) {
	for _, fails := range []bool{false, true} {
		actortest.Run(t, func(kit *actortest.Kit) {
			h := openOn(kit, storetest.NewMemory(storetest.Async(300*time.Millisecond)), webhook())
			kit.Advance(time.Second)
			if fails {
				h.store.FailNext(persistence.ErrUnavailable)
			}
			done := make(chan error, 1)
			var answer venues.SignalResponse
			go func() {
				var err error
				answer, err = h.accept(order("r-1"))
				done <- err
			}()
			kit.Settle()
			begun := time.Now()
			h.start(webhook())
			err := <-done
			if (err != nil) != fails {
				t.Fatalf("answer = %+v, error %v, want an error %v", answer, err, fails)
			}
			if time.Since(begun) < 300*time.Millisecond {
				t.Errorf("fails %v: answered after %s, want at least 300ms", fails, time.Since(begun))
			}
			kit.Advance(5 * time.Second)
			if !fails && h.record(answer.SignalID).Status != persistence.SignalDone {
				t.Errorf("record = %+v, want status done", h.record(answer.SignalID))
			}
		})
	}
}

// A change of the record applies to pending signals too.
func TestChangedRulesApplyToPendingSignals(t *testing.T) {
	for name, change := range map[string]func(*persistence.Channel){
		"paused":  func(c *persistence.Channel) { c.Paused = true },
		"symbols": func(c *persistence.Channel) { c.Rules.Symbols = []string{"ETHUSDT"} },
		"max_qty": func(c *persistence.Channel) { c.Rules.MaxQty = some("0.4") },
		"removed": func(c *persistence.Channel) { c.RemovedAt = venues.At(time.Now()) },
	} {
		t.Run(name, func(t *testing.T) {
			actortest.Run(t, func(kit *actortest.Kit) {
				h := open(kit, webhook())
				h.account.wait = 5 * time.Second
				first := h.mustAccept(order("r-1"))
				second := h.mustAccept(order("r-2")) // waits for the first
				h.configure(webhook(change))
				kit.Advance(20 * time.Second)
				h.expectCalls("place buy 0.5 BTCUSDT")
				if r := h.record(first.SignalID); r.Status != persistence.SignalDone {
					t.Errorf("first record = %+v, want Status SignalDone", r)
				}
				r := h.record(second.SignalID)
				if r.Status != persistence.SignalRejected || r.Error == nil || (r.Error.Reason != name) {
					t.Errorf("second record = %+v, error %+v, want it rejected for %s", r, r.Error, name)
				}
				if name == "removed" && h.owner.ended != 1 {
					t.Errorf("%d children ended, want the removed channel only", h.owner.ended)
				}
			})
		})
	}
}

// A restarted channel keeps the slots of its signals.
func TestRestartKeepsItsSlots(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		h.account.wait = 3 * time.Second
		h.mustAccept(order("r-1"))
		h.mustAccept(order("r-2", func(s *venues.Signal) { s.Side = venues.Sell }))
		second := webhook(func(c *persistence.Channel) { c.ID = "hook_2" })
		h.put(second)
		other := h.start(second)
		kit.Settle()
		go func() {
			_, _ = other.Accept(context.Background(), order("r-3", func(s *venues.Signal) { s.ChannelID, s.Qty = "hook_2", some("3") }))
		}()
		kit.Settle()
		h.expectCalls("place buy 0.5 BTCUSDT")
		h.start(webhook())
		kit.Advance(30 * time.Second)
		h.expectCalls("place buy 0.5 BTCUSDT; place sell 0.5 BTCUSDT; place buy 3 BTCUSDT")
	})
}

// A stop does not wait for a step that may never be answered, and concludes nothing
// from the interruption: the next incarnation finds the outcome or repeats the step.
func TestStopDoesNotWaitForAStep(t *testing.T) {
	cancelAll := func(s *venues.Signal) { s.Action = venues.ActionCancelAll }
	for name, c := range map[string]struct {
		signal venues.Signal
		calls  string
	}{
		"order":      {order("r-1"), "place buy 0.5 BTCUSDT"},
		"cancel-all": {order("r-1", cancelAll), "cancel binance BTCUSDT; cancel binance BTCUSDT"},
	} {
		t.Run(name, func(t *testing.T) {
			actortest.Run(t, func(kit *actortest.Kit) {
				h := open(kit, webhook())
				h.account.wait = time.Hour
				answered := make(chan venues.SignalResponse, 1)
				go func() { answered <- h.mustAccept(c.signal) }()
				kit.Settle()
				h.account.setWait(0)
				h.start(webhook())
				a := <-answered
				kit.Advance(5 * time.Second)
				h.expectCalls(c.calls)
				if r := h.record(a.SignalID); r.Status != persistence.SignalDone {
					t.Errorf("record = %+v, %+v, want Status SignalDone", r, r.Error)
				}
			})
		})
	}
}

// A signal whose slot is never granted expires at its age.
func TestQueuedSignalExpires(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		h.queue.Enter("another", "1", venues.Binance, "", time.Now(), func(error) {})
		a := h.mustAccept(order("r-1"))
		kit.Advance(59 * time.Second)
		if r := h.record(a.SignalID); r.Status != persistence.SignalAccepted {
			t.Errorf("after 59 s: %+v, want Status SignalAccepted", r)
		}
		kit.Advance(2 * time.Second)
		if r := h.record(a.SignalID); r.Status != persistence.SignalExpired {
			t.Errorf("after 61 s: %+v, want Status SignalExpired", r)
		}
		h.expectCalls("")
	})
}

// The requestId of a signal and that of its order are free at the same time.
func TestRequestIDIsFreeAfterTheWindow(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		h.account.failures = []error{venues.Errorf(venues.CodeMaintenance, "the account is starting")}
		first := h.mustAccept(order("daily"))
		kit.Advance(persistence.IdempotencyWindow - 500*time.Millisecond) // its order was made a second after it
		second := h.mustAccept(order("daily"))
		if second.Duplicate || second.OrderID == first.OrderID || second.Status != "filled" {
			t.Errorf("first %+v, a day later %+v, want no Duplicate, another OrderID, Status filled", first, second)
		}
	})
}

// An order is not sent after the signal's age, however late the step began.
func TestDeadlineIsWithinTheSignalsAge(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook(func(c *persistence.Channel) { c.Rules.MaxAgeSec = 2 }))
		h.mustAccept(order("r-1"))
		if got, want := h.account.deadline, time.Now().Add(2*time.Second); got.After(want) {
			t.Errorf("deadline %s, want at most %s", got, want)
		}
	})
}

// A cancel-all without an exchange accepts any name of an instrument, and is queued.
func TestCancelAllAcceptsAnyInstrumentName(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook(func(c *persistence.Channel) { c.Rules.Symbols = []string{"BTCUSDT"} }))
		h.mustAccept(order("r-1", func(s *venues.Signal) {
			s.Action, s.Exchange, s.Symbol = venues.ActionCancelAll, "", "BTC/USDT:USDT"
		}))
		h.expectCalls("cancel  BTCUSDT")
		if _, err := h.accept(order("r-2", func(s *venues.Signal) { s.Action, s.Exchange, s.Symbol = venues.ActionCancelAll, "", "NOUSDT" })); venues.CodeOf(err) != venues.CodeSymbolNotTradable {
			t.Errorf("unknown instrument: %v, want code CodeSymbolNotTradable", err)
		}
	})
}

// A notification, which trades nothing, may name any instrument.
func TestNotificationMayNameAnyInstrument(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		a := h.mustAccept(order("r-1", func(s *venues.Signal) { s.Action, s.Symbol, s.Comment = venues.ActionNotify, "SPX", "look" }))
		if a.Status != "done" {
			t.Errorf("response = %+v, want Status done", a)
		}
	})
}

// An error of the store is converted into one of the API.
func TestStoreErrorsAreConverted(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := h.client.Accept(ended, order("r-1"))
		if code := venues.CodeOf(err); code != venues.CodeInternal || strings.Contains(err.Error(), "r-1") {
			t.Errorf("error %v, code %q, want internal_error without the request id", err, code)
		}
	})
}
