package binance

import (
	"time"

	"venuegate/venues"
)

// DepthReader reads book messages of the stream outside a feed, for measurements
// and tools. Not safe for concurrent use.
type DepthReader struct{ decoder depthDecoder }

// Read decodes one depthUpdate of an instrument. The update comes from the pool;
// the caller releases it.
func (r *DepthReader) Read(message []byte, i *venues.Instrument, received time.Time) (*venues.BookUpdate, error) {
	return r.decoder.decode(message, i.Symbol, i.VenueSymbol, i.Scale(), received)
}
