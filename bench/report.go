package bench

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// reportColumns are the headings of a report; the goal of a figure has a line of its own,
// so that a line fits 120 characters.
var reportColumns = []string{"figure", "ours", "limit", "unit", "ours/limit"}

// writeReport writes the figures of a scenario as a table below a title.
func writeReport(out io.Writer, title string, figures []Figure) error {
	widths := make([]int, len(reportColumns))
	rows := make([][]string, 0, len(figures)+1)
	rows = append(rows, reportColumns)
	for i := range figures {
		rows = append(rows, figures[i].cells())
	}
	for _, row := range rows {
		for column, cell := range row {
			widths[column] = max(widths[column], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n%s", title, reportLine(reportColumns, widths))
	group := ""
	for i, f := range figures {
		if f.Group != group {
			group = f.Group
			fmt.Fprintf(&text, " %s\n", group)
		}
		text.WriteString(reportLine(rows[i+1], widths))
		if note := f.note(); note != "" {
			fmt.Fprintf(&text, "      %s\n", note)
		}
	}
	_, err := fmt.Fprintln(out, text.String())
	return err
}

// reportLine returns the cells in columns of the given widths.
func reportLine(cells []string, widths []int) string {
	var line strings.Builder
	for column, cell := range cells {
		line.WriteString("  ")
		line.WriteString(cell)
		line.WriteString(strings.Repeat(" ", widths[column]-utf8.RuneCountInString(cell)))
	}
	return strings.TrimRight(line.String(), " ") + "\n"
}

// cells returns the columns of a figure.
func (f *Figure) cells() []string {
	if f.Missing != "" {
		return []string{f.Name, "n/a"}
	}
	limit, ratio := "-", "-"
	if f.Limit != (Spread{}) {
		limit = f.Limit.String()
	}
	if f.Limit.Median > 0 {
		ratio = strconv.FormatFloat(f.Ours.Median/f.Limit.Median, 'f', 2, 64)
	}
	return []string{f.Name, f.Ours.String(), limit, f.Unit, ratio}
}

// note returns the line below a figure: the goal, or the reason why there is no figure.
func (f *Figure) note() string {
	switch {
	case f.Missing != "":
		return f.Missing
	case strings.HasPrefix(f.Goal, "<"), strings.HasPrefix(f.Goal, ">"):
		return "goal " + f.Goal
	default:
		return f.Goal
	}
}

func (s Spread) String() string {
	return plainNumber(s.Median) + " [" + plainNumber(s.Min) + "-" + plainNumber(s.Max) + "]"
}

// plainNumber returns a number without an exponent, with about three significant digits.
func plainNumber(v float64) string {
	decimals := 0
	switch size := math.Abs(v); {
	case size == 0 || size >= 100:
	case size >= 10:
		decimals = 1
	case size >= 1:
		decimals = 2
	default:
		decimals = 3
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
