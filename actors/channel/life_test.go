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

// The store is slow: whoever repeats a signal that is not durable yet waits for
// it, and hears of it.
func TestARepeatWaitsUntilTheFirstIsDurable(t *testing.T) {
	chart := func(c *persistence.Channel) { c.Kind = persistence.ChannelChart }
	actortest.Run(t, func(kit *actortest.Kit) {
		d := openOn(kit, storetest.NewMemory(storetest.Async(300*time.Millisecond)), webhook(chart))
		kit.Advance(time.Second)
		signal := order("", func(s *venues.Signal) { s.Implied = true })
		first := make(chan venues.SignalAnswer, 1)
		go func() { first <- d.mustAccept(signal) }()
		kit.Settle()
		again := d.mustAccept(signal)
		if a := <-first; a.Duplicate || !again.Duplicate || again.SignalID != a.SignalID {
			t.Errorf("first %+v, repeat %+v", a, again)
		}
	})
	actortest.Run(t, func(kit *actortest.Kit) { // and if it is not taken after all, so is not the repeat
		d := openOn(kit, storetest.NewMemory(storetest.Async(300*time.Millisecond)), webhook(chart))
		kit.Advance(time.Second)
		d.store.FailNext(persistence.ErrUnavailable)
		signal := order("", func(s *venues.Signal) { s.Implied = true })
		first := make(chan error, 1)
		go func() { _, err := d.accept(signal); first <- err }()
		kit.Settle()
		_, err := d.accept(signal)
		if venues.CodeOf(<-first) != venues.CodeMaintenance || venues.CodeOf(err) != venues.CodeMaintenance {
			t.Errorf("the repeat: %v", err)
		}
	})
}

// A channel that ends while a signal is on its way to the store does not
// acknowledge it before it is there.
func TestAStopAcknowledgesNothingTooEarly(t *testing.T) {
	for _, fails := range []bool{false, true} {
		actortest.Run(t, func(kit *actortest.Kit) {
			d := openOn(kit, storetest.NewMemory(storetest.Async(300*time.Millisecond)), webhook())
			kit.Advance(time.Second)
			if fails {
				d.store.FailNext(persistence.ErrUnavailable)
			}
			done := make(chan error, 1)
			var answer venues.SignalAnswer
			go func() {
				var err error
				answer, err = d.accept(order("r-1"))
				done <- err
			}()
			kit.Settle()
			begun := time.Now()
			d.start(webhook())
			err := <-done
			if (err != nil) != fails {
				t.Fatalf("fails %v: %+v, %v", fails, answer, err)
			}
			if time.Since(begun) < 300*time.Millisecond {
				t.Errorf("fails %v: answered after %s", fails, time.Since(begun))
			}
			kit.Advance(5 * time.Second)
			if !fails && d.record(answer.SignalID).Status != persistence.SignalDone {
				t.Errorf("record %+v", d.record(answer.SignalID))
			}
		})
	}
}

// What is changed while signals wait holds for them too.
func TestWhatAChannelMayNoMoreIsNotDone(t *testing.T) {
	for name, change := range map[string]func(*persistence.Channel){
		"paused":  func(c *persistence.Channel) { c.Paused = true },
		"symbols": func(c *persistence.Channel) { c.Rules.Symbols = []string{"ETHUSDT"} },
		"max_qty": func(c *persistence.Channel) { c.Rules.MaxQty = some("0.4") },
		"removed": func(c *persistence.Channel) { c.RemovedAt = venues.At(time.Now()) },
	} {
		t.Run(name, func(t *testing.T) {
			actortest.Run(t, func(kit *actortest.Kit) {
				d := open(kit, webhook())
				d.account.wait = 5 * time.Second
				first := d.mustAccept(order("r-1"))
				second := d.mustAccept(order("r-2")) // waits for the first
				d.configure(webhook(change))
				kit.Advance(20 * time.Second)
				d.expectCalls("place buy 0.5 BTCUSDT")
				if r := d.record(first.SignalID); r.Status != persistence.SignalDone {
					t.Errorf("the first one: %+v", r)
				}
				r := d.record(second.SignalID)
				if r.Status != persistence.SignalRejected || r.Error == nil || (r.Error.Reason != name) {
					t.Errorf("the second one: %+v %+v", r, r.Error)
				}
				if name == "removed" && d.owner.ended != 1 {
					t.Errorf("%d children ended: the removed channel goes on", d.owner.ended)
				}
			})
		})
	}
}

// A channel that starts anew keeps the place of its signals among those of the
// others.
func TestARestartKeepsItsPlaces(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook())
		d.account.wait = 3 * time.Second
		d.mustAccept(order("r-1"))
		d.mustAccept(order("r-2", func(s *venues.Signal) { s.Side = venues.Sell }))
		second := webhook(func(c *persistence.Channel) { c.ID = "hook_2" })
		d.put(second)
		other := d.start(second)
		kit.Settle()
		go func() {
			_, _ = other.Accept(context.Background(), order("r-3", func(s *venues.Signal) { s.ChannelID, s.Qty = "hook_2", some("3") }))
		}()
		kit.Settle()
		d.expectCalls("place buy 0.5 BTCUSDT")
		d.start(webhook())
		kit.Advance(30 * time.Second)
		d.expectCalls("place buy 0.5 BTCUSDT; place sell 0.5 BTCUSDT; place buy 3 BTCUSDT")
	})
}

// A stop does not wait for a step that may never be answered, and judges nothing by
// having ended it: the next incarnation finds out what it came to, or does it again.
func TestAStopDoesNotWaitForAStep(t *testing.T) {
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
				d := open(kit, webhook())
				d.account.wait = time.Hour
				answered := make(chan venues.SignalAnswer, 1)
				go func() { answered <- d.mustAccept(c.signal) }()
				kit.Settle()
				d.account.setWait(0)
				d.start(webhook())
				a := <-answered
				kit.Advance(5 * time.Second)
				d.expectCalls(c.calls)
				if r := d.record(a.SignalID); r.Status != persistence.SignalDone {
					t.Errorf("record %+v, %+v", r, r.Error)
				}
			})
		})
	}
}

// A signal whose turn never comes ends at its age.
func TestASignalExpiresInItsLane(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook())
		d.lanes.Enter("another", "1", venues.Binance, "", time.Now(), func(error) {})
		a := d.mustAccept(order("r-1"))
		kit.Advance(59 * time.Second)
		if r := d.record(a.SignalID); r.Status != persistence.SignalAccepted {
			t.Errorf("after 59 s: %+v", r)
		}
		kit.Advance(2 * time.Second)
		if r := d.record(a.SignalID); r.Status != persistence.SignalExpired {
			t.Errorf("after 61 s: %+v", r)
		}
		d.expectCalls("")
	})
}

// The key of a signal and that of its order are free at the same moment.
func TestTheNextDaysSignalMakesItsOwnOrder(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook())
		d.account.refusals = []error{venues.Errorf(venues.CodeMaintenance, "the account is starting")}
		first := d.mustAccept(order("daily"))
		kit.Advance(persistence.IdempotencyWindow - 500*time.Millisecond) // its order was made a second after it
		second := d.mustAccept(order("daily"))
		if second.Duplicate || second.OrderID == first.OrderID || second.Status != "filled" {
			t.Errorf("first %+v, a day later %+v", first, second)
		}
	})
}

// An order is not sent after the signal's age, however close to it the step
// began.
func TestADeadlineIsNeverPastTheAge(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook(func(c *persistence.Channel) { c.Rules.MaxAgeSec = 2 }))
		d.mustAccept(order("r-1"))
		if got, want := d.account.deadline, time.Now().Add(2*time.Second); got.After(want) {
			t.Errorf("deadline %s, want at most %s", got, want)
		}
	})
}

// cancel-all without an exchange knows an instrument by any of its names, and
// waits for its turn.
func TestCancelAllKnowsTheNames(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook(func(c *persistence.Channel) { c.Rules.Symbols = []string{"BTCUSDT"} }))
		d.mustAccept(order("r-1", func(s *venues.Signal) {
			s.Action, s.Exchange, s.Symbol = venues.ActionCancelAll, "", "BTC/USDT:USDT"
		}))
		d.expectCalls("cancel  BTCUSDT")
		if _, err := d.accept(order("r-2", func(s *venues.Signal) { s.Action, s.Exchange, s.Symbol = venues.ActionCancelAll, "", "NOUSDT" })); venues.CodeOf(err) != venues.CodeSymbolNotTradable {
			t.Errorf("an unknown one: %v", err)
		}
	})
}

// What trades nothing may speak of any instrument.
func TestNotifyKnowsNoInstruments(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook())
		a := d.mustAccept(order("r-1", func(s *venues.Signal) { s.Action, s.Symbol, s.Comment = venues.ActionNotify, "SPX", "look" }))
		if a.Status != "done" {
			t.Errorf("answer %+v", a)
		}
	})
}

// What cannot be read is said in the words of the interface.
func TestErrorsAreThoseOfTheInterface(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook())
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := d.client.Accept(ended, order("r-1"))
		if code := venues.CodeOf(err); code != venues.CodeInternal || strings.Contains(err.Error(), "r-1") {
			t.Errorf("%v, code %q", err, code)
		}
	})
}
