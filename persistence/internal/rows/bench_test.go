package rows_test

import (
	"reflect"
	"testing"

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
				if _, err := decode(sample, value); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
