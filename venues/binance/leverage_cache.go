package binance

import (
	"sync"

	"venuegate/venues"
)

// leverageCache keeps the leverage of each instrument, which position events lack. It is
// safe for concurrent use.
type leverageCache struct {
	mu sync.Mutex
	// leverages is nil if the venue's list was not read, or if a change may have been
	// missed since.
	leverages map[string]venues.Optional
	// changes counts the other updates: a list that was requested before the newest one
	// may be older.
	changes uint64
}

// version returns the number of changes, for adopt. It must be called before the list is
// requested.
func (c *leverageCache) version() (changes uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changes
}

// adopt adopts the venue's complete list.
func (c *leverageCache) adopt(changes uint64, configs map[string]symbolConfig) {
	leverages := make(map[string]venues.Optional, len(configs))
	for symbol, config := range configs {
		leverages[symbol] = config.Leverage.Positive()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if changes == c.changes {
		c.leverages = leverages
	}
}

// set sets the leverage of one instrument.
func (c *leverageCache) set(symbol string, leverage venues.Optional) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	if c.leverages != nil {
		c.leverages[symbol] = leverage
	}
}

// invalidate makes the list be read again.
func (c *leverageCache) invalidate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	c.leverages = nil
}

func (c *leverageCache) known() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leverages != nil
}

// of returns the leverage of an instrument, unknown if it is not cached.
func (c *leverageCache) of(symbol string) venues.Optional {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leverages[symbol]
}
