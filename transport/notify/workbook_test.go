package notify_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"venuegate/persistence"
	"venuegate/transport/notify"
	"venuegate/venues"
)

func book(name string) persistence.Endpoint {
	return persistence.Endpoint{ID: "end_1", Customer: "c1", Kind: persistence.EndpointFile, Target: name}
}

// closedNow returns the event of a trade that was closed now.
func closedNow(id string) persistence.Event {
	e := closed(id, "")
	e.CreatedAt = venues.At(time.Now())
	return e
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "c1"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".xlsx") {
			names = append(names, e.Name())
		}
	}
	return names
}

func openFile(t *testing.T, dir, name string) *excelize.File {
	t.Helper()
	f, err := excelize.OpenFile(filepath.Join(dir, "c1", name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func rowsOf(t *testing.T, dir, name string) [][]string {
	t.Helper()
	rows, err := openFile(t, dir, name).GetRows("Trades", excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// sheetXML returns the XML of the sheet in a file.
func sheetXML(t *testing.T, dir, name string) string {
	t.Helper()
	r, err := zip.OpenReader(filepath.Join(dir, "c1", name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	f, err := r.Open("xl/worksheets/sheet1.xml")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func mustSend(t *testing.T, w *notify.Workbook, to persistence.Endpoint, e persistence.Event) {
	t.Helper()
	if out := w.Send(t.Context(), to, e, 1, now); out.Err != nil {
		t.Fatalf("%s: error %v, want none", e.ID, out.Err)
	}
}

func TestClosedTradesBecomeRowsOfAWorkbook(t *testing.T) {
	dir := t.TempDir()
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: dir})
	for _, id := range []string{"evt_1", "evt_2", "evt_1"} {
		mustSend(t, w, book("trades.xlsx"), closed(id, "by hand"))
	}
	got := rowsOf(t, dir, "trades.xlsx")
	want := [][]string{headings, append(slices.Clone(closedRow), "by hand", "evt_1"), append(slices.Clone(closedRow), "by hand", "evt_2")}
	if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("rows = %q, want %q", got, want)
	}
	info, err := os.Stat(filepath.Join(dir, "c1", "trades.xlsx"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v; want 0600", info.Mode(), err)
	}
}

// A float would change the text of some of the numbers. Programs would round the texts.
func TestNumbersAreExact(t *testing.T) {
	dir := t.TempDir()
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: dir})
	numbers := []string{"0.1", "-0.3", "0.000000000000000001", "-50.10", "100000000000000000000000", "1234567.89012345"}
	texts := []string{"123456789012345678.123456789012345678", "9007199254740993", "-0.1234567890123456"}
	for i, number := range slices.Concat(numbers, texts) {
		mustSend(t, w, book("trades.xlsx"), newEvent(fmt.Sprintf("evt_%d", i), persistence.EventPositionClosed, members{"qty": number, "realizedPnl": number}))
	}
	// The file was read and written again after the first number.
	text := sheetXML(t, dir, "trades.xlsx")
	for i, number := range numbers {
		for _, column := range []string{"D", "H"} {
			cell := fmt.Sprintf(`<c r="%s%d"><v>%s</v></c>`, column, i+2, number)
			if !strings.Contains(text, cell) {
				t.Errorf("sheet lacks %s", cell)
			}
		}
	}
	rows := rowsOf(t, dir, "trades.xlsx")
	for i, number := range texts {
		row := rows[1+len(numbers)+i]
		cell := fmt.Sprintf(`<c r="D%d" t="s">`, 2+len(numbers)+i)
		if row[3] != number || row[7] != number || !strings.Contains(text, cell) {
			t.Errorf("cells = %q and %q, want the text %q, and %s in the sheet", row[3], row[7], number, cell)
		}
	}
}

func TestFormulasAreTextInAWorkbook(t *testing.T) {
	dir := t.TempDir()
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: dir})
	const perFile = 10
	file := func(i int) string { return fmt.Sprintf("trades%d.xlsx", i/perFile) }
	for i, comment := range payloads() {
		mustSend(t, w, book(file(i)), closed(fmt.Sprintf("evt_%d", i), comment))
	}
	var f *excelize.File
	for i, comment := range payloads() {
		if i%perFile == 0 {
			f = openFile(t, dir, file(i))
			if text := sheetXML(t, dir, file(i)); strings.Contains(text, "<f") {
				t.Errorf("sheet = %s, want no formula", text)
			}
		}
		at := fmt.Sprintf("I%d", i%perFile+2)
		text, err := f.GetCellValue("Trades", at)
		formula, formulaErr := f.GetCellFormula("Trades", at)
		if err != nil || formulaErr != nil || formula != "" {
			t.Errorf("comment %q: errors %v, %v, formula %q; want none", comment, err, formulaErr, formula)
		}
		checkTextCell(t, text)
		if kind, _ := f.GetCellType("Trades", at); text != "" && kind != excelize.CellTypeSharedString && kind != excelize.CellTypeInlineString {
			t.Errorf("comment %q: cell of type %d, want a string", comment, kind)
		}
	}
	for i, same := range []string{"<b>bold</b>", "_x003D_1", "_x003D_x0041_x005F_", "_x005F_x003D_", "_x00", "_", "]]>", "&amp;", "\U0001f468\u200d\U0001f469"} {
		mustSend(t, w, book("same.xlsx"), closed(fmt.Sprintf("evt_%d", i), same))
		mustSend(t, w, book("same.xlsx"), closed("evt_again"+fmt.Sprint(i), same))
		for _, row := range rowsOf(t, dir, "same.xlsx")[2*i+1:] {
			if row[8] != same {
				t.Errorf("comment = %q, want %q", row[8], same)
			}
		}
	}
}

func TestFullWorkbookIsFollowedByAnother(t *testing.T) {
	dir := t.TempDir()
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: dir, RowsMax: 3})
	for range 2 { // the second time adds nothing
		for i := range 10 {
			mustSend(t, w, book("trades.xlsx"), closedNow(fmt.Sprintf("evt_%d", i)))
		}
		if got := files(t, dir); !slices.Equal(got, []string{"trades (2).xlsx", "trades (3).xlsx", "trades (4).xlsx", "trades.xlsx"}) {
			t.Fatalf("files = %q, want four of the series", got)
		}
		for name, rows := range map[string]int{"trades.xlsx": 4, "trades (2).xlsx": 4, "trades (3).xlsx": 4, "trades (4).xlsx": 2} {
			if got := rowsOf(t, dir, name); len(got) != rows || !slices.Equal(got[0], headings) {
				t.Errorf("%s: rows = %q, want %d with the headings", name, got, rows)
			}
		}
	}
	// A removed file is not made again, and other files do not belong to the series.
	for _, name := range []string{"trades (007).xlsx", "trades (x).xlsx", "tradesman.xlsx", "trades ().xlsx", "trades (-1).xlsx"} {
		if err := os.WriteFile(filepath.Join(dir, "c1", name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "c1", "trades.xlsx")); err != nil {
		t.Fatal(err)
	}
	mustSend(t, w, book("trades.xlsx"), closedNow("evt_10"))
	if got := rowsOf(t, dir, "trades (4).xlsx"); len(got) != 3 {
		t.Errorf("rows = %q, want 3", got)
	}
}

func TestCustomersAndEndpointsHaveTheirOwnFiles(t *testing.T) {
	dir := t.TempDir()
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: dir})
	other := book("trades.xlsx")
	other.Customer = "c2"
	mustSend(t, w, book("trades.xlsx"), closed("evt_1", ""))
	mustSend(t, w, other, closed("evt_1", ""))
	mustSend(t, w, book("more.xlsx"), closed("evt_1", ""))
	for _, name := range []string{"c1/trades.xlsx", "c1/more.xlsx", "c2/trades.xlsx"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	for _, customer := range []string{"", ".", "..", "../c1", "c1/x", "/c1", "c\x001"} {
		to := book("trades.xlsx")
		to.Customer = customer
		if out := w.Send(t.Context(), to, closed("evt_1", ""), 1, now); out.Err == nil {
			t.Errorf("customer %q: no error, want one", customer)
		}
	}
}

// A symbolic link in the directory is not followed out of it.
func TestLinksAreNotFollowed(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside.xlsx")
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: dir})
	mustSend(t, w, book("other.xlsx"), closed("evt_1", ""))
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "c1", "trades.xlsx")); err != nil {
		t.Skip(err)
	}
	out := w.Send(t.Context(), book("trades.xlsx"), closed("evt_1", ""), 1, now)
	if text, _ := os.ReadFile(outside); out.Err == nil || string(text) != "x" || strings.Contains(out.Err.Error(), dir) {
		t.Errorf("error = %v, file = %q; want an error without the path and the file unchanged", out.Err, text)
	}
}

func TestConcurrentRowsAreAddedOnce(t *testing.T) {
	dir := t.TempDir()
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: dir, RowsMax: 7})
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			for range 2 {
				if out := w.Send(context.Background(), book("trades.xlsx"), closedNow(fmt.Sprintf("evt_%d", i)), 1, now); out.Err != nil {
					t.Errorf("attempt: error %v, want none", out.Err)
				}
			}
		})
	}
	all.Wait()
	ids := map[string]int{}
	for _, name := range files(t, dir) {
		for _, row := range rowsOf(t, dir, name)[1:] {
			ids[row[9]]++
		}
	}
	if len(ids) != 20 {
		t.Errorf("ids = %v, want 20", ids)
	}
	for id, n := range ids {
		if n != 1 {
			t.Errorf("rows of %s = %d, want 1", id, n)
		}
	}
}

// A temporary file that a crash left is not read and is overwritten.
func TestTemporaryFileOfACrashIsIgnored(t *testing.T) {
	dir := t.TempDir()
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: dir})
	mustSend(t, w, book("trades.xlsx"), closed("evt_1", ""))
	whole, err := os.ReadFile(filepath.Join(dir, "c1", "trades.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	draft := filepath.Join(dir, "c1", ".trades.draft")
	for i, left := range [][]byte{nil, whole[:len(whole)/2], whole, bytes.Repeat(whole, 3)} {
		if err := os.WriteFile(draft, left, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := rowsOf(t, dir, "trades.xlsx"); len(got) != i+2 {
			t.Errorf("rows = %d, want %d", len(got), i+2)
		}
		mustSend(t, w, book("trades.xlsx"), closed(fmt.Sprintf("evt_after_%d", i), ""))
		if _, err := os.Stat(draft); !os.IsNotExist(err) {
			t.Errorf("Stat of the temporary file: error %v, want not exist", err)
		}
	}
	// A failed write changes nothing.
	if err := os.Mkdir(draft, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(draft, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out := w.Send(t.Context(), book("trades.xlsx"), closed("evt_9", ""), 1, now)
	if got := rowsOf(t, dir, "trades.xlsx"); out.Err == nil || strings.Contains(out.Err.Error(), dir) || len(got) != 6 {
		t.Errorf("error = %v with %d rows, want one without the path with 6", out.Err, len(got))
	}
}

// Rows are added to an edited file; a foreign file is not changed.
func TestForeignFilesAreNotChanged(t *testing.T) {
	dir := t.TempDir()
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: dir})
	mustSend(t, w, book("trades.xlsx"), closed("evt_1", ""))
	f := openFile(t, dir, "trades.xlsx")
	for _, err := range []error{
		f.SetSheetName("Trades", "Mine"), f.SetCellStr("Mine", "L1", "note"), f.SetCellFormula("Mine", "L2", "SUM(H:H)"), f.Save(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	mustSend(t, w, book("trades.xlsx"), closed("evt_2", ""))
	edited := openFile(t, dir, "trades.xlsx")
	id, _ := edited.GetCellValue("Mine", "J3")
	formula, _ := edited.GetCellFormula("Mine", "L2")
	if id != "evt_2" || formula != "SUM(H:H)" {
		t.Errorf("id = %q, formula = %q; want evt_2, SUM(H:H)", id, formula)
	}

	foreign := excelize.NewFile()
	var text bytes.Buffer
	if err := foreign.Write(&text); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"foreign.xlsx": text.Bytes(), "empty.xlsx": nil, "garbage.xlsx": []byte("garbage"), "cut.xlsx": text.Bytes()[:900]} {
		path := filepath.Join(dir, "c1", name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		out := w.Send(t.Context(), book(name), closed("evt_1", ""), 1, now)
		if after, _ := os.ReadFile(path); out.Err == nil || !bytes.Equal(after, content) {
			t.Errorf("%s: attempt = %+v, want an error and the file unchanged", name, out)
		}
		if err := w.Check(t.Context(), book(name)); !isFieldError(err, "target", "not a list of trades") {
			t.Errorf("%s: check: error %v, want one of target", name, err)
		}
	}
}

func TestCheckOfAWorkbookMakesNoFile(t *testing.T) {
	dir := t.TempDir()
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: filepath.Join(dir, "below")})
	for range 2 {
		if err := w.Check(t.Context(), book("trades.xlsx")); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(filepath.Join(dir, "below", "c1"))
		if err != nil || len(entries) > 1 {
			t.Errorf("entries = %v, %v; want at most one", entries, err)
		}
		mustSend(t, w, book("trades.xlsx"), closed("evt_1", ""))
	}
	if err := w.Check(t.Context(), book("../trades.xlsx")); venues.CodeOf(err) != venues.CodeInvalidRequest {
		t.Errorf("check of a malformed target: error %v, want invalid_request", err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := notify.NewWorkbook(notify.WorkbookOptions{Dir: file}).Check(t.Context(), book("trades.xlsx")); err == nil || strings.Contains(err.Error(), dir) {
		t.Errorf("check below a file: error %v, want one without the path", err)
	}
}

func TestCancelledAttemptStopsWaiting(t *testing.T) {
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: t.TempDir()})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	seen := map[bool]bool{}
	for i := range 40 { // it may succeed, but must not block
		out := w.Send(ctx, book("trades.xlsx"), closed(fmt.Sprintf("evt_%d", i%3), ""), 1, now)
		seen[out.Err == nil] = true
	}
	if !seen[false] {
		t.Error("40 cancelled attempts: no error, want one")
	}
}

// fill makes a file with a number of trades.
func fill(tb testing.TB, dir string, rows int) {
	tb.Helper()
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: dir})
	if out := w.Send(tb.Context(), book("trades.xlsx"), closedNow("evt_0"), 1, now); out.Err != nil {
		tb.Fatal(out.Err)
	}
	path := filepath.Join(dir, "c1", "trades.xlsx")
	f, err := excelize.OpenFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for i := 1; i < rows; i++ {
		for j, text := range append(slices.Clone(closedRow), "by hand", fmt.Sprintf("evt_01KAHN8Y2G2M4YQ7F0000%04d", i)) {
			at, _ := excelize.CoordinatesToCellName(j+1, i+2)
			if err := f.SetCellStr("Trades", at, text); err != nil {
				tb.Fatal(err)
			}
		}
	}
	if err := f.Save(); err != nil {
		tb.Fatal(err)
	}
}

// Only files of the endpoint are listed and opened.
func TestOnlyFilesOfTheEndpointAreListedAndOpened(t *testing.T) {
	dir := t.TempDir()
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: dir, RowsMax: 1})
	if list, err := w.Files(t.Context(), book("trades.xlsx")); err != nil || len(list) != 0 {
		t.Errorf("files before the first trade = %v, %v; want none", list, err)
	}
	for _, id := range []string{"evt_1", "evt_2"} {
		if a := w.Send(t.Context(), book("trades.xlsx"), closedNow(id), 1, time.Now()); a.Err != nil {
			t.Fatal(a.Err)
		}
	}
	if a := w.Send(t.Context(), book("other.xlsx"), closedNow("evt_3"), 1, time.Now()); a.Err != nil {
		t.Fatal(a.Err)
	}
	list, err := w.Files(t.Context(), book("trades.xlsx"))
	if err != nil || len(list) != 2 || list[0].Name() != "trades.xlsx" || list[1].Name() != "trades (2).xlsx" {
		t.Fatalf("files = %v, %v; want trades.xlsx and trades (2).xlsx", list, err)
	}
	for _, f := range list {
		file, err := w.Open(t.Context(), book("trades.xlsx"), f.Name())
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(file)
		if err != nil || int64(len(content)) != f.Size() {
			t.Errorf("%s: read %d bytes, %v; want %d", f.Name(), len(content), err, f.Size())
		}
		_ = file.Close()
	}
	for _, name := range []string{"other.xlsx", "../c2/trades.xlsx", "trades (3).xlsx", ".trades.draft", "", "."} {
		if file, err := w.Open(t.Context(), book("trades.xlsx"), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open(%q) = %v, %v; want fs.ErrNotExist", name, file, err)
		}
	}
}

// BenchmarkWorkbookRow adds a row to a file that has some: the file is read, written
// as a whole and synced.
func BenchmarkWorkbookRow(b *testing.B) {
	for _, rows := range []int{100, 900} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			dir := b.TempDir()
			w := notify.NewWorkbook(notify.WorkbookOptions{Dir: dir})
			fill(b, dir, rows)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if out := w.Send(b.Context(), book("trades.xlsx"), closedNow(fmt.Sprintf("evt_new_%d", i)), 1, time.Now()); out.Err != nil {
					b.Fatal(out.Err)
				}
			}
		})
	}
}
