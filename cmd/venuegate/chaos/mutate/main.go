package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"

	"venuegate/cmd/venuegate/chaos/overlay"
)

// core are the directories of the packages that are changed.
var core = []string{
	"actors/account", "actors/account/deadline", "actors/account/position", "actors/account/protection", "actors/account/risk",
	"actors/alerts", "actors/book", "actors/channel", "actors/customer", "actors/delivery", "actors/step",
	"persistence/badgerstore", "persistence/internal/rows", "persistence/internal/wal",
	"transport/auth", "transport/hooks", "transport/signing", "transport/stream",
	"venues/binance", "venues/bybit", "venues/okx", "venues/internal/exchange", "venues/internal/feed", "venues/internal/restclient",
}

//go:embed equivalents.txt
var equivalentsText string

// equivalents returns the mutants in equivalents.txt.
func equivalents() map[string]bool {
	known := map[string]bool{}
	for line := range strings.Lines(equivalentsText) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			known[line] = true
		}
	}
	return known
}

func main() {
	count := flag.Int("mutants", 100, "the `number` of changes")
	seed := flag.Uint64("seed", 1, "the seed of the sample")
	own := flag.Bool("own", false, "run only the tests of the changed package")
	flag.Parse()
	places := flag.Args()
	if len(places) == 0 {
		places = core
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, *count, *seed, *own, places)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// run tries a sample of the mutants of the packages, files or lines and writes the report to out.
func run(ctx context.Context, out io.Writer, count int, seed uint64, own bool, places []string) error {
	root, err := overlay.Root()
	if err != nil {
		return err
	}
	mutants, err := mutantsOf(root, places)
	if err != nil {
		return err
	}
	tests, err := newTester(ctx, root, own)
	if err != nil {
		return err
	}
	known := equivalents()
	tried, counts := 0, map[outcome]int{}
	for _, n := range rand.New(rand.NewPCG(seed, 0)).Perm(len(mutants)) {
		m := mutants[n]
		if tried == count {
			break
		}
		if known[m.String()] {
			continue
		}
		found, err := tests.try(ctx, m)
		if err != nil {
			return err
		}
		counts[found]++
		if found != invalid {
			tried++
		}
		if found == survived {
			fmt.Fprintf(out, "survived, line %d\n%s\n", m.line(), m)
		}
	}
	fmt.Fprintf(out, "seed %d: %d of %d mutants, %d noticed by own tests, %d by users' tests, %d survived; score %.0f %%\n",
		seed, tried, len(mutants), counts[noticed], counts[noticedByUser], counts[survived],
		100*float64(tried-counts[survived])/float64(max(tried, 1)))
	return nil
}
