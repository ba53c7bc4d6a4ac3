// Package operationstest provides a source of the state of an installation for tests.
package operationstest

import (
	"context"
	"time"

	"venuegate/transport/operations"
	"venuegate/venues"
)

// Source reports an installation in which each part has one of everything. Err is the error of
// the store.
type Source struct{ Err error }

var at = venues.At(time.Unix(1_800_000_000, 0))

// Actors implements operations.Source.
func (Source) Actors() operations.Actors {
	return operations.NewActors(at, []operations.Actor{
		{Path: "venue/okx", Kind: "venue", Running: true, WaitingMax: 1024, Messages: 12, BusyUs: 1500, CreatedAt: at, StartedAt: at},
		{Path: "venue/okx/book/BTCUSDT", Parent: "venue/okx", Kind: "book", Waiting: 3, WaitingMax: 1024, Failures: 1, Restarts: 1, CreatedAt: at},
	})
}

// Incidents implements operations.Source.
func (Source) Incidents() operations.Incidents {
	return operations.Incidents{
		Failures:    []operations.Failure{{At: at, Actor: "venue/okx/book/BTCUSDT", Cause: "panic: index out of range"}},
		DeadLetters: []operations.DeadLetter{{At: at, Actor: "account/cus_1/okx", Message: "*account.tick"}},
	}
}

// Venues implements operations.Source.
func (Source) Venues() []operations.Venue {
	reason := "clock not compared"
	return []operations.Venue{{
		Exchange: venues.OKX, Environment: "sim", OrderEntry: "websocket", Status: "degraded", Since: at, Reason: &reason, LastError: &reason, LastErrorAt: at,
		Instruments: 9, InstrumentsAt: at, ClockAt: at, ClockOffsetMs: -3, Public: operations.Connections{Wanted: 4, Connected: 3}, Private: operations.Connections{Wanted: 1, Connected: 1},
		Interruptions: 2, Books: 1, FrozenUntil: at,
		Limits:  []operations.RateLimit{{Name: "orders_10s", Used: 7, Limit: 60, FrozenUntil: at}, {Name: "requests_1m", Limit: 1200}},
		Waiting: []operations.Waiting{{Priority: "order", Requests: 2}},
	}}
}

// Books implements operations.Source.
func (Source) Books() []operations.Book {
	return []operations.Book{{Exchange: venues.OKX, Symbol: "BTCUSDT", Phase: "live", PhaseMs: 60_000, SilentMs: 40, Subscribers: 1, Updates: 1200, Gaps: 1, Resyncs: 1, Snapshots: 2}}
}

// Streams implements operations.Source.
func (Source) Streams() operations.Streams {
	s := operations.Streams{Connections: 3, Unauthenticated: 1, Subscriptions: 4, Topics: 2, QueuedBytes: 2048}
	s.Show([]operations.StreamKey{
		{Customer: "cus_1", Key: "key_1", Connections: 1, OldestOpenedAt: at},
		{Customer: "cus_2", Key: "key_2", Connections: 1, Subscriptions: 4, QueuedBytes: 2048, MostQueuedBytes: 2048, OldestOpenedAt: at},
	})
	return s
}

// Store implements operations.Source.
func (s Source) Store(context.Context) (operations.Store, error) {
	reason := "its tables are still being checked"
	return operations.Store{
		Ready: true, Reason: &reason, Bytes: 1 << 20, FreeBytes: 1 << 30, Commits: operations.Commits{Groups: 9, P50: 800, P99: 2100, Max: 3000},
		LastBackupAt: at, KeyFingerprint: "5f3a",
	}, s.Err
}

// Config implements operations.Source.
func (Source) Config() (operations.Config, error) {
	return operations.Config{Version: "test", StartedAt: at, Items: []operations.ConfigValue{{Key: "listen", Value: "127.0.0.1:0", Default: "127.0.0.1:8080"}}}, nil
}
