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

	"venuegate/persistence/badgerstore"
)

var damageTrials = flag.Int("damage.trials", 16, "how many damages are tried")

// A damaged store never looks sound while something that was answered is
// missing. Each trial damages a copy of a store whose process was killed: one
// flipped bit, one file cut short, one file deleted.
func TestDamageIsNoticed(t *testing.T) {
	scratch := t.TempDir()
	dir := filepath.Join(scratch, damagedSource)
	// Orderly ends make tables, the last end leaves a log.
	for range 2 {
		store, answered := filled(t, dir)
		closeStore(t, store)
		sound(t, dir, answered)
	}
	answered := acked{"alice": 150, "bob": 150}
	answered.writeAndKill(t, dir, 150)
	known, err := json.Marshal(answered)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(scratch, damagedAnswered), known, 0o600); err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	verdicts := map[string]int{}
	for trial := 0; trial < *damageTrials; {
		trial = runTrials(t, verdicts, scratch, seed, trial)
	}
	t.Logf("seed %d, %d trials over %d answered orders: %v", seed, *damageTrials, answered.total(), verdicts)
	if verdicts["silent"] > 0 {
		t.Errorf("%d damages were not noticed", verdicts["silent"])
	}
}

// What the child finds in the directory that it runs in, and makes there.
const (
	damagedSource   = "source"
	damagedAnswered = "answered.json"
	damagedCopy     = "copy"
)

// runTrials lets a child go through the trials until the end or its death, and
// gives the next trial.
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
		// The process died over the damage: loud enough.
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

// childDamages runs the trials of a seed from first to before end.
func childDamages(args []string) {
	known, err := os.ReadFile(damagedAnswered)
	if err != nil {
		fatal("answered: %v", err)
	}
	var answered acked
	if err := json.Unmarshal(known, &answered); err != nil {
		fatal("answered: %v", err)
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
		fmt.Fprintln(os.Stdout, verdict(damagedCopy, answered))
	}
}

func verdict(dir string, answered acked) string {
	store, err := badgerstore.Open(dir, small)
	if err != nil {
		return "refused " + firstLine(err.Error())
	}
	defer func() { _ = store.Close() }()
	if err := store.Integrity(); err != nil {
		return "noticed " + strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	if err := answered.missing(context.Background(), store); err != nil {
		return "silent " + err.Error()
	}
	return "harmless"
}

// damageOne does one thing to one file of a store.
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
	// Most of a preallocated log is empty; damage what is not, mostly.
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

// copyStore copies a store that is not open.
func copyStore(from, to string) error { return os.CopyFS(to, os.DirFS(from)) }
