package rows

// Recent keeps what was used last, up to about a number of bytes. It forgets in
// two steps: what was not used while as much again came is gone. It is for one
// goroutine; a nil Recent keeps nothing.
type Recent[V any] struct {
	bytesMax int
	// young and old are two generations; bytes is the size of the young one.
	young, old map[string]V
	bytes      int
}

// recentBytesFixed is what an entry is counted for besides its key and value.
const recentBytesFixed = 128

// NewRecent makes a Recent of at most bytesMax.
func NewRecent[V any](bytesMax int) *Recent[V] {
	return &Recent[V]{bytesMax: bytesMax, young: map[string]V{}}
}

// Get finds what is kept under a key.
func (r *Recent[V]) Get(key []byte) (value V, kept bool) {
	if r == nil {
		return value, false
	}
	if value, kept = r.young[string(key)]; !kept {
		value, kept = r.old[string(key)]
	}
	return value, kept
}

// Put keeps a value of about so many bytes under a key.
func (r *Recent[V]) Put(key []byte, value V, bytes int) {
	if r == nil {
		return
	}
	if r.bytes > r.bytesMax/2 {
		r.young, r.old, r.bytes = make(map[string]V, len(r.young)), r.young, 0
	}
	r.young[string(key)] = value
	r.bytes += recentBytesFixed + len(key) + bytes
}

// Delete forgets what is kept under a key.
func (r *Recent[V]) Delete(key []byte) {
	if r != nil {
		delete(r.young, string(key))
		delete(r.old, string(key))
	}
}

// Clear forgets everything.
func (r *Recent[V]) Clear() {
	if r != nil {
		r.young, r.old, r.bytes = map[string]V{}, nil, 0
	}
}
