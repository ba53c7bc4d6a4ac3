package rows_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// immediateOrder returns the two batches of an order that ends at once, with ids as the
// service makes them: its intent with the claim of its request id, and its outcome with
// two journal rows. One that fills has an execution and an event.
func immediateOrder(fence persistence.Fence, fills bool) (intent, outcome persistence.Batch) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 1e6, time.UTC)
	newID := func(prefix string, n int) string {
		return persistence.NewID(prefix, at, strings.NewReader(fmt.Sprintf("%010d", n)))
	}
	order := storetest.NewOrder(fence.Customer, 1)
	order.OrderID, order.RequestID = newID(persistence.PrefixOrder, 1), "strategy-7-000001"
	order.ClientOrderID = "test" + strings.ToLower(strings.TrimPrefix(order.OrderID, "ord_"))
	order.StopLoss, order.Protection, order.Comment, order.TimeInForce = venues.Optional{}, nil, "", venues.ImmediateOrCancel
	order.CreatedAt, order.UpdatedAt, order.Deadline = venues.At(at), venues.At(at), venues.At(at.Add(5*time.Second))
	claim := storetest.NewIdempotency(fence.Customer, order.RequestID, 1, 1)
	claim.OrderID, claim.BodyHash, claim.FirstReceived = order.OrderID, make([]byte, 32), order.CreatedAt
	intent = persistence.Batch{Fence: fence, Absent: []persistence.Key{order.Key(), claim.Key()}, Puts: []persistence.Record{claim, order}}

	done := at.Add(3 * time.Millisecond)
	order.Status, order.VenueOrderID, order.UpdatedAt = venues.StatusExpired, "8389766183298123456", venues.At(done)
	if fills {
		fill := storetest.NewFill(fence.Customer, 1)
		fill.Price, fill.Qty, fill.ExecutedAt = venues.MustDecimal("64000.1"), order.Qty, venues.At(done)
		fill.OrderID, fill.RequestID, fill.VenueOrderID, fill.VenueTradeID = order.OrderID, order.RequestID, order.VenueOrderID, "5412376189"
		fill.FillID = persistence.FillID(fill.Exchange, fill.Symbol, fill.VenueOrderID, fill.VenueTradeID, done)
		order.Status, order.FilledQty, order.AvgPrice = venues.StatusFilled, order.Qty, venues.Some(fill.Price)
		order.Fee, order.FeeCurrency = fill.Fee, fill.FeeCurrency
		outcome.Puts = append(outcome.Puts, fill)
		data, _ := json.Marshal(map[string]any{
			"orderId": order.OrderID, "exchange": order.Exchange, "symbol": order.Symbol, "side": order.Side, "orderType": order.Type, "qty": "0.75",
			"avgPrice": "64000.1", "fee": "-0.01", "feeCurrency": "USDT", "source": order.Source, "comment": "",
		})
		outcome.Events = []persistence.Event{{
			ID: persistence.EventID(newID(persistence.PrefixEvent, 2), 1), Seq: 1, Type: persistence.EventOrderFilled, CreatedAt: venues.At(done), Data: data,
		}}
	}
	outcome.Fence, outcome.Puts = fence, append(outcome.Puts, order)
	for n, status := range []venues.OrderStatus{venues.StatusOpen, order.Status} {
		outcome.Journal = append(outcome.Journal, persistence.JournalEntry{
			ID: newID(persistence.PrefixJournal, n), Seq: uint64(n + 2), At: venues.At(done), Kind: "order.status", Subject: order.OrderID,
			Symbol: order.Symbol, Result: string(status),
			Fields: []persistence.JournalField{{Name: "from", Value: "pending"}, {Name: "to", Value: string(status)}, {Name: "filled_qty", Value: "0.75"}},
		})
	}
	return intent, outcome
}

// An order that ends at once takes few rows and bytes: the order, its claim, the row of its
// request id and two journal rows; and the fill and the event of one that fills.
func TestImmediateOrderTakesFewRows(t *testing.T) {
	for fills, want := range map[bool]struct{ rows, bytes int }{false: {5, 700}, true: {7, 1000}} {
		store := storetest.NewMemory()
		fence, err := store.TakeOwnership(t.Context(), "cus_01KJMMA2G0EAMZK0Z0VVFNFG0E")
		if err != nil {
			t.Fatal(err)
		}
		rowsBefore, bytesBefore := sizeOf(t, store)
		intent, outcome := immediateOrder(fence, fills)
		for _, b := range []persistence.Batch{intent, outcome} {
			if err := store.Commit(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
		rowsAfter, bytesAfter := sizeOf(t, store)
		// The row of the highest sequence is not the order's own.
		got, size := rowsAfter-rowsBefore-1, bytesAfter-bytesBefore
		if got != want.rows || size > want.bytes {
			t.Errorf("an order that fills (%v) has %d rows of %d bytes, want %d of at most %d", fills, got, size, want.rows, want.bytes)
		}
	}
}

// The size of a commit is that of its rows, with those of the indexes, and a fixed part.
func TestCommitHasTheSizeOfItsRows(t *testing.T) {
	empty, err := rows.Prepare(persistence.Batch{})
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range storedSamples() {
		store := storetest.NewMemory()
		b := persistence.Batch{}
		switch v := sample.(type) {
		case persistence.Event:
			v.Seq = 0 // without the row of the highest sequence
			b.Events = []persistence.Event{v}
		case persistence.JournalEntry:
			v.Seq = 0
			b.Journal = []persistence.JournalEntry{v}
		case persistence.Record:
			b.Puts = []persistence.Record{v}
			if customer := v.Key().Customer; customer != "" {
				if b.Fence, err = store.TakeOwnership(t.Context(), customer); err != nil {
					t.Fatal(err)
				}
			}
		}
		_, before := sizeOf(t, store)
		if err := store.Commit(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		_, after := sizeOf(t, store)
		commit, err := rows.Prepare(b)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := commit.Size()-empty.Size(), after-before; got != want {
			t.Errorf("size of a commit of a %T without the fixed part = %d, want %d", sample, got, want)
		}
	}
	if got := empty.Size(); got < 64 || got > 1024 {
		t.Errorf("size of an empty commit = %d, want 64 to 1024", got)
	}
}

// sizeOf returns the number of rows of a store and of their bytes.
func sizeOf(t *testing.T, store *storetest.Memory) (count, size int) {
	t.Helper()
	err := store.View(t.Context(), func(s rows.Snapshot) error {
		return s.Scan(nil, nil, false, func(key, value []byte) bool {
			count++
			size += len(key) + len(value)
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return count, size
}
