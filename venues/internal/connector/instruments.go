package connector

import (
	"sync/atomic"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// Instruments is the newest list of a venue's instruments. The list is nil until it was
// read. It is safe for concurrent use.
type Instruments struct {
	atomic.Pointer[venues.InstrumentSet]
}

// Get returns an instrument. The error is symbol_not_tradable for one that is not listed.
func (l *Instruments) Get(symbol string) (*venues.Instrument, error) {
	if i, ok := l.Load().Find(symbol); ok {
		return i, nil
	}
	return nil, payload.NoInstrument(symbol)
}

// Trading reports whether an instrument is listed as trading.
func (l *Instruments) Trading(symbol string) bool {
	i, ok := l.Load().Find(symbol)
	return ok && i.Status == venues.InstrumentTrading
}

// ScaleCache keeps the scale of one instrument until the list changes. It is not safe for
// concurrent use.
type ScaleCache struct {
	scale venues.Scale
	list  *venues.InstrumentSet // list from which scale was taken
}

// Scale returns the scale of an instrument by the newest list.
func (c *ScaleCache) Scale(l *Instruments, symbol string) (venues.Scale, error) {
	newest := l.Load()
	if newest != nil && newest == c.list {
		return c.scale, nil
	}
	i, err := l.Get(symbol)
	if err != nil {
		return venues.Scale{}, err
	}
	c.scale, c.list = i.Scale(), newest
	return c.scale, nil
}
