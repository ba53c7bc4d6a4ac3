package book

// slabBytes is the size of one slab. Frames share slabs, so that publishing rarely
// allocates; a slab is in use as long as any frame on it.
const slabBytes = 32 << 10

// slab cuts the bytes of frames out of larger pieces.
type slab struct {
	free []byte
}

// keep returns an immutable copy of b.
func (s *slab) keep(b []byte) []byte {
	if len(b) > slabBytes/4 {
		return append(make([]byte, 0, len(b)), b...)
	}
	if len(b) > len(s.free) {
		s.free = make([]byte, slabBytes)
	}
	kept := s.free[:len(b):len(b)]
	s.free = s.free[len(b):]
	copy(kept, b)
	return kept
}
