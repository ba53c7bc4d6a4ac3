package badgerstore

import (
	"hash/maphash"
	"sync/atomic"

	"venuegate/persistence/internal/rows"
)

// keyFilter is a Bloom filter of the keys of all rows. Nearly every written row is new,
// and badger searches all levels for a key that does not exist; the filter excludes
// most of them. A key sets three bits of one word; a key without all three bits has no
// row. If the store outgrows the filter, more keys are searched for until the next
// opening makes a larger one. It is safe for concurrent use. A nil keyFilter excludes
// nothing, and neither does one that is not complete.
type keyFilter struct {
	seed maphash.Seed
	// words has a length that is a power of two.
	words []atomic.Uint64
	// complete is set once the keys of all rows are added.
	complete atomic.Bool
}

const (
	// keyFilterBytesMin has space for half a million rows.
	keyFilterBytesMin = 1 << 20
	keyFilterBytesMax = 32 << 20
	// keyFilterRowBytes is the size for each row of the store and another new one.
	keyFilterRowBytes = 4
)

// newKeyFilter returns an empty filter, which is not complete, for a store of about that many
// rows.
func newKeyFilter(rows int) *keyFilter {
	bytes := keyFilterBytesMin
	for bytes < keyFilterBytesMax && bytes < rows*keyFilterRowBytes {
		bytes *= 2
	}
	return &keyFilter{seed: maphash.MakeSeed(), words: make([]atomic.Uint64, bytes/8)}
}

// slot returns the word of a key and its bits.
func (f *keyFilter) slot(key []byte) (word *atomic.Uint64, bits uint64) {
	h := maphash.Bytes(f.seed, key)
	bits = 1<<(h%64) | 1<<(h>>6%64) | 1<<(h>>12%64)
	return &f.words[h>>18&uint64(len(f.words)-1)], bits
}

// add adds the key of a row, and its prefix by which all attempts of a request id are
// looked up.
func (f *keyFilter) add(key []byte) {
	word, bits := f.slot(key)
	word.Or(bits)
	if shared := rows.RequestPrefix(key); shared != nil {
		word, bits = f.slot(shared)
		word.Or(bits)
	}
}

// lacks reports that no row has the key, or the prefix. It may return false although
// there is none.
func (f *keyFilter) lacks(key []byte) bool {
	if f == nil || !f.complete.Load() {
		return false
	}
	word, bits := f.slot(key)
	return word.Load()&bits != bits
}
