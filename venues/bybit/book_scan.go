package bybit

import (
	"math"
	"time"

	"venuegate/venues"
)

// scanBook reads an orderbook message as the venue prints it (no white space, no
// escapes, each known field at most once) straight into fixed-point numbers. It
// allocates nothing beyond the room of u. false means only that the message is
// unlike that and decodeBook must look at it; u is then half filled.
func scanBook(data []byte, topic, venueSymbol string, scale venues.Scale, u *venues.BookUpdate) bool {
	s := bookScanner{data: data}
	if !s.object(func(name []byte) bool { return s.member(name, topic, venueSymbol, scale, u) }) {
		return false
	}
	if s.at != len(s.data) || s.saw&sawNeeded != sawNeeded || u.LastSeq == 0 {
		return false
	}
	sequence(u, s.snapshot)
	return true
}

// sequence brings the venue's number to the common form: each message follows
// the one before by one, a snapshot stands alone, and number 1 is a venue that
// counts anew and sends everything.
func sequence(u *venues.BookUpdate, snapshot bool) {
	u.FirstSeq = u.LastSeq
	u.Snapshot = snapshot || u.LastSeq == 1
	if !u.Snapshot {
		u.PrevSeq = u.LastSeq - 1
	}
}

// Bits of the fields seen.
const (
	sawTopic = 1 << iota
	sawType
	sawTime
	sawEngineTime
	sawData
	sawSymbol
	sawBids
	sawAsks
	sawUpdate
	sawCross

	sawNeeded = sawTopic | sawType | sawTime | sawEngineTime | sawData | sawSymbol | sawBids | sawAsks | sawUpdate
)

type bookScanner struct {
	data     []byte
	at       int
	saw      uint
	snapshot bool
}

// once marks a field and says whether it is the first of its name.
func (s *bookScanner) once(field uint) bool {
	first := s.saw&field == 0
	s.saw |= field
	return first
}

// object reads `{"name":value,...}`, each value by member.
func (s *bookScanner) object(member func(name []byte) bool) bool {
	if !s.skip('{') {
		return false
	}
	for {
		name, ok := s.text()
		if !ok || !s.skip(':') || !member(name) {
			return false
		}
		if s.skip(',') {
			continue
		}
		return s.skip('}')
	}
}

// member reads a value of the message.
func (s *bookScanner) member(name []byte, topic, venueSymbol string, scale venues.Scale, u *venues.BookUpdate) bool {
	var n uint64
	switch string(name) {
	case "topic":
		return s.once(sawTopic) && s.textIs(topic)
	case "type":
		return s.once(sawType) && s.kind()
	case "ts":
		return s.once(sawTime) && s.unsigned(&n) && n < millisMax
	case "cts":
		if !s.once(sawEngineTime) || !s.unsigned(&n) || n == 0 || n >= millisMax {
			return false
		}
		u.VenueTime = time.UnixMilli(int64(n)).UTC()
		return true
	case "data":
		return s.once(sawData) && s.object(func(name []byte) bool { return s.bookMember(name, venueSymbol, scale, u) })
	}
	return false
}

// bookMember reads a value of the message's data.
func (s *bookScanner) bookMember(name []byte, venueSymbol string, scale venues.Scale, u *venues.BookUpdate) bool {
	var n uint64
	switch string(name) {
	case "s":
		return s.once(sawSymbol) && s.textIs(venueSymbol)
	case "b":
		return s.once(sawBids) && s.levels(scale, &u.Bids)
	case "a":
		return s.once(sawAsks) && s.levels(scale, &u.Asks)
	case "u":
		return s.once(sawUpdate) && s.unsigned(&u.LastSeq)
	case "seq":
		return s.once(sawCross) && s.unsigned(&n)
	}
	return false
}

// kind reads the type of the message.
func (s *bookScanner) kind() bool {
	word, ok := s.text()
	if !ok {
		return false
	}
	s.snapshot = string(word) == typeSnapshot
	return s.snapshot || string(word) == typeDelta
}

// millisMax is a bound of a time in milliseconds, far in the future.
const millisMax = 1 << 53

func (s *bookScanner) skip(b byte) bool {
	if s.at < len(s.data) && s.data[s.at] == b {
		s.at++
		return true
	}
	return false
}

// text reads a string of printable ASCII without escapes, or of bytes above it.
func (s *bookScanner) text() ([]byte, bool) {
	if !s.skip('"') {
		return nil, false
	}
	start := s.at
	for s.at < len(s.data) {
		switch b := s.data[s.at]; {
		case b == '"':
			s.at++
			return s.data[start : s.at-1], true
		case b < ' ' || b == '\\':
			return nil, false
		}
		s.at++
	}
	return nil, false
}

func (s *bookScanner) textIs(want string) bool {
	got, ok := s.text()
	return ok && string(got) == want
}

// numberMax is the largest value that takes one more digit without overflow.
const numberMax = (math.MaxInt64 - 9) / 10

func (s *bookScanner) unsigned(out *uint64) bool {
	start, n := s.at, uint64(0)
	for s.at < len(s.data) && s.data[s.at]-'0' <= 9 {
		if n > numberMax {
			return false
		}
		n = n*10 + uint64(s.data[s.at]-'0')
		s.at++
	}
	digits := s.at - start
	*out = n
	return digits == 1 || digits > 1 && s.data[start] != '0'
}

// levels reads `[["price","qty"],...]`.
func (s *bookScanner) levels(scale venues.Scale, out *[]venues.Level) bool {
	if !s.skip('[') {
		return false
	}
	if s.skip(']') {
		return true
	}
	for {
		var level venues.Level
		if !s.skip('[') || !s.fixed(scale.PriceDecimals, &level.Price) ||
			!s.skip(',') || !s.fixed(scale.QtyDecimals, &level.Qty) || !s.skip(']') || level.Price == 0 {
			return false
		}
		*out = append(*out, level)
		if s.skip(',') {
			continue
		}
		return s.skip(']')
	}
}

// fixed reads a quoted decimal that fits the scale without loss.
func (s *bookScanner) fixed(decimals int, out *int64) bool {
	if !s.skip('"') {
		return false
	}
	n, whole := int64(0), 0
	for ; s.at < len(s.data) && s.data[s.at]-'0' <= 9; s.at++ {
		if n > numberMax {
			return false
		}
		n = n*10 + int64(s.data[s.at]-'0')
		whole++
	}
	left := decimals
	if s.skip('.') {
		fraction := 0
		for ; s.at < len(s.data) && s.data[s.at]-'0' <= 9; s.at++ {
			fraction++
			if left == 0 {
				if s.data[s.at] != '0' {
					return false // finer than the instrument's step
				}
				continue
			}
			if n > numberMax {
				return false
			}
			n = n*10 + int64(s.data[s.at]-'0')
			left--
		}
		if fraction == 0 || fraction > venues.DecimalDigitsMax {
			return false
		}
	}
	for ; left > 0; left-- {
		if n > numberMax {
			return false
		}
		n *= 10
	}
	*out = n
	return whole > 0 && whole <= venues.DecimalDigitsMax && s.skip('"')
}
