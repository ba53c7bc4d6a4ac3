package okx

import (
	"time"

	"venuegate/venues"
)

// BookReader reads an instrument's book messages outside a feed, for measurements
// and tools. Not safe for concurrent use.
type BookReader struct {
	decoder  bookDecoder
	contract *contract
}

// NewBookReader makes a reader of the channel books of one instrument, whose
// ContractSize must be known.
func NewBookReader(i *venues.Instrument) *BookReader {
	return &BookReader{contract: contractOfInstrument(i)}
}

// Read decodes one message, a snapshot or an update. The update comes from the
// pool; the caller releases it.
func (r *BookReader) Read(message []byte, received time.Time) (*venues.BookUpdate, error) {
	return r.decoder.decode(message, r.contract, received)
}
