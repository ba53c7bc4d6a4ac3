package simulation_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// check compares the responses of customers, the store, the venues and the published
// messages once the world is quiet.
func (w *world) check() {
	truths := w.truths()
	if w.plan.hedged {
		w.coverage.hedged++
	}
	byID := map[string]persistence.OrderRecord{}
	for _, customer := range customers {
		records := w.records(customer)
		for _, r := range records {
			byID[r.OrderID] = r
			w.unknownFor(&r)
			w.checkOrder(&r, truths[r.ClientOrderID])
			w.checkJournal(&r)
		}
		w.checkAdopted(customer, records)
		w.checkRequests(customer, records, truths)
		w.checkSignals(customer, records, truths)
		w.checkEvents(customer, records)
		w.checkDeliveries(customer)
		w.checkPositions(customer)
		w.checkScreen(customer, records)
	}
	for _, clientID := range slices.Sorted(keys(truths)) {
		w.checkTruth(clientID, truths[clientID], byID)
	}
	for _, op := range w.plan.operations {
		w.checkOperation(op, byID, truths)
	}
	w.coverage.orders, w.coverage.fills = len(truths), 0
	for _, t := range truths {
		w.coverage.fills += len(t.trades)
	}
}

// checkTruth checks that every order with the service's client order id at the venue
// was placed by the service, once, in time, for the same customer.
func (w *world) checkTruth(clientID string, t *truth, byID map[string]persistence.OrderRecord) {
	w.mu.Lock()
	id, known := w.byClient[clientID]
	arrived, deadline := w.arrivals[clientID], w.deadlines[clientID]
	w.mu.Unlock()
	record, stored := byID[id]
	switch {
	case t.placed > 1:
		w.violate("I-1", "the venue has %s %d times", clientID, t.placed)
	case !known || !stored:
		w.violate("I-2", "the venue has %s, the store has not", clientID)
	case record.Customer != t.account:
		w.violate("I-11", "%s of %s is on the account of %s", clientID, record.Customer, t.account)
	case arrived.After(deadline):
		w.violate("I-3", "%s was executed %s after its deadline", clientID, arrived.Sub(deadline))
	}
}

// checkOrder checks that the store's record agrees with the venue.
func (w *world) checkOrder(r *persistence.OrderRecord, t *truth) {
	if r.Status == venues.StatusPending || r.Status == venues.StatusUnknown || r.PendingAction != venues.PendingNone {
		w.violate("quiet", "order %s is still %s %s", r.OrderID, r.Status, r.PendingAction)
		return
	}
	fills := w.fillsOf(r.Customer, r.OrderID)
	if sum := sumOf(fills); !sum.Equal(r.FilledQty) {
		w.violate("I-8", "order %s is filled %s, its fills are %s", r.OrderID, r.FilledQty, sum)
	}
	if !ours(r.ClientOrderID) {
		return // adopted
	}
	if t == nil {
		w.checkAbsent(r)
		return
	}
	w.checkPresent(r, t, fills)
}

// checkAdopted checks that an order that was placed elsewhere is one order in the store
// and ends as at the venue.
func (w *world) checkAdopted(customer string, records []persistence.OrderRecord) {
	known := map[string]string{}
	for i := range records {
		r := &records[i]
		if ours(r.ClientOrderID) {
			continue
		}
		there, root := w.venues[r.Exchange].numbered(customer, r.VenueOrderID)
		key := string(r.Exchange) + "/" + root
		if other := known[key]; other != "" {
			w.violate("I-8", "orders %s and %s are one at the venue, %s", other, r.OrderID, root)
		}
		known[key] = r.OrderID
		if there.Status.IsClosed() != r.Status.IsClosed() || !there.FilledQty.Equal(r.FilledQty) {
			w.violate("I-8", "adopted order %s is %s %s, at the venue %s %s", r.OrderID, r.Status, r.FilledQty, there.Status, there.FilledQty)
		}
	}
}

// checkAbsent checks that an order that never reached the venue ended without fills.
func (w *world) checkAbsent(r *persistence.OrderRecord) {
	reason := ""
	if r.Error != nil {
		reason = r.Error.Reason
	}
	switch {
	case r.FilledQty.IsPositive():
		w.violate("I-8", "order %s is filled %s and the venue never had it", r.OrderID, r.FilledQty)
	case r.Status == venues.StatusRejected:
	case r.Status == venues.StatusCancelled && reason != "":
	default:
		w.violate("I-8", "order %s is %s (%s) and the venue never had it", r.OrderID, r.Status, reason)
	}
}

func (w *world) checkPresent(r *persistence.OrderRecord, t *truth, fills []persistence.FillRecord) {
	want := t.report.Status
	if want == venues.StatusOpen && t.report.FilledQty.IsPositive() {
		want = venues.StatusPartiallyFilled
	}
	switch {
	case r.Status == want, r.Status == venues.StatusReplaced && want == venues.StatusCancelled:
	case w.forgot(t) && r.Status == venues.StatusCancelled:
	case r.Status == venues.StatusRejected:
		w.violate("I-5", "order %s is rejected and the venue has it as %s", r.OrderID, want)
	default:
		w.violate("I-8", "order %s is %s, the venue has it as %s", r.OrderID, r.Status, want)
	}
	if !r.FilledQty.Equal(t.report.FilledQty) {
		w.violate("I-8", "order %s is filled %s, at the venue %s", r.OrderID, r.FilledQty, t.report.FilledQty)
	}
	if r.Status.IsActive() && !r.Qty.Equal(t.report.Qty) {
		w.violate("I-8", "order %s is of %s, at the venue of %s", r.OrderID, r.Qty, t.report.Qty)
	}
	for i := range fills {
		if qty, known := t.trades[fills[i].VenueTradeID]; !known || !qty.Equal(fills[i].Qty) {
			w.violate("I-8", "fill %s of order %s is not the venue's", fills[i].FillID, r.OrderID)
		}
	}
	if len(fills) != len(t.trades) {
		w.violate("I-8", "order %s has %d fills, at the venue %d", r.OrderID, len(fills), len(t.trades))
	}
}

// forgot reports whether the venue no longer returns how the order ended.
func (w *world) forgot(t *truth) bool { return w.venues[t.exchange].forgotten(t.report) }

// checkRequests checks that a request id has one order within its window. The steps of a
// signal's plan have scopes of their own, and what a close leaves open is closed by another
// order. An id is free again once the venue has rejected its order, possibly after
// acknowledging it.
func (w *world) checkRequests(customer string, records []persistence.OrderRecord, truths map[string]*truth) {
	placed := map[string][]persistence.OrderRecord{}
	for _, r := range records {
		if t := truths[r.ClientOrderID]; r.RequestID != "" && t != nil && !t.isRejected() {
			key := r.Scope + "/" + r.RequestID
			if r.ChannelID != "" { // of whose signal one opens and one closes
				key = r.ChannelID + "/" + r.RequestID + "/" + strconv.FormatBool(r.ReduceOnly)
			}
			placed[key] = append(placed[key], r)
		}
	}
	for _, request := range slices.Sorted(keys(placed)) {
		list := placed[request]
		for i := 1; i < len(list); i++ {
			if closesTheRest(&list[i], &list[i-1]) {
				continue
			}
			if list[i].CreatedAt.Sub(list[i-1].CreatedAt.Time) < persistence.IdempotencyWindow {
				invariant := "I-1"
				if list[i].ChannelID != "" {
					invariant = "I-16"
				}
				w.violate(invariant, "%s of %s made %s and %s", request, customer, list[i-1].OrderID, list[i].OrderID)
			}
		}
	}
}

// closesTheRest reports whether an order of a signal closes at most what the one before, which
// has ended with a part unfilled, has left of a position.
func closesTheRest(r, before *persistence.OrderRecord) bool {
	return r.ChannelID != "" && r.ReduceOnly && before.Status.IsClosed() &&
		r.Qty.LessThanOrEqual(before.Qty.Sub(before.FilledQty))
}

// checkJournal checks that the journal has every status change of an order.
func (w *world) checkJournal(r *persistence.OrderRecord) {
	at := ""
	last := uint64(0)
	for _, row := range w.journalOf(r.Customer, r.OrderID) {
		if row.Seq <= last {
			w.violate("I-6", "journal row %s has number %d after %d", row.ID, row.Seq, last)
		}
		last = row.Seq
		if row.Kind != "order.status" {
			continue
		}
		from, to := field(row, "from"), field(row, "to")
		if at != "" && from != at {
			w.violate("I-6", "order %s: a step from %s follows one to %s", r.OrderID, from, at)
		}
		at = to
	}
	if at != "" && at != string(r.Status) {
		w.violate("I-6", "order %s is %s, its journal ends with %s", r.OrderID, r.Status, at)
	}
	if at == "" && r.Status != venues.StatusPending {
		w.violate("I-6", "order %s is %s and its journal has no step", r.OrderID, r.Status)
	}
}

func field(row persistence.JournalEntry, name string) string {
	for _, f := range row.Fields {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// checkEvents checks that each change has one event, with rising numbers.
func (w *world) checkEvents(customer string, records []persistence.OrderRecord) {
	filled, partly := map[string]int{}, map[string]int{}
	ids, fills := map[string]bool{}, map[string]bool{}
	last := uint64(0)
	for _, e := range w.events(customer) {
		if e.Seq <= last || ids[e.ID] {
			w.violate("I-6", "event %s has number %d after %d", e.ID, e.Seq, last)
		}
		last, ids[e.ID] = e.Seq, true
		var data struct{ OrderID, FillID string }
		_ = json.Unmarshal(e.Data, &data)
		switch e.Type {
		case persistence.EventOrderFilled:
			filled[data.OrderID]++
		case persistence.EventOrderPartiallyFilled:
			partly[data.OrderID]++
			if fills[data.FillID] {
				w.violate("I-6", "fill %s is reported twice", data.FillID)
			}
			fills[data.FillID] = true
		default:
		}
	}
	for i := range records {
		r := &records[i]
		want := 0
		if r.Status == venues.StatusFilled {
			want = 1
		}
		if filled[r.OrderID] != want {
			w.violate("I-6", "order %s is %s and has %d events order.filled", r.OrderID, r.Status, filled[r.OrderID])
		}
		if n := len(w.fillsOf(customer, r.OrderID)); partly[r.OrderID] < n-1 && !w.hasRow(r, "order.fills_missing") {
			w.violate("I-6", "order %s has %d fills and %d events of them", r.OrderID, n, partly[r.OrderID])
		}
	}
}

func (w *world) hasRow(r *persistence.OrderRecord, kind string) bool {
	return slices.ContainsFunc(w.journalOf(r.Customer, r.OrderID), func(row persistence.JournalEntry) bool { return row.Kind == kind })
}

// checkScreen checks that the stream shows the orders of the store.
func (w *world) checkScreen(customer string, records []persistence.OrderRecord) {
	s := w.screens[customer]
	s.mu.Lock()
	defer s.mu.Unlock()
	open := 0
	for i := range records {
		r := &records[i]
		shown, live := s.orders[r.OrderID]
		ended, over := s.ended[r.OrderID]
		switch {
		case r.Status.IsClosed() == live:
			w.violate("I-8", "order %s is %s, on the stream it is %q", r.OrderID, r.Status, shown.Status)
		case live && !sameOrder(&shown, &r.Order), over && ended.Status != r.Status:
			w.violate("I-8", "order %s is %s %s, the stream published %s %s", r.OrderID, r.Status, r.FilledQty, shown.Status+ended.Status, shown.FilledQty)
		}
		if !r.Status.IsClosed() {
			open++
		}
	}
	if len(s.orders) != open {
		w.violate("I-8", "the stream of %s shows %d open orders of %d", customer, len(s.orders), open)
	}
}

func sameOrder(a, b *venues.Order) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// checkOperation checks that the response to a customer's call is true.
func (w *world) checkOperation(op *operation, byID map[string]persistence.OrderRecord, truths map[string]*truth) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !op.launched {
		return
	}
	w.coverage.operations[op.kind]++
	w.coverage.answers[op.answer()]++
	switch {
	case !op.done:
		w.violated("quiet", "call %d (%s) was never answered", op.index, op.kind)
	case op.cut:
	case op.foreign():
		if venues.CodeOf(op.err) != venues.CodeNotFound {
			w.violated("I-11", "%s reached an order of another customer: %v", op.customer, op.err)
		}
	case op.kind == "place" || op.kind == "close":
		w.checkPlaced(op, byID, truths)
	case op.kind == "cancel_all" && op.err == nil:
		w.checkCancelled(op)
	}
}

func (w *world) checkPlaced(op *operation, byID map[string]persistence.OrderRecord, truths map[string]*truth) {
	answer, _ := errors.AsType[*venues.Error](op.err)
	record, stored := byID[op.orderID]
	if op.request != "" {
		w.coverage.requestIDs++
	}
	if answer != nil && answer.Code == venues.CodeInternal && errors.Is(op.err, persistence.ErrExists) {
		w.violated("I-1", "call %d met its own request id: %v", op.index, op.err)
	}
	switch {
	case op.orderID != "" && !stored:
		w.violated("I-2", "call %d returned order %s, which is not in the store: %v", op.index, op.orderID, op.err)
	case op.orderID != "" && record.Customer != op.customer:
		w.violated("I-11", "call %d of %s returned an order of %s", op.index, op.customer, record.Customer)
	case answer == nil || answer.Code == venues.CodeDuplicateRequest || answer.Details["orderState"] == "unknown":
	case op.orderID != "":
		if t := truths[record.ClientOrderID]; t != nil && t.report.Status != venues.StatusRejected {
			w.violated("I-5", "call %d returned %v, and the venue has order %s as %s", op.index, op.err, op.orderID, t.report.Status)
		}
	default:
		w.checkNothingDone(op, byID, truths)
	}
}

// checkNothingDone checks that no order exists after a rejection without an order.
func (w *world) checkNothingDone(op *operation, byID map[string]persistence.OrderRecord, truths map[string]*truth) {
	for _, other := range w.plan.operations {
		if op.request == "" || (other != op && other.request == op.request && other.customer == op.customer) {
			return
		}
	}
	for _, r := range byID {
		if r.RequestID == op.request && r.Customer == op.customer && truths[r.ClientOrderID] != nil {
			w.violated("I-5", "call %d returned %v, and %s is at the venue", op.index, op.err, r.OrderID)
		}
	}
}

// checkCancelled checks that the result of cancel-all lists every open order, and that
// the orders reported as cancelled are.
func (w *world) checkCancelled(op *operation) {
	results := map[string]string{}
	for _, r := range op.results {
		results[r.OrderID] = r.Result
	}
	for _, id := range slices.Sorted(keys(op.open)) {
		switch result, named := results[id]; {
		case !named:
			w.violated("I-23", "cancel-all %d does not list order %s", op.index, id)
		case (result == venues.CancelDone || result == venues.CancelNotFound) && op.left[id]:
			w.violated("I-23", "cancel-all %d reports %s for order %s, which is still open", op.index, result, id)
		}
	}
}

func keys[K comparable, V any](m map[K]V) func(yield func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// unknownFor records how long the order's outcome was unknown while the service was
// running.
func (w *world) unknownFor(r *persistence.OrderRecord) {
	var from time.Time
	for _, row := range w.journalOf(r.Customer, r.OrderID) {
		switch {
		case row.Kind == "order.status" && field(row, "to") == string(venues.StatusUnknown):
			from = row.At.Time
		case row.Kind == "order.status" && field(row, "from") == string(venues.StatusUnknown) && !from.IsZero():
			w.coverage.unknown = append(w.coverage.unknown, (row.At.Sub(from) - w.down(span{from, row.At.Time})).Seconds())
		}
	}
}
