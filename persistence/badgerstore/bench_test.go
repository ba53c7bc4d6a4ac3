package badgerstore_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/persistence/storetest"
)

// report reports the latencies of single commits and their rate.
func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

// commits commits b.N batches from several writers, each for its own customer.
func commits(b *testing.B, writers int, batch func(fence persistence.Fence, i int) persistence.Batch) {
	store, err := badgerstore.Open(b.TempDir(), badgerstore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	fences := make([]persistence.Fence, writers)
	for w := range fences {
		if fences[w], err = store.TakeOwnership(b.Context(), fmt.Sprint("customer", w)); err != nil {
			b.Fatal(err)
		}
	}
	took := make([]time.Duration, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := w; i < b.N; i += writers {
				start := time.Now()
				if err := store.Commit(b.Context(), batch(fences[w], i)); err != nil {
					b.Error(err)
					return
				}
				took[i] = time.Since(start)
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	report(b, took)
}

// setting returns a batch of one small record.
func setting(fence persistence.Fence, i int) persistence.Batch {
	return persistence.Batch{Fence: fence, Puts: []persistence.Record{
		persistence.Setting{Name: fmt.Sprintf("setting%012d", i), Value: make([]byte, 180)},
	}}
}

// intent returns the batch that is committed before an order is sent.
func intent(fence persistence.Fence, i int) persistence.Batch {
	order := storetest.NewOrder(fence.Customer, i)
	key := storetest.NewIdempotency(fence.Customer, order.RequestID, 1, i)
	return persistence.Batch{
		Fence: fence, Absent: []persistence.Key{key.Key()}, Puts: []persistence.Record{order, key},
		Journal: []persistence.JournalEntry{storetest.NewJournal(i)},
	}
}

// BenchmarkCommit measures durable commits. Their lower limit is BenchmarkSync.
func BenchmarkCommit(b *testing.B) {
	for _, writers := range []int{1, 64, 256} {
		b.Run(fmt.Sprintf("one/writers=%d", writers), func(b *testing.B) { commits(b, writers, setting) })
		b.Run(fmt.Sprintf("intent/writers=%d", writers), func(b *testing.B) { commits(b, writers, intent) })
	}
}

var openBytes = flag.Int64("open.bytes", 32<<20, "size of the store that BenchmarkOpen opens")

// BenchmarkOpen opens a store and commits once: one that Open checks, and one that is checked
// while it is in use.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	fillStore(b, dir, *openBytes)
	for name, checkBytesMax := range map[string]int64{"checked by Open": math.MaxInt64, "checked in use": 1} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				store, err := badgerstore.Open(dir, badgerstore.Options{CheckBytesMax: checkBytesMax})
				if err != nil {
					b.Fatal(err)
				}
				if err := store.Commit(b.Context(), setting(persistence.Fence{}, 0)); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				closeStore(b, store)
				b.StartTimer()
			}
		})
	}
}

// fillStore creates a store of about that size, with orders of many customers.
func fillStore(b *testing.B, dir string, size int64) {
	b.Helper()
	const customers, ordersOfRound = 50, 100
	store, err := badgerstore.Open(dir, badgerstore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer closeStore(b, store)
	for from := 0; ; from += ordersOfRound {
		var committed sync.WaitGroup
		for n := range customers {
			customer := fmt.Sprint("customer", n)
			committed.Go(func() { writeOrders(b, store, customer, from, from+ordersOfRound-1) })
		}
		committed.Wait()
		usage, err := store.Usage()
		if err != nil {
			b.Fatal(err)
		}
		if usage.Bytes-badgerstore.ReserveLogBytes-badgerstore.ReserveOpenBytes >= size {
			return
		}
	}
}

// BenchmarkSync appends 300 bytes to a preallocated file and syncs its data. No durable
// commit can be faster.
func BenchmarkSync(b *testing.B) {
	file, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	const bytes = 64 << 20
	if _, err := file.Write(make([]byte, bytes)); err != nil {
		b.Fatal(err)
	}
	if err := file.Sync(); err != nil {
		b.Fatal(err)
	}
	entry := make([]byte, 300)
	took := make([]time.Duration, 0, b.N)
	for b.Loop() {
		start := time.Now()
		if _, err := file.WriteAt(entry, int64(len(took)%(bytes/len(entry))*len(entry))); err != nil {
			b.Fatal(err)
		}
		if err := unix.Fdatasync(int(file.Fd())); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	report(b, took)
}
