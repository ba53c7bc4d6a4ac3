package fixturetest

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"venuegate/venues"
)

// read are the paths of the recordings that this process has read.
var read sync.Map

// Runner runs the tests of a package, as *testing.M does.
type Runner interface{ Run() int }

// AllRead returns a Runner that runs the tests of a venue's package and fails if one of
// the venue's recordings was not read. It checks nothing where only some tests run, or
// where there are no recordings.
func AllRead(tests Runner, venue venues.Venue) Runner { return allRead{tests, venue} }

type allRead struct {
	tests Runner
	venue venues.Venue
}

func (r allRead) Run() int {
	code := r.tests.Run()
	if code != 0 || onlySome() {
		return code
	}
	unread, err := Unread(r.venue)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, name := range unread {
		fmt.Fprintf(os.Stderr, "no test reads the recording %s of %s\n", name, r.venue)
		code = 1
	}
	return code
}

// onlySome reports whether the command line selects tests.
func onlySome() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return true
		}
	}
	return false
}

// Unread returns the recordings of a venue that this process has not read.
func Unread(venue venues.Venue) ([]string, error) {
	folder, err := findRoot()
	if err != nil {
		return nil, err
	}
	folder = filepath.Join(folder, string(venue))
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var unread []string
	for _, entry := range entries {
		name := entry.Name()
		if _, known := read.Load(filepath.Join(folder, name)); !known && filepath.Ext(name) != ".md" {
			unread = append(unread, name)
		}
	}
	return unread, nil
}
