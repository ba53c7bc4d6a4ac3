package load

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"text/tabwriter"
)

const (
	// resamples is the number of bootstrap samples of a confidence interval.
	resamples = 2000
	// confidence is its probability.
	confidence = 0.95
)

// Change is how a percentile of a kind differs between two results.
type Change struct {
	Kind, Percentile string
	// BeforeUs and AfterUs are the values of the whole runs.
	BeforeUs, AfterUs int64
	// Percent is the change of the median over the rounds, Low and High the bounds of its
	// confidence interval.
	Percent, Low, High float64
}

// Significant reports whether the interval excludes no change.
func (c *Change) Significant() bool { return c.Low > 0 || c.High < 0 }

// percentileNames are those that are compared.
var percentileNames = []struct {
	name string
	of   func(Percentiles) int64
}{
	{"p50", func(p Percentiles) int64 { return p.P50Us }},
	{"p90", func(p Percentiles) int64 { return p.P90Us }},
	{"p99", func(p Percentiles) int64 { return p.P99Us }},
	{"p99.9", func(p Percentiles) int64 { return p.P999Us }},
}

// Compare returns the changes of all kinds that both results have.
func Compare(before, after *Result) ([]Change, error) {
	if before.Scenario != after.Scenario {
		return nil, fmt.Errorf("the results are of different scenarios, %s and %s", before.Scenario, after.Scenario)
	}
	var changes []Change
	for i := range before.Latencies {
		b := &before.Latencies[i]
		j := slices.IndexFunc(after.Latencies, func(l Latency) bool { return l.Kind == b.Kind })
		if j < 0 || b.Count == 0 || after.Latencies[j].Count == 0 {
			continue
		}
		for _, p := range percentileNames {
			c := Change{Kind: b.Kind, Percentile: p.name, BeforeUs: p.of(b.Percentiles), AfterUs: p.of(after.Latencies[j].Percentiles)}
			c.Percent, c.Low, c.High = change(valuesOf(b.Rounds, p.of), valuesOf(after.Latencies[j].Rounds, p.of))
			changes = append(changes, c)
		}
	}
	if len(changes) == 0 {
		return nil, fmt.Errorf("the results of %s have no kind in common", before.Scenario)
	}
	return changes, nil
}

func valuesOf(rounds []Percentiles, of func(Percentiles) int64) []float64 {
	values := make([]float64, len(rounds))
	for i, p := range rounds {
		values[i] = float64(of(p))
	}
	return values
}

// change returns by how many percent the median differs, with the bootstrap interval of that.
// The samples come from a fixed seed, so that the same results give the same interval.
func change(before, after []float64) (percent, low, high float64) {
	percent = percentOf(medianOf(before), medianOf(after))
	random := rand.New(rand.NewPCG(1, 2))
	resample := func(from []float64) []float64 {
		drawn := make([]float64, len(from))
		for i := range drawn {
			drawn[i] = from[random.IntN(len(from))]
		}
		return drawn
	}
	percents := make([]float64, resamples)
	for i := range percents {
		percents[i] = percentOf(medianOf(resample(before)), medianOf(resample(after)))
	}
	slices.Sort(percents)
	outside := (1 - confidence) / 2
	return percent, percents[int(outside*resamples)], percents[int((1-outside)*resamples)-1]
}

func percentOf(before, after float64) float64 {
	if before == 0 {
		return math.NaN()
	}
	return (after/before - 1) * 100
}

func medianOf(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// WriteChanges prints changes as a table, and reports whether one is significant and worse by
// more than failOver percent; failOver below zero allows everything.
func WriteChanges(w io.Writer, changes []Change, failOver float64) (worse bool, err error) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "KIND\tPERCENTILE\tBEFORE MS\tAFTER MS\tCHANGE\t95 % INTERVAL\t\t")
	for i := range changes {
		c := &changes[i]
		mark := ""
		if c.Significant() {
			mark = "better"
			if c.Percent > 0 {
				mark = "worse"
			}
		}
		if failOver >= 0 && c.Low > 0 && c.Percent > failOver {
			worse, mark = true, "FAILED"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%+.1f %%\t%+.1f to %+.1f %%\t%s\t\n",
			c.Kind, c.Percentile, milliseconds(c.BeforeUs), milliseconds(c.AfterUs), c.Percent, c.Low, c.High, mark)
	}
	return worse, table.Flush()
}
