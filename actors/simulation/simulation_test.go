package simulation_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

var seedFlag = flag.Uint64("seed", 0, "run this seed alone and print its trace")

func setting(t *testing.T, name string, otherwise uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// outcome is the result of one run of a seed.
type outcome struct {
	digest     uint64
	trace      string
	violations []violation
}

// play runs one seed.
func play(t *testing.T, seed uint64, total *coverage) (result outcome) {
	synctest.Test(t, func(t *testing.T) {
		c := newCoverage()
		w := newWorld(t, seed, c)
		w.run()
		for _, v := range w.violations {
			c.violations[v.invariant]++
		}
		result = outcome{w.digest.Sum64(), w.traceText(), w.violations}
		total.merge(c)
	})
	return result
}

func (w *world) run() {
	w.start()
	for _, s := range w.plan.steps {
		if wait := s.at - time.Since(w.born); wait > 0 {
			w.scheduler.Advance(wait)
		}
		s.do(w)
	}
	w.scheduler.Advance(callWait + time.Second)
	w.settle()
	w.check()
	w.clear()
	w.stop()
}

// quietMax bounds the time until every outcome is known after all faults have ended.
const quietMax = 30 * time.Minute

// settle ends all faults and waits until every outcome is known.
func (w *world) settle() {
	w.swarm.healed.Store(true)
	w.trace("all faults end")
	if w.process == nil {
		w.start()
	}
	// An idle account is reconciled every five minutes.
	w.scheduler.Advance(6 * time.Minute)
	for began := time.Now(); !w.isQuiet() && time.Since(began) < quietMax; {
		w.scheduler.Advance(time.Minute)
	}
}

func (w *world) isQuiet() bool {
	for _, customer := range customers {
		for _, exchange := range w.plan.venues {
			open, err := w.memory.UnfinishedOrders(context.Background(), customer, exchange)
			if err != nil {
				w.t.Fatal(err)
			}
			for i := range open {
				if s := open[i].Status; s == venues.StatusUnknown || s == venues.StatusPending || open[i].PendingAction != "" {
					return false
				}
			}
		}
	}
	return true
}

// clear cancels every order and closes every position.
func (w *world) clear() {
	for _, customer := range customers {
		for _, exchange := range w.plan.venues {
			w.closePositions(customer, exchange)
		}
	}
	w.scheduler.Advance(2 * time.Minute)
	for _, customer := range customers {
		for _, exchange := range w.plan.venues {
			w.checkFlat(customer, w.venues[exchange])
		}
		w.cancelEverything(customer)
	}
	for _, customer := range customers {
		for _, exchange := range w.plan.venues {
			core := w.venues[exchange].core
			waiting := core.Conditionals(customer, func(c *simcore.Conditional) bool { return c.Open() })
			if n := len(core.OpenOrders(customer, "")) + len(waiting); n > 0 {
				w.violate("I-23", "after cancel-all %d orders of %s are open at %s", n, customer, exchange)
			}
		}
	}
}

func (w *world) closePositions(customer string, exchange venues.Venue) {
	// Resting orders must not block the close.
	for _, symbol := range symbols {
		mark, _ := w.venues[exchange].core.Mark(symbol)
		_ = w.venues[exchange].core.MovePrice(symbol, mark.Mark)
	}
	for n := range 20 {
		open := w.venues[exchange].openPositions(customer)
		if len(open) == 0 {
			return
		}
		if n == 10 { // resting orders may reopen it
			w.cancelEverything(customer)
		}
		for _, p := range open {
			closing := venues.Sell
			if p.Side == venues.Short {
				closing = venues.Buy
			}
			w.scheduler.Do(func() {
				ctx, cancel := context.WithTimeout(context.Background(), callWait)
				defer cancel()
				_, err := w.process.tree.Close(ctx, venues.ClosePosition{
					Command: venues.Command{Customer: customer}, Exchange: exchange, Symbol: p.Symbol, Side: closing,
				})
				w.trace("close %s %s %s: %v", customer, exchange, p.Key(), err)
			})
			_ = w.venues[exchange].core.MovePrice(p.Symbol, w.lastPrice(exchange, p.Symbol))
		}
		w.scheduler.Advance(2 * time.Second)
	}
	w.violate("quiet", "%s cannot close its positions at %s", customer, exchange)
}

func (w *world) cancelEverything(customer string) {
	w.scheduler.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), callWait)
		defer cancel()
		list, err := w.process.tree.CancelAll(ctx, venues.CancelOrders{Command: venues.Command{Customer: customer}})
		if err != nil {
			w.violate("I-23", "cancel-all of %s: %v", customer, err)
		}
		for _, r := range list {
			if r.Result != venues.CancelDone && r.Result != venues.CancelNotFound {
				w.violate("I-23", "cancel-all: order %s is %s", r.OrderID, r.Result)
			}
		}
	})
}

func TestSeeds(t *testing.T) {
	if *seedFlag != 0 {
		replay(t, *seedFlag)
		return
	}
	playRange(t, setting(t, "VENUEGATE_FIRST_SEED", 1), setting(t, "VENUEGATE_SEEDS", seedsDefault))
}

func playRange(t *testing.T, first, n uint64) {
	total := newCoverage()
	began := time.Now()
	t.Run("all", func(t *testing.T) { playAll(t, first, n, total) })
	t.Logf("%d seeds from %d in %s\n%s", n, first, time.Since(began).Round(time.Second), total.report())
}

// batchSize is the number of seeds of a parallel subtest.
const batchSize = 50

// failuresDefault is the number of failed seeds after which a run ends; VENUEGATE_FAILURES
// sets another number.
const failuresDefault = 5

func playAll(t *testing.T, first, n uint64, total *coverage) {
	var failures atomic.Uint64
	failuresMax := setting(t, "VENUEGATE_FAILURES", failuresDefault)
	for from := first; from < first+n; from += batchSize {
		t.Run(fmt.Sprintf("from-%d", from), func(t *testing.T) {
			t.Parallel()
			for seed := from; seed < min(from+batchSize, first+n) && failures.Load() < failuresMax; seed++ {
				got := play(t, seed, total)
				if len(got.violations) > 0 {
					failures.Add(1)
					t.Errorf("seed %d:\n%s\nreplay it with: go test ./actors/simulation -run TestSeeds -seed %d -v", seed, got.summary(), seed)
				}
			}
		})
	}
}

func (o outcome) summary() string {
	var lines []string
	for _, v := range o.violations {
		lines = append(lines, v.invariant+": "+v.text)
	}
	return strings.Join(lines, "\n")
}

func replay(t *testing.T, seed uint64) {
	total := newCoverage()
	got := play(t, seed, total)
	t.Logf("trace of seed %d:\n%s\n%s", seed, got.trace, total.report())
	if len(got.violations) > 0 {
		t.Errorf("seed %d:\n%s", seed, got.summary())
	}
}

// TestSameSeedSameTrace checks that a seed is reproducible. The trace has each commit,
// each venue call and each response with its time. It does not include the stop of the
// actors, during which interrupted calls return in any order.
func TestSameSeedSameTrace(t *testing.T) {
	distinct := map[uint64]bool{}
	for seed := uint64(1); seed <= sameSeeds; seed++ {
		a, b := play(t, seed, newCoverage()), play(t, seed, newCoverage())
		if a.digest != b.digest {
			t.Fatalf("seed %d has two traces:\n%s", seed, firstDifference(a.trace, b.trace))
		}
		distinct[a.digest] = true
	}
	if len(distinct) != sameSeeds {
		t.Errorf("%d seeds have %d traces, want as many", sameSeeds, len(distinct))
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return strings.Join(slices.Concat(x[max(0, i-20):i+1], []string{"or"}, y[i:i+1]), "\n")
		}
	}
	return fmt.Sprintf("%d lines, %d lines", len(x), len(y))
}
