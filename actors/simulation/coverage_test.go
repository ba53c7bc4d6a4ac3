package simulation_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"venuegate/venues"
)

// coverage counts what a seed, or all of them together, has covered. The world orders
// the updates of one seed.
type coverage struct {
	mu          sync.Mutex // merge and report
	seeds       int
	hedged      int // of them, with accounts in hedge mode
	operations  map[string]int
	answers     map[string]int
	requestIDs  int
	orders      int
	fills       int
	attempts    int // to deliver an event
	guards      int // legs of fills whose deadline was checked
	alarms      int
	ends        int // of positions, by their executions
	adopted     int // positions that were reconciled by the venue's list
	faults      map[fault]map[string]int
	transitions map[string]int
	violations  map[string]int
	unknown     []float64 // seconds until an unknown outcome was known
}

func newCoverage() *coverage {
	return &coverage{
		operations: map[string]int{}, answers: map[string]int{}, faults: map[fault]map[string]int{}, transitions: map[string]int{}, violations: map[string]int{},
	}
}

func (c *coverage) struck(f fault, state string) {
	if c.faults[f] == nil {
		c.faults[f] = map[string]int{}
	}
	c.faults[f][state]++
}

func (c *coverage) transition(from, to string) {
	c.transitions[from+" -> "+to]++
}

// merge adds the counts of one seed.
func (c *coverage) merge(of *coverage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seeds++
	c.hedged += of.hedged
	c.requestIDs, c.orders, c.fills = c.requestIDs+of.requestIDs, c.orders+of.orders, c.fills+of.fills
	c.attempts, c.guards, c.alarms = c.attempts+of.attempts, c.guards+of.guards, c.alarms+of.alarms
	c.ends, c.adopted = c.ends+of.ends, c.adopted+of.adopted
	c.unknown = append(c.unknown, of.unknown...)
	addCounts(c.operations, of.operations)
	addCounts(c.answers, of.answers)
	addCounts(c.transitions, of.transitions)
	addCounts(c.violations, of.violations)
	for f, states := range of.faults {
		if c.faults[f] == nil {
			c.faults[f] = map[string]int{}
		}
		addCounts(c.faults[f], states)
	}
}

func addCounts(to, from map[string]int) {
	for k, n := range from {
		to[k] += n
	}
}

// invariants lists the checked invariants in the order of the report.
var invariants = []string{"I-1", "I-2", "I-3", "I-5", "I-6", "I-7", "I-8", "I-10", "I-11", "I-13", "I-14", "I-15", "I-16", "I-23", "I-24", "positions", "protection", "alarm", "quiet", "kit"}

// report returns the counts, with the bound of a zero: after n trials without a failure
// the rate is below 3/n with a confidence of 95 %.
func (c *coverage) report() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%d seeds (%d in hedge mode), %d calls, %d request ids, %d orders at the venues, %d fills, %d deliveries tried", c.seeds, c.hedged, total(c.operations), c.requestIDs, c.orders, c.fills, c.attempts)
	line("%d legs of fills checked at their deadline, %d protection alerts", c.guards, c.alarms)
	line("%d positions closed, %d reconciled by the venue's list", c.ends, c.adopted)
	line("calls: %s", counts(c.operations))
	line("answers: %s", counts(c.answers))
	line("faults injected, by the status of the order:")
	for _, f := range slices.Sorted(maps.Keys(c.faults)) {
		line("  %-20s %6d  %s", f, total(c.faults[f]), counts(c.faults[f]))
	}
	line("transitions seen: %d of %d", c.legalSeen(), legalTransitions())
	line("  %s", counts(c.transitions))
	for _, i := range invariants {
		line("%-11s violations %d, bound 3/%d seeds", i, c.violations[i], c.seeds)
	}
	if n := len(c.unknown); n > 0 {
		slices.Sort(c.unknown)
		line("unknown outcomes: %d, known after p50 %.1f s, p99 %.1f s, at most %.1f s", n, c.unknown[n/2], c.unknown[n*99/100], c.unknown[n-1])
	}
	return b.String()
}

func total(m map[string]int) int {
	sum := 0
	for _, n := range m {
		sum += n
	}
	return sum
}

func counts(m map[string]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
	}
	return strings.Join(parts, ", ")
}

func legalTransitions() int {
	n := 0
	for _, from := range venues.OrderStatuses() {
		for _, to := range venues.OrderStatuses() {
			if from != to && from.CanBecome(to) {
				n++
			}
		}
	}
	return n
}

func (c *coverage) legalSeen() int {
	n := 0
	for seen := range c.transitions {
		if !strings.HasPrefix(seen, "- ") {
			n++
		}
	}
	return n
}
