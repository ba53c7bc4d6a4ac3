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
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
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
}

// Figure is one line of a report.
type Figure struct {
	Name string
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

func (s Spread) String() string {
	return fmt.Sprintf("%.4g [%.4g-%.4g]", s.Median, s.Min, s.Max)
}

// Scenarios returns all scenarios.
func Scenarios() []Scenario {
	return append(bookScenarios(), commitScenario, ordersScenario, fanoutScenario, hooksScenario, memoryScenario)
}

// Select returns scenarios by name, or by the first word of their names: "book"
// selects all that begin with "book-". Without names it returns all scenarios; none
// is returned twice.
func Select(names []string) ([]Scenario, error) {
	if len(names) == 0 {
		return Scenarios(), nil
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

// Run measures the scenarios named, or all, and writes a table.
func Run(ctx context.Context, out io.Writer, names []string, o Options) error {
	if o.Rounds <= 0 {
		o.Rounds = RoundsDefault
	}
	scenarios, err := Select(names)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "scenario\tfigure\tours\tlimit\tunit\tours/limit\tgoal")
	for _, s := range scenarios {
		begun := time.Now()
		figures, err := s.Run(ctx, o)
		if err != nil {
			// The figures of the scenarios before are complete.
			return errors.Join(table.Flush(), fmt.Errorf("scenario %s: %w", s.Name, err))
		}
		for _, f := range figures {
			if f.Missing != "" {
				fmt.Fprintf(table, "%s\t%s\t-\t-\t\t-\t%s\n", s.Name, f.Name, f.Missing)
				continue
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, f.Name, f.Ours, f.limit(), f.Unit, f.ratio(), f.Goal)
		}
		fmt.Fprintf(table, "%s\t(%d rounds, %s)\t\t\t\t\t\n", s.Name, o.Rounds, time.Since(begun).Round(time.Second))
	}
	return table.Flush()
}

func (f Figure) limit() string {
	if f.Limit == (Spread{}) {
		return "-"
	}
	return f.Limit.String()
}

func (f Figure) ratio() string {
	if f.Limit.Median == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", f.Ours.Median/f.Limit.Median)
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
