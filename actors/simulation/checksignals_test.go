package simulation_test

import (
	"context"
	"errors"
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// checkSignals checks that an accepted signal is final, and was executed at most once,
// in time, and not in test mode.
func (w *world) checkSignals(customer string, records []persistence.OrderRecord, truths map[string]*truth) {
	in := w.plan.inbound
	if in == nil || customer != in.live.Customer {
		return
	}
	byID := map[string]*persistence.SignalRecord{}
	for _, c := range []persistence.Channel{in.live, in.dryRun} {
		taken := w.signalsOf(c.ID)
		for i := range taken {
			byID[taken[i].ID] = &taken[i]
			w.checkSignal(&taken[i])
		}
		for i := range records {
			if r := &records[i]; r.ChannelID == c.ID {
				w.checkSignalOrder(r, taken, truths[r.ClientOrderID])
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range in.signals {
		w.checkSignalCall(b, byID)
	}
}

func (w *world) signalsOf(channel string) []persistence.SignalRecord {
	page, err := w.memory.Signals(context.Background(), persistence.SignalQuery{
		Customer: w.plan.inbound.live.Customer, Channel: channel, Limit: persistence.PageSizeMax,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	slices.Reverse(page.Items)
	return page.Items
}

func (w *world) checkSignal(s *persistence.SignalRecord) {
	rows := w.journalOf(s.Customer, s.ID)
	switch {
	case !s.Status.IsFinal():
		w.violate("quiet", "signal %s is still %s, step %s", s.ID, s.Status, s.Step)
	case s.Test && (len(s.OrderIDs) > 0 || s.Status == persistence.SignalDone):
		w.violate("I-15", "signal %s came in test mode, is %s and made %v", s.ID, s.Status, s.OrderIDs)
	case len(rows) < 2:
		w.violate("I-15", "signal %s is %s and has %d rows in the journal", s.ID, s.Status, len(rows))
	}
}

// checkSignalOrder compares an order with the signals that may have placed it: those
// with its request id that were accepted before it.
func (w *world) checkSignalOrder(r *persistence.OrderRecord, taken []persistence.SignalRecord, t *truth) {
	expiresAt, isTest, known := time.Time{}, false, false
	for i := range taken {
		if s := &taken[i]; s.RequestID == r.RequestID && !s.ReceivedAt.After(r.CreatedAt.Time) {
			expiresAt, isTest, known = s.ExpiresAt.Time, s.Test, true
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	sentAt, sent := w.sentAt[r.ClientOrderID]
	switch {
	case !known:
		w.violated("I-2", "order %s is of signal %s, which was not accepted", r.OrderID, r.RequestID)
	case isTest || r.ChannelID == w.plan.inbound.dryRun.ID:
		w.violated("I-15", "order %s was made in test mode; the venue has it: %t", r.OrderID, t != nil)
	case sent && sentAt.After(expiresAt):
		w.violated("I-3", "order %s left %s after its signal had expired", r.OrderID, sentAt.Sub(expiresAt))
	}
}

// checkSignalCall checks that the response to a sender is true.
func (w *world) checkSignalCall(b *signalCall, byID map[string]*persistence.SignalRecord) {
	if !b.launched {
		return
	}
	w.coverage.operations["signal"]++
	w.coverage.answers[b.describe()]++
	switch record := byID[b.answer.SignalID]; {
	case !b.done:
		w.violated("quiet", "signal %d was never answered", b.index)
	case b.cut || b.err != nil:
	case record == nil:
		w.violated("I-2", "signal %d returned %s, which is not in the store", b.index, b.answer.SignalID)
	case record.RequestID != b.RequestID || record.ChannelID != b.ChannelID:
		w.violated("I-11", "signal %d returned %s, which is %s of %s", b.index, record.ID, record.RequestID, record.ChannelID)
	case record.Status == persistence.SignalTested && b.answer.OrderID != "":
		w.violated("I-15", "signal %d, a test, returned order %s", b.index, b.answer.OrderID)
	}
}

// describe describes the response to the sender.
func (b *signalCall) describe() string {
	kind := "signal "
	if b.answer.Duplicate {
		kind = "signal again "
	}
	switch {
	case b.cut:
		return kind + "cut"
	case b.err != nil:
		text := kind + string(venues.CodeOf(b.err))
		if e, ok := errors.AsType[*venues.Error](b.err); ok && e.Details["rule"] != nil {
			text += "(" + e.Details["rule"].(string) + ")"
		}
		return text
	}
	return kind + b.answer.Status
}
