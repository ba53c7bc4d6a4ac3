package channel_test

import (
	"context"
	"testing"
	"time"

	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// While a step is under way the channel follows its record and accepts signals: each
// is answered in time and checked against the new rules.
func TestSignalsAreAcceptedDuringAChange(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		h.account.wait = 7 * time.Second
		first := h.mustAccept(order("r-1"))
		h.configure(webhook(func(c *persistence.Channel) { c.Rules.MaxQty = some("0.4") }))
		if _, err := h.accept(order("r-2")); venues.CodeOf(err) != venues.CodeRiskRejected {
			t.Errorf("signal above the new limit: error = %v, want code CodeRiskRejected", err)
		}
		begun := time.Now()
		third := h.mustAccept(order("r-3", func(s *venues.Signal) { s.Qty = some("0.3") }))
		if took := time.Since(begun); third.Status != "pending" || took >= time.Second {
			t.Errorf("response = %+v after %s, want Status pending, less than 1s", third, took)
		}
		h.expectCalls("place buy 0.5 BTCUSDT")
		kit.Advance(20 * time.Second)
		h.expectCalls("place buy 0.5 BTCUSDT; place buy 0.3 BTCUSDT max 0.4")
		for _, id := range []string{first.SignalID, third.SignalID} {
			if r := h.record(id); r.Status != persistence.SignalDone {
				t.Errorf("record = %+v, want Status SignalDone", r)
			}
		}
	})
}

// After a switch to test mode pending signals are not carried out, new signals are
// tests, and the step under way ends as it began.
func TestTestModeAppliesImmediately(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		h.account.wait = 5 * time.Second
		first, second := h.mustAccept(order("r-1")), h.mustAccept(order("r-2"))
		h.configure(webhook(func(c *persistence.Channel) { c.TestMode = true }))
		third := h.mustAccept(order("r-3"))
		kit.Advance(10 * time.Second)
		h.expectCalls("place buy 0.5 BTCUSDT")
		for id, want := range map[string]persistence.SignalStatus{
			first.SignalID: persistence.SignalDone, second.SignalID: persistence.SignalTested, third.SignalID: persistence.SignalTested,
		} {
			if r := h.record(id); r.Status != want {
				t.Errorf("%s is %s, want %s", r.RequestID, r.Status, want)
			}
		}
	})
}

// A channel that has failed restarts with the newest version of its record.
func TestRestartAfterAFailureUsesTheNewestRecord(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		h.configure(webhook(func(c *persistence.Channel) { c.TestMode = true }))
		kit.Settle()
		h.store.FailNext(persistence.ErrOutcomeUnknown)
		if _, err := h.accept(order("r-1")); venues.CodeOf(err) != venues.CodeInternal {
			t.Fatalf("failed commit: error = %v, want code CodeInternal", err)
		}
		kit.Advance(30 * time.Second)
		if a := h.mustAccept(order("r-2")); a.Status != "test" {
			t.Errorf("response = %+v, want Status test", a)
		}
		h.expectCalls("")
	}, actortest.ExpectFailures())
}

// A change that arrives while the inbox is read is newer than what is read.
func TestChangeDuringTheStartIsKept(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := openOn(kit, storetest.NewMemory(storetest.Async(300*time.Millisecond)), webhook())
		paused := webhook(func(c *persistence.Channel) { c.Paused = true })
		h.clientOf(paused).Follow(paused) // the store has the one before
		kit.Settle()
		if _, err := h.client.Accept(context.Background(), order("r-1")); venues.CodeOf(err) != venues.CodeRiskRejected {
			t.Errorf("paused channel: error = %v, want code CodeRiskRejected", err)
		}
	})
}
