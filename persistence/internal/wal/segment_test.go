package wal_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"venuegate/persistence/internal/wal"
)

// segmentsOf fills a log and returns the paths of its segments, of which there are several.
func segmentsOf(t *testing.T, dir string) []string {
	t.Helper()
	l := start(t, dir, wal.Position{})
	fill(t, l, 60)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(paths) < 3 {
		t.Fatalf("segments %v, %v; want at least 3", paths, err)
	}
	return paths
}

// A segment without a header is damaged, unless it is the newest.
func TestDamagedHeader(t *testing.T) {
	for name, damage := range map[string]func(content []byte) []byte{
		"altered": func(content []byte) []byte { content[20] ^= 1; return content },
		"cut off": func(content []byte) []byte { return content[:20] },
		"empty":   func([]byte) []byte { return nil },
	} {
		for i := range 2 {
			dir := t.TempDir()
			path := segmentsOf(t, dir)[i]
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, damage(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if n, _, err := read(t, dir, wal.Position{}); !errors.Is(err, wal.ErrDamaged) {
				t.Errorf("Read with the header of segment %d %s = %d records, %v; want ErrDamaged", i, name, n, err)
			}
			if _, exists, err := wal.Oldest(dir); i == 0 && !errors.Is(err, wal.ErrDamaged) {
				t.Errorf("Oldest with the header %s = %t, %v; want ErrDamaged", name, exists, err)
			}
		}
	}
}

// A segment that cannot be read is not damaged.
func TestUnreadableSegment(t *testing.T) {
	dir := t.TempDir()
	path := segmentsOf(t, dir)[0]
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := wal.Oldest(dir); err == nil || errors.Is(err, wal.ErrDamaged) {
		t.Errorf("Oldest = %v, want the error of the file", err)
	}
	if _, _, err := read(t, dir, wal.Position{}); err == nil || errors.Is(err, wal.ErrDamaged) {
		t.Errorf("Read = %v, want the error of the file", err)
	}
}

// Start writes the newest segment again. If it cannot be opened for that, the error says why.
func TestUnwritableSegment(t *testing.T) {
	const unwritable = "/sys/kernel/uevent_seqnum" // also for root
	dir := t.TempDir()
	if err := os.Symlink(unwritable, filepath.Join(dir, fmt.Sprintf("%020d.log", 1))); err != nil {
		t.Fatal(err)
	}
	_, err := wal.Start(dir, wal.Position{}, wal.Options{SegmentBytes: small})
	if failed, is := errors.AsType[*os.PathError](err); !is || failed.Op != "open" {
		t.Errorf("Start = %v, want the error of opening the segment", err)
	}
}

func TestAppendWhoseWriteFails(t *testing.T) {
	l := start(t, t.TempDir(), wal.Position{})
	positions := fill(t, l, 3)
	if err := l.Close(); err != nil { // so that the file cannot be written
		t.Fatal(err)
	}
	if at, err := l.Append(body(4)); !errors.Is(err, os.ErrClosed) || errors.Is(err, wal.ErrNoSegment) || at != positions[2] {
		t.Errorf("Append = %v, %v; want %v, %v", at, err, positions[2], os.ErrClosed)
	}
}

// A prepared segment is used on a full disk, but not for a record that is larger.
func TestPreparedSegmentOnAFullDisk(t *testing.T) {
	for name, c := range map[string]struct {
		bytes int
		want  error
	}{"a record that fits": {small / 2, nil}, "a larger record": {small, wal.ErrNoSegment}} {
		l := start(t, t.TempDir(), wal.Position{})
		if _, err := l.Append(make([]byte, small*3/4)); err != nil {
			t.Fatal(err)
		}
		if err := l.Prepare(); err != nil {
			t.Fatal(err)
		}
		l.UseReserve(true)
		if _, err := l.Append(make([]byte, c.bytes)); !errors.Is(err, c.want) {
			t.Errorf("Append of %s = %v, want %v", name, err, c.want)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// IsTrimmable agrees with Trim at each record.
func TestIsTrimmable(t *testing.T) {
	dir := t.TempDir()
	l := start(t, dir, wal.Position{})
	fill(t, l, 60)
	for seq := range uint64(61) {
		before, err := l.Segments()
		if err != nil {
			t.Fatal(err)
		}
		trimmable, err := l.IsTrimmable(seq)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Trim(seq); err != nil {
			t.Fatal(err)
		}
		if after, err := l.Segments(); err != nil || trimmable != (after < before) {
			t.Errorf("IsTrimmable(%d) = %t, and Trim leaves %d of %d segments, %v", seq, trimmable, after, before, err)
		}
	}
	if n, err := l.Segments(); err != nil || n != 1 {
		t.Errorf("Segments = %d, %v; want 1 after all were trimmed", n, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// A segment that cannot be filled is not used, and the error says why.
func TestPrepareOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	l := start(t, dir, wal.Position{})
	if err := os.Symlink("/dev/full", filepath.Join(dir, "spare")); err != nil {
		t.Fatal(err)
	}
	if err := l.Prepare(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Prepare on a full disk = %v, want %v", err, syscall.ENOSPC)
	}
	fill(t, l, 3)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestReserveInAnUnreadableDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if created, err := wal.Reserve(path, small, 1); created || !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("Reserve = %t, %v; want false, %v", created, err, syscall.ENOTDIR)
	}
}

// A segment in reserve that cannot be read is not used, and the error says why.
func TestUnreadableReserve(t *testing.T) {
	dir := t.TempDir()
	l := start(t, dir, wal.Position{})
	if err := os.Symlink("nothing", filepath.Join(dir, "reserve-001")); err != nil {
		t.Fatal(err)
	}
	l.UseReserve(true)
	for range 2 * small {
		_, err := l.Append([]byte("record"))
		if err == nil {
			continue
		}
		if !errors.Is(err, wal.ErrNoSegment) || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("Append = %v, want %v because of %v", err, wal.ErrNoSegment, os.ErrNotExist)
		}
		break
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestRemoveUnusedLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		if created, err := wal.Reserve(dir, small, 3); !created || err != nil {
			t.Fatalf("Reserve = %t, %v; want true", created, err)
		}
	}
	if err := wal.RemoveUnused(dir); err != nil {
		t.Errorf("RemoveUnused = %v, want no error", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left %v, %v; want nothing", entries, err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "spare", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := wal.RemoveUnused(dir); !errors.Is(err, syscall.ENOTEMPTY) {
		t.Errorf("RemoveUnused = %v, want %v", err, syscall.ENOTEMPTY)
	}
}
