package binance

import (
	"sync"

	"venuegate/venues"
)

// leverageMemory remembers the leverage of each instrument, which the events of
// positions lack. It is safe for concurrent use.
type leverageMemory struct {
	mu sync.Mutex
	// leverages is nil while the venue's list has not been read, or may have changed
	// unheard since.
	leverages map[string]venues.Optional
	// changes counts what was learned otherwise: a list that was asked for before
	// the newest may be older.
	changes uint64
}

// asking is what adopt must be given of the moment before a list was asked for.
func (m *leverageMemory) asking() (changes uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changes
}

// adopt takes the venue's whole list.
func (m *leverageMemory) adopt(changes uint64, configs map[string]symbolConfig) {
	leverages := make(map[string]venues.Optional, len(configs))
	for symbol, config := range configs {
		leverages[symbol] = config.Leverage.Positive()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if changes == m.changes {
		m.leverages = leverages
	}
}

// learn takes what the venue tells of one instrument.
func (m *leverageMemory) learn(symbol string, leverage venues.Optional) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changes++
	if m.leverages != nil {
		m.leverages[symbol] = leverage
	}
}

// forget makes the list be read again.
func (m *leverageMemory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changes++
	m.leverages = nil
}

func (m *leverageMemory) known() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.leverages != nil
}

// of is the leverage of an instrument; unknown if it is not remembered.
func (m *leverageMemory) of(symbol string) venues.Optional {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.leverages[symbol]
}
