package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// discard is an archive that keeps nothing.
type discard struct{}

func (discard) Write([]persistence.Record) error { return nil }

// storeBytes returns the bytes that a directory takes on the disk.
func storeBytes(t *testing.T, dir string) (sum int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return ignoreMissing(err) // badger has deleted it meanwhile
		}
		sum += allocatedBytes(info)
		return nil
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return sum
}

// Lengths of the comments of orders. Large ones fill a store with few orders.
const (
	smallComment = 200
	largeComment = 16 << 10
)

// churn writes orders in rounds, archives and purges them, and checks that no row is left. It
// returns the bytes that were written, and the most that the store took in each half.
func churn(t *testing.T, dir string, rounds, ordersOfRound, commentBytes int) (written, early, late int64) {
	t.Helper()
	s, err := Open(dir, Options{MemTableBytes: memTableBytesMin, FreeBytesMin: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	fence, err := s.TakeOwnership(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	for round := range rounds {
		written += commitClosed(t, s, fence, round*ordersOfRound, ordersOfRound, commentBytes)
		end := storetest.NewOrder("alice", (round+1)*ordersOfRound).UpdatedAt.Time
		before := persistence.Retention{Events: end, Journal: end, Orders: end}
		if err := errors.Join(s.Purge(t.Context(), before), s.Archive(t.Context(), before, discard{})); err != nil {
			t.Fatal(err)
		}
		size := storeBytes(t, dir)
		if round < rounds/2 {
			early = max(early, size)
		} else {
			late = max(late, size)
		}
	}
	rows := s.writer.views.latest().head.rows
	t.Logf("%d MB of comments were written, at most %d MB were on the disk in the first half, %d MB in the second", written>>20, early>>20, late>>20)
	if most := uint64(10); rows > most {
		t.Errorf("%d rows are left, want at most %d", rows, most)
	}
	return written, early, late
}

// randomText has the texts of incompressible.
var randomText = func() string {
	random := rand.New(rand.NewPCG(1, 0))
	text := make([]byte, 8*largeComment)
	for i := range text {
		text[i] = byte(' ' + random.IntN(94))
	}
	return string(text)
}()

// incompressible returns a text of a size, up to largeComment, that badger cannot compress.
func incompressible(seed, size int) string {
	const step = 997
	begin := seed * step % (len(randomText) - largeComment)
	return randomText[begin : begin+size]
}

// commitClosed commits closed orders with an event and a journal row each, and returns the
// bytes of their comments.
func commitClosed(t *testing.T, s *Store, fence persistence.Fence, from, n, commentBytes int) (bytes int64) {
	t.Helper()
	results := make(chan error, n)
	for i := from; i < from+n; i++ {
		order := storetest.NewOrder("alice", i)
		order.OrderID = persistence.NewID(persistence.PrefixOrder, order.CreatedAt.Time, strings.NewReader(fmt.Sprintf("%010d", i)))
		order.Status, order.Comment = venues.StatusFilled, incompressible(i, commentBytes)
		event, row := storetest.NewEvent(2*i+1), storetest.NewJournal(2*i+2)
		event.CreatedAt, row.At = order.UpdatedAt, order.UpdatedAt
		bytes += int64(len(order.Comment))
		s.Submit(persistence.Batch{
			Fence: fence, Puts: []persistence.Record{order}, Events: []persistence.Event{event}, Journal: []persistence.JournalEntry{row},
		}, func(err error) { results <- err })
	}
	for range n {
		if err := <-results; err != nil {
			t.Fatal(err)
		}
	}
	return bytes
}
