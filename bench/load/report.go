package load

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

//go:embed report.html
var reportPage string

// Size of a plot in SVG units, and the margins of its axes.
const (
	plotWidth, plotHeight = 720.0, 260.0
	plotLeft, plotBottom  = 64.0, 32.0
	plotTop, plotRight    = 12.0, 12.0
)

// colors are those of the lines, in turn: distinguishable without red and green.
var colors = []string{"#0b6e66", "#b4561f", "#3b5bab", "#8a3a8f", "#7a6a00", "#4c4c4c"}

// plot is a line chart.
type plot struct {
	Title, X, Y string
	Lines       []line
	XTicks      []tick
	YTicks      []tick
}

// line is one series, as the points of an SVG polyline.
type line struct{ Name, Color, Points string }

// tick is a mark on an axis.
type tick struct {
	At   float64
	Text string
}

// point is a value of a series.
type point struct{ x, y float64 }

// WriteReport writes a page of HTML with plots of results, for a browser; it needs nothing else.
func WriteReport(w io.Writer, results []*Result) error {
	page, err := template.New("report").Parse(reportPage)
	if err != nil {
		return err
	}
	plots, err := plotsOf(results)
	if err != nil {
		return err
	}
	type figure struct{ Name, Value, Unit string }
	type row struct {
		Kind, Count, P50, P90, P99, P999, Max, Errors string
	}
	type section struct {
		*Result
		Name    string
		Rows    []row
		Figures []figure
		Options string
	}
	data := struct {
		Sections      []section
		Plots         []plot
		Width, Height float64
	}{Plots: plots, Width: plotWidth, Height: plotHeight}
	for i, r := range results {
		s := section{Result: r, Name: nameOf(results, i)}
		for j := range r.Latencies {
			l := &r.Latencies[j]
			var failed int64
			for n := range maps.Values(l.Errors) {
				failed += n
			}
			s.Rows = append(s.Rows, row{
				l.Kind, fmt.Sprint(l.Count), milliseconds(l.P50Us), milliseconds(l.P90Us),
				milliseconds(l.P99Us), milliseconds(l.P999Us), milliseconds(l.MaxUs), fmt.Sprint(failed),
			})
		}
		for _, f := range r.Figures {
			s.Figures = append(s.Figures, figure{f.Name, plain(f.Value), f.Unit})
		}
		for _, name := range slices.Sorted(maps.Keys(r.Flags)) {
			s.Options += " --" + name + " " + r.Flags[name]
		}
		data.Sections = append(data.Sections, s)
	}
	return page.Execute(w, data)
}

// nameOf returns a short name of a result among others.
func nameOf(results []*Result, i int) string {
	if len(results) == 1 {
		return results[i].Scenario
	}
	return fmt.Sprintf("%c: %s %s", 'A'+i, results[i].Scenario, results[i].Version)
}

// plotsOf returns latency by percentile, throughput over time and, where they are known, memory
// over time and over connections.
func plotsOf(results []*Result) ([]plot, error) {
	latency, err := latencyPlot(results)
	if err != nil {
		return nil, err
	}
	plots := []plot{latency, overTime(results, "Throughput", "per second", func(s *Second) float64 { return float64(s.Done) })}
	memory := func(s *Second) float64 { return float64(s.ResidentBytes) / (1 << 20) }
	if plot := overTime(results, "Memory of the service", "MiB", memory); hasValues(results, memory) {
		plots = append(plots, plot)
	}
	connections := func(s *Second) float64 { return float64(s.Connections) }
	if hasValues(results, memory) && hasValues(results, connections) {
		plots = append(plots, series(results, "Memory of the service over connections", "connections", "MiB", connections, memory))
	}
	return plots, nil
}

func hasValues(results []*Result, of func(*Second) float64) bool {
	for _, r := range results {
		for i := range r.Seconds {
			if of(&r.Seconds[i]) > 0 {
				return true
			}
		}
	}
	return false
}

// ninesMax is the end of the scale of percentiles, on which 1 is p90 and 2 is p99.
const ninesMax = 5

// latencyPlot returns the latencies by percentile, on a logarithmic scale of both.
func latencyPlot(results []*Result) (plot, error) {
	p := plot{Title: "Latency by percentile", X: "percentile", Y: "ms"}
	var names []string
	var all [][]point
	for i, r := range results {
		for j := range r.Latencies {
			l := &r.Latencies[j]
			if l.Count == 0 {
				continue
			}
			h, err := l.distribution()
			if err != nil {
				return p, err
			}
			var points []point
			// A percentile beyond the last value would repeat it.
			most := math.Min(math.Log10(float64(l.Count))+0.3, ninesMax)
			for x := 0.0; x <= most; x += 0.05 {
				points = append(points, point{x, math.Log10(float64(h.ValueAtQuantile(100-math.Pow(10, 2-x))) / 1000)})
			}
			names, all = append(names, strings.TrimPrefix(nameOf(results, i)+", "+l.Kind, r.Scenario+", ")), append(all, points)
		}
	}
	p.draw(names, all, func(v float64) string { return plain(math.Pow(10, v)) }, func(v float64) string {
		return fmt.Sprintf("%.5g", 100-math.Pow(10, 2-v))
	}, true)
	return p, nil
}

// overTime returns a value by the seconds of the runs.
func overTime(results []*Result, title, unit string, of func(*Second) float64) plot {
	return series(results, title, "seconds", unit, nil, of)
}

// series returns values of the seconds of the runs; without x by time.
func series(results []*Result, title, xName, yName string, x, y func(*Second) float64) plot {
	p := plot{Title: title, X: xName, Y: yName}
	names, all := make([]string, 0, len(results)), make([][]point, 0, len(results))
	for i, r := range results {
		points := make([]point, 0, len(r.Seconds))
		for n := range r.Seconds {
			at := point{float64(n), y(&r.Seconds[n])}
			if x != nil {
				at.x = x(&r.Seconds[n])
			}
			points = append(points, at)
		}
		names, all = append(names, nameOf(results, i)), append(all, points)
	}
	p.draw(names, all, plain, plain, false)
	return p
}

// draw scales series to the plot. Each axis has at most ten marks, logarithmic ones one at each power.
func (p *plot) draw(names []string, all [][]point, yText, xText func(float64) string, logarithmic bool) {
	xMax, yMin, yMax := 1.0, 0.0, 1.0
	if logarithmic {
		yMin, yMax = math.Inf(1), math.Inf(-1)
	}
	for _, points := range all {
		for _, at := range points {
			xMax, yMin, yMax = math.Max(xMax, at.x), math.Min(yMin, at.y), math.Max(yMax, at.y)
		}
	}
	if math.IsInf(yMin, 1) {
		yMin, yMax = 0, 1
	}
	if logarithmic {
		yMin, yMax = math.Floor(yMin), math.Ceil(yMax)
	}
	yMax = math.Max(yMax, yMin+1)
	toX := func(v float64) float64 { return plotLeft + v/xMax*(plotWidth-plotLeft-plotRight) }
	toY := func(v float64) float64 {
		return plotHeight - plotBottom - (v-yMin)/(yMax-yMin)*(plotHeight-plotBottom-plotTop)
	}
	xStep, yStep := stepOf(xMax), stepOf(yMax-yMin)
	if logarithmic {
		xStep, yStep = 1, 1
	}
	for v := 0.0; v <= xMax; v += xStep {
		p.XTicks = append(p.XTicks, tick{toX(v), xText(v)})
	}
	for v := yMin; v <= yMax; v += yStep {
		p.YTicks = append(p.YTicks, tick{toY(v), yText(v)})
	}
	for i, points := range all {
		var text strings.Builder
		for _, at := range points {
			fmt.Fprintf(&text, "%.1f,%.1f ", toX(at.x), toY(at.y))
		}
		p.Lines = append(p.Lines, line{names[i], colors[i%len(colors)], text.String()})
	}
}

// stepOf returns 1, 2 or 5 times a power of ten that divides a span into at most ten steps.
func stepOf(span float64) float64 {
	const stepsMax = 10
	size := math.Pow(10, math.Floor(math.Log10(span/stepsMax)))
	for _, times := range []float64{1, 2, 5} {
		if span/(size*times) <= stepsMax {
			return size * times
		}
	}
	return size * 10
}
