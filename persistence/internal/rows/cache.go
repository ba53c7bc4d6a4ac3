package rows

// Cache maps keys to the values that were put last, of about bytesMax in total. It evicts by
// halves: when the young half is full it becomes the old one, and the previous old one is
// dropped. Reading a value does not keep it longer.
// A Cache is not safe for concurrent use. A nil Cache is always empty.
type Cache[V any] struct {
	bytesMax   int
	young, old map[string]V
	// bytes is the size of young.
	bytes int
}

// cacheEntryBytesFixed is the approximate size of an entry in addition to key and value.
const cacheEntryBytesFixed = 128

// NewCache returns an empty Cache of about bytesMax.
func NewCache[V any](bytesMax int) *Cache[V] {
	return &Cache[V]{bytesMax: bytesMax, young: map[string]V{}}
}

// Get returns the value of a key and reports whether the cache has one.
func (c *Cache[V]) Get(key []byte) (value V, found bool) {
	if c == nil {
		return value, false
	}
	if value, found = c.young[string(key)]; !found {
		value, found = c.old[string(key)]
	}
	return value, found
}

// Put stores the value of a key. bytes is the approximate size of the value.
func (c *Cache[V]) Put(key []byte, value V, bytes int) {
	if c == nil {
		return
	}
	if c.bytes > c.bytesMax/2 {
		c.young, c.old, c.bytes = make(map[string]V, len(c.young)), c.young, 0
	}
	c.young[string(key)] = value
	c.bytes += cacheEntryBytesFixed + len(key) + bytes
}

// Delete deletes the value of a key.
func (c *Cache[V]) Delete(key []byte) {
	if c != nil {
		delete(c.young, string(key))
		delete(c.old, string(key))
	}
}

// Clear deletes all values.
func (c *Cache[V]) Clear() {
	if c != nil {
		c.young, c.old, c.bytes = map[string]V{}, nil, 0
	}
}

// RowCache holds rows that the writer of an engine has used last, so that it does not
// read them again: the counters of customers, and records with their index rows, which
// would otherwise be computed by decoding the record.
type RowCache struct{ entities *Cache[entity] }

// NewRowCache returns an empty RowCache of about bytesMax.
func NewRowCache(bytesMax int) RowCache { return RowCache{NewCache[entity](bytesMax)} }

// Clear deletes all rows.
func (c RowCache) Clear() { c.entities.Clear() }

// put stores a record or a counter as it is now. A counter that has no row yet is
// stored with a nil value.
func (c RowCache) put(e entity) {
	bytes := len(e.value)
	for _, r := range e.index {
		bytes += len(r.key) + len(r.value)
	}
	c.entities.Put(e.key, e, bytes)
}

// currentEntity returns a primary row with its index rows, from the cache or the
// transaction; its value is nil if there is none.
func currentEntity(tx Tx, key []byte) (entity, error) {
	if e, found := tx.Cache().entities.Get(key); found {
		return e, nil
	}
	value, err := tx.Get(key)
	if err != nil || value == nil {
		return entity{}, err
	}
	return decodeEntity(key, value)
}

// currentValue returns the value of a row from the cache or the transaction; nil if
// there is no row.
func currentValue(tx Tx, key []byte) ([]byte, error) {
	if e, found := tx.Cache().entities.Get(key); found {
		return e.value, nil
	}
	return tx.Get(key)
}
