package notify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"venuegate/persistence"
)

const (
	// WorkbookRowsMaxDefault keeps the time and the memory that one row costs
	// low: a file is written whole for each.
	WorkbookRowsMaxDefault = 1000
	// workbooksMax bounds the files of one endpoint.
	workbooksMax = 10_000
	// recentSlack is how far the clock and the times of files may differ.
	recentSlack = time.Minute

	workbookDirMode  = 0o700
	workbookFileMode = 0o600
)

// WorkbookOptions of a Workbook.
type WorkbookOptions struct {
	// Dir is where the files are, in a directory for each customer.
	Dir string
	// RowsMax is how many trades a file holds before the next one begins; zero
	// is WorkbookRowsMaxDefault.
	RowsMax int
}

// Workbook adds rows to .xlsx files. A file is replaced as a whole, so that
// whoever opens it, and whatever stops this process, finds it complete; a program
// that has it open shows the state of before. When it is full, name.xlsx is
// followed by "name (2).xlsx" and so on.
//
// It is safe for concurrent use. Rows are added one at a time, which bounds the
// memory.
type Workbook struct {
	options WorkbookOptions
	turn    chan struct{}
}

// NewWorkbook makes a Workbook. Directories are made when they are needed.
func NewWorkbook(o WorkbookOptions) *Workbook {
	if o.RowsMax <= 0 {
		o.RowsMax = WorkbookRowsMaxDefault
	}
	return &Workbook{options: o, turn: make(chan struct{}, 1)}
}

// Send adds the row of a closed trade to the endpoint's file, unless it is there.
func (w *Workbook) Send(ctx context.Context, to persistence.Endpoint, e persistence.Event, _ int, _ time.Time) persistence.Attempt {
	row, err := tradeRow(e)
	if err != nil {
		return persistence.Attempt{Err: err}
	}
	return persistence.Attempt{Err: w.within(ctx, to, func(s series) error { return s.add(row, e, w.options.RowsMax) })}
}

// Check says what is missing for rows to reach the endpoint's file:
// invalid_request if the file is not one of this service's. It makes no file.
func (w *Workbook) Check(ctx context.Context, to persistence.Endpoint) error {
	return w.within(ctx, to, func(s series) error {
		numbers, err := s.numbers()
		if err != nil {
			return err
		}
		if len(numbers) > 0 {
			book, err := openBook(s.root, s.name(numbers[0]))
			if err != nil {
				return unusable(fieldTarget, "there is a file of this name that is not a list of trades")
			}
			defer book.close()
		}
		return s.tryWrite()
	})
}

// within calls f when it is its turn.
func (w *Workbook) within(ctx context.Context, to persistence.Endpoint, f func(series) error) error {
	if err := CheckTarget(persistence.EndpointFile, to.Target); err != nil {
		return err
	}
	if !customerForm.MatchString(to.Customer) {
		return errors.New("the customer's id cannot name a directory")
	}
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	dir := filepath.Join(w.options.Dir, to.Customer)
	if err := os.MkdirAll(dir, workbookDirMode); err != nil {
		return withoutPath(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return withoutPath(err)
	}
	defer func() { _ = root.Close() }()
	return withoutPath(f(series{root: root, stem: strings.TrimSuffix(to.Target, ".xlsx")}))
}

var customerForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$`)

// withoutPath keeps the layout of the machine out of a customer's journal.
func withoutPath(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s %s: %w", at.Op, filepath.Base(at.Path), at.Err)
	}
	if at, ok := errors.AsType[*os.LinkError](err); ok {
		return fmt.Errorf("%s %s: %w", at.Op, filepath.Base(at.New), at.Err)
	}
	return err
}

// series is the files of one endpoint.
type series struct {
	root *os.Root
	stem string
}

func (s series) name(number int) string {
	if number == 1 {
		return s.stem + ".xlsx"
	}
	return s.stem + " (" + strconv.Itoa(number) + ").xlsx"
}

// numbers of the files that are there, newest first.
func (s series) numbers() ([]int, error) {
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var found []int
	for _, entry := range entries {
		text, ours := strings.CutPrefix(entry.Name(), s.stem)
		text, isBook := strings.CutSuffix(text, ".xlsx")
		if !ours || !isBook {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(text, " ("), ")"))
		if text == "" {
			n, err = 1, nil
		}
		if err == nil && n > 0 && entry.Name() == s.name(n) {
			found = append(found, n)
		}
	}
	slices.Sort(found)
	slices.Reverse(found)
	return found, nil
}

// add writes a row into the newest file or the one after it.
func (s series) add(row []cell, e persistence.Event, rowsMax int) error {
	numbers, err := s.numbers()
	if err != nil {
		return err
	}
	if len(numbers) == 0 {
		return s.begin(1, row)
	}
	book, err := openBook(s.root, s.name(numbers[0]))
	if err != nil {
		return err
	}
	defer book.close()
	if known, err := s.has(book, numbers[1:], e); known || err != nil {
		return err
	}
	if len(book.ids) >= rowsMax {
		return s.begin(numbers[0]+1, row)
	}
	if err := book.add(row); err != nil {
		return err
	}
	return s.write(numbers[0], book)
}

// has looks for an event in the newest file and in those that were written since
// it happened.
func (s series) has(newest *book, older []int, e persistence.Event) (bool, error) {
	if slices.Contains(newest.ids, e.ID) {
		return true, nil
	}
	for _, n := range older {
		info, err := s.root.Stat(s.name(n))
		if err != nil {
			return false, err
		}
		if info.ModTime().Before(e.CreatedAt.Add(-recentSlack)) {
			return false, nil
		}
		book, err := openBook(s.root, s.name(n))
		if err != nil {
			return false, err
		}
		book.close()
		if slices.Contains(book.ids, e.ID) {
			return true, nil
		}
	}
	return false, nil
}

// begin makes a file with its first row.
func (s series) begin(number int, row []cell) error {
	if number > workbooksMax {
		return fmt.Errorf("there are %d files already: name another", workbooksMax)
	}
	book, err := newBook()
	if err != nil {
		return err
	}
	defer book.close()
	if err := book.add(row); err != nil {
		return err
	}
	return s.write(number, book)
}

// draft is a file on its way; one that a crash left is overwritten.
func (s series) draft() string { return "." + s.stem + ".draft" }

// write replaces a file as a whole: after a crash it is there as it was or as it
// is to be.
func (s series) write(number int, b *book) error {
	if err := s.writeDraft(b); err != nil {
		_ = s.root.Remove(s.draft())
		return err
	}
	if err := s.root.Rename(s.draft(), s.name(number)); err != nil {
		return err
	}
	dir, err := s.root.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	return dir.Sync()
}

func (s series) writeDraft(b *book) error {
	file, err := s.root.OpenFile(s.draft(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, workbookFileMode)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // after it was closed, or an error
	if err := b.writeTo(file); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return file.Close()
}

// tryWrite sees whether files can be made.
func (s series) tryWrite() error {
	file, err := s.root.OpenFile(s.draft(), os.O_CREATE|os.O_WRONLY, workbookFileMode)
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), s.root.Remove(s.draft()))
}
