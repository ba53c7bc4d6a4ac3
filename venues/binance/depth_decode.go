package binance

import (
	"errors"
	"fmt"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
)

// Reasons why a depth message cannot be used.
var (
	errScale    = errors.New("number does not fit the instrument's tick or step")
	errSequence = errors.New("sequence numbers contradict one another")
	errForeign  = errors.New("message is about something else")
)

// depthDecoder decodes book messages of one connection. It is not safe for
// concurrent use.
type depthDecoder struct{ parser fastjson.Parser }

// decode reads a depthUpdate of an instrument into an update of the pool, by the
// scanner or, where that gives up, by the general parser.
func (d *depthDecoder) decode(data []byte, symbol, venueSymbol string, scale venues.Scale, received time.Time) (*venues.BookUpdate, error) {
	u := venues.NewBookUpdate()
	if !scanDepth(data, venueSymbol, scale, u) {
		u.Release()
		u = venues.NewBookUpdate()
		if err := decodeDepth(&d.parser, data, venueSymbol, scale, u); err != nil {
			u.Release()
			return nil, err
		}
	}
	u.Symbol, u.Received = symbol, received
	return u, nil
}

// decodeDepth is the slow and thorough twin of scanDepth: fields in any spelling
// that JSON allows, unknown ones ignored, times optional.
func decodeDepth(parser *fastjson.Parser, data []byte, venueSymbol string, scale venues.Scale, u *venues.BookUpdate) error {
	o, err := parseEvent(parser, data)
	if err != nil {
		return err
	}
	if word := o.text("e"); o.err == nil && word != "depthUpdate" {
		return unknownWord("event", word)
	}
	if name := o.text("s"); o.err == nil && name != venueSymbol {
		return fmt.Errorf("symbol %q: %w", bounded(name), errForeign)
	}
	u.FirstSeq, u.LastSeq, u.PrevSeq = o.sequence("U"), o.sequence("u"), o.sequence("pu")
	u.VenueTime = o.time("T")
	if u.VenueTime.IsZero() {
		u.VenueTime = o.time("E")
	}
	u.Bids = o.levels("b", scale, u.Bids)
	u.Asks = o.levels("a", scale, u.Asks)
	if o.err != nil {
		return o.err
	}
	if u.FirstSeq > u.LastSeq || u.PrevSeq > u.LastSeq {
		return errSequence
	}
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
