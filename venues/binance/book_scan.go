package binance

import (
	"venuegate/venues"
	"venuegate/venues/internal/scan"
)

// scanBook decodes a depthUpdate in the form that the venue sends (no white space, no
// escapes, each known member at most once) directly into fixed-point numbers. It
// allocates nothing besides the levels of u. False means only that the message has
// another form and must be decoded by decodeBook; u is incomplete then.
func scanBook(data []byte, venueSymbol string, scale venues.Scale, u *venues.BookUpdate) bool {
	s := bookScanner{Scanner: scan.New(data), venueSymbol: venueSymbol, scale: scale, update: u}
	return s.Object(s.member) && s.End() && s.complete()
}

// Bits of the members seen.
const (
	sawEvent scan.Fields = 1 << iota
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

	sawRequired = sawEvent | sawEventTime | sawTime | sawSymbol | sawFirst | sawLast | sawPrevious | sawBids | sawAsks
)

type bookScanner struct {
	scan.Scanner
	saw         scan.Fields
	venueSymbol string
	scale       venues.Scale
	update      *venues.BookUpdate
}

// complete reports whether all members that an update requires were seen.
func (s *bookScanner) complete() bool {
	u := s.update
	return s.saw.Have(sawRequired) && u.FirstSeq <= u.LastSeq && u.PrevSeq <= u.LastSeq
}

// member reads a member of the message.
func (s *bookScanner) member(name []byte) bool {
	u := s.update
	switch string(name) {
	case "e":
		return s.saw.Once(sawEvent) && s.TextIs("depthUpdate")
	case "E":
		return s.saw.Once(sawEventTime) && s.SkipMillis()
	case "T":
		return s.saw.Once(sawTime) && s.Millis(&u.VenueTime)
	case "s":
		return s.saw.Once(sawSymbol) && s.TextIs(s.venueSymbol)
	case "ps":
		_, ok := s.Text()
		return ok && s.saw.Once(sawPair)
	case "st":
		return s.saw.Once(sawSegment) && s.SkipMillis()
	case "U":
		return s.saw.Once(sawFirst) && s.Unsigned(&u.FirstSeq)
	case "u":
		return s.saw.Once(sawLast) && s.Unsigned(&u.LastSeq)
	case "pu":
		return s.saw.Once(sawPrevious) && s.Unsigned(&u.PrevSeq)
	case "b":
		return s.saw.Once(sawBids) && s.Levels(s.scale, &u.Bids)
	case "a":
		return s.saw.Once(sawAsks) && s.Levels(s.scale, &u.Asks)
	}
	return false
}
