package okx

import (
	"errors"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

var errSequence = errors.New("sequence numbers contradict one another")

// bookDecoder decodes book messages of one connection. It is not safe for
// concurrent use.
type bookDecoder struct{ parser fastjson.Parser }

// decode reads a message about an instrument's book into an update of the pool,
// by the scanner or, where that gives up, by the general parser.
func (d *bookDecoder) decode(data []byte, k *contract, received time.Time) (*venues.BookUpdate, error) {
	u := venues.NewBookUpdate()
	if !scanBook(data, k, u) {
		u.Release()
		u = venues.NewBookUpdate()
		if err := decodeBook(&d.parser, data, k, u); err != nil {
			u.Release()
			return nil, err
		}
	}
	u.Symbol, u.Received = k.Symbol, received
	return u, nil
}

// decodeBook is the slow and thorough twin of scanBook: fields in any order and
// spelling that JSON allows, unknown ones ignored.
func decodeBook(parser *fastjson.Parser, data []byte, k *contract, u *venues.BookUpdate) error {
	o, rows, err := pushOf(parser, data, channelBooks, k.VenueSymbol)
	if err != nil {
		return err
	}
	switch action := o.Text("action"); action {
	case "update":
	case "snapshot":
		u.Snapshot = true
	default:
		return payload.UnknownWord("action", action)
	}
	if len(rows) != 1 {
		return payload.Missing("data")
	}
	row := rows[0]
	u.VenueTime = row.TimeText("ts")
	u.Bids, u.Asks = row.Levels("bids", u.Bids, k.parseLevel), row.Levels("asks", u.Asks, k.parseLevel)
	seq, previous := row.Integer("seqId"), int64(-1)
	if !row.Has("seqId") {
		row.Fail("seqId", payload.ErrMissing)
	}
	if row.Has("prevSeqId") {
		previous = row.Integer("prevSeqId")
	}
	if row.Err() != nil {
		return row.Err()
	}
	return setSequence(u, seq, previous, row.Has("prevSeqId"))
}

// setSequence brings the venue's numbers to the common form. A snapshot follows
// nothing. An update may have a lower number than the one before it, after a
// maintenance of the venue, or the same and no levels, as a sign of life: the
// chain is what counts.
func setSequence(u *venues.BookUpdate, seq, previous int64, chained bool) error {
	if seq < 0 {
		return errSequence
	}
	u.FirstSeq, u.LastSeq = uint64(seq), uint64(seq)
	if u.Snapshot {
		return nil
	}
	if !chained || previous < 0 {
		return errSequence
	}
	u.PrevSeq = uint64(previous)
	return nil
}

// parseLevel is one level from decimal texts, its quantity in base coin.
func (k *contract) parseLevel(price, contracts string) (venues.Level, error) {
	return payload.LevelOf(price, contracts, k.scale, k.base)
}

// bookRecord is a row of GET /api/v5/market/books.
type bookRecord struct {
	Asks  [][]string `json:"asks"`
	Bids  [][]string `json:"bids"`
	TS    moment     `json:"ts"`
	SeqID *int64     `json:"seqId"`
}

// update brings the snapshot to fixed-point numbers, in an update of the pool.
func (r *bookRecord) update(k *contract, received time.Time) (*venues.BookUpdate, error) {
	if r.SeqID == nil {
		return nil, payload.Missing("seqId")
	}
	u := venues.NewBookUpdate()
	u.Symbol, u.Snapshot = k.Symbol, true
	u.VenueTime, u.Received = r.TS.Time, received
	err := setSequence(u, *r.SeqID, -1, false)
	if err == nil {
		err = payload.Sides(u, r.Bids, r.Asks, k.parseLevel)
	}
	if err != nil {
		u.Release()
		return nil, err
	}
	return u, nil
}
