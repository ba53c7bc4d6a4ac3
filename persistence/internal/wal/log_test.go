package wal_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"venuegate/persistence/internal/wal"
)

const small = 4 << 10

// start starts a log that syncs nothing, which no test of content needs.
func start(t testing.TB, dir string, after wal.Position) *wal.Log {
	t.Helper()
	l, err := wal.Start(dir, after, wal.Options{SegmentBytes: small, Sync: func(*os.File) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func body(seq uint64) []byte { return []byte(fmt.Sprintf("record %d %0*d", seq, int(seq*37%500), seq)) }

// fill appends records up to a number and returns the position of each.
func fill(t testing.TB, l *wal.Log, to uint64) []wal.Position {
	t.Helper()
	var positions []wal.Position
	for seq := l.End().Seq + 1; seq <= to; seq++ {
		at, err := l.Append(body(seq))
		if err != nil || at.Seq != seq {
			t.Fatalf("Append = %v, %v; want record %d", at, err, seq)
		}
		positions = append(positions, at)
	}
	if err := l.Sync(); err != nil {
		t.Fatal(err)
	}
	return positions
}

// read reads the records after a position and returns how many there are.
func read(t testing.TB, dir string, from wal.Position) (n uint64, end wal.Position, err error) {
	t.Helper()
	end, err = wal.Read(dir, from, func(at wal.Position, got []byte) error {
		n++
		if want := from.Seq + n; at.Seq != want || !bytes.Equal(got, body(want)) {
			t.Fatalf("record %d = %q, want %d = %q", at.Seq, got, want, body(want))
		}
		return nil
	})
	return n, end, err
}

func TestRecordsAreReadInOrder(t *testing.T) {
	dir := t.TempDir()
	l := start(t, dir, wal.Position{})
	positions := fill(t, l, 200)
	if n, err := l.Segments(); err != nil || n < 3 {
		t.Fatalf("Segments = %d, %v; want several", n, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, from := range []uint64{0, 1, 17, 150, 199, 200} {
		at := wal.Position{}
		if from > 0 {
			at = positions[from-1]
		}
		n, end, err := read(t, dir, at)
		if err != nil || n != 200-from || end != positions[199] {
			t.Errorf("Read from %d = %d records up to %v, %v; want %d up to %v", from, n, end, err, 200-from, positions[199])
		}
		if from == 0 {
			continue
		}
		at.Sum++
		if _, _, err := read(t, dir, at); !errors.Is(err, wal.ErrDamaged) {
			t.Errorf("Read from another record %d = %v, want ErrDamaged", from, err)
		}
	}
}

func TestLogContinuesAfterStart(t *testing.T) {
	dir := t.TempDir()
	var end wal.Position
	for session := uint64(1); session <= 5; session++ {
		l := start(t, dir, end)
		fill(t, l, session*20)
		end = l.End()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if n, got, err := read(t, dir, wal.Position{}); err != nil || n != session*20 || got != end {
			t.Fatalf("Read = %d records up to %v, %v; want %d up to %v", n, got, err, session*20, end)
		}
	}
}

// A record that is larger than a segment gets one of its size.
func TestLargeRecord(t *testing.T) {
	dir := t.TempDir()
	l := start(t, dir, wal.Position{})
	large := bytes.Repeat([]byte("large"), small)
	for _, b := range [][]byte{[]byte("before"), large, []byte("after"), large, large} {
		if _, err := l.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	total := 0
	if end, err := wal.Read(dir, wal.Position{}, func(_ wal.Position, b []byte) error { total += len(b); return nil }); err != nil || end.Seq != 5 {
		t.Errorf("Read = %v, %v; want 5 records", end, err)
	}
	if want := len("before") + len("after") + 3*len(large); total != want {
		t.Errorf("Read %d bytes, want %d", total, want)
	}
}

func TestTrimKeepsWhatIsAfter(t *testing.T) {
	dir := t.TempDir()
	l := start(t, dir, wal.Position{})
	positions := fill(t, l, 300)
	before, err := l.Segments()
	if err != nil {
		t.Fatal(err)
	}
	for _, seq := range []uint64{0, 40, 41, 120, 299, 300} {
		if err := l.Trim(seq); err != nil {
			t.Fatal(err)
		}
		from := wal.Position{}
		if seq > 0 {
			from = positions[seq-1]
		}
		if n, _, err := read(t, dir, from); err != nil || n != 300-seq {
			t.Errorf("Read after Trim(%d) = %d records, %v; want %d", seq, n, err, 300-seq)
		}
	}
	if after, err := l.Segments(); err != nil || after != 1 {
		t.Errorf("%d of %d segments are left, %v; want 1", after, before, err)
	}
	if _, _, err := read(t, dir, positions[10]); !errors.Is(err, wal.ErrDamaged) {
		t.Errorf("Read of trimmed records = %v, want ErrDamaged", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// What a crash leaves behind the last whole record is no record, and the log continues
// in a new segment.
func TestTornTail(t *testing.T) {
	source := t.TempDir()
	l := start(t, source, wal.Position{})
	positions := fill(t, l, 12)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(source, "*.log"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("segments = %v, %v; want one", paths, err)
	}
	content, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	used := len(bytes.TrimRight(content, "\x00"))
	for cut := 0; cut < used; cut += 3 {
		dir := t.TempDir()
		torn := append(bytes.Clone(content[:cut]), make([]byte, len(content)-cut)...)
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(paths[0])), torn, 0o600); err != nil {
			t.Fatal(err)
		}
		n, end, err := read(t, dir, wal.Position{})
		if err != nil || n > 0 && end != positions[n-1] {
			t.Fatalf("cut at %d: Read = %d, %v, %v", cut, n, end, err)
		}
		if cut%120 != 0 {
			continue
		}
		l := start(t, dir, end)
		fill(t, l, 20)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if n, _, err := read(t, dir, wal.Position{}); err != nil || n != 20 {
			t.Fatalf("cut at %d: Read after Start = %d records, %v; want 20", cut, n, err)
		}
	}
}

// A flipped bit or a missing segment never yields other records, and is reported
// unless it is at the end of the log.
func TestDamage(t *testing.T) {
	source := t.TempDir()
	l := start(t, source, wal.Position{})
	positions := fill(t, l, 120)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(source, "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		which := random.IntN(len(paths))
		content, err := os.ReadFile(paths[which])
		if err != nil {
			t.Fatal(err)
		}
		used := len(bytes.TrimRight(content, "\x00"))
		at, bit := random.IntN(used), random.IntN(8)
		content[at] ^= 1 << bit
		if err := os.WriteFile(paths[which], content, 0o600); err != nil {
			t.Fatal(err)
		}
		n, end, err := read(t, source, wal.Position{})
		switch {
		case n == 120 && err == nil:
			t.Fatalf("a flipped bit at %d of segment %d is not noticed", at, which)
		case n > 0 && end != positions[n-1]:
			t.Fatalf("Read ends at %v, want %v", end, positions[n-1])
		case which < len(paths)-1 && !errors.Is(err, wal.ErrDamaged):
			t.Fatalf("a flipped bit at %d of segment %d of %d = %v, want ErrDamaged", at, which, len(paths), err)
		}
		content[at] ^= 1 << bit
		if err := os.WriteFile(paths[which], content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range len(paths) - 1 {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, filepath.Base(paths[i]))); err != nil {
			t.Fatal(err)
		}
		if _, _, err := read(t, dir, wal.Position{}); !errors.Is(err, wal.ErrDamaged) {
			t.Errorf("Read without segment %d = %v, want ErrDamaged", i, err)
		}
	}
}

// A record is in the file when it is synced; a segment is synced before the next one
// is used.
func TestEveryRecordIsSynced(t *testing.T) {
	dir := t.TempDir()
	synced := map[string][]byte{}
	l, err := wal.Start(dir, wal.Position{}, wal.Options{SegmentBytes: small, Sync: func(file *os.File) error {
		info, err := file.Stat()
		if err != nil {
			return err
		}
		content := make([]byte, info.Size())
		_, err = file.ReadAt(content, 0)
		synced[fmt.Sprint(file.Fd())] = content
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	for seq := uint64(1); seq <= 100; seq++ {
		if _, err := l.Append(body(seq)); err != nil {
			t.Fatal(err)
		}
		if err := l.Sync(); err != nil {
			t.Fatal(err)
		}
		found := false
		for _, content := range synced {
			found = found || bytes.Contains(content, body(seq))
		}
		if !found {
			t.Fatalf("record %d was not synced", seq)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// Segments are prepared by another goroutine while records are appended.
func TestPrepareWhileAppending(t *testing.T) {
	dir := t.TempDir()
	l := start(t, dir, wal.Position{})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				if err := l.Prepare(); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	fill(t, l, 3000)
	close(stop)
	<-stopped
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if n, _, err := read(t, dir, wal.Position{}); err != nil || n != 3000 {
		t.Errorf("Read = %d records, %v; want 3000", n, err)
	}
}

// Records that were written and not synced before a kill are durable once the log is
// started again: what was never synced is lost with the power.
func TestStartSyncsWhatAKillHasLeft(t *testing.T) {
	dir := t.TempDir()
	image := map[string][]byte{} // by the number of the first record
	o := wal.Options{SegmentBytes: small, Sync: func(file *os.File) error {
		content := make([]byte, small)
		_, err := file.ReadAt(content, 0)
		image[string(content[8:16])] = content
		return err
	}}
	l, err := wal.Start(dir, wal.Position{}, o)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, l, 2)
	if _, err := l.Append(body(3)); err != nil { // not synced: the process is killed
		t.Fatal(err)
	}
	n, end, err := read(t, dir, wal.Position{})
	if err != nil || n != 3 {
		t.Fatalf("Read = %d records, %v; want 3", n, err)
	}
	if l, err = wal.Start(dir, end, o); err != nil {
		t.Fatal(err)
	}
	fill(t, l, 5)
	after := t.TempDir()
	for first, content := range image {
		name := fmt.Sprintf("%020d.log", binary.BigEndian.Uint64([]byte(first)))
		if err := os.WriteFile(filepath.Join(after, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, _, err := read(t, after, wal.Position{}); err != nil || n != 5 {
		t.Errorf("Read after the power cut = %d records, %v; want 5", n, err)
	}
}

// The path of a log is no pattern.
func TestPathWithBrackets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[a*?")
	l := start(t, dir, wal.Position{})
	fill(t, l, 3)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if n, _, err := read(t, dir, wal.Position{}); err != nil || n != 3 {
		t.Errorf("Read = %d records, %v; want 3", n, err)
	}
}

func TestFailures(t *testing.T) {
	dir := t.TempDir()
	failure := errors.New("input/output error")
	failing := false
	l, err := wal.Start(dir, wal.Position{}, wal.Options{SegmentBytes: small, Sync: func(*os.File) error {
		if failing {
			return failure
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, l, 3)
	if _, err := l.Append(nil); !errors.Is(err, wal.ErrNoSegment) {
		t.Errorf("Append of nothing = %v, want ErrNoSegment", err)
	}
	failing = true
	if err := l.Sync(); !errors.Is(err, failure) {
		t.Errorf("Sync = %v, want %v", err, failure)
	}
	failing = false
	// Without its directory no segment can be created; what is in the log stays.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(make([]byte, 2*small)); !errors.Is(err, wal.ErrNoSegment) {
		t.Errorf("Append without a directory = %v, want ErrNoSegment", err)
	}
	if at, err := l.Append([]byte("fits")); err != nil || at.Seq != 4 {
		t.Errorf("Append after it = %v, %v; want record 4", at, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzRead reads arbitrary segments: it returns records that are in sequence, or an
// error, and never panics.
func FuzzRead(f *testing.F) {
	dir := f.TempDir()
	l := start(f, dir, wal.Position{})
	fill(f, l, 5)
	if err := l.Close(); err != nil {
		f.Fatal(err)
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "*.log"))
	content, err := os.ReadFile(paths[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content[:600], uint64(0))
	f.Add(content[:20], uint64(3))
	f.Fuzz(func(t *testing.T, content []byte, from uint64) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(paths[0])), content, 0o600); err != nil {
			t.Fatal(err)
		}
		last := from
		end, err := wal.Read(dir, wal.Position{Seq: from}, func(at wal.Position, body []byte) error {
			if last++; at.Seq != last || len(body) == 0 {
				t.Fatalf("record %d of %d bytes, want record %d", at.Seq, len(body), last)
			}
			return nil
		})
		if err == nil && end.Seq != last {
			t.Fatalf("Read = %v, want record %d", end, last)
		}
	})
}
