package position

import (
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// UnattributedKeep is how long an execution without an order stays in memory. After that it
// is read from the store.
const UnattributedKeep = time.Hour

// unattributed is an execution that was counted before its order was known: a replica of the
// venue may return a trade before its order. It is attributed to the order once that is known.
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

// HoldUnattributed keeps executions that were counted without their orders, in this step or
// earlier, so that they can be attributed.
func (s *State) HoldUnattributed(now time.Time, records ...persistence.FillRecord) {
	for i := range records {
		if f := &records[i].Fill; !s.IsUnattributed(f) {
			s.unattributed[unattributedKey(f)] = unattributed{records[i], now}
		}
	}
}

// Attribute attributes an execution that was counted without its order to the order in f, and
// returns the record to store; false if it was not counted. The record's other values do not
// change.
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
	s.checkAtFinish(l)
	return record, true
}

// EvictUnattributed removes the executions that are older than UnattributedKeep.
func (s *State) EvictUnattributed(now time.Time) {
	for k, held := range s.unattributed {
		if now.Sub(held.heldAt) > UnattributedKeep {
			delete(s.unattributed, k)
		}
	}
}
