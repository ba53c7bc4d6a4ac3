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
	// workbookBytesMax bounds a file that is opened, workbookUnpackedBytesMax
	// what it unpacks to.
	workbookBytesMax         = 16 << 20
	workbookUnpackedBytesMax = 64 << 20

	sheetName = "Trades"
)

// errNoBook: the file is not what this package writes.
var errNoBook = errors.New("the file is not a list of trades")

// widths of the columns, in characters.
var widths = []struct {
	from, to string
	width    float64
}{{"A", "A", 25}, {"B", "B", 20}, {"C", "H", 14}, {"I", "I", 40}, {lastColumn, lastColumn, 32}}

// book is one .xlsx file in memory.
type book struct {
	file  *excelize.File
	sheet string
	// rows that are used, the headings among them.
	rows int
	ids  []string
}

func newBook() (*book, error) {
	b := &book{file: excelize.NewFile(), sheet: sheetName}
	if err := b.file.SetSheetName(b.file.GetSheetName(0), sheetName); err != nil {
		return nil, err
	}
	for _, w := range widths {
		if err := b.file.SetColWidth(sheetName, w.from, w.to, w.width); err != nil {
			return nil, err
		}
	}
	heads := make([]cell, len(headings))
	for i, text := range headings {
		heads[i] = cell{text: text}
	}
	return b, b.put(heads)
}

// openBook reads a file that this package wrote; people may have edited it since.
func openBook(root *os.Root, name string) (b *book, err error) {
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
		return nil, fmt.Errorf("%s: %w", name, errNoBook)
	}
	b, err = readBook(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}

func readBook(r io.Reader) (b *book, err error) {
	// The library panics at some files that are not well formed.
	defer func() {
		if problem := recover(); problem != nil {
			b, err = nil, fmt.Errorf("%w: %v", errNoBook, problem)
		}
	}()
	file, err := excelize.OpenReader(r, excelize.Options{
		RawCellValue: true, UnzipSizeLimit: workbookUnpackedBytesMax, UnzipXMLSizeLimit: workbookUnpackedBytesMax,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoBook, err)
	}
	b = &book{file: file, sheet: file.GetSheetName(0)}
	rows, err := file.GetRows(b.sheet)
	if err != nil {
		b.close()
		return nil, fmt.Errorf("%w: %w", errNoBook, err)
	}
	last := len(headings) - 1
	if len(rows) == 0 || len(rows[0]) <= last || rows[0][last] != lastHeading {
		b.close()
		return nil, errNoBook
	}
	b.rows = len(rows)
	for _, row := range rows[1:] {
		if len(row) > last {
			b.ids = append(b.ids, row[last])
		}
	}
	return b, nil
}

func (b *book) close() { _ = b.file.Close() }

// add appends a trade.
func (b *book) add(row []cell) error {
	b.ids = append(b.ids, row[len(row)-1].text)
	return b.put(row)
}

func (b *book) put(row []cell) error {
	b.rows++
	for i, c := range row {
		if c.text == "" {
			continue
		}
		at, err := excelize.CoordinatesToCellName(i+1, b.rows)
		if err != nil {
			return err
		}
		if c.number {
			err = b.file.SetCellDefault(b.sheet, at, c.text) // as it stands: a float would change it
		} else {
			err = b.file.SetCellStr(b.sheet, at, escaped(c.text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// escaped keeps programs from reading a character code (_x003D_) out of a text:
// its first underscore is written as a code itself (ECMA-376, ST_Xstring). The
// library does so for other texts than those that many cells share.
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

func (b *book) writeTo(w io.Writer) error { return b.file.Write(w) }
