package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

const (
	// commitBytes is the size of what is made durable: a small record.
	commitBytes   = 300
	commitWriters = 64
	// commitTurns is how often the contenders take turns in a round, so that what
	// else the disk has to do meets them alike.
	commitTurns = 8
	// commitsSingle are the commits of a turn by one writer, commitsEach those of
	// each of all writers together, commitsPlain the same of one that syncs for
	// every commit.
	commitsSingle = 125
	commitsEach   = 40
	commitsPlain  = 4
	// commitsWarm are made before anything is measured.
	commitsWarm = 100
	// commitsQuick of a turn show that it works.
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
	defer keepAwake()()
	m := &commitMeasured{}
	for round := range o.Rounds {
		place := filepath.Join(dir, fmt.Sprint("round", round))
		if err := errors.Join(m.round(ctx, place, o.Quick), os.RemoveAll(place)); err != nil {
			return nil, err
		}
	}
	return m.figures(), nil
}

// commitMeasured is what the rounds came to.
type commitMeasured struct {
	// store is the service's, sync a preallocated file. plain is badger that syncs
	// for every commit; grouped and log are badger and the file behind a group
	// commit, one sync for all that wait; oneSync is grouped without the sync of
	// the value log, in which there is nothing.
	store, sync, plain, grouped, oneSync, log commitRounds
}

// commitRounds are the medians of one writer in microseconds, and what all
// together commit in a second.
type commitRounds struct{ single, perSecond []float64 }

// round opens the contenders within dir and lets them take turns, with one writer
// and then with all of them.
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

// open opens the contenders; those that are open are returned with an error too.
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
		{Name: "one writer, p50", Ours: spreadOf(m.store.single), Limit: spreadOf(m.sync.single), Unit: "µs", Goal: "<= 1.20; limit: one fdatasync"},
		{Name: "one writer, p50, against badger that syncs", Ours: spreadOf(m.store.single), Limit: spreadOf(m.plain.single), Unit: "µs", Goal: "<= 0.73"},
		against(m.grouped, together, ">= 0.95; limit: badger behind a group commit"),
		against(m.oneSync, together+", against the same with one sync", "none: what fence, ledger and seal cost"),
		against(m.plain, together+", against badger that syncs", ">= 11"),
		against(m.log, together+", against an append log", "none: >= 0.85 would be a log's, records are kept in badger"),
	}
}

// committer makes one small record durable. Writers call it at the same time.
type committer interface {
	commit(writer, n int) error
	close() error
}

// contender is a committer and what a round of it has come to.
type contender struct {
	committer
	rounds *commitRounds
	// alone are the commits of a turn by one writer, each those of each of all
	// writers together; 0 is to sit out.
	alone, each int
	next        int // the number of the next record
	single      laps
	many        laps
}

// turn lets so many writers commit.
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

// conclude makes a value of each kind of what the round has come to.
func (c *contender) conclude() {
	c.rounds.single = append(c.rounds.single, median(c.single.took))
	if len(c.many.took) > 0 {
		c.rounds.perSecond = append(c.rounds.perSecond, c.many.perSecond())
	}
}
