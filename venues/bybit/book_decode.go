package bybit

import (
	"fmt"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// Types of a message.
const (
	typeSnapshot = "snapshot"
	typeDelta    = "delta"
)

// bookDecoder decodes the book messages of one connection. It is not safe for concurrent
// use.
type bookDecoder struct{ parser fastjson.Parser }

// decode decodes an orderbook message of an instrument into an update of the pool: by
// scanBook or, if that returns false, by decodeBook.
func (d *bookDecoder) decode(data []byte, topic, symbol, venueSymbol string, scale venues.Scale, received time.Time) (*venues.BookUpdate, error) {
	u := venues.NewBookUpdate()
	if !scanBook(data, topic, venueSymbol, scale, u) {
		u.Release()
		u = venues.NewBookUpdate()
		if err := decodeBook(&d.parser, data, topic, venueSymbol, scale, u); err != nil {
			u.Release()
			return nil, err
		}
	}
	u.Symbol, u.Received = symbol, received
	return u, nil
}

// decodeBook decodes an orderbook message with members in any order and any JSON spelling.
// Unknown members are ignored, and times are optional.
func decodeBook(parser *fastjson.Parser, data []byte, topic, venueSymbol string, scale venues.Scale, u *venues.BookUpdate) error {
	o, err := topicEvent(parser, data, topic)
	if err != nil {
		return err
	}
	kind := o.Text("type")
	if o.Err() == nil && kind != typeSnapshot && kind != typeDelta {
		return payload.UnknownValue("type", kind)
	}
	u.VenueTime = o.Time("cts")
	if u.VenueTime.IsZero() {
		u.VenueTime = o.Time("ts")
	}
	book := o.Object("data")
	book.Expect("s", venueSymbol)
	u.LastSeq = book.Sequence("u")
	level := func(price, qty string) (venues.Level, error) { return payload.Level(price, qty, scale) }
	u.Bids = book.Levels("b", u.Bids, level)
	u.Asks = book.Levels("a", u.Asks, level)
	if book.Err() == nil && u.LastSeq == 0 {
		book.Fail("u", payload.ErrMissing)
	}
	if book.Err() != nil {
		return book.Err()
	}
	setSequence(u, kind == typeSnapshot)
	return nil
}

// BookReader decodes an instrument's book messages outside a feed, for measurements and
// tools. It is not safe for concurrent use.
type BookReader struct {
	decoder                    bookDecoder
	topic, symbol, venueSymbol string
	scale                      venues.Scale
}

// NewBookReader returns a reader for the messages of one instrument with depth levels a
// side.
func NewBookReader(i *venues.Instrument, depth int) *BookReader {
	return &BookReader{
		topic: fmt.Sprintf("orderbook.%d.%s", depth, i.VenueSymbol), symbol: i.Symbol, venueSymbol: i.VenueSymbol, scale: i.Scale(),
	}
}

// Read decodes one message, a snapshot or a delta. The update comes from the pool and
// must be released by the caller.
func (r *BookReader) Read(message []byte, received time.Time) (*venues.BookUpdate, error) {
	return r.decoder.decode(message, r.topic, r.symbol, r.venueSymbol, r.scale, received)
}
