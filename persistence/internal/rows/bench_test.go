package rows_test

import (
	"reflect"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
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
				if _, err := rows.Decode(sample, value); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPrepare prepares the two batches of an order that fills at once.
func BenchmarkPrepare(b *testing.B) {
	intent, outcome := immediateOrder(persistence.Fence{Customer: "cus_01KJMMA2G0EAMZK0Z0VVFNFG0E", Epoch: 1}, true)
	b.ReportAllocs()
	for b.Loop() {
		for _, batch := range []persistence.Batch{intent, outcome} {
			if _, err := rows.Prepare(batch); err != nil {
				b.Fatal(err)
			}
		}
	}
}
