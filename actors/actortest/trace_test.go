package actortest_test

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"venuegate/actors/actortest"
)

// adder is a machine that adds the numbers of its input.
func adder(*testing.T) func(string) string {
	sum := 0
	return func(input string) string {
		var out strings.Builder
		for word := range strings.FieldsSeq(input) {
			n, err := strconv.Atoi(word)
			if err != nil {
				out.WriteString("not a number: " + word + "\n\n")
				continue
			}
			sum += n
			out.WriteString(strconv.Itoa(sum) + "\n")
		}
		return out.String()
	}
}

func TestTraces(t *testing.T) { actortest.Traces(t, "testdata/*.txt", adder) }

func TestRewriteChangesOutputsOnly(t *testing.T) {
	want, err := os.ReadFile("testdata/adder.txt")
	if err != nil {
		t.Fatal(err)
	}
	stale := strings.NewReplacer("\n10\n15\n", "\n11\n", "\n6\n", "\n").Replace(string(want))
	file := filepath.Join(t.TempDir(), "stale.txt")
	if err := os.WriteFile(file, []byte(stale), 0o600); err != nil {
		t.Fatal(err)
	}
	defer setFlag(t, "rewrite", "true")()
	actortest.Traces(t, file, adder)
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("rewritten to\n%s\nwant\n%s", got, want)
	}
}

func setFlag(t *testing.T, name, value string) (undo func()) {
	t.Helper()
	before := flag.Lookup(name).Value.String()
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
	return func() { _ = flag.Set(name, before) }
}
