package badgerstore

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// The sum depends only on the rows, not on the changes that led to them.
func TestSumIsThatOfTheRemainingRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var changing ledger
		left := map[string][]byte{}
		for range rapid.IntRange(0, 40).Draw(t, "changes") {
			key := rapid.SampledFrom([]string{"a", "b", "ab", ""}).Draw(t, "key")
			value := rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "value")
			if rapid.Bool().Draw(t, "delete") {
				value = nil
			}
			changing.replace([]byte(key), left[key], value)
			if delete(left, key); value != nil {
				left[key] = value
			}
		}
		var counted ledger
		for key, value := range left {
			counted.replace([]byte(key), nil, value)
		}
		if changing.rows != counted.rows || changing.sum != counted.sum {
			t.Fatalf("ledger after the changes = %v, want %v", changing, counted)
		}
	})
}

func TestRowHashSeparatesKeyAndValue(t *testing.T) {
	if hash := hashRow([]byte("ab"), []byte("c")); hash == hashRow([]byte("a"), []byte("bc")) {
		t.Errorf("the rows (ab, c) and (a, bc) have the same hash %x", hash)
	}
}

func TestChainDependsOnEverything(t *testing.T) {
	base := ledger{rows: 3, sum: hashRow([]byte("k"), nil)}
	base.chainTo(ledger{seq: 4})
	for name, change := range map[string]func(l, previous *ledger){
		"number":       func(_, previous *ledger) { previous.seq++ },
		"rows":         func(l, _ *ledger) { l.rows++ },
		"sum":          func(l, _ *ledger) { l.sum[3]++ },
		"chain before": func(_, previous *ledger) { previous.chain[31]++ },
	} {
		other, previous := base, ledger{seq: 4}
		change(&other, &previous)
		if other.chainTo(previous); other.chain == base.chain {
			t.Errorf("the chain with another %s is the same, %x", name, base.chain)
		}
	}
}

func FuzzDecodeLedger(f *testing.F) {
	f.Add(ledger{}.encode())
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := decodeLedger(data)
		if err == nil && !bytes.Equal(l.encode(), data) {
			t.Errorf("decoded and encoded %x, want %x", l.encode(), data)
		}
	})
}

func FuzzDecodeSealed(f *testing.F) {
	f.Add(sealed{seq: 7}.encode())
	f.Add(make([]byte, sealBytes))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, ok := decodeSealed(data)
		if ok && !bytes.Equal(s.encode(), data) {
			t.Errorf("decoded and encoded %x, want %x", s.encode(), data)
		}
	})
}

func FuzzReadBackup(f *testing.F) {
	var whole bytes.Buffer
	out := newBackupWriter(&whole)
	out.write([]byte(backupMagic))
	var head ledger
	head.replace([]byte("key"), nil, []byte("value"))
	out.write(head.encode())
	out.row([]byte("key"), []byte("value"))
	if err := out.finish(); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes())
	f.Add([]byte(backupMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := readBackup(bytes.NewReader(data), func(_, _ []byte) error { return nil })
		if err != nil && !errors.Is(err, ErrBackup) {
			t.Errorf("readBackup = %v, want ErrBackup", err)
		}
		if err == nil && !bytes.HasPrefix(data, whole.Bytes()[:len(backupMagic)]) {
			t.Errorf("readBackup of %q = nil, want ErrBackup: it has no header", data)
		}
	})
}

// FuzzCheckTable checks that arbitrary bytes are rejected as a table without ending the
// process.
func FuzzCheckTable(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte{0, 0, 0, 0, 8, 1, 0, 0, 0, 2})
	path := filepath.Join(f.TempDir(), "000001.sst")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := checkTable(path, 0); err == nil {
			t.Errorf("checkTable(%x) = nil, want an error", data)
		}
	})
}

func TestSealReadsTheNewerSlot(t *testing.T) {
	dir := t.TempDir()
	s, err := openSeal(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.close() }()
	if _, err := s.read(); !errors.Is(err, errUnsealed) {
		t.Errorf("read of a new seal = %v, want errUnsealed", err)
	}
	for seq := range uint64(5) {
		if err := s.write(ledger{seq: seq}); err != nil {
			t.Fatal(err)
		}
		if got, err := s.read(); err != nil || got.seq != seq {
			t.Errorf("read = %d, %v; want %d", got.seq, err, seq)
		}
	}
	// A torn write of the newest slot leaves the previous one.
	if _, err := s.file.WriteAt([]byte("torn"), 10); err != nil {
		t.Fatal(err)
	}
	if got, err := s.read(); err != nil || got.seq != 3 {
		t.Errorf("read with one torn slot = %d, %v; want 3", got.seq, err)
	}
	if _, err := s.file.WriteAt([]byte("torn"), sealSlotBytes+10); err != nil {
		t.Fatal(err)
	}
	if _, err := s.read(); !errors.Is(err, errSealDamaged) {
		t.Errorf("read with two torn slots = %v, want errSealDamaged", err)
	}
}

func TestBadgerOptionsOfTheZeroValue(t *testing.T) {
	o := (Options{}).withDefaults().badger(t.TempDir())
	if o.DetectConflicts || !o.VerifyValueChecksum {
		t.Errorf("DetectConflicts = %t, VerifyValueChecksum = %t; want false and true", o.DetectConflicts, o.VerifyValueChecksum)
	}
}
