package account

import (
	"context"
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// strangersKeep is how long an execution without an order is remembered; what is
// read again later is found in the store.
const strangersKeep = time.Hour

// stranger is an execution of which no order was known when it was counted in: a
// venue's replica may show a trade before the order that made it. When the order
// is told, it takes the execution over.
type stranger struct {
	record persistence.FillRecord
	heldAt time.Time
}

// strangerKey names an execution before its order is known.
func strangerKey(f *venues.Fill) string { return f.Symbol + "/" + tradeKey(f) }

// recordStranger is recordFill for an execution of which no order is known.
func (s *state) recordStranger(m moment, f venues.Fill) {
	key := strangerKey(&f)
	if _, counted := s.ledger.strangers[key]; !counted {
		s.ledger.strangers[key] = stranger{s.recordFill(m, f, cause{reason: venues.ClosedManual}), m.now}
	}
}

// holdStrangers takes the executions that the store knows without an order: they
// were counted in by an incarnation before, or long ago.
func (s *state) holdStrangers(m moment, list []persistence.FillRecord) {
	for i := range list {
		key := strangerKey(&list[i].Fill)
		if _, held := s.ledger.strangers[key]; !held {
			s.ledger.strangers[key] = stranger{list[i], m.now}
		}
	}
}

// introduce gives an execution that was counted in without an order to the order
// that made it; false if it was not. It stays as it was recorded first.
func (s *state) introduce(f *venues.Fill, why cause) bool {
	first, counted := s.ledger.strangers[strangerKey(f)]
	if !counted {
		return false
	}
	delete(s.ledger.strangers, strangerKey(f))
	record := first.record
	record.OrderID, record.RequestID, record.Source = f.OrderID, f.RequestID, f.Source
	why.note(&record)
	s.out.batch.Puts = append(s.out.batch.Puts, record)
	b := s.book(f.Symbol)
	b.explain(executionOf(&record.Fill, why, time.Time{}).executionKey, why)
	s.touchBook(b)
	*f = record.Fill
	return true
}

// forgetStrangers lets go of what will not be read again.
func (s *state) forgetStrangers(m moment) {
	for key, held := range s.ledger.strangers {
		if m.now.Sub(held.heldAt) > strangersKeep {
			delete(s.ledger.strangers, key)
		}
	}
}

// strangersAmong finds those executions that the store has without an order. All
// are of one symbol.
func (a *account) strangersAmong(ctx context.Context, fills []venues.Fill) ([]persistence.FillRecord, error) {
	recorded, err := a.recorded(ctx, fills)
	var list []persistence.FillRecord
	for i := range fills {
		if record, is := recorded[tradeKey(&fills[i])]; is && record.OrderID == "" {
			list = append(list, record)
		}
	}
	return list, err
}

// news are the executions of one symbol that the store does not have with their
// order, and those that it has without one. The others are known: to look their
// orders up would cost a request each, at every start.
func (a *account) news(ctx context.Context, fills []venues.Fill) (list []venues.Fill, strangers []persistence.FillRecord, err error) {
	recorded, err := a.recorded(ctx, fills)
	for i := range fills {
		record, is := recorded[tradeKey(&fills[i])]
		if is && record.OrderID == "" {
			strangers = append(strangers, record)
		}
		if !is || record.OrderID == "" {
			list = append(list, fills[i])
		}
	}
	return list, strangers, err
}

// newStrangers are the executions, all of one symbol, that the store lacks.
func (a *account) newStrangers(ctx context.Context, fills []venues.Fill) ([]venues.Fill, error) {
	recorded, err := a.recorded(ctx, fills)
	return slices.DeleteFunc(slices.Clone(fills), func(f venues.Fill) bool {
		_, is := recorded[tradeKey(&f)]
		return is
	}), err
}

// recorded are those executions that the store has, by their tradeKey.
func (a *account) recorded(ctx context.Context, fills []venues.Fill) (map[string]persistence.FillRecord, error) {
	recorded := map[string]persistence.FillRecord{}
	if len(fills) == 0 {
		return recorded, nil
	}
	first, last := fills[0].ExecutedAt.Time, fills[0].ExecutedAt.Time
	for _, f := range fills {
		if f.ExecutedAt.Before(first) {
			first = f.ExecutedAt.Time
		}
		if f.ExecutedAt.After(last) {
			last = f.ExecutedAt.Time
		}
	}
	q := persistence.FillQuery{
		Customer: a.deps.Customer, Exchange: a.deps.Exchange, Symbol: fills[0].Symbol,
		From: first.Add(-time.Second), To: last.Add(time.Second),
	}
	err := a.eachFill(ctx, q, func(f persistence.FillRecord) { recorded[tradeKey(&f.Fill)] = f })
	return recorded, err
}
