// Package reusetest finds edges that keep the memory of a request.
//
// The HTTP library answers every request of a connection out of the same
// buffers: a string that still points into one reads as part of the next request,
// which may be another customer's. Nothing fails then; an order id simply becomes
// a different one. So a test hands what an edge gave to the engine to Kept, has
// the edge serve a request for each of Marks, and asks Kept whether everything
// still reads as it did:
//
//	var kept reusetest.Kept
//	trader.hook = func(command any) { kept.Keep("command", command) }
//	for mark := range reusetest.Marks() {
//		send("DELETE", "/v1/orders/ord_"+mark)
//	}
//	kept.Check(t)
//
// Marks are of one length and share no letter, so that a buffer that was used
// again cannot read as before. The buffers come from pools, and under the race
// detector a pool throws away one in four; each mark but the last is another
// chance to meet a buffer again, so that all of them together miss none.
package reusetest

import (
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
)

const (
	// rounds is how many requests of one kind are sent.
	rounds = 24
	// markChars is long enough to be an order id, and short enough for a symbol.
	markChars = 8
)

// Marks are texts for a request each, in capitals: a symbol that is spelt as it
// should be is not copied on the way.
func Marks() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range rounds {
			if !yield(strings.Repeat(string(rune('A'+i)), markChars)) {
				return
			}
		}
	}
}

// Kept remembers values as they are, and how they read. The zero value is ready.
// It is safe for concurrent use.
type Kept struct {
	mu     sync.Mutex
	values []kept
}

type kept struct {
	what  string
	value any
	read  string
}

// Keep takes a value that an edge handed on. It must not be changed by those who
// may. Text that hides itself when it is printed is given as a string.
func (k *Kept) Keep(what string, value any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.values = append(k.values, kept{what, value, read(value)})
}

// read copies what it prints.
func read(value any) string { return fmt.Sprintf("%+v", value) }

// Changed lists the first value of each name that reads otherwise by now.
func (k *Kept) Changed() map[string]string {
	k.mu.Lock()
	defer k.mu.Unlock()
	changed := map[string]string{}
	for _, v := range k.values {
		if now := read(v.value); now != v.read && changed[v.what] == "" {
			changed[v.what] = fmt.Sprintf("%q reads as %q by now", v.read, now)
		}
	}
	return changed
}

// Check fails the test for what has changed, and where a name was not kept once
// for each mark: then there was nothing to find.
func (k *Kept) Check(t testing.TB, names ...string) {
	t.Helper()
	for what, how := range k.Changed() {
		t.Errorf("%s points into the memory of its request: %s", what, how)
	}
	seen := map[string]int{}
	for _, v := range k.values {
		seen[v.what]++
	}
	for _, name := range names {
		if seen[name] < rounds {
			t.Errorf("%s was handed on %d times, want %d: have %v", name, seen[name], rounds, seen)
		}
	}
}
