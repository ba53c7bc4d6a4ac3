package bench_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"venuegate/bench"
)

// TestBooksAgreeWithTheirProbes checks that a book, its probe and CCXT, if installed,
// end with the same prices; otherwise the ratios would compare different work.
func TestBooksAgreeWithTheirProbes(t *testing.T) {
	runQuick(t, bench.Options{}, []string{"book"}, []string{"book-binance", "book-bybit", "book-okx", "recorded", "levels a side", "CCXT Pro", "allocations"})
}

func TestScenariosAreSelectedByName(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  int
	}{
		{nil, len(bench.Scenarios()) - 1}, // soak has to be named
		{[]string{"soak"}, 1},
		{[]string{"book"}, 3},
		{[]string{"book-okx", "commit"}, 2},
		{[]string{"orders"}, 3},
		{[]string{"orders", "orders-fanout"}, 3},
		{[]string{"boo"}, 0},
		{[]string{"commit", "levitation"}, 0},
	} {
		selected, err := bench.Select(c.names)
		if len(selected) != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%v: %d scenarios, %v, want %d", c.names, len(selected), err, c.want)
		}
	}
}

// TestCommitsAreMeasured runs each store and probe with a few commits.
func TestCommitsAreMeasured(t *testing.T) {
	runQuick(t, bench.Options{}, []string{"commit"}, []string{"one writer, p50", "64 writers", "against badger that syncs", "against an append log"})
}

// TestHooksAreMeasured runs each server with a few signals.
func TestHooksAreMeasured(t *testing.T) {
	runQuick(t, bench.Options{}, []string{"hooks"}, nil)
}

// TestServiceIsMeasured sends a few orders each way through the binary, measures the idle
// one, and loads it for two short rounds.
func TestServiceIsMeasured(t *testing.T) {
	o := bench.Options{Binary: binary(t)}
	t.Run("orders and idle", func(t *testing.T) {
		runQuick(t, o, []string{"orders", "idle"}, []string{
			"1 client, one core", "forward, p50", "floor program, p50", "in memory, added p50, against the floor",
			"processor time", "heap objects", "goroutines woken", "context switches", "rows in the store", "orders-canned",
			"16 clients", "durable, p50", "64 clients", "against CCXT", "request to an actor",
			"while orders are sent", "during fan-out, p99.9", "resident memory", "% of a core",
		})
	})
	t.Run("consoles", func(t *testing.T) {
		runQuick(t, o, []string{"consoles"}, []string{"open pages of the console", "order, p99", "200 OK", "resident memory, peak"})
	})
	t.Run("stream", func(t *testing.T) {
		runQuick(t, o, []string{"stream"}, []string{
			"stream-saturate", "1000 subscribers", "processor time, a delivery", "frames a write", "stream-mixed", "stream-steady",
			"age of frames, p99", "median of the slowest subscriber", "stream-slow", "of the others", "stream-idle", "memory of a connection",
		})
	})
	t.Run("soak", func(t *testing.T) {
		runQuick(t, o, []string{"soak"}, []string{"resident memory, last round", "open files", "deliveries/s", "not accepted"})
	})
}

// runQuick runs scenarios with the least work, checks that the report has each row and is
// plain text for a terminal, and logs it.
func runQuick(t *testing.T, o bench.Options, scenarios, rows []string) {
	t.Helper()
	o.Rounds, o.Quick = 1, true
	var out strings.Builder
	if err := bench.Run(context.Background(), &out, scenarios, o); err != nil {
		t.Fatal(err)
	}
	for _, name := range rows {
		if !strings.Contains(out.String(), name) {
			t.Errorf("the report has no row %s, want one", name)
		}
	}
	for line := range strings.Lines(out.String()) {
		if length := utf8.RuneCountInString(strings.TrimRight(line, "\n")); length > reportLineMax {
			t.Errorf("a line has %d characters, want at most %d: %s", length, reportLineMax, line)
		}
		if exponent.MatchString(line) {
			t.Errorf("a number has an exponent: %s", line)
		}
	}
	t.Log(out.String())
}

// reportLineMax is the longest line of a report.
const reportLineMax = 120

var exponent = regexp.MustCompile(`[0-9]e[+-]?[0-9]`)

// binary builds the service, without DWARF, which halves the time of the link.
func binary(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "venuegate")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-w", "-o", name, "venuegate/cmd/venuegate").CombinedOutput(); err != nil {
		t.Fatalf("build: %v %s", err, out)
	}
	return name
}
