package main

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"venuegate/persistence/badgerstore"
)

// reportLatencies runs a call and reports the median and the 99th percentile of its time.
func reportLatencies(b *testing.B, call func()) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		begun := time.Now()
		call()
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	for name, permille := range map[string]int{"p50-ms": 500, "p99-ms": 990} {
		b.ReportMetric(float64(took[(len(took)-1)*permille/1000].Microseconds())/1000, name)
	}
}

// BenchmarkConsoleReads reads what pages read, from a customer with a long journal. The goal is
// 20 ms at the 99th percentile.
func BenchmarkConsoleReads(b *testing.B) {
	s := startService(b, b.TempDir())
	customer := s.customer()
	s = s.withStore(func(store *badgerstore.Store) error { return fillJournal(b.Context(), store, customer, manyRows) })
	p := signedIn(s)
	for _, path := range []string{
		"/journal?limit=100", "/journal?limit=100&kind=order", "/journal?limit=100&symbol=SOLUSDT", "/journal?limit=100&subject=ord_000100",
		"/signals?limit=100", "/deliveries?limit=100", "/endpoints", "/hooks", "/keys", "/session",
	} {
		b.Run(path[1:], func(b *testing.B) { reportLatencies(b, func() { p.call(http.StatusOK, http.MethodGet, path, nil) }) })
	}
}

// BenchmarkConsoleSignIn signs in with a password. The goal is 250 ms.
func BenchmarkConsoleSignIn(b *testing.B) {
	s := startService(b, b.TempDir())
	reportLatencies(b, func() { signedIn(s) })
}
