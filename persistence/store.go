package persistence

import (
	"context"
	"time"

	"venuegate/venues"
)

// Fence names the owner of a customer: the epoch rises each time the customer
// is taken.
type Fence struct {
	Customer string
	Epoch    uint64
}

// Batch is one closed commit.
type Batch struct {
	// Fence of the customer; the zero Fence is for the installation's own
	// records.
	Fence Fence
	// Absent lists keys that must not exist before the batch.
	Absent []Key
	Puts   []Record
	// Events and Journal are numbered by the owner; see Sequence.
	Events  []Event
	Journal []JournalEntry
}

// Empty says whether the batch would change nothing.
func (b *Batch) Empty() bool {
	return len(b.Puts) == 0 && len(b.Events) == 0 && len(b.Journal) == 0 && len(b.Absent) == 0
}

// Writer takes commits. It is safe for concurrent use.
type Writer interface {
	// Submit queues the batch and returns at once; done is called exactly once,
	// in order of submission, after the batch is durable (nil) or has failed.
	// done must not block; it may submit. A full queue is ErrUnavailable, given through done
	// before Submit returns. An empty batch is a barrier: done is called when
	// everything before it has been.
	Submit(b Batch, done func(error))
	// Commit submits and waits. If ctx ends first the outcome is unknown.
	Commit(ctx context.Context, b Batch) error
	// TakeOwnership raises the customer's epoch, durably.
	TakeOwnership(ctx context.Context, customer string) (Fence, error)
}

// Reader answers from what is durable. Foreign and unknown ids are ErrNotFound
// alike.
type Reader interface {
	Customers(ctx context.Context) ([]Customer, error)
	Customer(ctx context.Context, id string) (Customer, error)
	APIKey(ctx context.Context, id string) (APIKey, error)
	APIKeys(ctx context.Context, customer string) ([]APIKey, error)
	VenueAccounts(ctx context.Context, customer string) ([]VenueAccount, error)

	Order(ctx context.Context, customer, orderID string) (OrderRecord, error)
	OrderByClientID(ctx context.Context, customer, clientOrderID string) (OrderRecord, error)
	Orders(ctx context.Context, q OrderQuery) (Page[OrderRecord], error)
	// UnfinishedOrders lists every order of the account for which
	// OrderRecord.Unfinished holds, oldest first.
	UnfinishedOrders(ctx context.Context, customer string, exchange venues.Venue) ([]OrderRecord, error)
	// Idempotency finds the newest attempt of a request id.
	Idempotency(ctx context.Context, customer, scope, requestID string) (IdempotencyRecord, error)
	Fills(ctx context.Context, q FillQuery) (Page[FillRecord], error)
	AccountState(ctx context.Context, customer string, exchange venues.Venue) (AccountState, error)
	Risk(ctx context.Context, customer string, exchange venues.Venue) (RiskRecord, error)
	// PositionRecords lists those of one account, by instrument.
	PositionRecords(ctx context.Context, customer string, exchange venues.Venue) ([]PositionRecord, error)

	// Events lists the customer's events after the one named, in order of
	// their sequence; an unknown after is ErrNotFound, an empty one begins at
	// the oldest kept.
	Events(ctx context.Context, customer, after string, limit int) ([]Event, error)
	// EventsSince lists the events whose sequence is higher, in its order.
	EventsSince(ctx context.Context, customer string, seq uint64, limit int) ([]Event, error)
	Event(ctx context.Context, customer, id string) (Event, error)
	Journal(ctx context.Context, q JournalQuery) (Page[JournalEntry], error)
	// LastSequence is the highest sequence that the customer's events and
	// journal rows carry; zero if none.
	LastSequence(ctx context.Context, customer string) (uint64, error)
	Setting(ctx context.Context, name string) (Setting, error)

	// Channels, Endpoints and Alerts list the customer's by id, removed ones
	// included.
	Channels(ctx context.Context, customer string) ([]Channel, error)
	Endpoints(ctx context.Context, customer string) ([]Endpoint, error)
	Alerts(ctx context.Context, customer string) ([]Alert, error)

	Signal(ctx context.Context, customer, id string) (SignalRecord, error)
	// UnfinishedSignals lists every signal of the channel whose status is not
	// final, oldest first.
	UnfinishedSignals(ctx context.Context, customer, channel string) ([]SignalRecord, error)
	Signals(ctx context.Context, q SignalQuery) (Page[SignalRecord], error)

	// EndpointCursor is ErrNotFound before the endpoint's first.
	EndpointCursor(ctx context.Context, customer, endpoint string) (EndpointCursor, error)
	Deliveries(ctx context.Context, q DeliveryQuery) (Page[Delivery], error)
	// PendingDeliveries lists the endpoint's pending deliveries by DueAt,
	// earliest first.
	PendingDeliveries(ctx context.Context, customer, endpoint string, limit int) ([]Delivery, error)
}

// Store is all of it.
type Store interface {
	Reader
	Writer
	// Integrity is nil, or wraps ErrIntegrity since the store was opened.
	Integrity() error
	// Purge removes what is older; see Retention. It may be called at any time.
	Purge(ctx context.Context, before Retention) error
	Close() error
}

// Retention says up to when each kind of record may be removed; a zero time
// keeps everything.
type Retention struct {
	Idempotency time.Time
	// Events is for events too old, and for deliveries that were settled before
	// it: their events are gone as well. Pending deliveries stay.
	Events time.Time
	// Journal is for customers' journal rows too old, and for signals that
	// became final before it. The installation's rows stay: they are a chain.
	Journal time.Time
}

// Position is where a page ended: the sort time and id of its last record.
type Position struct {
	At venues.Time `json:"at"`
	ID string      `json:"id"`
}

// Page is one page of records, newest first. Next is nil on the last one, and
// there alone: a page may hold fewer records than asked for, none even, and be
// followed by another (see ScanRowsMax).
type Page[T any] struct {
	Items []T
	Next  *Position
}

// PageSizeMax bounds Limit of every query; a Limit of zero is PageSizeMax.
const PageSizeMax = 1000

// ScanRowsMax bounds the rows that one page of journal rows or deliveries looks
// at for those that its filters leave, so that no query holds a reader for long.
const ScanRowsMax = 4096
