package scan

import (
	"encoding/binary"
	"time"
)

// digitsMax is the number of decimal digits that always fit an int64.
const digitsMax = 18

// millisMax bounds a time in milliseconds, far in the future.
const millisMax = 1 << 53

// Scanner reads one message from its beginning to its end. The zero value has an empty
// message.
type Scanner struct {
	data []byte
	at   int
}

// New returns a scanner at the beginning of data, which it never changes.
func New(data []byte) Scanner { return Scanner{data: data} }

// End reports whether the whole message was read.
func (s *Scanner) End() bool { return s.at == len(s.data) }

// Skip reads one byte if it is b.
func (s *Scanner) Skip(b byte) bool {
	if s.at < len(s.data) && s.data[s.at] == b {
		s.at++
		return true
	}
	return false
}

// Literal reads text if it is next.
func (s *Scanner) Literal(text string) bool {
	if len(s.data)-s.at < len(text) || string(s.data[s.at:s.at+len(text)]) != text {
		return false
	}
	s.at += len(text)
	return true
}

// Object reads `{"name":value,...}`, which must not be empty. member reads each value.
func (s *Scanner) Object(member func(name []byte) bool) bool {
	before := byte('{')
	for {
		name, ok := s.name(before)
		if !ok || !member(name) {
			return false
		}
		if s.Skip('}') {
			return true
		}
		before = ','
	}
}

// name reads `"name":` after another byte. The result is part of the message.
func (s *Scanner) name(before byte) ([]byte, bool) {
	data, start := s.data, s.at+2
	if start > len(data) || data[start-2] != before || data[start-1] != '"' {
		return nil, false
	}
	end := closing(data, start)
	if end < 0 || end+1 >= len(data) || data[end+1] != ':' {
		return nil, false
	}
	s.at = end + 2
	return data[start:end], true
}

// Text reads a string without escapes. The result is part of the message.
func (s *Scanner) Text() ([]byte, bool) {
	data, at := s.data, s.at
	if at >= len(data) || data[at] != '"' {
		return nil, false
	}
	start := at + 1
	end := closing(data, start)
	if end < 0 {
		return nil, false
	}
	s.at = end + 1
	return data[start:end], true
}

// TextIs reads a string that must equal want, which contains nothing to escape.
func (s *Scanner) TextIs(want string) bool {
	data, end := s.data, s.at+len(want)+2
	if end > len(data) || data[s.at] != '"' || data[end-1] != '"' || string(data[s.at+1:end-1]) != want {
		return false
	}
	s.at = end
	return true
}

// closing returns where the string that begins at data[at:] ends; -1 if it does not, or
// requires a parser.
func closing(data []byte, at int) int {
	for ; at < len(data); at++ {
		switch b := data[at]; {
		case b == '"':
			return at
		case b < ' ' || b == '\\':
			return -1
		}
	}
	return -1
}

// Unsigned reads a non-negative integer.
func (s *Scanner) Unsigned(out *uint64) bool {
	n, at := wholeNumber(s.data, s.at)
	if at == 0 {
		return false
	}
	s.at, *out = at, uint64(n)
	return true
}

// Integer reads an integer.
func (s *Scanner) Integer(out *int64) bool {
	sign, start := int64(1), s.at
	if start < len(s.data) && s.data[start] == '-' {
		sign, start = -1, start+1
	}
	n, at := wholeNumber(s.data, start)
	if at == 0 {
		return false
	}
	s.at, *out = at, sign*n
	return true
}

// wholeNumber reads a JSON number that consists of digits and returns where it ends; 0 if there
// is none that fits.
func wholeNumber(data []byte, at int) (n int64, end int) {
	start := at
	// Sequence numbers and times have 13 digits and more.
	if eight, ok := eightDigits(data, at); ok {
		n, at = eight, at+8
	}
	n, at = digits(data, at, n)
	if at == start || at-start > digitsMax || data[start] == '0' && at-start > 1 {
		return 0, 0
	}
	return n, at
}

// digits reads digits, appends them to n and returns where they end. With more than
// digitsMax digits, those of n included, the sum is meaningless.
func digits(data []byte, at int, n int64) (sum int64, end int) {
	for at < len(data) && data[at]-'0' <= 9 {
		n = n*10 + int64(data[at]-'0')
		at++
	}
	return n, at
}

// eightDigits reads eight digits as the bytes of one word: neighbours are joined to
// pairs, pairs to fours, and fours to the number.
func eightDigits(data []byte, at int) (n int64, ok bool) {
	if len(data)-at < 8 {
		return 0, false
	}
	word := binary.LittleEndian.Uint64(data[at:])
	// The bytes '0' to '9' have a high half of 3, also when 6 is added.
	const high, threes, sixes = 0xF0F0F0F0F0F0F0F0, 0x3030303030303030, 0x0606060606060606
	if word&high != threes || (word+sixes)&high != threes {
		return 0, false
	}
	word -= threes
	word = (word*10 + word>>8) & 0x00FF00FF00FF00FF
	word = (word*100 + word>>16) & 0x0000FFFF0000FFFF
	return int64((word*10000 + word>>32) & 0xFFFFFFFF), true
}

// Millis reads a time in milliseconds.
func (s *Scanner) Millis(out *time.Time) bool {
	var n int64
	if !s.Integer(&n) || n <= 0 || n >= millisMax {
		return false
	}
	*out = time.UnixMilli(n).UTC()
	return true
}

// SkipMillis skips a time in milliseconds.
func (s *Scanner) SkipMillis() bool {
	var n uint64
	return s.Unsigned(&n) && n < millisMax
}

// Fields is a set of members of a message, one bit each.
type Fields uint

// Once adds a member and reports whether it is the first of its name. A parser might use
// another one of repeated members.
func (f *Fields) Once(field Fields) bool {
	first := *f&field == 0
	*f |= field
	return first
}

// Have reports whether all those members were seen.
func (f Fields) Have(fields Fields) bool { return f&fields == fields }
