package binance

import (
	"venuegate/venues"
	"venuegate/venues/internal/scan"
)

// scanBook reads a depthUpdate as the venue prints it (no white space, no
// escapes, each known field at most once) straight into fixed-point numbers. It
// allocates nothing beyond the room of u. false means only that the message is
// unlike that and decodeBook must look at it; u is then half filled.
func scanBook(data []byte, venueSymbol string, scale venues.Scale, u *venues.BookUpdate) bool {
	s := bookScanner{Scanner: scan.New(data), venueSymbol: venueSymbol, scale: scale, update: u}
	return s.Object(s.member) && s.End() && s.complete()
}

// Bits of the fields seen.
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

	sawNeeded = sawEvent | sawEventTime | sawTime | sawSymbol | sawFirst | sawLast | sawPrevious | sawBids | sawAsks
)

type bookScanner struct {
	scan.Scanner
	saw         scan.Fields
	venueSymbol string
	scale       venues.Scale
	update      *venues.BookUpdate
}

// complete holds the whole message against what an update needs.
func (s *bookScanner) complete() bool {
	u := s.update
	return s.saw.Have(sawNeeded) && u.FirstSeq <= u.LastSeq && u.PrevSeq <= u.LastSeq
}

// member reads a value of the message.
func (s *bookScanner) member(name []byte) bool {
	u := s.update
	switch string(name) {
	case "e":
		return s.saw.Once(sawEvent) && s.TextIs("depthUpdate")
	case "E":
		return s.saw.Once(sawEventTime) && s.PastMillis()
	case "T":
		return s.saw.Once(sawTime) && s.Millis(&u.VenueTime)
	case "s":
		return s.saw.Once(sawSymbol) && s.TextIs(s.venueSymbol)
	case "ps":
		_, ok := s.Text()
		return ok && s.saw.Once(sawPair)
	case "st":
		return s.saw.Once(sawSegment) && s.PastMillis()
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
