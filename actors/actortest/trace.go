package actortest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the expected outputs of traces in testdata")

// separator separates the input and the expected output of a case.
const separator = "----"

// Traces runs every file that matches pattern, such as "testdata/*.txt", as a
// subtest. open returns a new machine for a file. The machine is called with the input of
// each case and returns its output. t is that of the subtest.
//
// A file is a list of cases with blank lines between them. A case is one or more
// lines of input, a line of four dashes, and the lines of output. Lines that
// begin with # between cases are comments.
//
//	# a limit order rests
//	submit id=1 side=buy qty=2 price=100
//	----
//	save 1 submitted
//	call venue place 1
//
// With the flag -rewrite the outputs in the files are replaced by the real ones.
func Traces(t *testing.T, pattern string, open func(t *testing.T) func(input string) string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no trace matches %s", pattern)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), func(t *testing.T) {
			runTrace(t, file, open(t))
		})
	}
}

func runTrace(t *testing.T, file string, machine func(input string) string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	blocks := splitBlocks(string(text))
	for i, b := range blocks {
		if b.comment {
			continue
		}
		got := outputLines(machine(b.input))
		if got != b.output && !*rewrite {
			t.Errorf("%s:%d: %s\n--- expected\n%s\n--- got\n%s", file, b.line, b.input, b.output, got)
		}
		blocks[i].output = got
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(joinBlocks(blocks)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// block is a case, or a run of comments between cases.
type block struct {
	line          int
	comment       bool
	input, output string
}

func splitBlocks(text string) []block {
	var blocks []block
	lines := strings.Split(text, "\n")
	for at := 0; at < len(lines); {
		if strings.TrimSpace(lines[at]) == "" {
			at++
			continue
		}
		end := at
		for end < len(lines) && strings.TrimSpace(lines[end]) != "" {
			end++
		}
		blocks = append(blocks, parseBlock(at+1, lines[at:end])...)
		at = end
	}
	return blocks
}

// parseBlock reads the lines between two blank ones: comments, then a case.
func parseBlock(line int, lines []string) []block {
	comments := 0
	for comments < len(lines) && strings.HasPrefix(lines[comments], "#") {
		comments++
	}
	var blocks []block
	if comments > 0 {
		blocks = append(blocks, block{line: line, comment: true, input: strings.Join(lines[:comments], "\n")})
	}
	if comments == len(lines) {
		return blocks
	}
	input, output, _ := strings.Cut(strings.Join(lines[comments:], "\n"), "\n"+separator)
	return append(blocks, block{line: line + comments, input: input, output: strings.TrimPrefix(output, "\n")})
}

func joinBlocks(blocks []block) string {
	var b strings.Builder
	for i, x := range blocks {
		if x.comment {
			b.WriteString(x.input + "\n")
			if i+1 < len(blocks) && blocks[i+1].line > x.line+strings.Count(x.input, "\n")+1 {
				b.WriteByte('\n')
			}
			continue
		}
		b.WriteString(x.input + "\n" + separator + "\n")
		if x.output != "" {
			b.WriteString(x.output + "\n")
		}
		if i+1 < len(blocks) {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// outputLines drops blank lines, which end a case in the file.
func outputLines(output string) string {
	var kept []string
	for line := range strings.Lines(output) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
