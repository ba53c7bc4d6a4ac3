package badgerstore

import (
	"hash/maphash"
	"sync/atomic"

	"venuegate/persistence/internal/rows"
)

// keyFilter says of most keys without a row that there is none, so that nobody need
// look: nearly all that is written is new, and to find nothing badger looks everywhere.
// It has three bits for the key of each row that was there when the store was opened or
// was written since, in one word; a key with a bit that is not set has no row, of the
// others nobody knows. A store that has grown beyond it is looked at more often, and
// gets a larger one with the next opening. One goroutine adds to it; nil knows nothing.
type keyFilter struct {
	seed maphash.Seed
	// words are as many as a power of two.
	words []atomic.Uint64
}

const (
	// keyFilterBytesMin is for half a million rows more than there were.
	keyFilterBytesMin = 1 << 20
	keyFilterBytesMax = 32 << 20
	// keyFilterRowBytes is for each row that is there, and one to come.
	keyFilterRowBytes = 4
)

// newKeyFilter makes the filter of a store of about so many rows.
func newKeyFilter(rows int) *keyFilter {
	bytes := keyFilterBytesMin
	for bytes < keyFilterBytesMax && bytes < rows*keyFilterRowBytes {
		bytes *= 2
	}
	return &keyFilter{seed: maphash.MakeSeed(), words: make([]atomic.Uint64, bytes/8)}
}

// place is the word of a key and its bits.
func (f *keyFilter) place(key []byte) (word *atomic.Uint64, bits uint64) {
	h := maphash.Bytes(f.seed, key)
	bits = 1<<(h%64) | 1<<(h>>6%64) | 1<<(h>>12%64)
	return &f.words[h>>18&uint64(len(f.words)-1)], bits
}

// add takes the key of a row, and what it shares with others that are asked for
// together.
func (f *keyFilter) add(key []byte) {
	word, bits := f.place(key)
	word.Or(bits)
	if shared := rows.Request(key); shared != nil {
		word, bits = f.place(shared)
		word.Or(bits)
	}
}

// misses says that there is no row under a key.
func (f *keyFilter) misses(key []byte) bool {
	if f == nil {
		return false
	}
	word, bits := f.place(key)
	return word.Load()&bits != bits
}
