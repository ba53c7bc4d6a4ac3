package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
)

const (
	// commitBytes is the size of what is made durable: a small record.
	commitBytes = 300
	// commitsSingle and commitsMany are the commits of a round, by one writer
	// and by all together.
	commitsSingle = 1000
	commitsMany   = 20_000
	commitWriters = 64
	// probeFileBytes is preallocated, so that the probe measures data alone.
	probeFileBytes = 64 << 20
)

var commitScenario = Scenario{
	Name: "commit",
	Does: "durable commits of one small record against fdatasync of the same bytes in a preallocated file",
	Run:  measureCommits,
}

func measureCommits(ctx context.Context, o Options) ([]Figure, error) {
	dir, err := os.MkdirTemp("", "venuegate-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var ours, limit, many, grouped []float64
	for round := range o.Rounds {
		took, err := syncs(filepath.Join(dir, fmt.Sprint("log", round)), commitsSingle, 1)
		if err != nil {
			return nil, err
		}
		limit = append(limit, median(took))
		single, perSecond, err := commits(ctx, filepath.Join(dir, fmt.Sprint("store", round)))
		if err != nil {
			return nil, err
		}
		ours, many = append(ours, median(single)), append(many, perSecond)
		group, err := groupedSyncs(filepath.Join(dir, fmt.Sprint("group", round)))
		if err != nil {
			return nil, err
		}
		grouped = append(grouped, group)
	}
	return []Figure{
		{Name: "one writer, p50", Ours: spreadOf(ours), Limit: spreadOf(limit), Unit: "µs", Goal: "<= 2.00"},
		{Name: fmt.Sprintf("%d writers", commitWriters), Ours: spreadOf(many), Limit: spreadOf(grouped), Unit: "commits/s", HigherIsBetter: true, Goal: "limit: an append log synced once per 64 records"},
	}, nil
}

// commits measures one writer alone, then many together.
func commits(ctx context.Context, dir string) (single []time.Duration, perSecond float64, err error) {
	store, err := badgerstore.Open(dir, badgerstore.Options{})
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = store.Close() }()
	batch := func(n int) persistence.Batch {
		return persistence.Batch{Puts: []persistence.Record{
			persistence.Setting{Name: fmt.Sprintf("setting%08d", n), Value: make([]byte, commitBytes*3/5)}, // base64 makes the rest
		}}
	}
	for n := range commitsSingle {
		begun := time.Now()
		if err := store.Commit(ctx, batch(n)); err != nil {
			return nil, 0, err
		}
		single = append(single, time.Since(begun))
	}
	begun := time.Now()
	err = together(commitWriters, func(writer int) error {
		for n := range commitsMany / commitWriters {
			if err := store.Commit(ctx, batch(commitsSingle+writer*commitsMany+n)); err != nil {
				return err
			}
		}
		return nil
	})
	return single, float64(commitsMany) / time.Since(begun).Seconds(), err
}

// together runs work on several goroutines and returns the first error.
func together(workers int, work func(worker int) error) error {
	errs := make([]error, workers)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() { errs[w] = work(w) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// syncs appends to a preallocated file and syncs its data, n times; each write
// holds records of commitBytes.
func syncs(path string, n, records int) ([]time.Duration, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Write(make([]byte, probeFileBytes)); err != nil {
		return nil, err
	}
	if err := file.Sync(); err != nil {
		return nil, err
	}
	took := make([]time.Duration, 0, n)
	record := make([]byte, commitBytes*records)
	for i := range n {
		begun := time.Now()
		if _, err := file.WriteAt(record, int64(i*len(record))%(probeFileBytes-int64(len(record)))); err != nil {
			return nil, err
		}
		if err := syscall.Fdatasync(int(file.Fd())); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begun))
	}
	return took, nil
}

// groupedSyncs is how many records a second a log can take that syncs the
// records of all writers at once.
func groupedSyncs(path string) (float64, error) {
	took, err := syncs(path, commitsMany/commitWriters, commitWriters)
	if err != nil {
		return 0, err
	}
	var all time.Duration
	for _, t := range took {
		all += t
	}
	return commitsMany / all.Seconds(), nil
}
