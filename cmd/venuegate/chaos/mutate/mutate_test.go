package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"venuegate/cmd/venuegate/chaos/overlay"
)

func TestMutantsOfAFile(t *testing.T) {
	const source = `package a

const size = 1 + 2

func f(a, b int) (err error) {
	if a < b && ready() {
		count += min(a, b)
		log.Warn("less", a-b)
	}
	switch {
	case a == b:
		return err
	}
	return fmt.Errorf("%d", a+b)
}
`
	mutants, err := mutantsIn("a/a.go", source)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"6 if a < b && ready() { => if false && (a < b && ready()) {",
		"6 if a < b && ready() { => if true || (a < b && ready()) {",
		"6 if a < b && ready() { => if a < b || ready() {",
		"6 if a < b && ready() { => if a <= b && ready() {",
		"7 count += min(a, b) =>",
		"7 count += min(a, b) => count += max(a, b)",
		"11 case a == b: => case false && (a == b):",
		"11 case a == b: => case true || (a == b):",
		"11 case a == b: => case a != b:",
		"12 return err => return nil",
	}
	var got []string
	for _, m := range mutants {
		change, ours := strings.CutPrefix(m.String(), "a/a.go: ")
		if !ours {
			t.Errorf("mutant of another file: %s", m)
		}
		got = append(got, fmt.Sprint(m.line(), " ", change))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got the mutants\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got, want := mutants[3].changed(), strings.Replace(source, "a < b", "a <= b", 1); got != want {
		t.Errorf("got the source %s\nwant %s", got, want)
	}
}

// A place is a package, a file or a line of it.
func TestMutantsOfPlaces(t *testing.T) {
	root, err := overlay.Root()
	if err != nil {
		t.Fatal(err)
	}
	const dir = "actors/account/deadline"
	all, err := mutantsOf(root, []string{dir})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d mutants of %s, error %v; want some", len(all), dir, err)
	}
	file, line := all[0].file, all[0].line()
	got, err := mutantsOf(root, []string{fmt.Sprint(file, ":", line)})
	if err != nil || len(got) == 0 || len(got) == len(all) {
		t.Fatalf("%d of %d mutants are in line %d of %s, error %v; want some of them", len(got), len(all), line, file, err)
	}
	for _, m := range got {
		if m.file != file || m.line() != line {
			t.Errorf("a mutant is in line %d of %s, want only those in line %d of %s", m.line(), m.file, line, file)
		}
	}
}

// Each entry of equivalents.txt is a change of the present source.
func TestEquivalentsFitTheSource(t *testing.T) {
	root, err := overlay.Root()
	if err != nil {
		t.Fatal(err)
	}
	mutants, err := mutantsOf(root, core)
	if err != nil {
		t.Fatal(err)
	}
	unknown := equivalents()
	for _, m := range mutants {
		delete(unknown, m.String())
	}
	for key := range unknown {
		t.Errorf("no mutant is %q: mend or remove the entry", key)
	}
}
