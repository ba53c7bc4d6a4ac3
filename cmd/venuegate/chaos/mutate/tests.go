package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"venuegate/cmd/venuegate/chaos/overlay"
)

const (
	// testTimeout bounds the tests of one package without a change. Those with a change
	// may take four times as long as without, and half a minute.
	testTimeout = 10 * time.Minute
	// userTestTimeMax bounds the tests that run for a change of a package that they import: those
	// that take longer without a change are left out.
	userTestTimeMax = time.Minute
	// memoryKiBMax bounds the address space of a test: a loop that does not end may allocate.
	memoryKiBMax = 16 << 20
	// outputBytesMax bounds the output of failed tests.
	outputBytesMax = 4096
)

// outcome is the result of the tests with a mutant.
type outcome int

const (
	invalid       outcome = iota // does not compile
	noticed                      // by the package's own tests
	noticedByUser                // by those of a package that imports it
	survived
)

// tester runs tests with mutants.
type tester struct {
	root string
	// users are the packages with tests that import a package, by directory.
	users map[string][]string
	// took has the times of the tests without a mutant, by directory.
	took map[string]time.Duration
}

// newTester returns a tester of the module at root. If own is set, the tests of a package's
// users are not run.
func newTester(ctx context.Context, root string, own bool) (*tester, error) {
	t := &tester{root: root, users: map[string][]string{}, took: map[string]time.Duration{}}
	if own {
		return t, nil
	}
	const format = `{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{range .Imports}} {{.}}{{end}}` +
		`{{range .TestImports}} {{.}}{{end}}{{range .XTestImports}} {{.}}{{end}}{{end}}`
	// The tests below cmd and bench build the program from the source.
	list := exec.CommandContext(ctx, "go", "list", "-f", format, "./actors/...", "./persistence/...", "./transport/...", "./venues/...")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		paths := strings.Fields(strings.ReplaceAll(line, "venuegate/", ""))
		for _, used := range paths[min(1, len(paths)):] {
			if used != paths[0] && !slices.Contains(t.users[used], paths[0]) {
				t.users[used] = append(t.users[used], paths[0])
			}
		}
	}
	return t, nil
}

// try runs the tests with a mutant until one fails: those of the package, then those of its
// users, the shortest first.
func (t *tester) try(ctx context.Context, m mutant) (outcome, error) {
	v := overlay.Variant{Edits: []overlay.Edit{{Name: m.String(), File: m.file, Old: m.content, New: m.changed()}}}
	own := path.Dir(m.file)
	if found, err := t.within(ctx, v, own); found != survived || err != nil {
		return found, err
	}
	users, err := t.usersOf(ctx, own)
	if err != nil {
		return invalid, err
	}
	for _, dir := range users {
		if found, err := t.within(ctx, v, dir); found != survived || err != nil {
			return noticedByUser, err
		}
	}
	return survived, nil
}

// within runs the tests of a package with a change, for a time that depends on that without.
func (t *tester) within(ctx context.Context, v overlay.Variant, dir string) (outcome, error) {
	usual, err := t.usual(ctx, dir)
	if err != nil {
		return invalid, err
	}
	found, _, err := t.test(ctx, v, dir, 30*time.Second+4*usual)
	return found, err
}

// usersOf returns the packages with tests that import a package, by the time of their tests.
func (t *tester) usersOf(ctx context.Context, dir string) ([]string, error) {
	for _, user := range t.users[dir] {
		if _, err := t.usual(ctx, user); err != nil {
			return nil, err
		}
	}
	users := slices.SortedFunc(slices.Values(t.users[dir]), func(a, b string) int { return cmp.Compare(t.took[a], t.took[b]) })
	return slices.DeleteFunc(users, func(user string) bool { return t.took[user] > userTestTimeMax }), nil
}

// usual returns the time of a package's tests without a mutant, which must succeed.
func (t *tester) usual(ctx context.Context, dir string) (time.Duration, error) {
	if t.took[dir] == 0 {
		began := time.Now()
		found, output, err := t.test(ctx, overlay.Variant{}, dir, testTimeout)
		if err != nil || found != survived {
			return 0, errors.Join(err, fmt.Errorf("the tests of %s fail without a change: %s", dir, output))
		}
		t.took[dir] = time.Since(began)
	}
	return t.took[dir], nil
}

// test builds and runs the tests of a package. The output is that of what failed.
func (t *tester) test(ctx context.Context, v overlay.Variant, dir string, timeout time.Duration) (found outcome, output string, err error) {
	scratch, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return invalid, "", err
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // a directory for temporary files
	binary := filepath.Join(scratch, "mutant.test")
	if err := v.BuildTest(ctx, t.root, binary, "-ldflags=-w", "./"+dir); err != nil {
		return invalid, err.Error(), ctx.Err()
	}
	running, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	limited := fmt.Sprintf(`ulimit -v %d; exec "$0" -test.short -test.failfast`, memoryKiBMax)
	command := exec.CommandContext(running, "sh", "-c", limited, binary) //nolint:gosec // a test binary of this module
	command.Dir = filepath.Join(t.root, filepath.FromSlash(dir))
	command.Env = append(os.Environ(), "TMPDIR="+scratch, "RAPID_NOFAILFILE=true")
	command.WaitDelay = time.Second // if a process that it started keeps the output open
	out, err := command.CombinedOutput()
	if err != nil {
		return noticed, fmt.Sprintf("%v\n%s", err, out[max(0, len(out)-outputBytesMax):]), ctx.Err()
	}
	return survived, "", nil
}
