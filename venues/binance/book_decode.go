package binance

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

// decode decodes a depthUpdate of an instrument into an update of the pool: by scanBook or,
// if that returns false, by decodeBook.
func (d *bookDecoder) decode(data []byte, symbol, venueSymbol string, scale venues.Scale, received time.Time) (*venues.BookUpdate, error) {
	u := venues.NewBookUpdate()
	if !scanBook(data, venueSymbol, scale, u) {
		u.Release()
		u = venues.NewBookUpdate()
		if err := decodeBook(&d.parser, data, venueSymbol, scale, u); err != nil {
			u.Release()
			return nil, err
		}
	}
	u.Symbol, u.Received = symbol, received
	return u, nil
}

// decodeBook decodes a depthUpdate with members in any order and any JSON spelling. Unknown
// members are ignored, and times are optional.
func decodeBook(parser *fastjson.Parser, data []byte, venueSymbol string, scale venues.Scale, u *venues.BookUpdate) error {
	o, err := eventOf(parser, data, "depthUpdate", venueSymbol)
	if err != nil {
		return err
	}
	u.FirstSeq, u.LastSeq, u.PrevSeq = o.Sequence("U"), o.Sequence("u"), o.Sequence("pu")
	u.VenueTime = o.Time("T")
	if u.VenueTime.IsZero() {
		u.VenueTime = o.Time("E")
	}
	level := func(price, qty string) (venues.Level, error) { return payload.Level(price, qty, scale) }
	u.Bids = o.Levels("b", u.Bids, level)
	u.Asks = o.Levels("a", u.Asks, level)
	if o.Err() != nil {
		return o.Err()
	}
	if u.FirstSeq > u.LastSeq || u.PrevSeq > u.LastSeq {
		return errSequence
	}
	return nil
}

// BookReader decodes an instrument's book messages outside a feed, for measurements and
// tools. It is not safe for concurrent use.
type BookReader struct {
	decoder             bookDecoder
	symbol, venueSymbol string
	scale               venues.Scale
}

// NewBookReader returns a reader for the messages of one instrument.
func NewBookReader(i *venues.Instrument) *BookReader {
	return &BookReader{symbol: i.Symbol, venueSymbol: i.VenueSymbol, scale: i.Scale()}
}

// Read decodes one depthUpdate. The update comes from the pool and must be released by
// the caller.
func (r *BookReader) Read(message []byte, received time.Time) (*venues.BookUpdate, error) {
	return r.decoder.decode(message, r.symbol, r.venueSymbol, r.scale, received)
}
