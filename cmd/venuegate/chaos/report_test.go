//go:build chaos

package chaos

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
)

// report summarizes a run.
type report struct {
	mu sync.Mutex
	// requestIDs and calls of clients, faults by kind.
	requestIDs, calls int
	orders, exempt    int
	signals, posts    int
	faults            map[string]int
	violations        map[rule]int
	resolved          []time.Duration
	opened            []time.Duration
	// plants is the number of planted bugs, planted the ones that were found.
	plants  int
	planted []string
}

var total = report{faults: map[string]int{}, violations: map[rule]int{}}

// inject counts faults of a kind.
func (r *report) inject(kind string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults[kind] += n
}

// add adds the faults of a world and the violations found in it.
func (r *report) add(w *world, know truth, found []violation, exempt int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requestIDs += len(w.history.requests)
	r.calls += len(w.history.ops)
	r.orders += len(know.orders)
	r.exempt += exempt
	r.signals += len(know.signals)
	r.posts += len(w.receiver.posts())
	r.resolved = append(r.resolved, resolveTimes(know.journal)...)
	r.opened = append(r.opened, w.opened...)
	for _, v := range found {
		r.violations[v.rule]++
	}
}

// violated counts violations outside a world.
func (r *report) violated(by rule, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.violations[by] += n
}

// plant counts a planted bug.
func (r *report) plant() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plants++
}

func (r *report) caught(bug string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.planted = append(r.planted, bug)
}

// write prints the table.
func (r *report) write(to io.Writer, size string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "process chaos, %s, seed %d\t\n", size, seed)
	fmt.Fprintf(table, "requestIds\t%d in %d calls, %d orders\n", r.requestIDs, r.calls, r.orders)
	fmt.Fprintf(table, "signals\t%d, %d posts of events\n", r.signals, r.posts)
	for _, kind := range slices.Sorted(maps.Keys(r.faults)) {
		fmt.Fprintf(table, "injected: %s\t%d\n", kind, r.faults[kind])
	}
	for _, by := range rules {
		fmt.Fprintf(table, "%s\t%d%s\n", by, r.violations[by], r.bound(r.violations[by]))
	}
	if r.exempt > 0 {
		fmt.Fprintf(table, "orders not judged, their venue lost its memory\t%d\n", r.exempt)
	}
	fmt.Fprintf(table, "time to resolve UNKNOWN\t%s\n", spread(r.resolved))
	fmt.Fprintf(table, "time from start to serving\t%s\n", spread(r.opened))
	fmt.Fprintf(table, "planted bugs caught\t%d of %d: %s\n", len(r.planted), r.plants, strings.Join(r.planted, ", "))
	if err := table.Flush(); err != nil {
		panic(err) // a buffer or a terminal
	}
}

// bound is the 95 % upper bound on a rate of which no case was seen: 3/n.
func (r *report) bound(violations int) string {
	if violations > 0 || r.requestIDs == 0 {
		return ""
	}
	return fmt.Sprintf(" (below 1 in %d with 95 %% confidence)", r.requestIDs/3)
}

func spread(took []time.Duration) string {
	if len(took) == 0 {
		return "none"
	}
	return fmt.Sprintf("p50 %s, p99 %s, max %s of %d", percentile(took, 50), percentile(took, 99), percentile(took, 100), len(took))
}

// percentile returns a percentile of durations, of which there is at least one.
func percentile(took []time.Duration, percent int) time.Duration {
	slices.Sort(took)
	return took[min(len(took)-1, len(took)*percent/100)].Round(time.Millisecond)
}

// violationsShown of one world are printed whole.
const violationsShown = 20

// judgeWorld settles a world, compares its sources and fails the test for each
// violation. It returns the durations for which outcomes were unknown.
func judgeWorld(t *testing.T, w *world) []time.Duration {
	t.Helper()
	w.askAgain()
	w.settle(settleMax)
	know := w.learn()
	found, exempt := check(w, know)
	total.add(w, know, found, exempt)
	for i, v := range found {
		if i == violationsShown {
			t.Errorf("and %d more", len(found)-i)
			break
		}
		t.Errorf("%s: %s", v.rule, v.detail)
	}
	took, slow := resolutions(know.journal)
	t.Logf("%d requestIds in %d calls, %d orders; unknown resolved in %s", len(w.history.requests), len(w.history.ops), len(know.orders), spread(took))
	for _, line := range slow {
		t.Log(line)
	}
	return took
}
