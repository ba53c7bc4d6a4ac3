package bybit

import (
	"venuegate/venues"
	"venuegate/venues/internal/scan"
)

// scanBook decodes an orderbook message in the form that the venue sends (no white space,
// no escapes, each known member at most once) directly into fixed-point numbers. It
// allocates nothing besides the levels of u. If it returns false, the message has another
// form and must be decoded by decodeBook, and u is incomplete.
func scanBook(data []byte, topic, venueSymbol string, scale venues.Scale, u *venues.BookUpdate) bool {
	s := bookScanner{Scanner: scan.New(data), topic: topic, venueSymbol: venueSymbol, scale: scale, update: u}
	if !s.Object(s.member) || !s.End() || !s.saw.Have(sawRequired) || u.LastSeq == 0 {
		return false
	}
	setSequence(u, s.snapshot)
	return true
}

// setSequence sets the sequence numbers of an update. Each message has the number after its
// predecessor's, a snapshot has no predecessor, and number 1 means that the venue starts
// again and sends the complete book.
func setSequence(u *venues.BookUpdate, snapshot bool) {
	u.FirstSeq = u.LastSeq
	u.Snapshot = snapshot || u.LastSeq == 1
	if !u.Snapshot {
		u.PrevSeq = u.LastSeq - 1
	}
}

// Bits of the members seen.
const (
	sawTopic scan.Fields = 1 << iota
	sawType
	sawTime
	sawEngineTime
	sawData
	sawSymbol
	sawBids
	sawAsks
	sawUpdate
	sawCross

	sawRequired = sawTopic | sawType | sawTime | sawEngineTime | sawData | sawSymbol | sawBids | sawAsks | sawUpdate
)

type bookScanner struct {
	scan.Scanner
	saw                scan.Fields
	topic, venueSymbol string
	scale              venues.Scale
	update             *venues.BookUpdate
	snapshot           bool
}

// member reads a member of the message.
func (s *bookScanner) member(name []byte) bool {
	switch string(name) {
	case "topic":
		return s.saw.Once(sawTopic) && s.TextIs(s.topic)
	case "type":
		return s.saw.Once(sawType) && s.kind()
	case "ts":
		return s.saw.Once(sawTime) && s.SkipMillis()
	case "cts":
		return s.saw.Once(sawEngineTime) && s.Millis(&s.update.VenueTime)
	case "data":
		return s.saw.Once(sawData) && s.Object(s.bookMember)
	}
	return false
}

// bookMember reads a member of the message's data.
func (s *bookScanner) bookMember(name []byte) bool {
	u := s.update
	switch string(name) {
	case "s":
		return s.saw.Once(sawSymbol) && s.TextIs(s.venueSymbol)
	case "b":
		return s.saw.Once(sawBids) && s.Levels(s.scale, &u.Bids)
	case "a":
		return s.saw.Once(sawAsks) && s.Levels(s.scale, &u.Asks)
	case "u":
		return s.saw.Once(sawUpdate) && s.Unsigned(&u.LastSeq)
	case "seq":
		var cross uint64
		return s.saw.Once(sawCross) && s.Unsigned(&cross)
	}
	return false
}

// kind reads the type of the message.
func (s *bookScanner) kind() bool {
	kind, ok := s.Text()
	if !ok {
		return false
	}
	s.snapshot = string(kind) == typeSnapshot
	return s.snapshot || string(kind) == typeDelta
}
