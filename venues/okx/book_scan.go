package okx

import (
	"venuegate/venues"
	"venuegate/venues/internal/scan"
)

// scanBook reads a message of the channel books as the venue prints it (no white
// space, no escapes, each known field at most once) straight into fixed-point
// numbers in base coin. It allocates nothing beyond the room of u. false means
// only that the message is unlike that and decodeBook must look at it; u is then
// half filled.
func scanBook(data []byte, k *contract, u *venues.BookUpdate) bool {
	s := bookScanner{Scanner: scan.New(data), contract: k, update: u}
	return s.head() && s.Object(s.member) && s.Literal("]}") && s.End() && s.complete()
}

// Bits of the fields seen.
const (
	sawAsks scan.Fields = 1 << iota
	sawBids
	sawTime
	sawChecksum
	sawSeq
	sawPrevious

	sawNeeded = sawAsks | sawBids | sawTime | sawSeq
)

type bookScanner struct {
	scan.Scanner
	saw           scan.Fields
	contract      *contract
	update        *venues.BookUpdate
	seq, previous int64
}

// head reads what stands before the message's only row.
func (s *bookScanner) head() bool {
	if !s.Literal(`{"arg":{"channel":"books","instId":"`) || !s.Literal(s.contract.VenueSymbol) || !s.Literal(`"},"action":"`) {
		return false
	}
	s.update.Snapshot = s.Literal("snapshot")
	return (s.update.Snapshot || s.Literal("update")) && s.Literal(`","data":[`)
}

// complete holds the whole message against what an update needs.
func (s *bookScanner) complete() bool {
	return s.saw.Have(sawNeeded) && setSequence(s.update, s.seq, s.previous, s.saw.Have(sawPrevious)) == nil
}

// member reads a value of the row.
func (s *bookScanner) member(name []byte) bool {
	switch string(name) {
	case "asks":
		return s.saw.Once(sawAsks) && s.levels(&s.update.Asks)
	case "bids":
		return s.saw.Once(sawBids) && s.levels(&s.update.Bids)
	case "ts":
		return s.saw.Once(sawTime) && s.Skip('"') && s.Millis(&s.update.VenueTime) && s.Skip('"')
	case "checksum":
		var dead int64
		return s.saw.Once(sawChecksum) && s.Integer(&dead)
	case "seqId":
		return s.saw.Once(sawSeq) && s.Integer(&s.seq)
	case "prevSeqId":
		return s.saw.Once(sawPrevious) && s.Integer(&s.previous)
	}
	return false
}

// levels reads `[["price","contracts","0","orders"],...]` as base coin.
func (s *bookScanner) levels(out *[]venues.Level) bool {
	k := s.contract
	if !s.Levels(venues.Scale{PriceDecimals: k.scale.PriceDecimals, QtyDecimals: k.fold.decimals}, out) {
		return false
	}
	return k.fold.all(*out)
}
