package okx

import (
	"errors"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

var errSequence = errors.New("sequence numbers contradict one another")

// bookDecoder decodes the book messages of one connection. It is not safe for concurrent
// use.
type bookDecoder struct{ parser fastjson.Parser }

// decode decodes a book message into an update of the pool: by scanBook or, if that returns
// false, by decodeBook.
func (d *bookDecoder) decode(data []byte, k *instrument, received time.Time) (*venues.BookUpdate, error) {
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

// decodeBook decodes a book message with members in any order and any JSON spelling.
// Unknown members are ignored.
func decodeBook(parser *fastjson.Parser, data []byte, k *instrument, u *venues.BookUpdate) error {
	o, rows, err := parseRows(parser, data, channelBooks, k.VenueSymbol)
	if err != nil {
		return err
	}
	switch action := o.Text("action"); action {
	case "update":
	case "snapshot":
		u.Snapshot = true
	default:
		return payload.UnknownValue("action", action)
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

// setSequence sets the sequence numbers of an update. A snapshot has no predecessor
// (prevSeqId is -1). The seqId of an update may be lower than its prevSeqId, after a
// maintenance, or equal to it, as a heartbeat without levels. An update follows another if
// its prevSeqId is the seqId of that (document "Order book channel").
func setSequence(u *venues.BookUpdate, seq, previous int64, hasPrevious bool) error {
	if seq < 0 {
		return errSequence
	}
	u.FirstSeq, u.LastSeq = uint64(seq), uint64(seq)
	if u.Snapshot {
		return nil
	}
	if !hasPrevious || previous < 0 {
		return errSequence
	}
	u.PrevSeq = uint64(previous)
	return nil
}

// parseLevel returns a level from decimal texts, with its quantity in base coin.
func (k *instrument) parseLevel(price, contracts string) (venues.Level, error) {
	return payload.LevelOf(price, contracts, k.scale, k.toBase)
}

// bookRecord is a row of GET /api/v5/market/books.
type bookRecord struct {
	Asks  [][]string `json:"asks"`
	Bids  [][]string `json:"bids"`
	TS    milliTime  `json:"ts"`
	SeqID *int64     `json:"seqId"`
}

// update returns the snapshot in fixed-point numbers, in an update of the pool.
func (r *bookRecord) update(k *instrument, received time.Time) (*venues.BookUpdate, error) {
	switch {
	case r.SeqID == nil:
		return nil, payload.Missing("seqId")
	case *r.SeqID < 0:
		return nil, errSequence
	}
	book := payload.Book{Symbol: k.Symbol, Seq: uint64(*r.SeqID), Time: r.TS.Time, Bids: r.Bids, Asks: r.Asks}
	return book.Snapshot(received, k.parseLevel)
}

// BookReader decodes an instrument's book messages outside a feed, for measurements and
// tools. It is not safe for concurrent use.
type BookReader struct {
	decoder    bookDecoder
	instrument *instrument
}

// NewBookReader returns a reader for the channel books of one instrument, whose
// ContractSize must be known.
func NewBookReader(i *venues.Instrument) *BookReader {
	return &BookReader{instrument: newInstrument(i)}
}

// Read decodes one message, a snapshot or an update. The update comes from the pool and
// must be released by the caller.
func (r *BookReader) Read(message []byte, received time.Time) (*venues.BookUpdate, error) {
	return r.decoder.decode(message, r.instrument, received)
}
