package rows_test

import (
	"reflect"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// BenchmarkEncode encodes one value of every stored type.
func BenchmarkEncode(b *testing.B) {
	for _, sample := range storedSamples() {
		b.Run(reflect.TypeOf(sample).Name(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := rows.Encode(sample); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDecode decodes one value of every stored type.
func BenchmarkDecode(b *testing.B) {
	for _, sample := range storedSamples() {
		value, err := rows.Encode(sample)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(reflect.TypeOf(sample).Name(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decode(sample, value); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPrepare prepares the two batches of an order that fills at once: its intent with the
// claim of its request id, and its outcome with the execution, an event and a journal row.
func BenchmarkPrepare(b *testing.B) {
	fence := persistence.Fence{Customer: "c1", Epoch: 1}
	order, fill := storetest.NewOrder("c1", 1), storetest.NewFill("c1", 1)
	order.Type, order.Price, order.StopLoss, order.Protection = venues.TypeMarket, venues.Optional{}, venues.Optional{}, nil
	fill.Price = venues.MustDecimal("64000.1")
	claim := storetest.NewIdempotency("c1", order.RequestID, 1, 1)
	claim.BodyHash = make([]byte, 32)
	intent := persistence.Batch{Fence: fence, Absent: []persistence.Key{order.Key(), claim.Key()}, Puts: []persistence.Record{claim, order}}
	order.Status, order.FilledQty, order.AvgPrice, order.Fee = venues.StatusFilled, order.Qty, venues.Some(fill.Price), fill.Fee
	outcome := persistence.Batch{Fence: fence, Puts: []persistence.Record{fill, order}, Events: []persistence.Event{storetest.NewEvent(1)}}
	row := storetest.NewJournal(2)
	row.Kind, row.Symbol, row.Result = "order.status", order.Symbol, string(order.Status)
	row.Fields = []persistence.JournalField{{Name: "from", Value: "pending"}, {Name: "to", Value: "filled"}, {Name: "filled_qty", Value: "0.75"}}
	outcome.Journal = []persistence.JournalEntry{row}
	b.ReportAllocs()
	for b.Loop() {
		for _, batch := range []persistence.Batch{intent, outcome} {
			if _, err := rows.Prepare(batch); err != nil {
				b.Fatal(err)
			}
		}
	}
}
