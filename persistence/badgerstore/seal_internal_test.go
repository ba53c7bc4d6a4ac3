package badgerstore

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"venuegate/persistence"
	"venuegate/persistence/internal/wal"
)

// Every altered byte of the seal is noticed, except where nothing is stored: there it
// changes nothing.
func TestEveryAlteredByteOfTheSealIsNoticed(t *testing.T) {
	dir := t.TempDir()
	s, err := openSeal(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}()
	if err := errors.Join(s.reset(wal.Position{}), s.write(wal.Position{Seq: 1, Sum: 7}), s.write(wal.Position{Seq: 2, Sum: 9})); err != nil {
		t.Fatal(err)
	}
	intact, err := s.read()
	if want := (wal.Position{Seq: 2, Sum: 9}); err != nil || intact.Position != want || intact.isPartial {
		t.Fatalf("seal = %+v, %v; want %+v, complete", intact, err, want)
	}
	content, err := os.ReadFile(filepath.Join(dir, sealName))
	if err != nil {
		t.Fatal(err)
	}
	noticed := 0
	for i := range content {
		for bit := range 8 {
			if _, err := s.file.WriteAt([]byte{content[i] ^ 1<<bit}, int64(i)); err != nil {
				t.Fatal(err)
			}
			got, err := s.read()
			used := i%sealSlotBytes < sealBytes
			if err != nil || got.isPartial != used || !used && got != intact {
				t.Fatalf("bit %d of byte %d: seal = %+v, %v; want one that is partial: %t", bit, i, got, err, used)
			}
			// A damaged slot may have had a later group, unless the log continues.
			if used {
				noticed++
				if err := s.complete(got, got.Position); !errors.Is(err, errSealDamaged) {
					t.Fatalf("bit %d of byte %d: complete = %v, want errSealDamaged", bit, i, err)
				}
			}
		}
		if _, err := s.file.WriteAt(content[i:i+1], int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	if want := 2 * sealBytes * 8; noticed != want {
		t.Errorf("%d bits noticed, want %d", noticed, want)
	}
}

// Writes alternate between the slots whatever the numbers of the groups, also after the
// seal was opened again: a torn write never damages the newest position.
func TestSealSlotsAlternate(t *testing.T) {
	dir := t.TempDir()
	s, err := openSeal(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.reset(wal.Position{}); err != nil {
		t.Fatal(err)
	}
	for seq := uint64(2); seq <= 20; seq += 2 {
		if err := s.write(wal.Position{Seq: seq}); err != nil {
			t.Fatal(err)
		}
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join(dir, sealName))
		if err != nil {
			t.Fatal(err)
		}
		even, _ := decodeSealed(content[:sealBytes])
		odd, _ := decodeSealed(content[sealSlotBytes:][:sealBytes])
		if older, newer := min(even.Seq, odd.Seq), max(even.Seq, odd.Seq); newer != seq || older != seq-2 {
			t.Fatalf("slots = commits %d and %d, want %d and %d", even.Seq, odd.Seq, seq-2, seq)
		}
		if s, err = openSeal(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := s.read(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// unsyncable returns a file that can be written to and not be synced.
func unsyncable(t *testing.T) *os.File {
	t.Helper()
	file, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// A failed sync of the seal is an error of each call that syncs, and does not count as one:
// the log is kept from the last synced seal on.
func TestFailedSyncOfTheSealIsAnError(t *testing.T) {
	for name, sync := range map[string]func(s *seal, at wal.Position) error{
		"sync":  func(s *seal, at wal.Position) error { return errors.Join(s.write(at), s.sync()) },
		"reset": func(s *seal, at wal.Position) error { return s.reset(at) },
		"close": func(s *seal, at wal.Position) error { return errors.Join(s.write(at), s.close()) },
		"write": func(s *seal, at wal.Position) error {
			for range sealSyncGroups - 1 {
				if err := s.write(at); err != nil {
					t.Errorf("write before a sync is due = %v, want nil", err)
				}
			}
			return s.write(at)
		},
	} {
		s := &seal{file: unsyncable(t)}
		if err := sync(s, wal.Position{Seq: 7}); !errors.Is(err, unix.EINVAL) {
			t.Errorf("%s = %v, want %v", name, err, unix.EINVAL)
		}
		if got := s.synced.Load(); got != 0 || !s.dirty {
			t.Errorf("%s: synced up to commit %d, dirty %t, want 0 and true", name, got, s.dirty)
		}
		_ = s.file.Close() // "close" has closed it.
	}
}

// A store whose seal cannot be synced rejects commits: after a power failure the loss of
// later ones would not be detected.
func TestFailedSyncOfTheSealEndsWriting(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(dir, Small())
		if err != nil {
			t.Fatal(err)
		}
		release := blockWriter(s)
		synced := s.seal.file
		s.seal.file = unsyncable(t)
		release()
		if err := s.Commit(t.Context(), setting("a", 10)); err != nil {
			t.Errorf("Commit before the sync of the seal = %v, want nil", err)
		}
		time.Sleep(sealSyncInterval + 2*flushInterval)
		if err := s.Commit(t.Context(), setting("b", 10)); !errors.Is(err, persistence.ErrUnavailable) {
			t.Errorf("Commit after it = %v, want ErrUnavailable", err)
		}
		if err := s.Close(); !errors.Is(err, unix.EINVAL) {
			t.Errorf("Close = %v, want %v", err, unix.EINVAL)
		}
		if err := synced.Close(); err != nil {
			t.Error(err)
		}
	})
}
