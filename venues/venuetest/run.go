package venuetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// casesAtOnce is how many cases run at the same time.
const casesAtOnce = 8

// conformanceCase is one row of the suite.
type conformanceCase struct {
	number int
	name   string
	needs  Capability
	under  Conditions
	run    func(*env)
}

func (c *conformanceCase) id() string { return fmt.Sprintf("C-%03d", c.number) }

// suite returns all cases of a connector that enters orders by REST.
func suite() []conformanceCase {
	return slices.Concat(
		instrumentCases, orderCases, stopCases, rejectionCases, protectionCases, amendCases, lateAmendCases, cancelCases, lateCancelCases, identityCases,
		fillCases, positionCases, accountCases, privateCases, snapshotCases, feedCases, brokenFeedCases, faultCases, clockCases, limitCases, bandCases, isolatedCases, triggerCases,
		badAnswerCases, badEventCases, badFeedCases,
	)
}

// verdict of one case.
type verdict struct{ word, reason string }

// notRun is the verdict of a case that was filtered out.
var notRun = verdict{"-", ""}

// Run runs every case that the venue supports and logs the table of all. If none was
// filtered out, it compares the table of bad input with the requests and messages of the
// venue.
func Run(t *testing.T, h Harness) {
	t.Helper()
	if h.Wire.PlaceStop == (Route{}) {
		h.Wire.PlaceStop = Route{Method: "POST"}
	}
	h.seen = newCoverage()
	if runAll(t, h, suite()) {
		t.Run("bad input", func(t *testing.T) { h.seen.report(t, h.Wire.Answers, h.Wire.Events) })
	}
}

// runAll reports whether all cases have run.
func runAll(t *testing.T, h Harness, cases []conformanceCase) (all bool) {
	slices.SortFunc(cases, func(a, b conformanceCase) int { return a.number - b.number })
	for n := range cases[1:] {
		if cases[n].number == cases[n+1].number {
			t.Fatalf("two cases have number %s: %s; %s", cases[n].id(), cases[n].name, cases[n+1].name)
		}
	}
	verdicts := make([]verdict, len(cases))
	t.Run("cases", func(t *testing.T) {
		var running sync.WaitGroup
		slots := make(chan struct{}, casesAtOnce)
		for n := range cases {
			slots <- struct{}{}
			running.Go(func() {
				defer func() { <-slots }()
				verdicts[n] = runCase(t, h, &cases[n])
			})
		}
		running.Wait()
	})
	t.Log(table(cases, verdicts))
	return !slices.Contains(verdicts, notRun)
}

func runCase(t *testing.T, h Harness, c *conformanceCase) verdict {
	if reason, lacks := h.Lacks[c.needs]; lacks && c.needs != "" {
		return verdict{"n/a", reason}
	}
	ran := false
	passed := t.Run(c.id()+" "+c.name, func(t *testing.T) {
		ran = true
		c.run(newEnv(t, h, c.under))
	})
	switch {
	case !ran:
		return notRun
	case !passed:
		return verdict{"FAIL", ""}
	default:
		return verdict{"pass", ""}
	}
}

// table returns the verdicts of one venue, with their totals.
func table(cases []conformanceCase, verdicts []verdict) string {
	var text strings.Builder
	sums := map[string]int{}
	for n := range cases {
		sums[verdicts[n].word]++
		fmt.Fprintf(&text, "\n%s  %-4s  %s", cases[n].id(), verdicts[n].word, cases[n].name)
		if verdicts[n].reason != "" {
			fmt.Fprintf(&text, " (%s)", verdicts[n].reason)
		}
	}
	fmt.Fprintf(&text, "\n%d cases: %d pass, %d n/a, %d fail", len(cases), sums["pass"], sums["n/a"], sums["FAIL"])
	return text.String()
}
