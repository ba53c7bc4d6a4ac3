package protection

import (
	"time"

	"venuegate/venues"
)

// PositionClosed withdraws the protection of a position that was flat at a time, by
// the venue's clock. What was filled later has opened another position.
func (s *Step) PositionClosed(positionKey string, flatAt time.Time) {
	for _, o := range s.live() {
		if o.protects(positionKey) && !o.FilledAt.After(flatAt) {
			s.withdrawForClosed(o)
		}
	}
}

// withdrawForClosed withdraws the legs of an entry whose position is closed. An entry that
// can still fill keeps its protection for its next fills.
func (s *Step) withdrawForClosed(o *Order) {
	if o.Status.IsClosed() {
		s.WithdrawLegs(o)
		return
	}
	o.ReleasedQty = o.FilledQty
	o.Bracket.due, o.Bracket.lostAt = time.Time{}, time.Time{}
	o.Bracket.endAlarm()
	for _, kind := range Kinds() {
		s.withdrawKind(o, kind)
		o.Bracket.retire(kind)
		if leg := o.Protection.Leg(kind); leg != nil && leg.Status == venues.ProtectionLive {
			s.setLeg(o, kind, venues.ProtectionPending, "")
		}
	}
	s.Port.MarkDirty(o)
}

// WithdrawOrphans withdraws the protection of entries whose position is not among the
// open ones, keyed by Position.Key and read at readAt, or was closed by another leg:
// its end was not reported, or a cancel has failed.
func (s *Step) WithdrawOrphans(open map[string]bool, readAt time.Time) {
	for _, o := range s.live() {
		if s.isOrphan(o) {
			s.withdraw(o)
		}
		if !o.Protection.IsActive() {
			continue
		}
		for _, kind := range Kinds() {
			if legs := o.Bracket.legs[kind]; o.isExitedByOther(kind) || (len(legs) > 0 && legs[len(legs)-1].retired) {
				s.withdrawKind(o, kind)
			}
		}
		if key := o.positionKey(); o.isOverprotected() || (!open[key] && o.protects(key) && readAt.Sub(o.FilledAt) > PositionLag) {
			s.withdrawForClosed(o)
		}
	}
}

// isOrphan reports whether a leg that waits for its trigger has no purpose any more:
// its entry does not need it, and an earlier cancel has failed.
func (s *Step) isOrphan(leg *Order) bool {
	if leg.EntryOrderID == "" || leg.Status != venues.StatusUntriggered {
		return false
	}
	entry := s.Port.Order(leg.EntryOrderID)
	return leg.Withdrawn || entry == nil || !entry.Protection.IsActive()
}

// WithdrawLegs withdraws all legs of an entry.
func (s *Step) WithdrawLegs(o *Order) { s.withdrawOthers(o, "") }

// withdrawOthers withdraws the legs of an entry but those of one kind.
func (s *Step) withdrawOthers(o *Order, but venues.LegKind) {
	for _, kind := range Kinds() {
		leg := o.Protection.Leg(kind)
		if kind == but || leg == nil {
			continue
		}
		s.withdrawKind(o, kind)
		if leg.Status == venues.ProtectionPending && !o.Bracket.Current(kind).isOpen() && !o.Bracket.closing {
			s.setLeg(o, kind, venues.ProtectionCancelled, leg.OrderID)
		}
	}
}

// withdrawSuperseded withdraws the legs of a kind before the newest one. It is called
// whenever the newest one is seen live, so that a cancel that failed is retried.
func (s *Step) withdrawSuperseded(o *Order, kind venues.LegKind) {
	legs := o.Bracket.legs[kind]
	for _, leg := range legs[:len(legs)-1] {
		s.withdraw(leg)
	}
}

func (s *Step) withdrawKind(o *Order, kind venues.LegKind) {
	for _, leg := range o.Bracket.legs[kind] {
		s.withdraw(leg)
	}
}

func (s *Step) withdraw(o *Order) {
	if !o.Status.IsClosed() {
		s.Port.Withdraw(o)
	}
}
