package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"venuegate/transport/registry"
)

// Formats of an export.
const (
	formatCSV      = "csv"
	formatJSONL    = "jsonl"
	formatWorkbook = "xlsx"
)

// rowWriter writes records as rows of the same columns. Values are written as the interface
// sends them, so that decimals are exact.
type rowWriter interface {
	begin(columns []string) error
	write(record jsontext.Value) error
	// end writes what is not written yet. complete is false after an error.
	end(complete bool) error
}

// newRowWriter returns a writer of formatCSV, formatJSONL or formatWorkbook.
func newRowWriter(format string, out io.Writer) rowWriter {
	switch format {
	case formatCSV:
		return &csvRows{out: csv.NewWriter(out)}
	case formatWorkbook:
		return &workbookRows{out: out}
	}
	return &jsonRows{out: jsontext.NewEncoder(out)}
}

// countedRows counts the rows of a kind.
type countedRows struct {
	rowWriter
	progress *progress
	kind     string
	n        int64
}

func (c *countedRows) write(record jsontext.Value) error {
	c.n++
	c.progress.counted(c.n, c.kind)
	return c.rowWriter.write(record)
}

// csvRows writes a header and a line for each record. A value that is null is empty.
// Texts are written so that no spreadsheet program evaluates them as formulas.
type csvRows struct {
	columns []string
	out     *csv.Writer
}

func (r *csvRows) begin(columns []string) error {
	r.columns = columns
	return r.out.Write(columns)
}

func (r *csvRows) write(record jsontext.Value) error {
	values, err := flatten(record)
	if err != nil {
		return err
	}
	line := make([]string, len(r.columns))
	for i, column := range r.columns {
		if v, given := values.of[column]; given && v.Kind() != jsontext.KindNull {
			line[i] = v.String()
			if kindOfColumn(column) == columnText {
				line[i] = registry.WithoutFormulas(line[i])
			}
		}
	}
	return r.out.Write(line)
}

func (r *csvRows) end(bool) error {
	r.out.Flush()
	return r.out.Error()
}

// jsonRows writes an object without inner objects for each record.
type jsonRows struct {
	columns []string
	out     *jsontext.Encoder
}

func (r *jsonRows) begin(columns []string) error {
	r.columns = columns
	return nil
}

func (r *jsonRows) write(record jsontext.Value) error {
	values, err := flatten(record)
	if err != nil {
		return err
	}
	errs := []error{r.out.WriteToken(jsontext.BeginObject)}
	for _, column := range r.columns {
		value, given := values.of[column]
		if !given {
			value = jsontext.Null
		}
		errs = append(errs, r.out.WriteToken(jsontext.String(column)), r.out.WriteToken(value))
	}
	return errors.Join(append(errs, r.out.WriteToken(jsontext.EndObject))...)
}

func (r *jsonRows) end(bool) error { return nil }

// flatRecord has the values of a record by column, and the columns in their order. A member of
// an inner object has the column outer.inner.
type flatRecord struct {
	columns []string
	of      map[string]jsontext.Token
}

// columnsOf returns the columns of a record in which no inner object is null.
func columnsOf(record []byte) ([]string, error) {
	flat, err := flatten(record)
	return flat.columns, err
}

func flatten(record []byte) (flatRecord, error) {
	flat := flatRecord{of: map[string]jsontext.Token{}}
	dec := jsontext.NewDecoder(bytes.NewReader(record))
	if _, err := dec.ReadToken(); err != nil {
		return flat, err
	}
	return flat, flat.addObject(dec, "")
}

// addObject adds the members of an object whose beginning has been read.
func (f *flatRecord) addObject(dec *jsontext.Decoder, prefix string) error {
	for {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if name.Kind() == jsontext.KindEndObject {
			return nil
		}
		column := prefix + name.String()
		value, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if value.Kind() == jsontext.KindBeginObject {
			if err := f.addObject(dec, column+"."); err != nil {
				return err
			}
			continue
		}
		f.columns = append(f.columns, column)
		f.of[column] = value.Clone()
	}
}
