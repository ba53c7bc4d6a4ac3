package venuegate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// MessageType is what a message does to what is held of its topic.
type MessageType string

// Types of message. The last two are of the Stream and have no topic.
const (
	// TypeSnapshot replaces all that is held.
	TypeSnapshot MessageType = "snapshot"
	// TypeDelta changes levels of an order book.
	TypeDelta MessageType = "delta"
	// TypeUpdate is one record.
	TypeUpdate MessageType = "update"
	// TypeGap means that Missed trades were left out; nil is an unknown number.
	TypeGap MessageType = "gap"
	// TypeStale means that an order book is not current until the next snapshot.
	TypeStale MessageType = "stale"
	// TypeConnected means that the topics are subscribed.
	TypeConnected MessageType = "connected"
	// TypeDisconnected means that the connection has ended because of Err, and that the next
	// attempt is after RetryIn.
	TypeDisconnected MessageType = "disconnected"
)

// Message is a message of a Stream.
type Message struct {
	// Topic is the canonical name, such as book:okx:BTCUSDT:20.
	Topic string      `json:"channel"`
	Type  MessageType `json:"type"`
	Seq   uint64      `json:"seq"`
	// Time is when the service made the message, VenueTime the venue's time, if it gave one.
	Time      time.Time       `json:"ts"`
	VenueTime *time.Time      `json:"venueTs"`
	Missed    *uint64         `json:"missed"`
	Data      json.RawMessage `json:"data"`

	// Raw is the message as it was received.
	Raw     []byte        `json:"-"`
	Err     error         `json:"-"`
	RetryIn time.Duration `json:"-"`
}

// Records returns the data of a message as records: Trade, Candle, Order, Position or
// Account, after the topic. A snapshot of orders, positions or balances has all of them, an
// update has one.
func Records[T any](m Message) ([]T, error) {
	if m.Data == nil {
		return nil, nil
	}
	text := m.Data
	if !bytes.HasPrefix(text, []byte("[")) {
		text = append(append([]byte("["), text...), ']')
	}
	var records []T
	if err := json.Unmarshal(text, &records); err != nil {
		return nil, fmt.Errorf("decode a message of %s: %w", m.Topic, err)
	}
	return records, nil
}
