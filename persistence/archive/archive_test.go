package archive_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/klauspost/compress/zstd"

	"venuegate/persistence"
	"venuegate/persistence/archive"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// read returns the records of all files of an archive, in the order of the names.
func read(t *testing.T, dir string) (orders []persistence.OrderRecord, fills []persistence.FillRecord) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"+archive.Suffix))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		content, err := zstd.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(content)
		for lines.Scan() {
			var line struct {
				Kind   persistence.Kind
				Record json.RawMessage
			}
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
				t.Fatal(err)
			}
			switch line.Kind {
			case persistence.KindOrder:
				orders = append(orders, decode[persistence.OrderRecord](t, line.Record))
			case persistence.KindFill:
				fills = append(fills, decode[persistence.FillRecord](t, line.Record))
			default:
				t.Errorf("line of kind %q, want an order or a fill", line.Kind)
			}
		}
		if err := lines.Err(); err != nil {
			t.Errorf("%s: %v, want a complete file", filepath.Base(name), err)
		}
		content.Close()
		_ = file.Close()
	}
	return orders, fills
}

func decode[T any](t *testing.T, text []byte) (record T) {
	t.Helper()
	if err := json.Unmarshal(text, &record); err != nil {
		t.Fatal(err)
	}
	return record
}

func text(t *testing.T, v any) string {
	t.Helper()
	content, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestArchivedRecordsAreComplete(t *testing.T) {
	dir := archive.Dir{Path: filepath.Join(t.TempDir(), "archive")}
	order, later, fill := storetest.NewOrder("alice", 1), storetest.NewOrder("alice", 2), storetest.NewFill("alice", 1)
	order.Comment = "<&>"
	if err := dir.Write([]persistence.Record{fill, order}); err != nil {
		t.Fatal(err)
	}
	// What a crash has left of an incomplete file.
	part := filepath.Join(dir.Path, "20200101T000000.000000000Z"+archive.Suffix+".part")
	if err := os.WriteFile(part, []byte("incomplete"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := dir.Write([]persistence.Record{later}); err != nil {
		t.Fatal(err)
	}
	orders, fills := read(t, dir.Path)
	if got, want := text(t, orders), text(t, []persistence.OrderRecord{order, later}); got != want {
		t.Errorf("archived orders = %s, want %s", got, want)
	}
	if got, want := text(t, fills), text(t, []persistence.FillRecord{fill}); got != want {
		t.Errorf("archived fills = %s, want %s", got, want)
	}
	entries, err := os.ReadDir(dir.Path)
	if err != nil || len(entries) != 2 {
		t.Errorf("files = %v, %v; want 2 without the incomplete one", entries, err)
	}
}

// A file never changes, even if the clock is set back to its time.
func TestFileIsNotReplaced(t *testing.T) {
	dir := archive.Dir{Path: filepath.Join(t.TempDir(), "archive")}
	first, second := storetest.NewOrder("alice", 1), storetest.NewOrder("alice", 2)
	synctest.Test(t, func(t *testing.T) { // The clock stands still.
		if err := dir.Write([]persistence.Record{first}); err != nil {
			t.Fatal(err)
		}
		if err := dir.Write([]persistence.Record{second}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("Write at the same time = %v, want ErrExist", err)
		}
	})
	orders, _ := read(t, dir.Path)
	if got, want := text(t, orders), text(t, []persistence.OrderRecord{first}); got != want {
		t.Errorf("archived orders = %s, want %s", got, want)
	}
}

// crashing fails after it has written a file, like a crash between export and purge.
type crashing struct{ archive.Dir }

func (c crashing) Write(records []persistence.Record) error {
	if err := c.Dir.Write(records); err != nil {
		return err
	}
	return os.ErrClosed
}

// A crash between export and purge leaves the records in the store. They are archived
// again, and then in two files.
func TestCrashAfterTheExportLosesNothing(t *testing.T) {
	dir := archive.Dir{Path: filepath.Join(t.TempDir(), "archive")}
	store := storetest.NewMemory()
	fence, err := store.TakeOwnership(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	order := storetest.NewOrder("alice", 1)
	order.Status = venues.StatusCancelled
	if err := store.Commit(t.Context(), persistence.Batch{Fence: fence, Puts: []persistence.Record{order}}); err != nil {
		t.Fatal(err)
	}
	before := persistence.Retention{Orders: order.UpdatedAt.Add(1)}
	if err := store.Archive(t.Context(), before, crashing{dir}); err == nil {
		t.Fatal("Archive that was interrupted = nil, want an error")
	}
	store = store.Crash(0)
	if _, err := store.Order(t.Context(), "alice", order.OrderID); err != nil {
		t.Errorf("Order after the crash = %v, want nil", err)
	}
	if err := store.Archive(t.Context(), before, dir); err != nil {
		t.Fatal(err)
	}
	orders, _ := read(t, dir.Path)
	if len(orders) != 2 || orders[0].OrderID != order.OrderID || text(t, orders[0]) != text(t, orders[1]) {
		t.Errorf("archived orders = %s, want order %s twice", text(t, orders), order.OrderID)
	}
	page, err := store.Orders(t.Context(), persistence.OrderQuery{Customer: "alice"})
	if err != nil || slices.ContainsFunc(page.Items, func(o persistence.OrderRecord) bool { return o.OrderID == order.OrderID }) {
		t.Errorf("Orders = %d, %v; want the order deleted", len(page.Items), err)
	}
}
