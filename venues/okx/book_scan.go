package okx

import (
	"venuegate/venues"
	"venuegate/venues/internal/scan"
)

// scanBook decodes a message of the channel books in the form that the venue sends (no
// white space, no escapes, each known member at most once) directly into fixed-point
// numbers in base coin. It allocates nothing besides the levels of u. If it returns
// false, the message has another form and must be decoded by decodeBook, and u is
// incomplete.
func scanBook(data []byte, k *instrument, u *venues.BookUpdate) bool {
	s := bookScanner{Scanner: scan.New(data), instrument: k, update: u}
	return s.head() && s.Object(s.member) && s.Literal("]}") && s.End() && s.complete()
}

// Bits of the members seen.
const (
	sawAsks scan.Fields = 1 << iota
	sawBids
	sawTime
	sawChecksum
	sawSeq
	sawPrevious

	sawRequired = sawAsks | sawBids | sawTime | sawSeq
)

type bookScanner struct {
	scan.Scanner
	saw           scan.Fields
	instrument    *instrument
	update        *venues.BookUpdate
	seq, previous int64
}

// head reads everything before the message's only row.
func (s *bookScanner) head() bool {
	if !s.Literal(`{"arg":{"channel":"books","instId":"`) || !s.Literal(s.instrument.VenueSymbol) || !s.Literal(`"},"action":"`) {
		return false
	}
	s.update.Snapshot = s.Literal("snapshot")
	return (s.update.Snapshot || s.Literal("update")) && s.Literal(`","data":[`)
}

// complete reports whether all members that an update requires were seen.
func (s *bookScanner) complete() bool {
	return s.saw.Have(sawRequired) && setSequence(s.update, s.seq, s.previous, s.saw.Have(sawPrevious)) == nil
}

// member reads a member of the row.
func (s *bookScanner) member(name []byte) bool {
	switch string(name) {
	case "asks":
		return s.saw.Once(sawAsks) && s.levels(&s.update.Asks)
	case "bids":
		return s.saw.Once(sawBids) && s.levels(&s.update.Bids)
	case "ts":
		return s.saw.Once(sawTime) && s.Skip('"') && s.Millis(&s.update.VenueTime) && s.Skip('"')
	case "checksum":
		var ignored int64
		return s.saw.Once(sawChecksum) && s.Integer(&ignored)
	case "seqId":
		return s.saw.Once(sawSeq) && s.Integer(&s.seq)
	case "prevSeqId":
		return s.saw.Once(sawPrevious) && s.Integer(&s.previous)
	}
	return false
}

// levels reads `[["price","contracts","0","orders"],...]` in base coin.
func (s *bookScanner) levels(out *[]venues.Level) bool {
	k := s.instrument
	if !s.Levels(venues.Scale{PriceDecimals: k.scale.PriceDecimals, QtyDecimals: k.ratio.decimals}, out) {
		return false
	}
	return k.ratio.convert(*out)
}
