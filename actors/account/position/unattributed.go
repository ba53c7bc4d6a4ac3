package position

import (
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// UnattributedKeep is how long an execution without an order stays in memory; one that
// is read again later is found in the store.
const UnattributedKeep = time.Hour

// unattributed is an execution whose order was not known when it was counted: a
// venue's replica may show a trade before the order that made it. When the order
// becomes known, the execution is attributed to it.
type unattributed struct {
	record persistence.FillRecord
	heldAt time.Time
}

func unattributedKey(f *venues.Fill) string { return f.Symbol + "/" + TradeKey(f) }

// IsUnattributed reports whether an execution is counted without its order.
func (s *State) IsUnattributed(f *venues.Fill) bool {
	_, held := s.unattributed[unattributedKey(f)]
	return held
}

// HoldUnattributed keeps executions that were counted without their orders: here, before
// the last start or long ago.
func (s *State) HoldUnattributed(now time.Time, records ...persistence.FillRecord) {
	for i := range records {
		if f := &records[i].Fill; !s.IsUnattributed(f) {
			s.unattributed[unattributedKey(f)] = unattributed{records[i], now}
		}
	}
}

// Attribute gives an execution that was counted without an order to the order that made
// it, and returns the record to store; false if it was not counted. Everything else in
// the record stays as it was recorded first.
func (s *State) Attribute(f *venues.Fill, why Cause) (persistence.FillRecord, bool) {
	k := unattributedKey(f)
	first, held := s.unattributed[k]
	if !held {
		return persistence.FillRecord{}, false
	}
	delete(s.unattributed, k)
	record := first.record
	record.OrderID, record.RequestID, record.Source = f.OrderID, f.RequestID, f.Source
	why.Annotate(&record)
	l := s.ledger(f.Symbol)
	l.setCause(ExecutionOf(&record.Fill, why, time.Time{}).Key, why)
	s.mark(l)
	return record, true
}

// EvictUnattributed removes what will not be read again.
func (s *State) EvictUnattributed(now time.Time) {
	for k, held := range s.unattributed {
		if now.Sub(held.heldAt) > UnattributedKeep {
			delete(s.unattributed, k)
		}
	}
}
