package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

const (
	// commitBytes is the size of a small record.
	commitBytes   = 300
	commitWriters = 64
	// commitTurns is the number of turns of each contender in a round, so that other
	// load of the disk affects them equally.
	commitTurns = 8
	// commitsSingle is the number of commits of a turn by one writer, commitsEach that
	// of each of the concurrent writers, commitsPlain the same for a contender that
	// syncs for every commit.
	commitsSingle = 125
	commitsEach   = 40
	commitsPlain  = 4
	// commitsWarm is the number of commits before the measurement.
	commitsWarm = 100
	// commitsQuick is the number of commits of a turn in a quick run.
	commitsQuick = 2
)

var commitScenario = Scenario{
	Name: "commit",
	Does: "durable commits of one small record against fdatasync of as many bytes in a preallocated file, and against badger behind a group commit",
	Run:  measureCommits,
}

func measureCommits(ctx context.Context, o Options) ([]Figure, error) {
	dir, err := os.MkdirTemp("", "venuegate-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if !o.Quick {
		defer keepAwake()()
	}
	m := &commitMeasured{}
	for round := range o.Rounds {
		place := filepath.Join(dir, fmt.Sprint("round", round))
		if err := errors.Join(m.round(ctx, place, o.Quick), os.RemoveAll(place)); err != nil {
			return nil, err
		}
	}
	return m.figures(), nil
}

// commitMeasured is the results of the rounds.
type commitMeasured struct {
	// store is the service's store, sync a preallocated file. plain is badger that
	// syncs for every commit; grouped and log are badger and the file behind a group
	// commit with one sync for all pending records; oneSync is grouped without the
	// sync of the empty value log.
	store, sync, plain, grouped, oneSync, log commitRounds
}

// commitRounds are the medians of one writer in microseconds, and the commits per
// second of all writers.
type commitRounds struct{ single, perSecond []float64 }

// round opens the contenders in dir and runs them in turns, with one writer and then
// with all of them.
func (m *commitMeasured) round(ctx context.Context, dir string, quick bool) (err error) {
	contenders, err := m.open(ctx, dir)
	defer func() {
		for _, c := range contenders {
			err = errors.Join(err, c.close())
		}
	}()
	if err != nil {
		return err
	}
	for _, writers := range []int{1, commitWriters} {
		for range commitTurns {
			for _, c := range contenders {
				if err := c.turn(writers, quick); err != nil {
					return err
				}
			}
		}
	}
	for _, c := range contenders {
		c.conclude()
	}
	return nil
}

// open opens the contenders; with an error it returns those that are open.
func (m *commitMeasured) open(ctx context.Context, dir string) ([]*contender, error) {
	store, err := openStoreCommitter(ctx, filepath.Join(dir, "store"))
	if err != nil {
		return nil, err
	}
	contenders := []*contender{{committer: store, rounds: &m.store, alone: commitsSingle, each: commitsEach}}
	grown, err := store.warm()
	if err != nil {
		return contenders, err
	}
	for _, other := range []struct {
		open func(dir string) (committer, error)
		contender
	}{
		{func(dir string) (committer, error) { return openSyncLog(dir, grown) }, contender{rounds: &m.sync, alone: commitsSingle}},
		{func(dir string) (committer, error) { return openBadger(dir) }, contender{rounds: &m.plain, alone: commitsSingle, each: commitsPlain}},
		{func(dir string) (committer, error) { return openGroupedBadger(dir, openBadger) }, contender{rounds: &m.grouped, each: commitsEach}},
		{func(dir string) (committer, error) { return openGroupedBadger(dir, openBadgerLog) }, contender{rounds: &m.oneSync, each: commitsEach}},
		{func(dir string) (committer, error) { return openGroupedLog(dir) }, contender{rounds: &m.log, each: commitsEach}},
	} {
		c := other.contender
		if c.committer, err = other.open(filepath.Join(dir, fmt.Sprint("other", len(contenders)))); err != nil {
			return contenders, err
		}
		contenders = append(contenders, &c)
	}
	return contenders, nil
}

func (m *commitMeasured) figures() []Figure {
	against := func(limit commitRounds, name, goal string) Figure {
		return Figure{Name: name, Ours: spreadOf(m.store.perSecond), Limit: spreadOf(limit.perSecond), Unit: "commits/s", HigherIsBetter: true, Goal: goal}
	}
	together := fmt.Sprintf("%d writers", commitWriters)
	return []Figure{
		{Name: "one writer, p50", Ours: spreadOf(m.store.single), Limit: spreadOf(m.sync.single), Unit: "µs", Goal: "<= 1.15, stretch 1.05; limit: one fdatasync"},
		{Name: "one writer, p50, against badger that syncs", Ours: spreadOf(m.store.single), Limit: spreadOf(m.plain.single), Unit: "µs", Goal: "<= 0.73"},
		against(m.grouped, together, ">= 0.95; limit: badger behind a group commit"),
		against(m.oneSync, together+", against the same with one sync", "limit: the same, with one synced file"),
		against(m.plain, together+", against badger that syncs", ">= 11"),
		against(m.log, together+", against an append log", ">= 0.85, stretch 0.95; limit: a log that checks and stores nothing else"),
	}
}

// committer makes one small record durable. It is safe for concurrent use.
type committer interface {
	commit(writer, n int) error
	close() error
}

// contender is a committer with the results of a round.
type contender struct {
	committer
	rounds *commitRounds
	// alone is the number of commits of a turn by one writer, each that of each of
	// the concurrent writers; 0 skips the turn.
	alone, each int
	next        int // the number of the next record
	single      laps
	many        laps
}

// turn runs concurrent writers.
func (c *contender) turn(writers int, quick bool) error {
	each, to := c.each, &c.many
	if writers == 1 {
		each, to = c.alone, &c.single
	}
	if quick {
		each = min(each, commitsQuick)
	}
	first := c.next
	c.next += each
	return to.run(writers, each, func(writer, n int) error { return c.commit(writer, first+n) })
}

// conclude adds the results of the round to the measurements.
func (c *contender) conclude() {
	c.rounds.single = append(c.rounds.single, median(c.single.took))
	if len(c.many.took) > 0 {
		c.rounds.perSecond = append(c.rounds.perSecond, c.many.perSecond())
	}
}
