package registry

import (
	"context"
	"encoding/csv"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"

	"venuegate/persistence"
	"venuegate/venues"
)

// Formats of an export.
const (
	FormatLines = "jsonl"
	FormatCSV   = "csv"
)

var exportColumns = []string{"at", "seq", "id", "kind", "subject", "channel", "symbol", "result", "fields"}

// Export returns the function that writes the selected rows, newest first: as JSON
// lines, or as CSV for spreadsheets.
func (j *Journal) Export(ctx context.Context, f JournalFilter, format string) (write func(io.Writer) error, err error) {
	q, err := j.query(ctx, f)
	if err != nil {
		return nil, err
	}
	if format == FormatLines {
		return func(w io.Writer) error { return j.writeLines(ctx, q, f.Text, w) }, nil
	}
	return func(w io.Writer) error { return j.writeCSV(ctx, q, f.Text, w) }, nil
}

func (j *Journal) writeLines(ctx context.Context, q persistence.JournalQuery, text string, w io.Writer) error {
	return j.eachRow(ctx, q, text, func(row Row) error {
		line, err := json.Marshal(row)
		if err == nil {
			_, err = w.Write(append(line, '\n'))
		}
		return err
	})
}

func (j *Journal) writeCSV(ctx context.Context, q persistence.JournalQuery, text string, w io.Writer) error {
	table := csv.NewWriter(w)
	if err := table.Write(exportColumns); err != nil {
		return err
	}
	err := j.eachRow(ctx, q, text, func(row Row) error { return table.Write(cells(row)) })
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
		list[i] = WithoutFormulas(text)
	}
	return list
}

// formulaStart matches where a spreadsheet program may see a formula begin: at the
// start of a text, or after a character at which the program splits lines.
var formulaStart = regexp.MustCompile(`(^|[,;])([ "]*)([=+\-@＝＋－＠])`)

// WithoutFormulas returns a text in one line that no spreadsheet program evaluates,
// not even in part: an apostrophe is put before every character that could begin a
// formula.
func WithoutFormulas(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	return formulaStart.ReplaceAllString(text, "$1$2'$3")
}
