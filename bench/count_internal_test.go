package bench

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime/trace"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
)

// TestTraceIsCounted checks the counters against goroutines that are started, woken and
// make system calls a known number of times. A later version of Go may have another
// format; see traceHeader.
func TestTraceIsCounted(t *testing.T) {
	const times = 500
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Skip(err)
	}
	ping, pong := make(chan struct{}), make(chan struct{})
	go func() {
		for range ping {
			pong <- struct{}{}
		}
		close(pong)
	}()
	for range times {
		ping <- struct{}{}
		<-pong
		done := make(chan struct{})
		go close(done)
		<-done
		if _, err := os.Stat("."); err != nil {
			t.Error(err)
		}
	}
	close(ping)
	<-pong
	trace.Stop()
	got, err := countTrace(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for name, count := range map[string]float64{"goroutines started": got.Started, "goroutines woken": got.Woken, "system calls": got.Calls} {
		if count < times || count > 6*times {
			t.Errorf("%s: %.0f, want from %d to %d", name, count, times, 6*times)
		}
	}
	if _, err := countTrace([]byte("go 1.99 trace")); !errors.Is(err, errTrace) {
		t.Errorf("a trace of another version: %v, want errTrace", err)
	}
}

// TestRowsAreCounted checks the counter of rows against a store.
func TestRowsAreCounted(t *testing.T) {
	store, err := badgerstore.Open(t.TempDir(), badgerstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	count := func() stored {
		t.Helper()
		var backup bytes.Buffer
		if err := store.Backup(t.Context(), &backup); err != nil {
			t.Fatal(err)
		}
		found, err := rowsOf(backup.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	before := count()
	for _, name := range []string{"a", "b", "a"} {
		batch := persistence.Batch{Puts: []persistence.Record{persistence.Setting{Name: name, Value: make([]byte, 300)}}}
		if err := store.Commit(context.Background(), batch); err != nil {
			t.Fatal(err)
		}
	}
	after := count()
	if rows, bytes := after.rows-before.rows, after.bytes-before.bytes; rows != 2 || bytes < 600 || bytes > 1200 {
		t.Errorf("two settings are %d rows of %d bytes, want 2 of 600 to 1200", rows, bytes)
	}
	if _, err := rowsOf([]byte("no backup")); !errors.Is(err, errBackup) {
		t.Errorf("other data: %v, want errBackup", err)
	}
}
