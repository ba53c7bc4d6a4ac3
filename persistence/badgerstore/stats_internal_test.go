package badgerstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"venuegate/persistence"
)

func TestReadyNamesWhyCommitsAreRejected(t *testing.T) {
	var free atomic.Int64
	free.Store(2 * FreeBytesMinDefault)
	s := openOn(t, t.TempDir(), &free)
	if err := s.Ready(); err != nil {
		t.Errorf("Ready of a new store = %v, want nil", err)
	}
	free.Store(FreeBytesMinDefault - 1)
	if err := s.Ready(); !errors.Is(err, errDiskFull) {
		t.Errorf("Ready on a full disk = %v, want %v", err, errDiskFull)
	}
	free.Store(2 * FreeBytesMinDefault)
	release := blockWriter(s)
	if err := s.seal.file.Close(); err != nil {
		t.Fatal(err)
	}
	release()
	for _, want := range []error{persistence.ErrOutcomeUnknown, persistence.ErrUnavailable} {
		if err := s.Commit(t.Context(), setting("a", 10)); !errors.Is(err, want) {
			t.Fatalf("Commit without a seal = %v, want %v", err, want)
		}
	}
	if err := s.Ready(); !errors.Is(err, errRejecting) {
		t.Errorf("Ready after a failed commit = %v, want %v", err, errRejecting)
	}
}

func TestFullDiskIsLoggedOnce(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.WarnLevel)
		var free atomic.Int64
		free.Store(2 * FreeBytesMinDefault)
		o := onDisk(&free)
		o.Logger = zap.New(core)
		s, err := Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		free.Store(FreeBytesMinDefault - 1)
		for range 5 {
			time.Sleep(fullCheckInterval)
			if err := s.Commit(t.Context(), setting("a", 1)); !errors.Is(err, persistence.ErrUnavailable) {
				t.Errorf("Commit on a full disk = %v, want ErrUnavailable", err)
			}
		}
		if n := logs.FilterMessage("the disk is full; commits that increase risk are rejected, others use the reserve").Len(); n != 1 {
			t.Errorf("logged %d times, want once: %v", n, logs.All())
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestGroupsAreObserved(t *testing.T) {
	var sizes []int
	o := Small()
	o.ObserveGroup = func(batches int, took time.Duration) {
		if took <= 0 {
			t.Errorf("group of %d took %s, want some time", batches, took)
		}
		sizes = append(sizes, batches)
	}
	s, err := Open(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	submitAll(s, setting("a", 1), setting("b", 1), setting("c", 1))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(sizes[len(sizes)-1]); got != "3" {
		t.Errorf("sizes of the groups = %v, want 3 last", sizes)
	}
}

func TestUsageGrowsWithTheStore(t *testing.T) {
	var free atomic.Int64
	free.Store(2 * FreeBytesMinDefault)
	s := openOn(t, t.TempDir(), &free)
	before, err := s.Usage()
	if err != nil || before.Bytes <= 0 || before.FreeBytes != free.Load() {
		t.Fatalf("Usage of a new store = %+v, %v, want some bytes and %d free", before, err, free.Load())
	}
	for i := range 20 {
		if err := s.Commit(t.Context(), setting(fmt.Sprint(i), 40<<10)); err != nil {
			t.Fatal(err)
		}
	}
	if after, err := s.Usage(); err != nil || after.Bytes < before.Bytes+400<<10 {
		t.Errorf("Usage after 800 KiB = %+v, %v, want at least 400 KiB above %d", after, err, before.Bytes)
	}
}

// What is removed while the sizes are read does not count; another error is returned.
func TestUsageOfMissingAndUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{filepath.Join(dir, "missing"): nil, filepath.Join(file, "below"): syscall.ENOTDIR} {
		s := &Store{dir: path, disk: newDiskSpace(path, 0, onDisk(diskWith(7)).stat)}
		if got, err := s.Usage(); !errors.Is(err, want) || got.Bytes != 0 || got.FreeBytes != 7 {
			t.Errorf("Usage of %s = %+v, %v; want no bytes, 7 free, %v", path, got, err, want)
		}
	}
}
