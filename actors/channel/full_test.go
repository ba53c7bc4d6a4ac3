package channel_test

import (
	"errors"
	"testing"

	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/venues"
)

// expectDiskFull checks that a signal was refused because the disk is full.
func expectDiskFull(t *testing.T, what string, err error) {
	t.Helper()
	rejection, _ := errors.AsType[*venues.Error](err)
	if rejection == nil || rejection.Code != venues.CodeMaintenance || rejection.Details["reason"] != venues.ReasonDiskFull {
		t.Errorf("%s on a full disk = %v, want %s, reason %s", what, err, venues.CodeMaintenance, venues.ReasonDiskFull)
	}
}

// On a full disk a channel refuses notifications, and accepts signals that may reduce. The
// account rejects an order that does not, and its requestId can be used again.
func TestSignalsOnAFullDisk(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		kit.Settle()
		h.store.FillDisk(true)
		_, err := h.accept(order("r-notify", func(s *venues.Signal) { s.Action = venues.ActionNotify }))
		expectDiskFull(t, "notification", err)
		h.account.failures = []error{venues.DiskFull(persistence.ErrDiskFull)}
		_, err = h.accept(order("r-order"))
		expectDiskFull(t, "order that increases", err)
		for _, action := range []venues.SignalAction{venues.ActionOrder, venues.ActionClose, venues.ActionCancelAll} {
			answer := h.mustAccept(order("r-"+string(action), func(s *venues.Signal) { s.Action = action }))
			if got := h.record(answer.SignalID).Status; got != persistence.SignalDone {
				t.Errorf("%s that reduces on a full disk is %s, want %s", action, got, persistence.SignalDone)
			}
		}
		h.expectCalls("place buy 0.5 BTCUSDT; place buy 0.5 BTCUSDT; close BTCUSDT; cancel binance BTCUSDT")
	})
}
