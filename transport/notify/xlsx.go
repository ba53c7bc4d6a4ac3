package notify

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/xuri/excelize/v2"
)

const (
	// workbookBytesMax bounds a file that is opened, workbookUnpackedBytesMax its
	// decompressed size.
	workbookBytesMax         = 16 << 20
	workbookUnpackedBytesMax = 64 << 20

	sheetName = "Trades"
)

// errNotTrades is returned for a file that this package did not write.
var errNotTrades = errors.New("the file is not a list of trades")

// widths of the columns, in characters.
var widths = []struct {
	from, to string
	width    float64
}{{"A", "A", 25}, {"B", "B", 20}, {"C", "H", 14}, {"I", "I", 40}, {lastColumn, lastColumn, 32}}

// xlsx is an .xlsx file in memory.
type xlsx struct {
	file  *excelize.File
	sheet string
	// rows is the number of rows, headings included.
	rows int
	ids  []string
}

func newXLSX() (*xlsx, error) {
	x := &xlsx{file: excelize.NewFile(), sheet: sheetName}
	if err := x.file.SetSheetName(x.file.GetSheetName(0), sheetName); err != nil {
		return nil, err
	}
	for _, w := range widths {
		if err := x.file.SetColWidth(sheetName, w.from, w.to, w.width); err != nil {
			return nil, err
		}
	}
	heads := make([]cell, len(headings))
	for i, text := range headings {
		heads[i] = cell{text: text}
	}
	return x, x.put(heads)
}

// openXLSX reads a file that this package wrote; people may have edited it since.
func openXLSX(root *os.Root, name string) (x *xlsx, err error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > workbookBytesMax {
		return nil, fmt.Errorf("%s: %w", name, errNotTrades)
	}
	x, err = readXLSX(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return x, nil
}

func readXLSX(r io.Reader) (x *xlsx, err error) {
	// The library panics on some malformed files.
	defer func() {
		if reason := recover(); reason != nil {
			x, err = nil, fmt.Errorf("%w: %v", errNotTrades, reason)
		}
	}()
	file, err := excelize.OpenReader(r, excelize.Options{
		RawCellValue: true, UnzipSizeLimit: workbookUnpackedBytesMax, UnzipXMLSizeLimit: workbookUnpackedBytesMax,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotTrades, err)
	}
	x = &xlsx{file: file, sheet: file.GetSheetName(0)}
	rows, err := file.GetRows(x.sheet)
	if err != nil {
		x.close()
		return nil, fmt.Errorf("%w: %w", errNotTrades, err)
	}
	last := len(headings) - 1
	if len(rows) == 0 || len(rows[0]) <= last || rows[0][last] != lastHeading {
		x.close()
		return nil, errNotTrades
	}
	x.rows = len(rows)
	for _, row := range rows[1:] {
		if len(row) > last {
			x.ids = append(x.ids, row[last])
		}
	}
	return x, nil
}

func (x *xlsx) close() { _ = x.file.Close() }

// add appends a trade.
func (x *xlsx) add(row []cell) error {
	x.ids = append(x.ids, row[len(row)-1].text)
	return x.put(row)
}

func (x *xlsx) put(row []cell) error {
	x.rows++
	for i, c := range row {
		if c.text == "" {
			continue
		}
		at, err := excelize.CoordinatesToCellName(i+1, x.rows)
		if err != nil {
			return err
		}
		if c.number {
			err = x.file.SetCellDefault(x.sheet, at, c.text) // unchanged: a float would round it
		} else {
			err = x.file.SetCellStr(x.sheet, at, escaped(c.text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// escaped returns a text in which programs read no character code (_x003D_): the first
// underscore of one is written as a code itself (ECMA-376, ST_Xstring). The library
// does that only for texts that are not shared strings.
func escaped(text string) string {
	var out strings.Builder
	for i := range len(text) {
		if rest := text[i:min(i+len("_x003D_"), len(text))]; characterCode.MatchString(rest) {
			out.WriteString("_x005F")
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

var characterCode = regexp.MustCompile(`^_x[0-9A-Fa-f]{4}_`)
