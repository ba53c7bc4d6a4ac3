package notify_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"venuegate/transport/notify"
)

const crashDir = "VENUEGATE_TEST_WORKBOOK_DIR"

// crashChild runs in the process that TestRowsSurviveKill kills: it adds rows and
// prints the id of each that is durable.
func crashChild() bool {
	dir := os.Getenv(crashDir)
	if dir == "" {
		return false
	}
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: dir, RowsMax: 10})
	for i := 0; ; i++ {
		id := fmt.Sprintf("evt_%s_%d", os.Getenv(crashDir+"_ROUND"), i)
		out := w.Send(context.Background(), book("trades.xlsx"), closedNow(id), 1, time.Now())
		if out.Err != nil {
			fmt.Fprintln(os.Stdout, "failed", out.Err)
			return true
		}
		fmt.Fprintln(os.Stdout, id)
	}
}

func TestRowsSurviveKill(t *testing.T) {
	dir := t.TempDir()
	printed := map[string]bool{}
	var last string
	for round := range 5 {
		child := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // this test binary
		child.Env = append(os.Environ(), crashDir+"="+dir, fmt.Sprintf("%s_ROUND=%d", crashDir, round))
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; n < 3+3*round && lines.Scan(); n++ {
			printed[lines.Text()], last = true, lines.Text()
		}
		_ = child.Process.Kill()
		for lines.Scan() { // printed before it was killed
			printed[lines.Text()], last = true, lines.Text()
		}
		_ = child.Wait()
		if strings.HasPrefix(last, "failed") {
			t.Fatalf("child: %s, want ids only", last)
		}
	}
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: dir, RowsMax: 10})
	if out := w.Send(t.Context(), book("trades.xlsx"), closedNow(last), 2, time.Now()); out.Err != nil {
		t.Fatalf("repeat of the last event: error %v, want none", out.Err)
	}
	found := map[string]int{}
	for _, name := range files(t, dir) {
		for _, row := range rowsOf(t, dir, name)[1:] {
			found[row[9]]++
		}
	}
	for id := range printed {
		if found[id] != 1 {
			t.Errorf("rows of %s = %d, want 1", id, found[id])
		}
	}
	if len(printed) < 30 || len(found) < len(printed) || len(found) > len(printed)+5 {
		t.Errorf("%d ids printed and %d found, want at least 30, and at most 5 more found", len(printed), len(found))
	}
}
