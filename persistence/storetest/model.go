package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"venuegate/persistence"
	"venuegate/venues"
)

// model is the expected content of a customer in plain maps and slices, which are searched
// completely. It has no keys or indexes that could have the same errors as the store.
type model struct {
	orders      map[string]persistence.OrderRecord
	fills       map[string]persistence.FillRecord
	idempotency map[string]persistence.IdempotencyRecord
	signals     map[string]persistence.SignalRecord
	deliveries  map[string]persistence.Delivery
	events      []persistence.Event
	journal     []persistence.JournalEntry
	epoch       uint64
	seq         uint64
}

func newModel() *model {
	return &model{
		orders:      map[string]persistence.OrderRecord{},
		fills:       map[string]persistence.FillRecord{},
		idempotency: map[string]persistence.IdempotencyRecord{},
		signals:     map[string]persistence.SignalRecord{},
		deliveries:  map[string]persistence.Delivery{},
	}
}

// machine executes random actions on a store and on a model of each customer.
type machine struct {
	store  persistence.Store
	models map[string]*model
	fences map[string]persistence.Fence
}

func runModel(t *testing.T, open Open) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &machine{store: open(t), models: map[string]*model{}, fences: map[string]persistence.Fence{}}
		defer func() { _ = m.store.Close() }()
		for _, customer := range modelCustomers {
			m.models[customer] = newModel()
			m.takeOwnership(rt, customer)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"commit":      m.commit,
			"take":        func(rt *rapid.T) { m.takeOwnership(rt, drawCustomer(rt)) },
			"purge":       m.purge,
			"orders":      m.checkOrders,
			"fills":       m.checkFills,
			"log":         m.checkLog,
			"idempotency": m.checkIdempotency,

			"signals":    m.checkSignals,
			"deliveries": m.checkDeliveries,
		})
	})
}

var modelCustomers = []string{"a", "ab"}

func drawCustomer(rt *rapid.T) string { return rapid.SampledFrom(modelCustomers).Draw(rt, "customer") }

func (m *machine) takeOwnership(rt *rapid.T, customer string) {
	fence, err := m.store.TakeOwnership(rt.Context(), customer)
	if err != nil || fence.Epoch <= m.models[customer].epoch {
		rt.Fatalf("TakeOwnership = epoch %d, %v; want more than %d", fence.Epoch, err, m.models[customer].epoch)
	}
	m.models[customer].epoch = fence.Epoch
	m.fences[customer] = fence
}

// modelMillis are the times of records, in milliseconds after epoch. A store may find a
// record by the time in an id and by a time near that.
var modelMillis = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -999, -998, -996, 995, 1002, 1003, 1005, 5000}

func drawTime(rt *rapid.T) venues.Time {
	return timeAt(rapid.SampledFrom(modelMillis).Draw(rt, "ms"))
}

// modelID returns the n-th id of a prefix, one of ten: those of even numbers contain a time,
// which is zero in the last one, like that of an adopted order.
func modelID(prefix string, n int) string {
	if n == 8 {
		return persistence.NewID(prefix, time.UnixMilli(0), strings.NewReader("adopted012"))
	}
	if n%2 == 0 {
		return persistence.NewID(prefix, timeAt(n).Time, strings.NewReader(strings.Repeat(strconv.Itoa(n), 10)))
	}
	return fmt.Sprintf("%s_%06d", prefix, n)
}

// drawTimeOf draws the time in the n-th id, or any.
func drawTimeOf(rt *rapid.T, n int) venues.Time {
	if rapid.Bool().Draw(rt, "of id") {
		return timeAt(n)
	}
	return drawTime(rt)
}

var modelOrders = []string{modelID("ord", 1), modelID("ord", 2), modelID("ord", 4)}

// clientIDOf returns a client order id that contains that of an order.
func clientIDOf(orderID string) string {
	return "test" + strings.ToLower(strings.TrimPrefix(orderID, persistence.PrefixOrder+"_"))
}

var modelClientIDs = []string{"", "c", "c2", clientIDOf(modelOrders[1]), clientIDOf(modelOrders[2])}

func drawOrder(rt *rapid.T, customer string) persistence.OrderRecord {
	n := rapid.IntRange(0, 9).Draw(rt, "order")
	o := NewOrder(customer, n)
	o.OrderID = modelID(persistence.PrefixOrder, n)
	o.CreatedAt = drawTimeOf(rt, n)
	o.Status = rapid.SampledFrom(venues.OrderStatuses()).Draw(rt, "status")
	o.Exchange = rapid.SampledFrom(venues.All()).Draw(rt, "exchange")
	o.RequestID = rapid.SampledFrom([]string{"", "r", "r2"}).Draw(rt, "request")
	o.ChannelID = rapid.SampledFrom([]string{"", "h"}).Draw(rt, "order channel")
	o.ClientOrderID = rapid.SampledFrom(append(modelClientIDs, clientIDOf(o.OrderID))).Draw(rt, "client")
	return o
}

func drawFill(rt *rapid.T, customer string) persistence.FillRecord {
	n := rapid.IntRange(0, 9).Draw(rt, "fill")
	f := NewFill(customer, n)
	f.FillID = modelID(persistence.PrefixFill, n)
	f.ExecutedAt = drawTimeOf(rt, n)
	f.OrderID = rapid.SampledFrom(append([]string{""}, modelOrders...)).Draw(rt, "of")
	return f
}

// modelEvent returns the event with a sequence number. Some ids contain it.
func modelEvent(seq int) persistence.Event {
	e := NewEvent(seq)
	e.CreatedAt = timeAt(seq / 2)
	if seq%2 == 0 {
		e.ID = persistence.EventID(persistence.NewID(persistence.PrefixEvent, e.CreatedAt.Time, strings.NewReader("0123456789")), e.Seq)
	}
	return e
}

func drawJournal(rt *rapid.T) persistence.JournalEntry {
	n := rapid.IntRange(1, 30).Draw(rt, "entry")
	j := NewJournal(n)
	j.At = timeAt(modelMillis[n%len(modelMillis)])
	j.Subject = rapid.SampledFrom(append([]string{""}, modelOrders...)).Draw(rt, "subject")
	j.Channel = rapid.SampledFrom([]string{"", "h", "h2"}).Draw(rt, "channel")
	j.Result = rapid.SampledFrom([]string{"", "ok"}).Draw(rt, "result")
	return j
}

func drawIdempotency(rt *rapid.T, customer string) persistence.IdempotencyRecord {
	r := NewIdempotency(customer, rapid.SampledFrom([]string{"r", "r2"}).Draw(rt, "request"), rapid.IntRange(1, 12).Draw(rt, "attempt"), 1)
	r.FirstReceived = drawTime(rt)
	return r
}

// commit commits a random batch and compares its result with that of the model.
func (m *machine) commit(rt *rapid.T) {
	customer := drawCustomer(rt)
	want := m.models[customer]
	b := persistence.Batch{Fence: m.fences[customer]}
	if rapid.IntRange(0, 9).Draw(rt, "stale") == 0 {
		b.Fence.Epoch--
	}
	for range rapid.IntRange(0, 3).Draw(rt, "orders") {
		b.Puts = append(b.Puts, drawOrder(rt, customer))
	}
	for range rapid.IntRange(0, 2).Draw(rt, "fills") {
		b.Puts = append(b.Puts, drawFill(rt, customer))
	}
	b.Puts = append(b.Puts, drawSignalsAndDeliveries(rt, customer)...)
	if rapid.Bool().Draw(rt, "key") {
		r := drawIdempotency(rt, customer)
		b.Absent, b.Puts = append(b.Absent, r.Key()), append(b.Puts, r)
	}
	for range rapid.IntRange(0, 2).Draw(rt, "events") {
		b.Events = append(b.Events, modelEvent(len(want.events)+len(b.Events)+1))
	}
	for range rapid.IntRange(0, 2).Draw(rt, "journal") {
		b.Journal = append(b.Journal, drawJournal(rt))
	}
	expected := want.result(b)
	if err := m.store.Commit(rt.Context(), b); !errors.Is(err, expected) {
		rt.Fatalf("Commit = %v, want %v", err, expected)
	}
	if expected == nil {
		want.apply(b)
	}
}

func (m *model) result(b persistence.Batch) error {
	if b.Empty() {
		return nil
	}
	if b.Fence.Epoch != m.epoch {
		return persistence.ErrFenced
	}
	for _, k := range b.Absent {
		if _, exists := m.idempotency[k.ID]; exists {
			return persistence.ErrExists
		}
	}
	return nil
}

func (m *model) apply(b persistence.Batch) {
	for _, r := range b.Puts {
		switch r := r.(type) {
		case persistence.OrderRecord:
			m.orders[r.OrderID] = r
		case persistence.FillRecord:
			m.fills[r.FillID] = r
		case persistence.IdempotencyRecord:
			m.idempotency[r.Key().ID] = r
		case persistence.SignalRecord:
			m.signals[r.ID] = r
		case persistence.Delivery:
			m.deliveries[r.Key().ID] = r
		}
	}
	for _, e := range b.Events {
		m.events = append(m.events, e)
		m.seq = max(m.seq, e.Seq)
	}
	for _, j := range b.Journal {
		m.journal = slices.DeleteFunc(m.journal, func(old persistence.JournalEntry) bool { return old.ID == j.ID })
		m.journal = append(m.journal, j)
		m.seq = max(m.seq, j.Seq)
	}
}

func (m *machine) purge(rt *rapid.T) {
	cut := func(name string) time.Time { return timeAt(rapid.IntRange(0, 4).Draw(rt, name)).Time }
	before := persistence.Retention{Idempotency: cut("idempotency"), Events: cut("events"), Journal: cut("journal")}
	if err := m.store.Purge(rt.Context(), before); err != nil {
		rt.Fatalf("Purge: %v", err)
	}
	for _, w := range m.models {
		maps.DeleteFunc(w.idempotency, func(_ string, r persistence.IdempotencyRecord) bool {
			return r.FirstReceived.Before(before.Idempotency)
		})
		maps.DeleteFunc(w.signals, func(_ string, s persistence.SignalRecord) bool {
			return s.Status.IsFinal() && s.UpdatedAt.Before(before.Journal)
		})
		maps.DeleteFunc(w.deliveries, func(_ string, d persistence.Delivery) bool {
			return d.Status != persistence.DeliveryPending && d.UpdatedAt.Before(before.Events)
		})
		// The events of the model have increasing times. Purged ones stay without an
		// id, because their sequence numbers are not used again.
		for i, e := range w.events {
			if e.CreatedAt.Before(before.Events) {
				w.events[i].ID = ""
			}
		}
		w.journal = slices.DeleteFunc(w.journal, func(j persistence.JournalEntry) bool { return j.At.Before(before.Journal) })
	}
}

func compare(rt *rapid.T, what string, got, want any) {
	if g, w := text(got), text(want); g != w {
		rt.Fatalf("%s:\n got %s\nwant %s", what, g, w)
	}
}

// selected returns the wanted records of a map, newest first.
func selected[T any](records map[string]T, at func(T) (venues.Time, string), wanted func(T) bool) []T {
	found := []T{}
	for _, r := range records {
		if wanted(r) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b T) int {
		atA, idA := at(a)
		atB, idB := at(b)
		if c := atB.Compare(atA.Time); c != 0 {
			return c
		}
		return strings.Compare(idB, idA)
	})
	return found
}

func within(at venues.Time, from, to time.Time) bool {
	return !at.Before(from) && (to.IsZero() || at.Before(to))
}

func drawBounds(rt *rapid.T) (from, to time.Time) {
	if rapid.Bool().Draw(rt, "bounded") {
		return drawTime(rt).Time, drawTime(rt).Time
	}
	return time.Time{}, time.Time{}
}

func (m *machine) checkOrders(rt *rapid.T) {
	customer := drawCustomer(rt)
	q := persistence.OrderQuery{
		Customer: customer, Limit: rapid.IntRange(1, 4).Draw(rt, "limit"),
		View:      rapid.SampledFrom([]persistence.OrderView{"", persistence.OrdersOpen, persistence.OrdersClosed, persistence.OrdersAll}).Draw(rt, "view"),
		Exchange:  rapid.SampledFrom([]venues.Venue{"", venues.OKX}).Draw(rt, "exchange"),
		Symbol:    rapid.SampledFrom([]string{"", "BTCUSDT"}).Draw(rt, "symbol"),
		RequestID: rapid.SampledFrom([]string{"", "r"}).Draw(rt, "request"),
		ChannelID: rapid.SampledFrom([]string{"", "h"}).Draw(rt, "channel"),
	}
	q.From, q.To = drawBounds(rt)
	want := selected(m.models[customer].orders, orderPosition, func(o persistence.OrderRecord) bool {
		return (q.View == "" || q.View == persistence.OrdersAll || (q.View == persistence.OrdersClosed) == o.Status.IsClosed()) &&
			(q.Exchange == "" || q.Exchange == o.Exchange) && (q.Symbol == "" || q.Symbol == o.Symbol) &&
			(q.RequestID == "" || q.RequestID == o.RequestID) && (q.ChannelID == "" || q.ChannelID == o.ChannelID) && within(o.CreatedAt, q.From, q.To)
	})
	got := readPages(rt, func(after *persistence.PagePosition) (orderPage, error) {
		q.After = after
		return m.store.Orders(rt.Context(), q)
	})
	compare(rt, "orders", got, want)
	m.checkUnfinished(rt, customer)
}

func orderPosition(o persistence.OrderRecord) (venues.Time, string) { return o.CreatedAt, o.OrderID }

func (m *machine) checkUnfinished(rt *rapid.T, customer string) {
	exchange := rapid.SampledFrom(venues.All()).Draw(rt, "account")
	want := selected(m.models[customer].orders, orderPosition, func(o persistence.OrderRecord) bool {
		return o.Exchange == exchange && o.Unfinished()
	})
	slices.Reverse(want)
	got, err := m.store.UnfinishedOrders(rt.Context(), customer, exchange)
	if err != nil {
		rt.Fatal(err)
	}
	compare(rt, "unfinished orders", append([]persistence.OrderRecord{}, got...), want)

	clientID := rapid.SampledFrom(modelClientIDs[1:]).Draw(rt, "client id")
	named := selected(m.models[customer].orders, func(o persistence.OrderRecord) (venues.Time, string) {
		return venues.Time{}, o.OrderID
	}, func(o persistence.OrderRecord) bool { return o.ClientOrderID == clientID })
	order, err := m.store.OrderByClientID(rt.Context(), customer, clientID)
	switch {
	case len(named) == 0 && !errors.Is(err, persistence.ErrNotFound):
		rt.Fatalf("OrderByClientID = %s, %v; want ErrNotFound", text(order), err)
	case len(named) > 0:
		compare(rt, "order by client id", order, named[0])
	}
	m.checkAdopted(rt, customer)
}

// checkAdopted compares the order with an identity with the model. It is not found if its
// client order id contains its id, unless that has the time zero.
func (m *machine) checkAdopted(rt *rapid.T, customer string) {
	id := modelID(persistence.PrefixOrder, 2*rapid.IntRange(0, 4).Draw(rt, "identity"))
	want, found := m.models[customer].orders[id]
	found = found && (want.ClientOrderID != clientIDOf(id) || id == modelID(persistence.PrefixOrder, 8))
	order, err := m.store.AdoptedOrder(rt.Context(), customer, persistence.IdentityOfID(id))
	switch {
	case !found && !errors.Is(err, persistence.ErrNotFound):
		rt.Fatalf("AdoptedOrder = %s, %v; want ErrNotFound", text(order), err)
	case found:
		compare(rt, "adopted order", order, want)
	}
}

func (m *machine) checkFills(rt *rapid.T) {
	customer := drawCustomer(rt)
	q := persistence.FillQuery{
		Customer: customer, Limit: rapid.IntRange(1, 4).Draw(rt, "limit"),
		OrderID: rapid.SampledFrom(append([]string{""}, modelOrders...)).Draw(rt, "order"),
		Symbol:  rapid.SampledFrom([]string{"", "BTCUSDT"}).Draw(rt, "symbol"),
	}
	q.From, q.To = drawBounds(rt)
	want := selected(m.models[customer].fills,
		func(f persistence.FillRecord) (venues.Time, string) { return f.ExecutedAt, f.FillID },
		func(f persistence.FillRecord) bool {
			return (q.OrderID == "" || q.OrderID == f.OrderID) && (q.Symbol == "" || q.Symbol == f.Symbol) &&
				within(f.ExecutedAt, q.From, q.To)
		})
	got := readPages(rt, func(after *persistence.PagePosition) (fillPage, error) {
		q.After = after
		return m.store.Fills(rt.Context(), q)
	})
	compare(rt, "fills", got, want)
}

func (m *machine) checkLog(rt *rapid.T) {
	customer := drawCustomer(rt)
	w := m.models[customer]
	events, err := m.store.Events(rt.Context(), customer, "", 0)
	if err != nil {
		rt.Fatal(err)
	}
	kept := slices.DeleteFunc(slices.Clone(w.events), func(e persistence.Event) bool { return e.ID == "" })
	compare(rt, "events", append([]persistence.Event{}, events...), append([]persistence.Event{}, kept...))
	m.checkEvents(rt, customer, kept)

	q := persistence.JournalQuery{
		Customer: customer, Limit: rapid.IntRange(1, 4).Draw(rt, "limit"),
		Subject: rapid.SampledFrom(append([]string{""}, modelOrders...)).Draw(rt, "subject"),
		Kind:    rapid.SampledFrom([]string{"", "risk"}).Draw(rt, "kind"),
		Channel: rapid.SampledFrom([]string{"", "h"}).Draw(rt, "channel"),
		Result:  rapid.SampledFrom([]string{"", "ok"}).Draw(rt, "result"),
	}
	q.From, q.To = drawBounds(rt)
	byID := map[string]persistence.JournalEntry{}
	for _, j := range w.journal {
		byID[j.ID] = j
	}
	want := selected(byID, func(j persistence.JournalEntry) (venues.Time, string) { return j.At, j.ID },
		func(j persistence.JournalEntry) bool { return wantedJournal(q, j) && within(j.At, q.From, q.To) })
	got := readPages(rt, func(after *persistence.PagePosition) (journalPage, error) {
		q.After = after
		return m.store.Journal(rt.Context(), q)
	})
	compare(rt, "journal", got, want)
	seq, err := m.store.LastSequence(rt.Context(), customer)
	if err != nil || seq != w.seq {
		rt.Fatalf("LastSequence = %d, %v; want %d", seq, err, w.seq)
	}
}

// checkEvents reads events by their ids: those that the store has, and purged ones.
func (m *machine) checkEvents(rt *rapid.T, customer string, kept []persistence.Event) {
	for i, want := range kept {
		got, err := m.store.Event(rt.Context(), customer, want.ID)
		if err != nil {
			rt.Fatalf("Event(%q): %v", want.ID, err)
		}
		compare(rt, "event", got, want)
		after, err := m.store.Events(rt.Context(), customer, want.ID, 0)
		if err != nil || len(after) != len(kept)-i-1 {
			rt.Fatalf("Events after %q = %d events, %v; want %d", want.ID, len(after), err, len(kept)-i-1)
		}
	}
	for i, e := range m.models[customer].events {
		if gone := modelEvent(i + 1).ID; e.ID == "" {
			if got, err := m.store.Event(rt.Context(), customer, gone); !errors.Is(err, persistence.ErrNotFound) {
				rt.Fatalf("Event(%q), which was purged, = %s, %v; want ErrNotFound", gone, text(got), err)
			}
		}
	}
}

func (m *machine) checkIdempotency(rt *rapid.T) {
	customer := drawCustomer(rt)
	for _, request := range []string{"r", "r2"} {
		newest := persistence.IdempotencyRecord{}
		for _, r := range m.models[customer].idempotency {
			if r.RequestID == request && r.Attempt > newest.Attempt {
				newest = r
			}
		}
		got, err := m.store.Idempotency(rt.Context(), customer, persistence.ScopeREST, request)
		if errors.Is(err, persistence.ErrNotFound) != (newest.Attempt == 0) {
			rt.Fatalf("Idempotency of %q = attempt %d, %v; want attempt %d", request, got.Attempt, err, newest.Attempt)
		}
		compare(rt, fmt.Sprint("newest attempt of ", request), got, newest)
	}
}
