package binance

import (
	"time"

	"venuegate/venues"
)

// DepthReader reads an instrument's book messages outside a feed, for measurements
// and tools. Not safe for concurrent use.
type DepthReader struct {
	decoder             depthDecoder
	symbol, venueSymbol string
	scale               venues.Scale
}

// NewDepthReader makes a reader of one instrument's messages.
func NewDepthReader(i *venues.Instrument) *DepthReader {
	return &DepthReader{symbol: i.Symbol, venueSymbol: i.VenueSymbol, scale: i.Scale()}
}

// Read decodes one depthUpdate. The update comes from the pool; the caller
// releases it.
func (r *DepthReader) Read(message []byte, received time.Time) (*venues.BookUpdate, error) {
	return r.decoder.decode(message, r.symbol, r.venueSymbol, r.scale, received)
}
