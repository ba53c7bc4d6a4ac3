package operations

import (
	"cmp"
	"slices"

	"venuegate/venues"
)

// StreamKeysMax bounds the keys in a report.
const StreamKeysMax = 500

// Streams are the connections of the stream.
type Streams struct {
	Connections     int `json:"connections"`
	Unauthenticated int `json:"unauthenticated"`
	Subscriptions   int `json:"subscriptions"`
	// Topics counts the subscriptions upstream.
	Topics      int    `json:"topics"`
	QueuedBytes int64  `json:"queuedBytes"`
	Refused     uint64 `json:"refused"`
	SlowWrites  uint64 `json:"slowWrites"`
	// Conflations counts the topics that were restarted from a snapshot for a slow reader,
	// Dropped the frames that were dropped for it.
	Conflations uint64 `json:"conflations"`
	Dropped     uint64 `json:"dropped"`
	// Keys is the number of keys; Items has those with the longest queues.
	Keys  int         `json:"keys"`
	Items []StreamKey `json:"items"`
}

// StreamKey are the connections of an API key, or of a session of the console.
type StreamKey struct {
	Customer      string `json:"customer"`
	Key           string `json:"key"`
	Connections   int    `json:"connections"`
	Subscriptions int    `json:"subscriptions"`
	QueuedBytes   int64  `json:"queuedBytes"`
	// MostQueuedBytes is the longest queue of one of the connections.
	MostQueuedBytes int64       `json:"mostQueuedBytes"`
	OldestOpenedAt  venues.Time `json:"oldestOpenedAt"`
}

// Show sets the keys of a report: those with the longest queues, the longest first.
func (s *Streams) Show(keys []StreamKey) {
	slices.SortStableFunc(keys, func(a, b StreamKey) int { return cmp.Compare(b.QueuedBytes, a.QueuedBytes) })
	s.Keys, s.Items = len(keys), keys[:min(len(keys), StreamKeysMax)]
}
