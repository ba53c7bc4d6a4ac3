package admin

import (
	"context"
	"encoding/csv"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"

	"venuegate/venues"
)

// Formats of an export.
const (
	FormatLines = "jsonl"
	FormatCSV   = "csv"
)

var exportColumns = []string{"at", "seq", "id", "kind", "subject", "channel", "symbol", "result", "fields"}

// Export writes the selected rows, newest first: JSON lines, or CSV for
// spreadsheets.
func (r *Registry) Export(ctx context.Context, f JournalFilter, format string, w io.Writer) error {
	if format == FormatLines {
		return r.EachRow(ctx, f, func(row Row) error {
			line, err := json.Marshal(row)
			if err == nil {
				_, err = w.Write(append(line, '\n'))
			}
			return err
		})
	}
	table := csv.NewWriter(w)
	if err := table.Write(exportColumns); err != nil {
		return err
	}
	err := r.EachRow(ctx, f, func(row Row) error { return table.Write(cells(row)) })
	table.Flush()
	if err != nil {
		return err
	}
	return table.Error()
}

func cells(row Row) []string {
	fields := make([]string, len(row.Fields))
	for i, f := range row.Fields {
		fields[i] = f.Name + "=" + f.Value
	}
	list := []string{
		row.At.UTC().Format(venues.TimeFormat), strconv.FormatUint(row.Seq, 10), row.ID, row.Kind, row.Subject,
		row.Channel, row.Symbol, row.Result, strings.Join(fields, "; "),
	}
	for i, text := range list {
		list[i] = plain(text)
	}
	return list
}

// formulaStart is where a program could see a formula begin: at the beginning, or
// behind whatever it splits a line at.
var formulaStart = regexp.MustCompile(`(^|[,;])([ "]*)([=+\-@＝＋－＠])`)

// plain keeps spreadsheets from reading a text, or a part of it, as a formula: an
// apostrophe stands before what could begin one, and the text is a single line.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	return formulaStart.ReplaceAllString(text, "$1$2'$3")
}
