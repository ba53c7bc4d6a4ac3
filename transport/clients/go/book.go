package venuegate

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"
)

// Level is a level of an order book.
type Level struct {
	Price, Qty decimal.Decimal
}

// UnmarshalJSON decodes a pair of price and quantity.
func (l *Level) UnmarshalJSON(text []byte) error {
	var pair [2]decimal.Decimal
	if err := json.Unmarshal(text, &pair); err != nil {
		return err
	}
	l.Price, l.Qty = pair[0], pair[1]
	return nil
}

// Book is an order book that follows the messages of its topic. It is not safe for concurrent
// use.
type Book struct {
	topic      string
	bids, asks []Level
	current    bool
}

// NewBook returns the book of a topic, such as book:okx:BTCUSDT:20, in its canonical spelling.
func NewBook(topic string) *Book { return &Book{topic: topic} }

// Apply applies a message. Those of other topics do not change the book.
func (b *Book) Apply(m Message) error {
	if m.Type == TypeDisconnected {
		b.current = false
		return nil
	}
	if m.Topic != b.topic {
		return nil
	}
	if m.Type == TypeStale {
		b.current = false
		return nil
	}
	var data struct {
		Bids []Level `json:"bids"`
		Asks []Level `json:"asks"`
	}
	if err := json.Unmarshal(m.Data, &data); err != nil {
		b.current = false
		return fmt.Errorf("decode a message of %s: %w", m.Topic, err)
	}
	switch {
	case m.Type == TypeSnapshot:
		b.bids, b.asks, b.current = data.Bids, data.Asks, true
	case b.current:
		b.bids = merge(b.bids, data.Bids, func(a, b decimal.Decimal) int { return b.Cmp(a) })
		b.asks = merge(b.asks, data.Asks, decimal.Decimal.Cmp)
	}
	return nil
}

// Current reports whether the levels are those of the venue. They are not before the first
// snapshot, while the connection is interrupted, and while the service has no data itself.
func (b *Book) Current() bool { return b.current }

// Bids returns the bids, best first. The caller must not change them or keep them after the
// next Apply.
func (b *Book) Bids() []Level { return b.bids }

// Asks returns the asks, like Bids.
func (b *Book) Asks() []Level { return b.asks }

// merge replaces the quantities of the changed levels in a sorted side, and removes those
// without a quantity.
func merge(side, changed []Level, order func(a, b decimal.Decimal) int) []Level {
	for _, c := range changed {
		i, found := slices.BinarySearchFunc(side, c, func(l, c Level) int { return order(l.Price, c.Price) })
		switch {
		case found && c.Qty.IsZero():
			side = slices.Delete(side, i, i+1)
		case found:
			side[i] = c
		case !c.Qty.IsZero():
			side = slices.Insert(side, i, c)
		}
	}
	return side
}
