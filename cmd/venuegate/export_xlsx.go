package main

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/xuri/excelize/v2"

	"venuegate/transport/notify"
	"venuegate/venues"
)

const (
	workbookTimeForm = "yyyy-mm-dd hh:mm:ss.000"
	// workbookColumnWidth is in characters.
	workbookColumnWidth = 24
)

// workbookRows writes an .xlsx file, whose rows are kept in memory or in a temporary file until
// the end. Times are in UTC.
type workbookRows struct {
	out     io.Writer
	columns []string
	file    *excelize.File
	sheet   *excelize.StreamWriter
	// time is the style of times.
	time int
	rows int
}

func (r *workbookRows) begin(columns []string) (err error) {
	r.columns, r.file = columns, excelize.NewFile()
	if r.sheet, err = r.file.NewStreamWriter(r.file.GetSheetName(0)); err != nil {
		return err
	}
	format := workbookTimeForm
	if r.time, err = r.file.NewStyle(&excelize.Style{CustomNumFmt: &format}); err != nil {
		return err
	}
	if err := r.sheet.SetColWidth(1, len(columns), workbookColumnWidth); err != nil {
		return err
	}
	if err := r.sheet.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	cells := make([]any, len(columns))
	for i, column := range columns {
		cells[i] = column
	}
	return r.put(cells)
}

func (r *workbookRows) write(record jsontext.Value) error {
	values, err := flatten(record)
	if err != nil {
		return err
	}
	cells := make([]any, len(r.columns))
	for i, column := range r.columns {
		if v, given := values.of[column]; given {
			cells[i] = r.cell(kindOfColumn(column), v)
		}
	}
	return r.put(cells)
}

func (r *workbookRows) put(cells []any) error {
	if r.rows == excelize.TotalRows {
		return fmt.Errorf("an .xlsx file has at most %d rows; limit the period, or use another format", r.rows)
	}
	r.rows++
	return r.sheet.SetRow("A"+strconv.Itoa(r.rows), cells)
}

// cell returns the value of a cell; nil is empty.
func (r *workbookRows) cell(kind columnKind, v jsontext.Token) any {
	if v.Kind() == jsontext.KindNull {
		return nil
	}
	if v.Kind() == jsontext.KindTrue || v.Kind() == jsontext.KindFalse {
		return v.Bool()
	}
	text := v.String()
	if number, exact := exactNumber(text); kind == columnNumber && exact {
		return number
	}
	if at, err := time.Parse(venues.TimeFormat, text); kind == columnTime && err == nil {
		return excelize.Cell{StyleID: r.time, Value: at}
	}
	return text
}

// exactNumber returns the number that spreadsheet programs show with the digits of a decimal;
// false if they would round it.
func exactNumber(text string) (number float64, exact bool) {
	if !notify.KeepsDigits(text) {
		return 0, false
	}
	number, err := strconv.ParseFloat(text, 64)
	return number, err == nil
}

// end writes the file, unless the export is incomplete.
func (r *workbookRows) end(complete bool) (err error) {
	if r.file == nil {
		return nil
	}
	defer func() {
		if closeErr := r.file.Close(); err == nil {
			err = closeErr
		}
	}()
	if !complete {
		return nil
	}
	if err := r.sheet.Flush(); err != nil {
		return err
	}
	return r.file.Write(r.out)
}
