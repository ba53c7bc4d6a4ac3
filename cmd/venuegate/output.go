package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"venuegate/transport/registry"
)

// Formats of lists, beside formatCSV and formatJSONL.
const (
	formatTable = "table"
	formatJSON  = "json"
)

// output is where a command prints records, and in which form. A table is for people: its
// ids are shortened. The JSON formats have the records as the service returns them, and CSV
// the columns of the table with whole ids.
type output struct {
	io.Writer
	format    string
	noHeaders bool
	quiet     bool
	paint     palette
}

// addFlags adds the flags of the output to a command. What is printed as a whole, such as a
// record with a secret or the results of checks, has no form that would lose a part of it.
func (o *output) addFlags(cmd *cobra.Command, whole bool) {
	const usage = "output format; default: table on a terminal, else jsonl"
	if whole {
		choiceFlag(cmd, &o.format, "output", "o", usage, formatTable, formatJSON, formatJSONL)
		return
	}
	choiceFlag(cmd, &o.format, "output", "o", usage, formatTable, formatJSON, formatJSONL, formatCSV)
	cmd.Flags().BoolVar(&o.noHeaders, "no-headers", false, "leave out the headers of a table or of CSV")
	cmd.Flags().BoolVarP(&o.quiet, "quiet", "q", false, "print ids alone")
}

// open sets the destination and what the flags leave open.
func (o *output) open(w io.Writer, environ []string) {
	o.Writer = w
	o.paint = newPalette(w, environ)
	if o.format == "" {
		o.format = formatJSONL
		if isTerminal(w) {
			o.format = formatTable
		}
	}
}

// isTable reports whether the output is for people, who also read sentences.
func (o *output) isTable() bool { return o.format == formatTable && !o.quiet }

// printAll prints a list and returns nil; it prints nothing and returns err if that is not
// nil. The first of the rows is the head; its first column has the id, unless the records
// have a member id.
func printAll[T any](o *output, err error, rows func(...T) [][]string, records []T) error {
	if err != nil {
		return err
	}
	if o.format != formatJSON || o.quiet {
		return printEach(o, rows, records)
	}
	if records == nil {
		records = []T{}
	}
	return o.printJSON(records)
}

// printOne prints one record, like printAll.
func printOne[T any](o *output, err error, rows func(...T) [][]string, record T) error {
	if err != nil {
		return err
	}
	if o.format != formatJSON || o.quiet {
		return printEach(o, rows, []T{record})
	}
	return o.printJSON(record)
}

func (o *output) printJSON(value any) error {
	if err := json.MarshalWrite(o, value, jsontext.WithIndent("  ")); err != nil {
		return err
	}
	_, err := fmt.Fprintln(o)
	return err
}

// printFields prints a record with a line for each field. Members of inner objects have names
// such as outer.inner.
func (o *output) printFields(record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	rows, err := fieldRows(newTable(1, "FIELD", "VALUE"), "", text)
	if err != nil {
		return err
	}
	return o.printTable(rows)
}

func fieldRows(rows [][]string, prefix string, object jsontext.Value) ([][]string, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(object))
	if _, err := dec.ReadToken(); err != nil {
		return rows, err
	}
	for dec.PeekKind() != jsontext.KindEndObject {
		name, err := dec.ReadToken()
		if err != nil {
			return rows, err
		}
		label := prefix + name.String()
		value, err := dec.ReadValue()
		switch {
		case err != nil:
			return rows, err
		case value.Kind() == jsontext.KindBeginObject:
			if rows, err = fieldRows(rows, label+".", value); err != nil {
				return rows, err
			}
		default:
			rows = append(rows, []string{label, plainText(value)})
		}
	}
	return rows, nil
}

// plainText returns a JSON value as people write it: no quotes, lists with commas.
func plainText(value jsontext.Value) string {
	var text string
	var list []string
	switch {
	case value.Kind() == jsontext.KindNull:
		return ""
	case json.Unmarshal(value, &text) == nil:
		return text
	case json.Unmarshal(value, &list) == nil:
		return strings.Join(list, ",")
	}
	return string(value)
}

func printEach[T any](o *output, rows func(...T) [][]string, records []T) error {
	cells := rows(records...)
	switch {
	case o.quiet:
		return printIDs(o, cells[1:], records)
	case o.format == formatJSONL:
		for _, r := range records {
			if err := json.MarshalWrite(o, r); err != nil {
				return err
			}
			fmt.Fprintln(o)
		}
		return nil
	case o.format == formatCSV:
		return o.printCSV(cells)
	default:
		return o.printTable(shortenIDs(cells))
	}
}

func printIDs[T any](o *output, rows [][]string, records []T) error {
	for i, r := range records {
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		var record struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(text, &record); err != nil {
			return err
		}
		if record.ID == "" && i < len(rows) {
			record.ID = rows[i][0]
		}
		fmt.Fprintln(o, record.ID)
	}
	return nil
}

// printCSV writes texts so that no spreadsheet program evaluates them as formulas and no
// terminal obeys them.
func (o *output) printCSV(cells [][]string) error {
	if o.noHeaders {
		cells = cells[1:]
	}
	w := csv.NewWriter(o)
	for _, row := range cells {
		line := make([]string, len(row))
		for i, cell := range row {
			if _, err := decimal.NewFromString(cell); err != nil {
				cell = registry.WithoutFormulas(cell)
			}
			line[i] = cell
		}
		if err := w.Write(line); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// noValue is shown in the empty cells of a table.
const noValue = "-"

// printTable aligns the columns. Escape sequences of colours have no width; those in a cell,
// which may be the text of a sender, are not printed.
func (o *output) printTable(cells [][]string) error {
	if o.noHeaders {
		cells = cells[1:]
	}
	widths := map[int]int{}
	for _, row := range cells {
		for i, cell := range row {
			cell = cmp.Or(printable(cell), noValue)
			row[i] = cell
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var text bytes.Buffer
	for n, row := range cells {
		for i, cell := range row {
			text.WriteString(o.paint.cell(cell, n == 0 && !o.noHeaders))
			if i < len(row)-1 {
				text.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
			}
		}
		text.WriteByte('\n')
	}
	_, err := o.Write(text.Bytes())
	return err
}

// printable replaces what moves the cursor or changes a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// newTable returns a table with its head and capacity for n rows.
func newTable(n int, head ...string) [][]string { return append(make([][]string, 0, n+1), head) }

// isTerminal reports whether what is written to w is read by a person.
func isTerminal(w io.Writer) bool {
	_, _, is := terminalSize(w)
	return is
}

func terminalSize(w io.Writer) (columns, lines int, is bool) {
	file, is := w.(*os.File)
	if !is {
		return 0, 0, false
	}
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0, false
	}
	return int(size.Col), int(size.Row), true
}
