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

// While a step is under way the channel follows its record and takes signals on:
// each is answered in time and held to the new rules.
func TestAChangeTurnsNoSignalAway(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook())
		d.account.wait = 7 * time.Second
		first := d.mustAccept(order("r-1"))
		d.configure(webhook(func(c *persistence.Channel) { c.Rules.MaxQty = some("0.4") }))
		if _, err := d.accept(order("r-2")); venues.CodeOf(err) != venues.CodeRiskRejected {
			t.Errorf("above the new limit: %v", err)
		}
		begun := time.Now()
		third := d.mustAccept(order("r-3", func(s *venues.Signal) { s.Qty = some("0.3") }))
		if took := time.Since(begun); third.Status != "pending" || took >= time.Second {
			t.Errorf("answer %+v after %s", third, took)
		}
		d.expectCalls("place buy 0.5 BTCUSDT")
		kit.Advance(20 * time.Second)
		d.expectCalls("place buy 0.5 BTCUSDT; place buy 0.3 BTCUSDT max 0.4")
		for _, id := range []string{first.SignalID, third.SignalID} {
			if r := d.record(id); r.Status != persistence.SignalDone {
				t.Errorf("record %+v", r)
			}
		}
	})
}

// What waits is not carried out in test mode, what comes in it is a test, and the
// step under way ends as it began.
func TestTestModeBeginsAtOnce(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook())
		d.account.wait = 5 * time.Second
		first, second := d.mustAccept(order("r-1")), d.mustAccept(order("r-2"))
		d.configure(webhook(func(c *persistence.Channel) { c.TestMode = true }))
		third := d.mustAccept(order("r-3"))
		kit.Advance(10 * time.Second)
		d.expectCalls("place buy 0.5 BTCUSDT")
		for id, want := range map[string]persistence.SignalStatus{
			first.SignalID: persistence.SignalDone, second.SignalID: persistence.SignalTested, third.SignalID: persistence.SignalTested,
		} {
			if r := d.record(id); r.Status != want {
				t.Errorf("%s is %s, want %s", r.RequestID, r.Status, want)
			}
		}
	})
}

// A channel that has failed begins anew with the record as it is by then.
func TestAFailureForgetsNoChange(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := open(kit, webhook())
		d.configure(webhook(func(c *persistence.Channel) { c.TestMode = true }))
		kit.Settle()
		d.store.FailNext(persistence.ErrOutcomeUnknown)
		if _, err := d.accept(order("r-1")); venues.CodeOf(err) != venues.CodeInternal {
			t.Fatalf("the commit fails: %v", err)
		}
		kit.Advance(30 * time.Second)
		if a := d.mustAccept(order("r-2")); a.Status != "test" {
			t.Errorf("answer %+v", a)
		}
		d.expectCalls("")
	}, actortest.ExpectFailures())
}

// A change that comes while the inbox is read is newer than what is read.
func TestAChangeAtTheStartIsNotOverwritten(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		d := openOn(kit, storetest.NewMemory(storetest.Async(300*time.Millisecond)), webhook())
		paused := webhook(func(c *persistence.Channel) { c.Paused = true })
		d.clientOf(paused).Follow(paused) // the store has the one before
		kit.Settle()
		if _, err := d.client.Accept(context.Background(), order("r-1")); venues.CodeOf(err) != venues.CodeRiskRejected {
			t.Errorf("a paused channel answers %v", err)
		}
	})
}
