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
	// WorkbookRowsMaxDefault bounds the time and the memory of adding a row: the whole
	// file is written for each.
	WorkbookRowsMaxDefault = 1000
	// workbooksMax bounds the files of one endpoint.
	workbooksMax = 10_000
	// recentSlack is the tolerated difference between the clock and file times.
	recentSlack = time.Minute

	workbookDirMode  = 0o700
	workbookFileMode = 0o600
)

// WorkbookOptions configure a Workbook.
type WorkbookOptions struct {
	// Dir has a directory for each customer.
	Dir string
	// RowsMax bounds the trades of a file, after which the next file begins; zero is
	// WorkbookRowsMaxDefault.
	RowsMax int
}

// Workbook adds rows to .xlsx files. A file is replaced as a whole, so that it is
// always complete, also after a crash; a program that has it open shows the previous
// rows. The file after a full name.xlsx is "name (2).xlsx" and so on.
//
// It is safe for concurrent use. Rows are added one at a time, which bounds the
// memory.
type Workbook struct {
	options WorkbookOptions
	// busy has room for the one call that uses files.
	busy chan struct{}
}

// NewWorkbook returns a Workbook, which makes directories when they are needed.
func NewWorkbook(o WorkbookOptions) *Workbook {
	if o.RowsMax <= 0 {
		o.RowsMax = WorkbookRowsMaxDefault
	}
	return &Workbook{options: o, busy: make(chan struct{}, 1)}
}

// Send adds the row of a closed trade to the endpoint's file unless it is there
// already.
func (w *Workbook) Send(ctx context.Context, to persistence.Endpoint, e persistence.Event, _ int, _ time.Time) persistence.Attempt {
	row, err := tradeRow(e)
	if err != nil {
		return persistence.Attempt{Err: err}
	}
	return persistence.Attempt{Err: w.withFiles(ctx, to, func(s series) error { return s.add(row, e, w.options.RowsMax) })}
}

// Check returns nil if rows can be added to the endpoint's file, or invalid_request if
// a file of this name is not a list of trades. It makes no file.
func (w *Workbook) Check(ctx context.Context, to persistence.Endpoint) error {
	return w.withFiles(ctx, to, func(s series) error {
		numbers, err := s.numbers()
		if err != nil {
			return err
		}
		if len(numbers) > 0 {
			file, err := openXLSX(s.root, s.name(numbers[0]))
			if err != nil {
				return unusable(fieldTarget, "there is a file of this name that is not a list of trades")
			}
			defer file.close()
		}
		return s.checkWritable()
	})
}

// withFiles calls f with the files of an endpoint, one call at a time.
func (w *Workbook) withFiles(ctx context.Context, to persistence.Endpoint, f func(series) error) error {
	if err := CheckTarget(persistence.EndpointFile, to.Target); err != nil {
		return err
	}
	if !customerForm.MatchString(to.Customer) {
		return errors.New("the customer's id cannot name a directory")
	}
	select {
	case w.busy <- struct{}{}:
		defer func() { <-w.busy }()
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

// withoutPath returns an error without the directories of the machine, for a
// customer's journal.
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

// numbers returns the numbers of the existing files, newest first.
func (s series) numbers() ([]int, error) {
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var found []int
	for _, entry := range entries {
		text, hasStem := strings.CutPrefix(entry.Name(), s.stem)
		text, isXLSX := strings.CutSuffix(text, ".xlsx")
		if !hasStem || !isXLSX {
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

// add adds a row to the newest file, or to a new one if that is full.
func (s series) add(row []cell, e persistence.Event, rowsMax int) error {
	numbers, err := s.numbers()
	if err != nil {
		return err
	}
	if len(numbers) == 0 {
		return s.create(1, row)
	}
	file, err := openXLSX(s.root, s.name(numbers[0]))
	if err != nil {
		return err
	}
	defer file.close()
	if known, err := s.has(file, numbers[1:], e); known || err != nil {
		return err
	}
	if len(file.ids) >= rowsMax {
		return s.create(numbers[0]+1, row)
	}
	if err := file.add(row); err != nil {
		return err
	}
	return s.write(numbers[0], file)
}

// has reports whether an event is in the newest file or in one that was written after
// the event.
func (s series) has(newest *xlsx, older []int, e persistence.Event) (bool, error) {
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
		file, err := openXLSX(s.root, s.name(n))
		if err != nil {
			return false, err
		}
		file.close()
		if slices.Contains(file.ids, e.ID) {
			return true, nil
		}
	}
	return false, nil
}

// create makes a file with its first row.
func (s series) create(number int, row []cell) error {
	if number > workbooksMax {
		return fmt.Errorf("there are %d files already: use another name", workbooksMax)
	}
	file, err := newXLSX()
	if err != nil {
		return err
	}
	defer file.close()
	if err := file.add(row); err != nil {
		return err
	}
	return s.write(number, file)
}

// draft returns the name of the temporary file. One that a crash left is overwritten.
func (s series) draft() string { return "." + s.stem + ".draft" }

// write replaces a file atomically: after a crash it is the old or the new one.
func (s series) write(number int, x *xlsx) error {
	if err := s.writeDraft(x); err != nil {
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

func (s series) writeDraft(x *xlsx) error {
	file, err := s.root.OpenFile(s.draft(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, workbookFileMode)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // in case of an error
	if err := x.file.Write(file); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return file.Close()
}

// checkWritable returns an error unless files can be made.
func (s series) checkWritable() error {
	file, err := s.root.OpenFile(s.draft(), os.O_CREATE|os.O_WRONLY, workbookFileMode)
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), s.root.Remove(s.draft()))
}
