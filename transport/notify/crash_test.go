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

// crashChild is the process that TestRowsSurviveKill kills: it adds rows and
// tells each that is durable.
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
	told := map[string]bool{}
	var last string
	for round := range 5 {
		child := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // itself
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
			told[lines.Text()], last = true, lines.Text()
		}
		_ = child.Process.Kill()
		for lines.Scan() { // what it told before it died
			told[lines.Text()], last = true, lines.Text()
		}
		_ = child.Wait()
		if strings.HasPrefix(last, "failed") {
			t.Fatal(last)
		}
	}
	w := notify.NewWorkbook(notify.WorkbookOptions{Dir: dir, RowsMax: 10})
	if out := w.Send(t.Context(), book("trades.xlsx"), closedNow(last), 2, time.Now()); out.Err != nil {
		t.Fatal(out.Err)
	}
	found := map[string]int{}
	for _, name := range files(t, dir) {
		for _, row := range rowsOf(t, dir, name)[1:] {
			found[row[9]]++
		}
	}
	for id := range told {
		if found[id] != 1 {
			t.Errorf("%s is there %d times", id, found[id])
		}
	}
	if len(told) < 30 || len(found) < len(told) || len(found) > len(told)+5 {
		t.Errorf("%d told, %d found", len(told), len(found))
	}
}
