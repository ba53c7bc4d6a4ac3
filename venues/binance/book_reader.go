package binance

import (
	"time"

	"venuegate/venues"
)

// BookReader reads an instrument's book messages outside a feed, for measurements
// and tools. Not safe for concurrent use.
type BookReader struct {
	decoder             bookDecoder
	symbol, venueSymbol string
	scale               venues.Scale
}

// NewBookReader makes a reader of one instrument's messages.
func NewBookReader(i *venues.Instrument) *BookReader {
	return &BookReader{symbol: i.Symbol, venueSymbol: i.VenueSymbol, scale: i.Scale()}
}

// Read decodes one depthUpdate. The update comes from the pool; the caller
// releases it.
func (r *BookReader) Read(message []byte, received time.Time) (*venues.BookUpdate, error) {
	return r.decoder.decode(message, r.symbol, r.venueSymbol, r.scale, received)
}
