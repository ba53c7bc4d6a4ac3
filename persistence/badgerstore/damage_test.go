package badgerstore_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
)

var damageTrials = flag.Int("damage.trials", 16, "number of trials")

// A damaged store is never reported as intact while a confirmed order is missing. Each
// trial damages a copy of a store whose process was killed: it flips one bit, truncates
// one file or deletes one file. Every other store is large: it is checked while it is read.
func TestDamageIsDetected(t *testing.T) {
	scratch := t.TempDir()
	dir := filepath.Join(scratch, damagedSource)
	// Close writes tables; the kill leaves a log.
	for range 2 {
		store, confirmed := newFilledStore(t, dir)
		closeStore(t, store)
		checkStore(t, dir, confirmed)
	}
	confirmed := acked{"alice": 150, "bob": 150}
	confirmed.writeAndKill(t, dir, 150)
	known, err := json.Marshal(confirmed)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(scratch, damagedConfirmed), known, 0o600); err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	verdicts := map[string]int{}
	for trial := 0; trial < *damageTrials; {
		trial = runTrials(t, verdicts, scratch, seed, trial)
	}
	t.Logf("seed %d, %d trials over %d confirmed orders: %v", seed, *damageTrials, confirmed.total(), verdicts)
	if verdicts["silent"] > 0 {
		t.Errorf("%d of %d damages were not detected, want 0", verdicts["silent"], *damageTrials)
	}
}

// Files in the working directory of the child.
const (
	damagedSource    = "source"
	damagedConfirmed = "confirmed.json"
	damagedCopy      = "copy"
)

// runTrials runs the trials in a child until the last one or until the child dies. It
// returns the next trial.
func runTrials(t *testing.T, verdicts map[string]int, scratch string, seed uint64, trial int) int {
	t.Helper()
	cmd := child(t, "damage", strconv.FormatUint(seed, 10), strconv.Itoa(trial), strconv.Itoa(*damageTrials))
	cmd.Dir = scratch
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	damage := "?"
	for lines := bufio.NewScanner(out); lines.Scan(); {
		what, rest, _ := strings.Cut(lines.Text(), " ")
		if what == "damage" {
			damage = rest
			continue
		}
		verdicts[what]++
		trial++
		if what == "silent" {
			t.Errorf("trial %d, seed %d: %s: %s", trial, seed, damage, rest)
		}
		if testing.Verbose() {
			t.Logf("%s: %s", damage, lines.Text())
		}
	}
	if err := cmd.Wait(); err != nil {
		// The process died: the damage is detected.
		t.Logf("%s: died: %s", damage, firstLine(stderr.String()))
		verdicts["died"]++
		trial++
	}
	return trial
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// childDamages runs the trials of a seed: its arguments are seed, first and end.
func childDamages(args []string) {
	known, err := os.ReadFile(damagedConfirmed)
	if err != nil {
		fatal("confirmed: %v", err)
	}
	var confirmed acked
	if err := json.Unmarshal(known, &confirmed); err != nil {
		fatal("confirmed: %v", err)
	}
	seed, _ := strconv.ParseUint(args[0], 10, 64)
	first, _ := strconv.Atoi(args[1])
	end, _ := strconv.Atoi(args[2])
	for trial := first; trial < end; trial++ {
		if err := errors.Join(os.RemoveAll(damagedCopy), copyStore(damagedSource, damagedCopy)); err != nil {
			fatal("copy: %v", err)
		}
		damage, err := damageOne(damagedCopy, rand.New(rand.NewPCG(seed, uint64(trial))))
		if err != nil {
			fatal("damage: %v", err)
		}
		fmt.Fprintf(os.Stdout, "damage %s\n", damage)
		fmt.Fprintln(os.Stdout, verdict(damagedCopy, confirmed, trial%2 == 1))
	}
}

func verdict(dir string, confirmed acked, isLarge bool) string {
	o := small
	if isLarge {
		o.CheckBytesMax = 1
	}
	store, err := badgerstore.Open(dir, o)
	if err != nil {
		return "rejected " + firstLine(err.Error())
	}
	defer func() { _ = store.Close() }()
	if err := store.Integrity(); err != nil {
		return "detected " + strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	switch err := confirmed.missing(context.Background(), store); {
	case isLarge && errors.Is(err, persistence.ErrIntegrity):
		return "detected " + err.Error()
	case err != nil:
		return "silent " + err.Error()
	}
	store.AwaitCheck()
	if err := store.Integrity(); err != nil {
		return "detected " + err.Error()
	}
	return "harmless"
}

// damageOne damages one file of a store and returns a description.
func damageOne(dir string, random *rand.Rand) (string, error) {
	files, err := filesOf(dir)
	if err != nil {
		return "", err
	}
	path := files[random.IntN(len(files))]
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	// Most of a preallocated log is empty; mostly damage the used part.
	used := len(bytes.TrimRight(content, "\x00"))
	if used == 0 || random.IntN(10) == 0 {
		used = len(content)
	}
	name := filepath.Base(path)
	kind := random.IntN(8)
	switch {
	case kind == 0 || used == 0:
		return "delete " + name, os.Remove(path)
	case kind <= 2:
		at := random.IntN(used)
		return fmt.Sprintf("truncate %s at %d of %d", name, at, used), os.Truncate(path, int64(at))
	}
	at, bit := random.IntN(used), random.IntN(8)
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return "", err
	}
	_, err = file.WriteAt([]byte{content[at] ^ 1<<bit}, int64(at))
	return fmt.Sprintf("flip %s at %d of %d, bit %d", name, at, used, bit), errors.Join(err, file.Close())
}

func filesOf(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && entry.Name() != "LOCK" {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// copyStore copies a closed store.
func copyStore(from, to string) error { return os.CopyFS(to, os.DirFS(from)) }
