package channel_test

import (
	"errors"
	"testing"

	"venuegate/actors/actortest"
	"venuegate/venues"
)

// On a full disk a channel refuses signals that open positions, and accepts those that
// close or cancel.
func TestFullDiskRefusesOpeningSignals(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, webhook())
		kit.Settle()
		h.store.FillDisk(true)
		_, err := h.accept(order("r-1"))
		rejection, _ := errors.AsType[*venues.Error](err)
		if rejection == nil || rejection.Code != venues.CodeMaintenance || rejection.Details["reason"] != venues.ReasonDiskFull {
			t.Errorf("opening signal on a full disk = %v, want %s, reason %s", err, venues.CodeMaintenance, venues.ReasonDiskFull)
		}
		for _, action := range []venues.SignalAction{venues.ActionClose, venues.ActionCancelAll} {
			answer := h.mustAccept(order("r-"+string(action), func(s *venues.Signal) { s.Action = action }))
			if answer.SignalID == "" {
				t.Errorf("answer to %s on a full disk = %+v, want a SignalID", action, answer)
			}
		}
	})
}
