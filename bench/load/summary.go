package load

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"text/tabwriter"
)

// WriteSummary prints a result for people.
func (r *Result) WriteSummary(w io.Writer) error {
	fmt.Fprintf(w, "\n%s, %.0f s after %.0f s of warm-up, %s %s with %d processors\n\n", r.Scenario, r.DurationSec, r.WarmupSec, r.Machine.OS, r.Machine.Arch, r.Machine.Processors)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	width := len("LATENCY, MS")
	for i := range r.Latencies {
		width = max(width, len(r.Latencies[i].Kind))
	}
	if len(r.Latencies) > 0 {
		fmt.Fprintf(table, "%-*s\t%s\n", width, "LATENCY, MS", "COUNT\tPER SECOND\tP50\tP90\tP99\tP99.9\tMAX\t")
	}
	for i := range r.Latencies {
		l := &r.Latencies[i]
		fmt.Fprintf(table, "%-*s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t\n", width, l.Kind, l.Count, plain(float64(l.Count)/r.DurationSec),
			milliseconds(l.P50Us), milliseconds(l.P90Us), milliseconds(l.P99Us), milliseconds(l.P999Us), milliseconds(l.MaxUs))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for i := range r.Latencies {
		l := &r.Latencies[i]
		for _, code := range slices.SortedFunc(maps.Keys(l.Errors), func(a, b string) int { return cmp.Compare(l.Errors[b], l.Errors[a]) }) {
			fmt.Fprintf(w, "%s failed %d times: %s\n", l.Kind, l.Errors[code], code)
		}
	}
	fmt.Fprintln(w)
	for _, f := range r.Figures {
		fmt.Fprintf(w, "%-48s %12s %s\n", f.Name, plain(f.Value), f.Unit)
	}
	for _, fault := range r.Faults {
		fmt.Fprintf(w, "FAULT: %s\n", fault)
	}
	return nil
}

// plain returns a number without an exponent, with a decimal where it is small.
func plain(v float64) string {
	switch {
	case v >= 100 || v == float64(int64(v)):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 1:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
}
