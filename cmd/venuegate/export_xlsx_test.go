package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

func TestExactNumber(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "-0.5": true, "64000.1": true, "0.1": true, "123456789012345": true, "0.000000000000000001": true,
		"1234567890123.45": true, "100000000000000000000": true,
		"1234567890123456": false, "0.1234567890123456": false, "-64000.12345678901234": false,
	} {
		number, exact := exactNumber(text)
		if exact != want {
			t.Errorf("%s: exact = %t, want %t", text, exact, want)
		}
		if shown, err := json.Marshal(number); want && !strings.ContainsAny(string(shown), "e") && string(shown) != text {
			t.Errorf("%s is %s, %v, want the same digits", text, shown, err)
		}
	}
}

// openWorkbook returns the type and the raw value of the cells of each row.
func openWorkbook(t *testing.T, data []byte) (types [][]excelize.CellType, values [][]string) {
	t.Helper()
	file, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	sheet := file.GetSheetName(0)
	values, err = file.GetRows(sheet, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range values {
		types = append(types, make([]excelize.CellType, len(row)))
		for j := range row {
			at, err := excelize.CoordinatesToCellName(j+1, i+1)
			if err != nil {
				t.Fatal(err)
			}
			if types[i][j], err = file.GetCellType(sheet, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	return types, values
}

// Numbers and times are those of the program, unless it would change them; texts are never
// formulas.
func TestWorkbookCells(t *testing.T) {
	const text, number = excelize.CellTypeInlineString, excelize.CellTypeUnset
	cells := []struct {
		column, in, out string
		kind            excelize.CellType
	}{
		{"qty", `"0.01"`, "0.01", number},
		{"price", `"-64000.1"`, "-64000.1", number},
		{"avgPrice", `"64000.123456789012"`, "64000.123456789012", text},
		{"venueTradeId", `"4711"`, "4711", text},
		{"comment", `"=1+1"`, "=1+1", text},
		{"requestId", `"_x0041_"`, "_x0041_", text},
		{"reduceOnly", `true`, "1", excelize.CellTypeBool},
		{"fee", `null`, "", number},
		{"executedAt", `"2026-03-01T12:00:00.123Z"`, "46082.500001423614", number}, // days since 1899-12-30
	}
	var out bytes.Buffer
	rows := &workbookRows{out: &out}
	columns, members := make([]string, len(cells)), make([]string, len(cells))
	for i, c := range cells {
		columns[i], members[i] = c.column, `"`+c.column+`":`+c.in
	}
	if err := errors.Join(rows.begin(columns), rows.write([]byte("{"+strings.Join(members, ",")+"}")), rows.end(true)); err != nil {
		t.Fatal(err)
	}
	types, values := openWorkbook(t, out.Bytes())
	if len(values) != 2 || strings.Join(values[0], " ") != strings.Join(columns, " ") {
		t.Fatalf("rows = %q, want the columns and one row", values)
	}
	for i, c := range cells {
		if values[1][i] != c.out || types[1][i] != c.kind {
			t.Errorf("%s of %s: %q of type %d, want %q of type %d", c.column, c.in, values[1][i], types[1][i], c.out, c.kind)
		}
	}
}

// Nothing is written of an incomplete workbook, which programs could not open.
func TestIncompleteWorkbook(t *testing.T) {
	var out bytes.Buffer
	rows := &workbookRows{out: &out}
	if err := errors.Join(rows.begin([]string{"qty"}), rows.write([]byte(`{"qty":"1"}`)), rows.end(false)); err != nil || out.Len() > 0 {
		t.Errorf("%d bytes, error %v, want none", out.Len(), err)
	}
}

func TestWorkbookOfTooManyRows(t *testing.T) {
	rows := &workbookRows{out: &bytes.Buffer{}}
	if err := rows.begin([]string{"qty"}); err != nil {
		t.Fatal(err)
	}
	rows.rows = excelize.TotalRows
	if err := rows.write([]byte(`{"qty":"1"}`)); err == nil || !strings.Contains(err.Error(), "limit the period") {
		t.Errorf("error %v, want one that says what to do", err)
	}
	if err := rows.end(false); err != nil {
		t.Error(err)
	}
}
