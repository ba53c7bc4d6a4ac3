// Package reusetest detects edges that keep references to the memory of a request.
//
// The HTTP library uses the same buffers for every request of a connection: a string
// that still points into one changes to a part of the next request, which may be
// another customer's. There is no error then: an order id becomes a different one. A
// test passes the values that an edge sends to the engine to Retained, sends a request for
// each of Marks, and checks that no value has changed:
//
//	var retained reusetest.Retained
//	trader.hook = func(command any) { retained.Retain("command", command) }
//	for mark := range reusetest.Marks() {
//		send("DELETE", "/v1/orders/ord_"+mark)
//	}
//	retained.Check(t)
//
// Marks have the same length and no common letter, so that a buffer that is used again
// differs. The buffers come from pools, and under the race detector a pool drops one
// in four; every mark but the last is another chance that a buffer is used again, so
// that together they miss none.
package reusetest

import (
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
)

const (
	// rounds is the number of requests of one kind.
	rounds = 24
	// markChars is long enough for an order id and short enough for a symbol.
	markChars = 8
)

// Marks returns a text for each request, in capitals: the edge does not copy a symbol
// that needs no normalization.
func Marks() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range rounds {
			if !yield(strings.Repeat(string(rune('A'+i)), markChars)) {
				return
			}
		}
	}
}

// Retained has values and their text when they were added. The zero value is ready to
// use. It is safe for concurrent use.
type Retained struct {
	mu     sync.Mutex
	values []retained
}

type retained struct {
	name  string
	value any
	text  string
}

// Retain adds a value that an edge has passed on. The value must not be changed
// afterwards. A type whose String method hides its text must be passed as a string.
func (k *Retained) Retain(name string, value any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.values = append(k.values, retained{name, value, format(value)})
}

// format returns a copy of the text of a value.
func format(value any) string { return fmt.Sprintf("%+v", value) }

// Changed describes the first value of each name whose text has changed.
func (k *Retained) Changed() map[string]string {
	k.mu.Lock()
	defer k.mu.Unlock()
	changed := map[string]string{}
	for _, v := range k.values {
		if now := format(v.value); now != v.text && changed[v.name] == "" {
			changed[v.name] = fmt.Sprintf("%q is now %q", v.text, now)
		}
	}
	return changed
}

// Check fails the test if a value has changed, and if a name was not retained once
// for each mark: then there was nothing to check.
func (k *Retained) Check(t testing.TB, names ...string) {
	t.Helper()
	for name, change := range k.Changed() {
		t.Errorf("%s points into the memory of its request: %s", name, change)
	}
	seen := map[string]int{}
	for _, v := range k.values {
		seen[v.name]++
	}
	for _, name := range names {
		if seen[name] < rounds {
			t.Errorf("%s was retained %d times, want %d: %v", name, seen[name], rounds, seen)
		}
	}
}
