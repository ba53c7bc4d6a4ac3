package storetest

import (
	"errors"
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

var archiveCases = []conformanceCase{
	{"closed orders are archived and deleted", archiveOrders},
	{"fills are archived and deleted unless they are needed", archiveFills},
	{"what is not archived stays", archiveFails},
	{"what changes meanwhile stays", archiveChanges},
	{"a zero time archives nothing", archiveZeroRetention},
}

// archived is an archive in memory.
type archived struct {
	files [][]persistence.Record
	err   error
	// during is called by each Write.
	during func()
}

// Write implements persistence.Archive.
func (a *archived) Write(records []persistence.Record) error {
	if a.during != nil {
		a.during()
	}
	if a.err == nil {
		a.files = append(a.files, slices.Clone(records))
	}
	return a.err
}

// ids returns the ids of all archived records.
func (a *archived) ids() []string {
	all := slices.Concat(a.files...)
	ids := make([]string, 0, len(all))
	for _, r := range all {
		ids = append(ids, r.Key().ID)
	}
	return ids
}

// oldOrder returns a closed order whose last change is that many milliseconds after the
// fixed time.
func oldOrder(customer string, n int) persistence.OrderRecord {
	order := NewOrder(customer, n)
	order.Status = venues.StatusFilled
	return order
}

func (h *harness) archive(before persistence.Retention) *archived {
	h.Helper()
	to := &archived{}
	if err := h.store.Archive(h.Context(), before, to); err != nil {
		h.Fatalf("Archive: %v", err)
	}
	return to
}

func archiveOrders(h *harness) {
	working, protected := oldOrder("alice", 1), oldOrder("alice", 2)
	working.Status = venues.StatusOpen
	protected.Protection.StopLoss.Status = venues.ProtectionLive
	entry := oldOrder("alice", 0)
	working.EntryOrderID = entry.OrderID
	kept := []persistence.Record{entry, working, protected, oldOrder("alice", 9)}
	moved := []persistence.Record{oldOrder("alice", 3), oldOrder("alice", 4), oldOrder("bob", 3)}
	h.put(slices.Concat(kept, moved)...)
	to := h.archive(persistence.Retention{Orders: timeAt(5).Time})
	h.equal("archived", slices.Concat(to.files...), moved)
	for _, r := range kept {
		o := r.(persistence.OrderRecord)
		h.equal("kept order", must[persistence.OrderRecord](h)(h.store.Order(h.Context(), o.Customer, o.OrderID)), o)
	}
	for _, r := range moved {
		o := r.(persistence.OrderRecord)
		missing[persistence.OrderRecord](h)(h.store.Order(h.Context(), o.Customer, o.OrderID))
		missing[persistence.OrderRecord](h)(h.store.OrderByClientID(h.Context(), o.Customer, o.ClientOrderID))
	}
	h.equal("archived again", h.archive(persistence.Retention{Orders: timeAt(5).Time}).ids(), []string{})
}

// dayAfter is later than the margin that Archive keeps of the fills.
const dayAfter = 3 * 24 * time.Hour

func archiveFills(h *harness) {
	fill := func(customer string, n int, change ...func(*persistence.FillRecord)) persistence.FillRecord {
		f := NewFill(customer, n)
		f.Exchange, f.Symbol, f.OrderID = venues.Binance, "BTCUSDT", ""
		for _, c := range change {
			c(&f)
		}
		return f
	}
	at := func(t time.Time) venues.Time { return venues.At(t) }
	start := timeAt(0).Time
	working := NewOrder("alice", 4)
	working.Status = venues.StatusPartiallyFilled
	finished := oldOrder("alice", 5)
	h.put(working, finished,
		persistence.PositionRecord{Customer: "alice", Exchange: venues.Binance, Symbol: "BTCUSDT", CutAt: at(start.Add(dayAfter))},
		persistence.PositionRecord{Customer: "alice", Exchange: venues.Binance, Symbol: "ETHUSDT", CutAt: at(start)},
		persistence.PositionRecord{Customer: "alice", Exchange: venues.Binance, Symbol: "SOLUSDT", CutAt: at(start.Add(dayAfter))},
		persistence.AccountState{Customer: "alice", Exchange: venues.Binance, FillsUntil: map[string]venues.Time{
			"BTCUSDT": at(start.Add(dayAfter)), "ETHUSDT": at(start.Add(dayAfter)), "SOLUSDT": at(start),
		}},
	)
	kept := []persistence.Record{
		fill("alice", 1, func(f *persistence.FillRecord) { f.Symbol = "ETHUSDT" }), // after the cut of its position
		fill("alice", 2, func(f *persistence.FillRecord) { f.Symbol = "SOLUSDT" }), // after the last reading
		fill("alice", 3, func(f *persistence.FillRecord) { f.Symbol = "ADAUSDT" }), // neither is known
		fill("alice", 4, func(f *persistence.FillRecord) { f.OrderID = working.OrderID }),
		fill("alice", 90),
		fill("bob", 5), // has no position
	}
	moved := []persistence.Record{
		fill("alice", 5), fill("alice", 6, func(f *persistence.FillRecord) { f.OrderID = finished.OrderID }),
		fill("alice", 7, func(f *persistence.FillRecord) { f.OrderID = "ord_999999" }), // purged before
	}
	h.put(slices.Concat(kept, moved)...)
	to := h.archive(persistence.Retention{Fills: timeAt(50).Time})
	h.equal("archived", slices.Concat(to.files...), moved)
	left := append(h.allFills(persistence.FillQuery{Customer: "alice"}), h.allFills(persistence.FillQuery{Customer: "bob"})...)
	h.equal("fills left", len(left), len(kept))
	for _, r := range kept {
		if id := r.Key().ID; !slices.Contains(left, id) {
			h.Errorf("fill %s was deleted, want it kept", id)
		}
	}
}

func archiveFails(h *harness) {
	h.put(oldOrder("alice", 1), oldOrder("alice", 2))
	to := &archived{err: errors.New("the disk is broken")}
	before := persistence.Retention{Orders: timeAt(5).Time}
	if err := h.store.Archive(h.Context(), before, to); !errors.Is(err, to.err) {
		h.Errorf("Archive = %v, want %v", err, to.err)
	}
	h.equal("orders left", len(h.allOrders(persistence.OrderQuery{Customer: "alice"})), 2)
	h.equal("archived later", h.archive(before).ids(), []string{"ord_000001", "ord_000002"})
}

func archiveChanges(h *harness) {
	changed := oldOrder("alice", 1)
	h.put(changed, oldOrder("alice", 2))
	to := &archived{during: func() {
		changed.Comment = "a late report"
		h.put(changed)
	}}
	if err := h.store.Archive(h.Context(), persistence.Retention{Orders: timeAt(5).Time}, to); err != nil {
		h.Fatalf("Archive: %v", err)
	}
	h.equal("archived", to.ids(), []string{"ord_000001", "ord_000002"})
	h.equal("changed order", must[persistence.OrderRecord](h)(h.store.Order(h.Context(), "alice", "ord_000001")), changed)
	missing[persistence.OrderRecord](h)(h.store.Order(h.Context(), "alice", "ord_000002"))
}

func archiveMany(h *harness) {
	const batches, ordersOfBatch = 10, 500
	const orders = batches * ordersOfBatch
	for i := range batches {
		puts := make([]persistence.Record, ordersOfBatch)
		for n := range puts {
			puts[n] = oldOrder("alice", i*ordersOfBatch+n)
		}
		h.commit("alice", persistence.Batch{Puts: puts})
	}
	to := h.archive(persistence.Retention{Orders: timeAt(orders).Time})
	if ids := to.ids(); len(to.files) < 2 || len(ids) != orders || !slices.IsSorted(ids) || len(slices.Compact(ids)) != orders {
		h.Errorf("%d records in %d files, want each of %d once, in at least 2 files", len(ids), len(to.files), orders)
	}
	h.equal("orders left", len(h.allOrders(persistence.OrderQuery{Customer: "alice"})), 0)
}

func archiveZeroRetention(h *harness) {
	h.put(oldOrder("alice", 1), NewFill("alice", 1))
	late := timeAt(1 << 40).Time
	h.equal("archived", h.archive(persistence.Retention{Idempotency: late, Events: late, Journal: late}).ids(), []string{})
}
