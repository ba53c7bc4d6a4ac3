package bybit

import (
	"fmt"
	"time"

	"venuegate/venues"
)

// BookReader reads an instrument's book messages outside a feed, for measurements
// and tools. Not safe for concurrent use.
type BookReader struct {
	decoder                    bookDecoder
	topic, symbol, venueSymbol string
	scale                      venues.Scale
}

// NewBookReader makes a reader of one instrument's messages of so many levels a
// side.
func NewBookReader(i *venues.Instrument, depth int) *BookReader {
	return &BookReader{
		topic: fmt.Sprintf("orderbook.%d.%s", depth, i.VenueSymbol), symbol: i.Symbol, venueSymbol: i.VenueSymbol, scale: i.Scale(),
	}
}

// Read decodes one message, a snapshot or a delta. The update comes from the
// pool; the caller releases it.
func (r *BookReader) Read(message []byte, received time.Time) (*venues.BookUpdate, error) {
	return r.decoder.decode(message, r.topic, r.symbol, r.venueSymbol, r.scale, received)
}
