package stream_test

import (
	"testing"

	"venuegate/transport/stream"
)

// The connections of a key are counted together, with their subscriptions.
func TestKeysCountConnections(t *testing.T) {
	s := newServer(t, stream.Options{Shards: 2}, false)
	s.connect() // it has no key
	first, second := s.login("alice"), s.login("alice")
	first.subscribe("book:okx:BTCUSDT:5", "trades:okx:BTCUSDT")
	second.subscribe("trades:okx:BTCUSDT")
	s.login("bob")
	eventually(t, "the subscriptions of two keys", func() bool {
		keys := s.hub.Keys()
		return len(keys) == 2 && keys[0].Connections == 2 && keys[0].Subscriptions == 3 && keys[1].Connections == 1 && keys[1].Subscriptions == 0
	})
	keys := s.hub.Keys()
	if keys[0].Customer == keys[1].Customer || keys[0].KeyID == keys[1].KeyID || keys[0].OldestOpenedAt.IsZero() {
		t.Errorf("keys = %+v, want those of two customers with the time of the oldest connection", keys)
	}
	first.close()
	second.close()
	eventually(t, "the key without a connection to be gone", func() bool { return len(s.hub.Keys()) == 1 })
}
