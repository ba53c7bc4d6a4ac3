package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/venues"
)

const (
	manyRows = 100_000
	// rareRows is every how manyth of them is about an instrument that the others are not about.
	rareRows = 400
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

// withStore stops a service, opens its store, and serves it again.
func (s *service) withStore(do func(*badgerstore.Store) error, args ...string) *service {
	s.t.Helper()
	s.kill()
	store, err := badgerstore.Open(filepath.Join(s.dir, storeName), badgerstore.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := do(store); err != nil {
		s.t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		s.t.Fatal(err)
	}
	return startService(s.t, s.dir, args...)
}

// fillJournal appends rows to the journal of a customer, one each 10 ms up to now.
func fillJournal(ctx context.Context, store *badgerstore.Store, customer string, n int) error {
	last, err := store.Journal(ctx, persistence.JournalQuery{Customer: customer, Limit: 1})
	if err != nil {
		return err
	}
	seq := uint64(0)
	if len(last.Items) > 0 {
		seq = last.Items[0].Seq
	}
	fence, err := store.TakeOwnership(ctx, customer)
	if err != nil {
		return err
	}
	begin := time.Now().Add(-time.Duration(n) * 10 * time.Millisecond)
	for first := 0; first < n; first += 1000 {
		batch := persistence.Batch{Fence: fence}
		for i := first; i < min(first+1000, n); i++ {
			at := venues.At(begin.Add(time.Duration(i) * 10 * time.Millisecond))
			row := persistence.JournalEntry{
				ID: persistence.NewID(persistence.PrefixJournal, at.Time, rand.Reader), Seq: seq + uint64(i) + 1, At: at,
				Kind: "order.status", Subject: fmt.Sprintf("ord_%06d", i/4), Symbol: "BTCUSDT", Result: "open",
				Fields: []persistence.JournalField{{Name: "n", Value: strconv.Itoa(i)}, {Name: "comment", Value: `=1+1, "quoted"`}},
			}
			if i%rareRows == 0 {
				row.Symbol, row.Result = "SOLUSDT", "filled"
			}
			batch.Journal = append(batch.Journal, row)
		}
		if err := store.Commit(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// signedIn returns a page of the demo's user.
func signedIn(s *service) *page {
	s.t.Helper()
	p := &page{service: s, url: s.demo.BaseURL}
	p.call(http.StatusOK, http.MethodPost, "/session", map[string]string{"login": s.demo.Console.User, "password": s.demo.Console.Password})
	return p
}
