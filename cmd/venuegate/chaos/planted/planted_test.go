package planted_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"venuegate/cmd/venuegate/chaos/overlay"
)

// tries bounds the runs of a test: some bugs need a coincidence.
const tries = "4"

// bugTimeout bounds the build and the run of one bug's test.
const bugTimeout = 15 * time.Minute

func root(t *testing.T) string {
	t.Helper()
	dir, err := overlay.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// plant builds the test with the bug and runs it. It returns the output, and whether
// the test failed for the right reason.
func plant(t *testing.T, b bug) (output string, caught bool) {
	t.Helper()
	dir := root(t)
	ctx, cancel := context.WithTimeout(t.Context(), bugTimeout)
	defer cancel()
	binary := filepath.Join(t.TempDir(), "planted.test")
	if err := (overlay.Variant{Edits: b.edits}).BuildTest(ctx, dir, binary, "./"+b.catcher.pkg); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(ctx, binary, "-test.run", b.catcher.run, "-test.v", "-test.count", tries, "-test.failfast")
	run.Dir = filepath.Join(dir, filepath.FromSlash(b.catcher.pkg))
	run.Env = append(os.Environ(), "VENUEGATE_FIRST_SEED="+b.catcher.first, "VENUEGATE_SEEDS="+b.catcher.seeds, "VENUEGATE_STATES="+b.catcher.states)
	if b.sample { // its first failed seed violates the invariant
		run.Env = append(run.Env, "VENUEGATE_FAILURES=1")
	}
	out, err := run.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("the test did not end: %v", ctx.Err())
	}
	return string(out), err != nil && strings.Contains(string(out), b.catcher.says)
}

// plantAll plants the bugs and counts those that were detected.
func plantAll(t *testing.T, planted []bug) {
	caught := 0
	for _, b := range planted {
		t.Run(strings.ReplaceAll(b.name, " ", "_"), func(t *testing.T) {
			began := time.Now()
			output, noticed := plant(t, b)
			if !noticed {
				t.Errorf("%s (%s): %s says nothing of %q:\n%s", b.name, b.invariant, b.catcher.pkg, b.catcher.says, tail(output))
				return
			}
			caught++
			t.Logf("%s: caught by %s in %s", b.invariant, b.catcher.pkg, time.Since(began).Round(time.Second))
		})
	}
	t.Logf("caught %d of %d planted bugs", caught, len(planted))
}

// tailBytes is how much of an output is logged.
const tailBytes = 3000

func tail(text string) string { return text[max(0, len(text)-tailBytes):] }

// TestBugsFitTheSource checks that the text of every bug's edits occurs in the source.
func TestBugsFitTheSource(t *testing.T) {
	for _, b := range bugs {
		if _, err := (overlay.Variant{Edits: b.edits}).Write(root(t), t.TempDir()); err != nil {
			t.Errorf("%s: %v", b.name, err)
		}
	}
}

func TestSampleIsCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test for each bug")
	}
	var sample []bug
	for _, b := range bugs {
		if b.sample {
			sample = append(sample, b)
		}
	}
	plantAll(t, sample)
}
