package binance

import (
	"errors"
	"fmt"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

var errSequence = errors.New("sequence numbers contradict one another")

// bookDecoder decodes book messages of one connection. It is not safe for
// concurrent use.
type bookDecoder struct{ parser fastjson.Parser }

// decode reads a depthUpdate of an instrument into an update of the pool, by the
// scanner or, where that gives up, by the general parser.
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

// decodeBook is the slow and thorough twin of scanBook: fields in any spelling
// that JSON allows, unknown ones ignored, times optional.
func decodeBook(parser *fastjson.Parser, data []byte, venueSymbol string, scale venues.Scale, u *venues.BookUpdate) error {
	o, err := payload.Parse(parser, data)
	if err != nil {
		return err
	}
	if word := o.Text("e"); o.Err() == nil && word != "depthUpdate" {
		return payload.UnknownWord("event", word)
	}
	if name := o.Text("s"); o.Err() == nil && name != venueSymbol {
		return fmt.Errorf("symbol %q: %w", payload.Bounded(name), payload.ErrForeign)
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
