package okx

import (
	"math"
	"time"

	"venuegate/venues"
)

// scanBook reads a message of the channel books as the venue prints it (no white
// space, no escapes, each known field at most once) straight into fixed-point
// numbers in base coin. It allocates nothing beyond the room of u. false means
// only that the message is unlike that and decodeBook must look at it; u is then
// half filled.
func scanBook(data []byte, k *contract, u *venues.BookUpdate) bool {
	s := bookScanner{data: data, priceDecimals: k.scale.PriceDecimals, fold: k.fold}
	if !s.literal(`{"arg":{"channel":"books","instId":"`) || !s.literal(k.VenueSymbol) || !s.literal(`"},"action":"`) {
		return false
	}
	switch {
	case s.literal("update"):
	case s.literal("snapshot"):
		u.Snapshot = true
	default:
		return false
	}
	if !s.literal(`","data":[{`) {
		return false
	}
	for {
		if !s.field(u) {
			return false
		}
		if s.skip(',') {
			continue
		}
		return s.literal("}]}") && s.at == len(s.data) && s.complete(u)
	}
}

// Bits of the fields seen.
const (
	sawAsks = 1 << iota
	sawBids
	sawTime
	sawChecksum
	sawSeq
	sawPrevious

	sawNeeded = sawAsks | sawBids | sawTime | sawSeq
)

type bookScanner struct {
	data          []byte
	at            int
	saw           uint
	priceDecimals int
	fold          fold
	seq, previous int64
}

// complete holds the whole message against what an update needs.
func (s *bookScanner) complete(u *venues.BookUpdate) bool {
	return s.saw&sawNeeded == sawNeeded && setSequence(u, s.seq, s.previous, s.saw&sawPrevious != 0) == nil
}

// once marks a field and says whether it is the first of its name.
func (s *bookScanner) once(field uint) bool {
	first := s.saw&field == 0
	s.saw |= field
	return first
}

// field reads one `"name":value`.
func (s *bookScanner) field(u *venues.BookUpdate) bool {
	name, ok := s.text()
	if !ok || !s.skip(':') {
		return false
	}
	switch string(name) {
	case "asks":
		return s.once(sawAsks) && s.levels(&u.Asks)
	case "bids":
		return s.once(sawBids) && s.levels(&u.Bids)
	case "ts":
		return s.once(sawTime) && s.stamp(u)
	case "checksum":
		var dead int64
		return s.once(sawChecksum) && s.integer(&dead)
	case "seqId":
		return s.once(sawSeq) && s.integer(&s.seq)
	case "prevSeqId":
		return s.once(sawPrevious) && s.integer(&s.previous)
	}
	return false
}

func (s *bookScanner) stamp(u *venues.BookUpdate) bool {
	var n int64
	if !s.skip('"') || !s.integer(&n) || !s.skip('"') || n <= 0 || n >= millisMax {
		return false
	}
	u.VenueTime = time.UnixMilli(n).UTC()
	return true
}

func (s *bookScanner) skip(b byte) bool {
	if s.at < len(s.data) && s.data[s.at] == b {
		s.at++
		return true
	}
	return false
}

func (s *bookScanner) literal(text string) bool {
	if len(s.data)-s.at < len(text) || string(s.data[s.at:s.at+len(text)]) != text {
		return false
	}
	s.at += len(text)
	return true
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

// numberMax is the largest value that takes one more digit without overflow.
const numberMax = (math.MaxInt64 - 9) / 10

// integer reads a JSON integer.
func (s *bookScanner) integer(out *int64) bool {
	negative := s.skip('-')
	start, n := s.at, int64(0)
	if s.digits(&n) == 0 || s.at-start > 1 && s.data[start] == '0' {
		return false
	}
	if negative {
		n = -n
	}
	*out = n
	return true
}

// digits reads a run of digits behind n and returns how many there were; 0 also
// if they are too many.
func (s *bookScanner) digits(n *int64) int {
	start := s.at
	for s.at < len(s.data) && s.data[s.at]-'0' <= 9 {
		if *n > numberMax {
			return 0
		}
		*n = *n*10 + int64(s.data[s.at]-'0')
		s.at++
	}
	return s.at - start
}

// levels reads `[["price","contracts","0","orders"],...]`.
func (s *bookScanner) levels(out *[]venues.Level) bool {
	if !s.skip('[') {
		return false
	}
	if s.skip(']') {
		return true
	}
	for {
		var level venues.Level
		var contracts int64
		ok := s.skip('[') && s.fixed(s.priceDecimals, &level.Price) && level.Price > 0 &&
			s.skip(',') && s.fixed(s.fold.decimals, &contracts) && s.rest()
		if !ok {
			return false
		}
		if level.Qty, ok = s.fold.qty(contracts); !ok {
			return false
		}
		*out = append(*out, level)
		if s.skip(',') {
			continue
		}
		return s.skip(']')
	}
}

// rest passes over the cells of a level that say nothing here.
func (s *bookScanner) rest() bool {
	for s.skip(',') {
		if _, ok := s.text(); !ok {
			return false
		}
	}
	return s.skip(']')
}

// fixed reads a quoted decimal that fits so many decimals without loss.
func (s *bookScanner) fixed(decimals int, out *int64) bool {
	if !s.skip('"') {
		return false
	}
	n := int64(0)
	whole := s.digits(&n)
	if whole == 0 || whole > venues.DecimalDigitsMax {
		return false
	}
	left := decimals
	if s.skip('.') {
		fraction := 0
		for ; s.at < len(s.data) && s.data[s.at]-'0' <= 9; s.at++ {
			digit := int64(s.data[s.at] - '0')
			fraction++
			if left == 0 {
				if digit != 0 {
					return false // finer than the instrument's step
				}
				continue
			}
			if n > numberMax {
				return false
			}
			n, left = n*10+digit, left-1
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
	return s.skip('"')
}
