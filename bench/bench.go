// Package bench measures the service against the limit of the machine it runs
// on. Each scenario runs its own limit probe, interleaved with what it measures,
// and reports the ratio: absolute times belong to the machine, ratios carry over.
//
// Figures are medians over rounds, with the smallest and the largest. Nothing here
// passes or fails; the goals are printed for the reader. README.md describes the
// method.
package bench

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Options of a run.
type Options struct {
	// Binary is the service's executable, for scenarios that start it.
	Binary string
	// Rounds is how often each measurement is repeated; 0 means RoundsDefault.
	Rounds int
	// Quick runs the minimum that shows that a scenario works, for tests. Its
	// figures are meaningless.
	Quick bool
}

// RoundsDefault is the usual number of rounds.
const RoundsDefault = 5

// Scenario is one measurement.
type Scenario struct {
	Name string
	// Does is one line about what is measured and its limit.
	Does string
	Run  func(ctx context.Context, o Options) ([]Figure, error)
	// OnlyNamed excludes a scenario that takes minutes from a run of all of them.
	OnlyNamed bool
}

// Figure is one line of a report.
type Figure struct {
	// Group is the heading above the figure; it is printed once for consecutive equal
	// groups and may be empty.
	Group string
	Name  string
	// Ours and Limit are medians in Unit with their spread; Limit is zero if there
	// is none.
	Ours, Limit Spread
	Unit        string
	// HigherIsBetter states that a ratio above 1 is better than the limit.
	HigherIsBetter bool
	Goal           string
	// Missing is the reason if there is no figure.
	Missing string
}

// Spread is the median of several rounds with the smallest and the largest.
type Spread struct{ Median, Min, Max float64 }

// spreadOf summarizes rounds.
func spreadOf(rounds []float64) Spread {
	sorted := slices.Sorted(slices.Values(rounds))
	if len(sorted) == 0 {
		return Spread{}
	}
	return Spread{Median: sorted[len(sorted)/2], Min: sorted[0], Max: sorted[len(sorted)-1]}
}

// Scenarios returns all scenarios.
func Scenarios() []Scenario {
	return slices.Concat(bookScenarios(), []Scenario{commitScenario, ordersScenario, cannedScenario, fanoutScenario}, streamScenarios(), []Scenario{floodsScenario, consolesScenario, hooksScenario, memoryScenario, soakScenario})
}

// Select returns scenarios by name, or by the first word of their names: "book"
// selects all that begin with "book-". Without names it returns all scenarios that do not
// have to be named; none is returned twice.
func Select(names []string) ([]Scenario, error) {
	if len(names) == 0 {
		return slices.DeleteFunc(Scenarios(), func(s Scenario) bool { return s.OnlyNamed }), nil
	}
	var selected []Scenario
	for _, name := range names {
		known := false
		for _, s := range Scenarios() {
			if s.Name != name && !strings.HasPrefix(s.Name, name+"-") {
				continue
			}
			known = true
			if !slices.ContainsFunc(selected, func(other Scenario) bool { return other.Name == s.Name }) {
				selected = append(selected, s)
			}
		}
		if !known {
			return nil, fmt.Errorf("there is no scenario %q", name)
		}
	}
	return selected, nil
}

// Run measures the scenarios named, or all, and writes a report of each when it ends.
func Run(ctx context.Context, out io.Writer, names []string, o Options) error {
	if o.Rounds <= 0 {
		o.Rounds = RoundsDefault
	}
	scenarios, err := Select(names)
	if err != nil {
		return err
	}
	for _, s := range scenarios {
		begun := time.Now()
		figures, err := s.Run(ctx, o)
		if err != nil {
			return fmt.Errorf("scenario %s: %w", s.Name, err)
		}
		title := fmt.Sprintf("%s (%d rounds, %s)", s.Name, o.Rounds, time.Since(begun).Round(time.Second))
		if err := writeReport(out, title, figures); err != nil {
			return err
		}
	}
	return nil
}

// median of durations, in microseconds.
func median(took []time.Duration) float64 { return quantile(took, 500) }

// quantile returns the quantile of durations in microseconds; permille 500 is the
// median.
func quantile(took []time.Duration, permille int) float64 {
	sorted := slices.Sorted(slices.Values(took))
	if len(sorted) == 0 {
		return 0
	}
	return float64(sorted[(len(sorted)-1)*permille/1000].Nanoseconds()) / 1e3
}
