package rows_test

import (
	"reflect"
	"testing"

	"venuegate/persistence/internal/rows"
	"venuegate/persistence/storetest"
)

// BenchmarkEncode encodes one record of every kind, and a journal row.
func BenchmarkEncode(b *testing.B) {
	for _, record := range samples() {
		b.Run(reflect.TypeOf(record).Name(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := rows.Encode(record); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("JournalEntry", func(b *testing.B) {
		entry := any(storetest.NewJournal(1))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := rows.Encode(entry); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkDecode decodes one record of every kind, and a journal row.
func BenchmarkDecode(b *testing.B) {
	for _, record := range samples() {
		value, err := rows.Encode(record)
		if err != nil {
			b.Fatal(err)
		}
		kind := record.Key().Kind
		b.Run(reflect.TypeOf(record).Name(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := rows.DecodeRecord(kind, value); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	value, err := rows.Encode(storetest.NewJournal(1))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("JournalEntry", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := rows.DecodeJournal(value); err != nil {
				b.Fatal(err)
			}
		}
	})
}
