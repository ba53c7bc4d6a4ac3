package bench

import (
	"sync"
	"time"
)

// laps are the results of workers in the turns of a round.
type laps struct {
	took []time.Duration
	all  time.Duration
}

// run runs each worker count times in sequence, numbered from 0.
func (l *laps) run(workers, each int, do func(worker, n int) error) error {
	took := make([]time.Duration, workers*each)
	begun := time.Now()
	err := together(workers, func(worker int) error {
		for n := range each {
			sent := time.Now()
			if err := do(worker, n); err != nil {
				return err
			}
			took[worker*each+n] = time.Since(sent)
		}
		return nil
	})
	l.add(took, time.Since(begun))
	return err
}

func (l *laps) add(took []time.Duration, all time.Duration) {
	l.took = append(l.took, took...)
	l.all += all
}

func (l *laps) perSecond() float64 { return float64(len(l.took)) / l.all.Seconds() }

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
