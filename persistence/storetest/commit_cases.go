package storetest

import (
	"context"
	"errors"
	"slices"

	"venuegate/persistence"
	"venuegate/venues"
)

var commitCases = []conformanceCase{
	{"a batch is applied whole", commitWhole},
	{"a refused batch changes nothing", commitRefusedWhole},
	{"exists gives the record found", commitExistsFound},
	{"absent looks before the batch", commitAbsentBefore},
	{"answers come in order of submission", commitOrder},
	{"later batches see earlier ones", commitSeesEarlier},
	{"an empty batch is a barrier", commitBarrier},
	{"a batch may put a record twice", commitTwice},
	{"the batch is copied at submission", commitCopies},
	{"a batch against the contract is refused alone", commitInvalid},
	{"a context that has ended", commitContext},
	{"a closed store refuses", commitClosed},
	{"integrity holds", func(h *harness) { h.same("Integrity", h.store.Integrity() == nil, true) }},
}

func commitWhole(h *harness) {
	order, key := NewOrder("alice", 1), NewIdempotency("alice", "r", 1, 1)
	h.commit("alice", persistence.Batch{
		Absent:  []persistence.Key{key.Key()},
		Puts:    []persistence.Record{order, key},
		Events:  []persistence.Event{NewEvent(1)},
		Journal: []persistence.JournalEntry{NewJournal(2)},
	})
	ctx := h.Context()
	h.same("order", must[persistence.OrderRecord](h)(h.store.Order(ctx, "alice", order.OrderID)), order)
	h.same("idempotency", must[persistence.IdempotencyRecord](h)(h.store.Idempotency(ctx, "alice", persistence.ScopeREST, "r")), key)
	h.same("events", must[[]persistence.Event](h)(h.store.Events(ctx, "alice", "", 0)), []persistence.Event{NewEvent(1)})
	journal := must[persistence.Page[persistence.JournalEntry]](h)(h.store.Journal(ctx, persistence.JournalQuery{Customer: "alice"}))
	h.same("journal", journal.Items, []persistence.JournalEntry{NewJournal(2)})
	h.same("sequence", must[uint64](h)(h.store.LastSequence(ctx, "alice")), 2)
}

// nothing checks that a customer has no order, event, journal row or sequence.
func (h *harness) nothing(customer string) {
	h.Helper()
	ctx := h.Context()
	orders := must[persistence.Page[persistence.OrderRecord]](h)(h.store.Orders(ctx, persistence.OrderQuery{Customer: customer}))
	events := must[[]persistence.Event](h)(h.store.Events(ctx, customer, "", 0))
	journal := must[persistence.Page[persistence.JournalEntry]](h)(h.store.Journal(ctx, persistence.JournalQuery{Customer: customer}))
	seq := must[uint64](h)(h.store.LastSequence(ctx, customer))
	if len(orders.Items)+len(events)+len(journal.Items) != 0 || seq != 0 {
		h.Errorf("customer %q has %d orders, %d events, %d journal rows, sequence %d; want none",
			customer, len(orders.Items), len(events), len(journal.Items), seq)
	}
}

func commitRefusedWhole(h *harness) {
	taken := NewIdempotency("alice", "r", 1, 7)
	h.put(taken)
	full := persistence.Batch{
		Fence:   h.fence("alice"),
		Absent:  []persistence.Key{NewIdempotency("alice", "other", 1, 1).Key(), taken.Key()},
		Puts:    []persistence.Record{NewOrder("alice", 1)},
		Events:  []persistence.Event{NewEvent(1)},
		Journal: []persistence.JournalEntry{NewJournal(2)},
	}
	h.refused(full, persistence.ErrExists)
	h.nothing("alice")
	full.Absent, full.Fence.Epoch = nil, full.Fence.Epoch-1
	h.refused(full, persistence.ErrFenced)
	h.nothing("alice")
}

func commitExistsFound(h *harness) {
	records := []persistence.Record{
		NewIdempotency("alice", "r", 1, 7), NewOrder("alice", 3), NewFill("alice", 4),
		persistence.Customer{ID: "alice", Name: "Alice", CreatedAt: moment(1)},
		persistence.APIKey{ID: "k", Customer: "alice", Hash: []byte{9}, CreatedAt: moment(1)},
		persistence.VenueAccount{Customer: "alice", Exchange: venues.OKX, Sealed: []byte{5}, CreatedAt: moment(1)},
		persistence.AccountState{Customer: "alice", Exchange: venues.OKX},
		persistence.Setting{Name: "s", Value: []byte{1}},
	}
	h.put(records...)
	for _, r := range records {
		err := h.store.Commit(h.Context(), persistence.Batch{Fence: h.fence("alice"), Absent: []persistence.Key{r.Key()}})
		exists, ok := errors.AsType[*persistence.ExistsError](err)
		if !ok || !errors.Is(err, persistence.ErrExists) {
			h.Errorf("absent %s gave %v, want an ExistsError", r.Key(), err)
			continue
		}
		h.same("found", exists.Found, r)
	}
}

func commitAbsentBefore(h *harness) {
	r := NewIdempotency("alice", "r", 1, 1)
	h.commit("alice", persistence.Batch{Absent: []persistence.Key{r.Key(), r.Key()}, Puts: []persistence.Record{r}})
	second := NewIdempotency("alice", "r", 2, 2)
	h.commit("alice", persistence.Batch{Absent: []persistence.Key{second.Key()}, Puts: []persistence.Record{second}})
	got := must[persistence.IdempotencyRecord](h)(h.store.Idempotency(h.Context(), "alice", persistence.ScopeREST, "r"))
	h.same("newest attempt", got, second)
}

// submitAll submits batches at once and gives the answers in the order in which
// they came.
func (h *harness) submitAll(batches []persistence.Batch) (order []int, errs []error) {
	h.Helper()
	type answer struct {
		index int
		err   error
	}
	answers := make(chan answer, len(batches))
	for i, b := range batches {
		h.store.Submit(b, func(err error) { answers <- answer{i, err} })
	}
	errs = make([]error, len(batches))
	for range batches {
		a := <-answers
		order = append(order, a.index)
		errs[a.index] = a.err
	}
	return order, errs
}

func commitOrder(h *harness) {
	const batches = 600
	fence := h.fence("alice")
	taken := NewIdempotency("alice", "taken", 1, 0)
	h.put(taken)
	all := make([]persistence.Batch, 0, batches)
	for i := range batches {
		b := persistence.Batch{Fence: fence, Puts: []persistence.Record{NewOrder("alice", i)}}
		switch i % 5 {
		case 1:
			b = persistence.Batch{}
		case 2:
			b.Absent = []persistence.Key{taken.Key()}
		case 3:
			b.Fence.Epoch--
		}
		all = append(all, b)
	}
	order, errs := h.submitAll(all)
	if !slices.IsSorted(order) {
		h.Errorf("answers came in the order %v", order)
	}
	for i, err := range errs {
		want := []error{nil, nil, persistence.ErrExists, persistence.ErrFenced, nil}[i%5]
		if !errors.Is(err, want) {
			h.Errorf("batch %d was answered %v, want %v", i, err, want)
		}
	}
	page := must[persistence.Page[persistence.OrderRecord]](h)(h.store.Orders(h.Context(), persistence.OrderQuery{Customer: "alice"}))
	if want := batches * 2 / 5; len(page.Items) != want {
		h.Errorf("%d orders are stored, want %d", len(page.Items), want)
	}
}

func commitSeesEarlier(h *harness) {
	r := NewIdempotency("alice", "r", 1, 1)
	b := persistence.Batch{Fence: h.fence("alice"), Absent: []persistence.Key{r.Key()}, Puts: []persistence.Record{r}}
	open, closed := NewOrder("alice", 1), NewOrder("alice", 1)
	closed.Status = venues.StatusCancelled
	put := func(o persistence.OrderRecord) persistence.Batch {
		return persistence.Batch{Fence: h.fence("alice"), Puts: []persistence.Record{o}}
	}
	_, errs := h.submitAll([]persistence.Batch{b, b, put(open), put(closed)})
	if errs[0] != nil || !errors.Is(errs[1], persistence.ErrExists) || errs[2] != nil || errs[3] != nil {
		h.Errorf("answers %v; want the second alone to exist", errs)
	}
	unfinished := must[[]persistence.OrderRecord](h)(h.store.UnfinishedOrders(h.Context(), "alice", open.Exchange))
	h.same("unfinished orders", len(unfinished), 0)
}

func commitBarrier(h *harness) {
	order, errs := h.submitAll([]persistence.Batch{
		{Fence: h.fence("alice"), Puts: []persistence.Record{NewOrder("alice", 1)}},
		{},
		// A barrier asks for nothing, so that no fence is too old for it.
		{Fence: persistence.Fence{Customer: "alice", Epoch: 0}},
	})
	h.same("order of answers", order, []int{0, 1, 2})
	h.same("answers", []bool{errs[0] == nil, errs[1] == nil, errs[2] == nil}, []bool{true, true, true})
}

func commitTwice(h *harness) {
	first, second := NewOrder("alice", 1), NewOrder("alice", 1)
	second.Status, second.ClientOrderID = venues.StatusFilled, "vgother"
	h.commit("alice", persistence.Batch{Puts: []persistence.Record{first, second}})
	ctx := h.Context()
	h.same("order", must[persistence.OrderRecord](h)(h.store.Order(ctx, "alice", first.OrderID)), second)
	missing[persistence.OrderRecord](h)(h.store.OrderByClientID(ctx, "alice", first.ClientOrderID))
	h.same("unfinished", len(must[[]persistence.OrderRecord](h)(h.store.UnfinishedOrders(ctx, "alice", first.Exchange))), 0)
}

func commitCopies(h *harness) {
	order := NewOrder("alice", 1)
	state := persistence.AccountState{Customer: "alice", Exchange: venues.Bybit, FillsUntil: map[string]venues.Time{"BTCUSDT": moment(1)}}
	wantOrder, wantState := text(order), text(state)
	answer := make(chan error, 1)
	h.store.Submit(persistence.Batch{Fence: h.fence("alice"), Puts: []persistence.Record{order, state}}, func(err error) { answer <- err })
	order.Protection.StopLoss.Status = venues.ProtectionFailed
	state.FillsUntil["BTCUSDT"] = moment(2)
	if err := <-answer; err != nil {
		h.Fatal(err)
	}
	ctx := h.Context()
	h.same("order", text(must[persistence.OrderRecord](h)(h.store.Order(ctx, "alice", order.OrderID))), wantOrder)
	h.same("state", text(must[persistence.AccountState](h)(h.store.AccountState(ctx, "alice", venues.Bybit))), wantState)
}

func commitInvalid(h *harness) {
	nameless := NewOrder("alice", 1)
	nameless.OrderID = ""
	ownerless := NewOrder("", 1)
	event := NewEvent(1)
	event.Data = []byte("{")
	slash := NewIdempotency("alice", "r", 1, 1)
	slash.Scope = "a/b"
	negative := NewIdempotency("alice", "r", -1, 1)
	fence := h.fence("alice")
	for name, b := range map[string]persistence.Batch{
		"an order without id":             {Puts: []persistence.Record{NewOrder("alice", 2), nameless}},
		"an order without customer":       {Puts: []persistence.Record{NewOrder("alice", 2), ownerless}},
		"an event that is no JSON":        {Puts: []persistence.Record{NewOrder("alice", 2)}, Events: []persistence.Event{event}},
		"a scope that holds the divider":  {Puts: []persistence.Record{slash}},
		"an attempt below zero":           {Puts: []persistence.Record{negative}},
		"an absent key of unknown kind":   {Absent: []persistence.Key{{Kind: "?", ID: "x"}}},
		"an absent key without a number":  {Absent: []persistence.Key{{Kind: persistence.KindIdempotency, Customer: "alice", ID: "a/b"}}},
		"a comment beyond any reason":     {Puts: []persistence.Record{longComment()}},
		"an id of more than 256 bytes":    {Puts: []persistence.Record{longID()}},
		"a decimal that no client prints": {Puts: []persistence.Record{hugeDecimal()}},
	} {
		b.Fence = fence
		if err := h.store.Commit(h.Context(), b); !errors.Is(err, persistence.ErrUnavailable) {
			h.Errorf("%s: %v, want ErrUnavailable", name, err)
		}
	}
	h.nothing("alice")
	h.put(NewOrder("alice", 3))
}

func longComment() persistence.OrderRecord {
	order := NewOrder("alice", 2)
	order.Comment = string(make([]byte, 70<<10))
	return order
}

func longID() persistence.OrderRecord {
	order := NewOrder("alice", 2)
	order.OrderID = string(slices.Repeat([]byte{'x'}, 257))
	return order
}

func hugeDecimal() persistence.OrderRecord {
	order := NewOrder("alice", 2)
	order.Qty = venues.MustDecimal("1").Shift(1 << 20)
	return order
}

func commitContext(h *harness) {
	ctx, cancel := context.WithCancel(h.Context())
	cancel()
	err := h.store.Commit(ctx, persistence.Batch{Fence: h.fence("alice"), Puts: []persistence.Record{NewOrder("alice", 1)}})
	if !errors.Is(err, persistence.ErrUnavailable) && !errors.Is(err, persistence.ErrOutcomeUnknown) {
		h.Errorf("commit under an ended context gave %v", err)
	}
	if _, err := h.store.Order(ctx, "alice", "ord_000001"); !errors.Is(err, context.Canceled) {
		h.Errorf("read under an ended context gave %v, want context.Canceled", err)
	}
}

func commitClosed(h *harness) {
	fence := h.fence("alice")
	if err := h.store.Close(); err != nil {
		h.Fatalf("Close: %v", err)
	}
	ctx := context.Background()
	b := persistence.Batch{Fence: fence, Puts: []persistence.Record{NewOrder("alice", 1)}}
	if err := h.store.Commit(ctx, b); !errors.Is(err, persistence.ErrUnavailable) {
		h.Errorf("commit after Close gave %v, want ErrUnavailable", err)
	}
	if _, err := h.store.Customers(ctx); !errors.Is(err, persistence.ErrUnavailable) {
		h.Errorf("read after Close gave %v, want ErrUnavailable", err)
	}
	if _, err := h.store.TakeOwnership(ctx, "alice"); !errors.Is(err, persistence.ErrUnavailable) {
		h.Errorf("TakeOwnership after Close gave %v, want ErrUnavailable", err)
	}
}
