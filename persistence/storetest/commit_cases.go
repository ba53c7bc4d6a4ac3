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
	{"a rejected batch changes nothing", commitRejectedWhole},
	{"ErrExists has the existing record", commitExistsFound},
	{"absent keys are checked before the puts", commitAbsentBefore},
	{"replies are in order of submission", commitOrder},
	{"a batch sees earlier ones", commitSeesEarlier},
	{"an empty batch is a barrier", commitBarrier},
	{"a batch may put a record twice", commitTwice},
	{"the batch is copied at submission", commitCopies},
	{"only an invalid batch is rejected", commitInvalid},
	{"a cancelled context", commitContext},
	{"a closed store rejects calls", commitClosed},
	{"a new store is intact", commitIntegrity},
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
	h.equal("order", must[persistence.OrderRecord](h)(h.store.Order(ctx, "alice", order.OrderID)), order)
	h.equal("idempotency", must[persistence.IdempotencyRecord](h)(h.store.Idempotency(ctx, "alice", persistence.ScopeREST, "r")), key)
	h.equal("events", must[[]persistence.Event](h)(h.store.Events(ctx, "alice", "", 0)), []persistence.Event{NewEvent(1)})
	journal := must[journalPage](h)(h.store.Journal(ctx, persistence.JournalQuery{Customer: "alice"}))
	h.equal("journal", journal.Items, []persistence.JournalEntry{NewJournal(2)})
	h.equal("sequence", must[uint64](h)(h.store.LastSequence(ctx, "alice")), 2)
}

// isEmpty checks that a customer has no order, event, journal row or sequence.
func (h *harness) isEmpty(customer string) {
	h.Helper()
	ctx := h.Context()
	orders := must[orderPage](h)(h.store.Orders(ctx, persistence.OrderQuery{Customer: customer}))
	events := must[[]persistence.Event](h)(h.store.Events(ctx, customer, "", 0))
	journal := must[journalPage](h)(h.store.Journal(ctx, persistence.JournalQuery{Customer: customer}))
	seq := must[uint64](h)(h.store.LastSequence(ctx, customer))
	if len(orders.Items)+len(events)+len(journal.Items) != 0 || seq != 0 {
		h.Errorf("customer %q has %d orders, %d events, %d journal rows, sequence %d; want none",
			customer, len(orders.Items), len(events), len(journal.Items), seq)
	}
}

func commitRejectedWhole(h *harness) {
	taken := NewIdempotency("alice", "r", 1, 7)
	h.put(taken)
	full := persistence.Batch{
		Fence:   h.fence("alice"),
		Absent:  []persistence.Key{NewIdempotency("alice", "other", 1, 1).Key(), taken.Key()},
		Puts:    []persistence.Record{NewOrder("alice", 1)},
		Events:  []persistence.Event{NewEvent(1)},
		Journal: []persistence.JournalEntry{NewJournal(2)},
	}
	h.rejects(full, persistence.ErrExists)
	h.isEmpty("alice")
	full.Absent, full.Fence.Epoch = nil, full.Fence.Epoch-1
	h.rejects(full, persistence.ErrFenced)
	h.isEmpty("alice")
}

func commitExistsFound(h *harness) {
	records := []persistence.Record{
		NewIdempotency("alice", "r", 1, 7), NewOrder("alice", 3), NewFill("alice", 4),
		persistence.Customer{ID: "alice", Name: "Alice", CreatedAt: timeAt(1)},
		persistence.APIKey{ID: "k", Customer: "alice", Hash: []byte{9}, CreatedAt: timeAt(1)},
		persistence.VenueAccount{Customer: "alice", Exchange: venues.OKX, Sealed: []byte{5}, CreatedAt: timeAt(1)},
		persistence.AccountState{Customer: "alice", Exchange: venues.OKX},
		persistence.Setting{Name: "s", Value: []byte{1}},
	}
	h.put(records...)
	for _, r := range records {
		err := h.store.Commit(h.Context(), persistence.Batch{Fence: h.fence("alice"), Absent: []persistence.Key{r.Key()}})
		exists, ok := errors.AsType[*persistence.ExistsError](err)
		if !ok || !errors.Is(err, persistence.ErrExists) {
			h.Errorf("Commit with absent %s = %v, want an ExistsError", r.Key(), err)
			continue
		}
		h.equal("found", exists.Found, r)
	}
}

func commitAbsentBefore(h *harness) {
	r := NewIdempotency("alice", "r", 1, 1)
	h.commit("alice", persistence.Batch{Absent: []persistence.Key{r.Key(), r.Key()}, Puts: []persistence.Record{r}})
	second := NewIdempotency("alice", "r", 2, 2)
	h.commit("alice", persistence.Batch{Absent: []persistence.Key{second.Key()}, Puts: []persistence.Record{second}})
	got := must[persistence.IdempotencyRecord](h)(h.store.Idempotency(h.Context(), "alice", persistence.ScopeREST, "r"))
	h.equal("newest attempt", got, second)
}

// submitAll submits batches without waiting in between. It returns the result of each
// batch, and the batches in the order of their replies.
func (h *harness) submitAll(batches []persistence.Batch) (order []int, errs []error) {
	h.Helper()
	type reply struct {
		index int
		err   error
	}
	replies := make(chan reply, len(batches))
	for i, b := range batches {
		h.store.Submit(b, func(err error) { replies <- reply{i, err} })
	}
	errs = make([]error, len(batches))
	for range batches {
		r := <-replies
		order = append(order, r.index)
		errs[r.index] = r.err
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
		h.Errorf("order of replies = %v, want sorted", order)
	}
	for i, err := range errs {
		want := []error{nil, nil, persistence.ErrExists, persistence.ErrFenced, nil}[i%5]
		if !errors.Is(err, want) {
			h.Errorf("batch %d = %v, want %v", i, err, want)
		}
	}
	page := must[orderPage](h)(h.store.Orders(h.Context(), persistence.OrderQuery{Customer: "alice"}))
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
		h.Errorf("results = %v, want only the second to be ErrExists", errs)
	}
	unfinished := must[[]persistence.OrderRecord](h)(h.store.UnfinishedOrders(h.Context(), "alice", open.Exchange))
	h.equal("unfinished orders", len(unfinished), 0)
}

func commitBarrier(h *harness) {
	order, errs := h.submitAll([]persistence.Batch{
		{Fence: h.fence("alice"), Puts: []persistence.Record{NewOrder("alice", 1)}},
		{},
		// The fence of a barrier is not checked.
		{Fence: persistence.Fence{Customer: "alice", Epoch: 0}},
	})
	h.equal("order of replies", order, []int{0, 1, 2})
	if err := errors.Join(errs...); err != nil {
		h.Errorf("results = %v, want nil", errs)
	}
}

func commitTwice(h *harness) {
	first, second := NewOrder("alice", 1), NewOrder("alice", 1)
	second.Status, second.ClientOrderID = venues.StatusFilled, "vgother"
	h.commit("alice", persistence.Batch{Puts: []persistence.Record{first, second}})
	ctx := h.Context()
	h.equal("order", must[persistence.OrderRecord](h)(h.store.Order(ctx, "alice", first.OrderID)), second)
	missing[persistence.OrderRecord](h)(h.store.OrderByClientID(ctx, "alice", first.ClientOrderID))
	h.equal("unfinished", len(must[[]persistence.OrderRecord](h)(h.store.UnfinishedOrders(ctx, "alice", first.Exchange))), 0)
}

func commitCopies(h *harness) {
	order := NewOrder("alice", 1)
	state := persistence.AccountState{Customer: "alice", Exchange: venues.Bybit, FillsUntil: map[string]venues.Time{"BTCUSDT": timeAt(1)}}
	wantOrder, wantState := text(order), text(state)
	reply := make(chan error, 1)
	h.store.Submit(persistence.Batch{Fence: h.fence("alice"), Puts: []persistence.Record{order, state}}, func(err error) { reply <- err })
	order.Protection.StopLoss.Status = venues.ProtectionFailed
	state.FillsUntil["BTCUSDT"] = timeAt(2)
	if err := <-reply; err != nil {
		h.Fatal(err)
	}
	ctx := h.Context()
	h.equal("order", text(must[persistence.OrderRecord](h)(h.store.Order(ctx, "alice", order.OrderID))), wantOrder)
	h.equal("state", text(must[persistence.AccountState](h)(h.store.AccountState(ctx, "alice", venues.Bybit))), wantState)
}

func commitInvalid(h *harness) {
	noID := NewOrder("alice", 1)
	noID.OrderID = ""
	noCustomer := NewOrder("", 1)
	event := NewEvent(1)
	event.Data = []byte("{")
	slash := NewIdempotency("alice", "r", 1, 1)
	slash.Scope = "a/b"
	negative := NewIdempotency("alice", "r", -1, 1)
	fence := h.fence("alice")
	for name, b := range map[string]persistence.Batch{
		"an order without id":            {Puts: []persistence.Record{NewOrder("alice", 2), noID}},
		"an order without customer":      {Puts: []persistence.Record{NewOrder("alice", 2), noCustomer}},
		"an event that is not JSON":      {Puts: []persistence.Record{NewOrder("alice", 2)}, Events: []persistence.Event{event}},
		"a scope with a slash":           {Puts: []persistence.Record{slash}},
		"an attempt below zero":          {Puts: []persistence.Record{negative}},
		"an absent key of unknown kind":  {Absent: []persistence.Key{{Kind: "?", ID: "x"}}},
		"an absent key without a number": {Absent: []persistence.Key{{Kind: persistence.KindIdempotency, Customer: "alice", ID: "a/b"}}},
		"a comment of 70 KB":             {Puts: []persistence.Record{longComment()}},
		"an id of more than 256 bytes":   {Puts: []persistence.Record{longID()}},
		"a decimal of a million digits":  {Puts: []persistence.Record{hugeDecimal()}},
	} {
		b.Fence = fence
		if err := h.store.Commit(h.Context(), b); !errors.Is(err, persistence.ErrUnavailable) {
			h.Errorf("Commit of %s = %v, want ErrUnavailable", name, err)
		}
	}
	h.isEmpty("alice")
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
		h.Errorf("Commit with a cancelled context = %v, want ErrUnavailable or ErrOutcomeUnknown", err)
	}
	if _, err := h.store.Order(ctx, "alice", "ord_000001"); !errors.Is(err, context.Canceled) {
		h.Errorf("Order with a cancelled context = %v, want context.Canceled", err)
	}
}

func commitIntegrity(h *harness) {
	if err := h.store.Integrity(); err != nil {
		h.Errorf("Integrity = %v, want nil", err)
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
		h.Errorf("Commit after Close = %v, want ErrUnavailable", err)
	}
	if _, err := h.store.Customers(ctx); !errors.Is(err, persistence.ErrUnavailable) {
		h.Errorf("Customers after Close = %v, want ErrUnavailable", err)
	}
	if _, err := h.store.TakeOwnership(ctx, "alice"); !errors.Is(err, persistence.ErrUnavailable) {
		h.Errorf("TakeOwnership after Close = %v, want ErrUnavailable", err)
	}
}
