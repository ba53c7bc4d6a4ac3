package binance

import (
	"math"
	"time"

	"venuegate/venues"
)

// scanDepth reads a depthUpdate as the venue prints it (no white space, no
// escapes, each known field at most once) straight into fixed-point numbers. It
// allocates nothing beyond the room of u. false means only that the message is
// unlike that and decodeDepth must look at it; u is then half filled.
func scanDepth(data []byte, venueSymbol string, scale venues.Scale, u *venues.BookUpdate) bool {
	s := depthScanner{data: data}
	if !s.skip('{') {
		return false
	}
	for {
		if !s.field(venueSymbol, scale, u) {
			return false
		}
		if s.skip(',') {
			continue
		}
		return s.skip('}') && s.at == len(s.data) && s.complete(u)
	}
}

// Bits of the fields seen.
const (
	sawEvent = 1 << iota
	sawEventTime
	sawTime
	sawSymbol
	sawFirst
	sawLast
	sawPrevious
	sawBids
	sawAsks
	sawPair
	sawSegment

	sawNeeded = sawEvent | sawEventTime | sawTime | sawSymbol | sawFirst | sawLast | sawPrevious | sawBids | sawAsks
)

type depthScanner struct {
	data []byte
	at   int
	saw  uint
}

// complete holds the whole message against what an update needs.
func (s *depthScanner) complete(u *venues.BookUpdate) bool {
	return s.saw&sawNeeded == sawNeeded && u.FirstSeq <= u.LastSeq && u.PrevSeq <= u.LastSeq
}

// once marks a field and says whether it is the first of its name.
func (s *depthScanner) once(field uint) bool {
	first := s.saw&field == 0
	s.saw |= field
	return first
}

// field reads one `"name":value`.
func (s *depthScanner) field(venueSymbol string, scale venues.Scale, u *venues.BookUpdate) bool {
	name, ok := s.text()
	if !ok || !s.skip(':') {
		return false
	}
	switch string(name) {
	case "e":
		return s.once(sawEvent) && s.textIs("depthUpdate")
	case "s":
		return s.once(sawSymbol) && s.textIs(venueSymbol)
	case "ps":
		_, ok = s.text()
		return ok && s.once(sawPair)
	case "U":
		return s.once(sawFirst) && s.unsigned(&u.FirstSeq)
	case "u":
		return s.once(sawLast) && s.unsigned(&u.LastSeq)
	case "pu":
		return s.once(sawPrevious) && s.unsigned(&u.PrevSeq)
	case "b":
		return s.once(sawBids) && s.levels(scale, &u.Bids)
	case "a":
		return s.once(sawAsks) && s.levels(scale, &u.Asks)
	}
	return s.stamp(string(name), u)
}

// stamp reads one of the numbers beside the levels.
func (s *depthScanner) stamp(name string, u *venues.BookUpdate) bool {
	var n uint64
	switch {
	case name == "T" && s.once(sawTime) && s.unsigned(&n) && n > 0 && n < millisMax:
		u.VenueTime = time.UnixMilli(int64(n)).UTC()
		return true
	case name == "E" && s.once(sawEventTime), name == "st" && s.once(sawSegment):
		return s.unsigned(&n) && n < millisMax
	}
	return false
}

// millisMax is a bound of a time in milliseconds, far in the future.
const millisMax = 1 << 53

func (s *depthScanner) skip(b byte) bool {
	if s.at < len(s.data) && s.data[s.at] == b {
		s.at++
		return true
	}
	return false
}

// text reads a string of printable ASCII without escapes, or of bytes above it.
func (s *depthScanner) text() ([]byte, bool) {
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

func (s *depthScanner) textIs(want string) bool {
	got, ok := s.text()
	return ok && string(got) == want
}

// numberMax is the largest value that takes one more digit without overflow.
const numberMax = (math.MaxInt64 - 9) / 10

func (s *depthScanner) unsigned(out *uint64) bool {
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
func (s *depthScanner) levels(scale venues.Scale, out *[]venues.Level) bool {
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
func (s *depthScanner) fixed(decimals int, out *int64) bool {
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
