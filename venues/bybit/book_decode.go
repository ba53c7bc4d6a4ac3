package bybit

import (
	"errors"
	"fmt"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
)

// Types of a message.
const (
	typeSnapshot = "snapshot"
	typeDelta    = "delta"
)

// Reasons why a message cannot be used.
var (
	errScale   = errors.New("number does not fit the instrument's tick or step")
	errForeign = errors.New("message is about something else")
)

// bookDecoder decodes book messages of one connection. It is not safe for
// concurrent use.
type bookDecoder struct{ parser fastjson.Parser }

// decode reads an orderbook message of an instrument into an update of the pool,
// by the scanner or, where that gives up, by the general parser.
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

// decodeBook is the slow and thorough twin of scanBook: fields in any spelling
// that JSON allows, unknown ones ignored, times optional.
func decodeBook(parser *fastjson.Parser, data []byte, topic, venueSymbol string, scale venues.Scale, u *venues.BookUpdate) error {
	o, err := parseEvent(parser, data)
	if err != nil {
		return err
	}
	if name := o.text("topic"); o.err == nil && name != topic {
		return fmt.Errorf("topic %q: %w", bounded(name), errForeign)
	}
	word := o.text("type")
	if o.err == nil && word != typeSnapshot && word != typeDelta {
		return unknownWord("type", word)
	}
	u.VenueTime = o.time("cts")
	if u.VenueTime.IsZero() {
		u.VenueTime = o.time("ts")
	}
	book := o.object("data")
	if name := book.text("s"); book.err == nil && name != venueSymbol {
		return fmt.Errorf("symbol %q: %w", bounded(name), errForeign)
	}
	u.LastSeq = book.sequence("u")
	u.Bids = book.levels("b", scale, u.Bids)
	u.Asks = book.levels("a", scale, u.Asks)
	if book.err == nil && u.LastSeq == 0 {
		book.fail("u", errMissing)
	}
	if book.err != nil {
		return book.err
	}
	sequence(u, word == typeSnapshot)
	return nil
}

// parseLevel is one level from decimal texts.
func parseLevel(price, qty string, scale venues.Scale) (venues.Level, error) {
	p, err := parseFixed(price, scale.PriceDecimals)
	if err != nil {
		return venues.Level{}, fmt.Errorf("price: %w", err)
	}
	q, err := parseFixed(qty, scale.QtyDecimals)
	if err != nil {
		return venues.Level{}, fmt.Errorf("quantity: %w", err)
	}
	if p == 0 {
		return venues.Level{}, fmt.Errorf("price 0: %w", errScale)
	}
	return venues.Level{Price: p, Qty: q}, nil
}

// parseFixed turns a decimal text into a fixed-point number, exactly or not at
// all.
func parseFixed(text string, decimals int) (int64, error) {
	value, err := venues.ParseVenueDecimal(text)
	if err != nil {
		return 0, err
	}
	shifted := value.Shift(int32(decimals))
	if shifted.IsNegative() || !shifted.IsInteger() || !shifted.BigInt().IsInt64() {
		return 0, errScale
	}
	return shifted.IntPart(), nil
}
