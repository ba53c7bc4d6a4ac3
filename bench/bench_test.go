package bench_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"venuegate/bench"
)

// TestBooksAgreeWithTheirProbes checks that a book, its probe and CCXT, if installed,
// end with the same prices; otherwise the ratios would compare different work.
func TestBooksAgreeWithTheirProbes(t *testing.T) {
	var out strings.Builder
	if err := bench.Run(context.Background(), &out, []string{"book"}, bench.Options{Rounds: 1, Quick: true}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"book-binance", "book-bybit", "book-okx", "recorded", "levels a side", "CCXT Pro", "allocations"} {
		if !strings.Contains(out.String(), name) {
			t.Errorf("the table has no row %s, want one", name)
		}
	}
	t.Log(out.String())
}

func TestScenariosAreSelectedByName(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  int
	}{
		{nil, len(bench.Scenarios())},
		{[]string{"book"}, 3},
		{[]string{"book-okx", "commit"}, 2},
		{[]string{"orders"}, 2},
		{[]string{"orders", "orders-fanout"}, 2},
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
	var out strings.Builder
	if err := bench.Run(context.Background(), &out, []string{"commit"}, bench.Options{Rounds: 1, Quick: true}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one writer, p50", "64 writers", "against badger that syncs", "against an append log"} {
		if !strings.Contains(out.String(), name) {
			t.Errorf("the table has no row %s, want one", name)
		}
	}
	t.Log(out.String())
}

// TestHooksAreMeasured runs each server with a few signals.
func TestHooksAreMeasured(t *testing.T) {
	var out strings.Builder
	if err := bench.Run(context.Background(), &out, []string{"hooks"}, bench.Options{Rounds: 1, Quick: true}); err != nil {
		t.Fatal(err)
	}
	t.Log(out.String())
}

// TestServiceIsMeasured sends a few orders each way through the binary, and measures
// the idle one.
func TestServiceIsMeasured(t *testing.T) {
	var out strings.Builder
	if err := bench.Run(context.Background(), &out, []string{"orders", "idle"}, bench.Options{Binary: binary(t), Rounds: 1, Quick: true}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"1 client, one core, forward", "one core, in memory, added", "1 client, durable", "processor time",
		"16 clients, durable", "64 clients, in memory", "against CCXT", "request to an actor",
		"while orders are sent", "during fan-out, p99.9", "resident memory", "% of a core",
	} {
		if !strings.Contains(out.String(), name) {
			t.Errorf("the table has no row %s, want one", name)
		}
	}
	t.Log(out.String())
}

// binary builds the service.
func binary(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "venuegate")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", name, "venuegate/cmd/venuegate").CombinedOutput(); err != nil {
		t.Fatalf("build: %v %s", err, out)
	}
	return name
}
