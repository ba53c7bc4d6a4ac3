package persistence

import (
	"context"
	"errors"
	"time"

	"venuegate/venues"
)

// Fence identifies one owner of a customer. Its epoch increases each time that
// ownership is taken, so that the writes of earlier owners are rejected.
type Fence struct {
	Customer string
	Epoch    uint64
}

// Batch is the content of one commit, which is applied whole or not at all.
type Batch struct {
	// Fence is that of the customer whose records the batch contains. The zero Fence is
	// for records of the installation.
	Fence Fence
	// Absent lists keys that must not exist before the batch is applied.
	Absent []Key
	Puts   []Record
	// Events and Journal carry sequence numbers that the owner has assigned.
	Events  []Event
	Journal []JournalEntry

	// Written, if not nil, allows the sync of the batch to be delayed by SyncDelayMax. It
	// is called at most once, before done(nil), when the batch is written: it survives a
	// kill of the process, but a power failure before the sync loses it, together with all
	// later batches. Written must not block; it may submit.
	Written func()

	// Reserve allows the batch to use the space that is kept for a full disk; see
	// Store.Full. It is for what reduces risk or records it, not for what increases it.
	Reserve bool
}

// SyncDelayMax bounds the time between Written and the sync of a batch.
const SyncDelayMax = time.Millisecond

// Empty reports whether the batch changes and checks nothing.
func (b *Batch) Empty() bool {
	return len(b.Puts) == 0 && len(b.Events) == 0 && len(b.Journal) == 0 && len(b.Absent) == 0
}

// Writer commits batches. It is safe for concurrent use.
type Writer interface {
	// Submit queues the batch and returns without waiting. done is called exactly
	// once, in order of submission, after the batch is durable (nil) or has failed.
	// done must not block; it may submit. If the queue is full, done is called with
	// ErrUnavailable before Submit returns. An empty batch is a barrier: done is
	// called after that of every batch before it.
	Submit(b Batch, done func(error))
	// Commit submits the batch and waits for its result. If ctx ends first, it
	// returns ErrOutcomeUnknown.
	Commit(ctx context.Context, b Batch) error
	// TakeOwnership durably increases the epoch of a customer and returns its new
	// fence.
	TakeOwnership(ctx context.Context, customer string) (Fence, error)
}

// Submitter is the part of a Writer that queues a batch.
type Submitter interface {
	Submit(b Batch, done func(error))
}

// Await submits a batch and waits for its result. If ctx ends first, it returns
// ErrOutcomeUnknown.
func Await(ctx context.Context, to Submitter, b Batch) error {
	result := make(chan error, 1)
	to.Submit(b, func(err error) { result <- err })
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return errors.Join(ErrOutcomeUnknown, ctx.Err())
	}
}

// Reader reads what is durable; a read waits for the sync of all that was written before
// it. It returns ErrNotFound for unknown ids and for ids of other customers. It is safe for
// concurrent use.
type Reader interface {
	Customers(ctx context.Context) ([]Customer, error)
	Customer(ctx context.Context, id string) (Customer, error)
	APIKey(ctx context.Context, id string) (APIKey, error)
	APIKeys(ctx context.Context, customer string) ([]APIKey, error)
	VenueAccounts(ctx context.Context, customer string) ([]VenueAccount, error)
	// Users and Sessions list those of the installation, by login and by id.
	Users(ctx context.Context) ([]User, error)
	User(ctx context.Context, login string) (User, error)
	Sessions(ctx context.Context) ([]Session, error)
	Session(ctx context.Context, id string) (Session, error)

	Order(ctx context.Context, customer, orderID string) (OrderRecord, error)
	OrderByClientID(ctx context.Context, customer, clientOrderID string) (OrderRecord, error)
	// AdoptedOrder returns the order with an identity that AdoptedIdentity has returned.
	AdoptedOrder(ctx context.Context, customer, identity string) (OrderRecord, error)
	Orders(ctx context.Context, q OrderQuery) (Page[OrderRecord], error)
	// UnfinishedOrders lists every order of the account for which OrderRecord.Unfinished
	// returns true, oldest first.
	UnfinishedOrders(ctx context.Context, customer string, exchange venues.Venue) ([]OrderRecord, error)
	// Idempotency returns the newest attempt of a request id.
	Idempotency(ctx context.Context, customer, scope, requestID string) (IdempotencyRecord, error)
	Fills(ctx context.Context, q FillQuery) (Page[FillRecord], error)
	AccountState(ctx context.Context, customer string, exchange venues.Venue) (AccountState, error)
	Risk(ctx context.Context, customer string, exchange venues.Venue) (RiskRecord, error)
	// PositionRecords lists the positions of one account by instrument.
	PositionRecords(ctx context.Context, customer string, exchange venues.Venue) ([]PositionRecord, error)

	// Events lists the customer's events after the event with the id after, by
	// sequence. An unknown id is ErrNotFound; an empty one starts at the oldest
	// event that has not been purged.
	Events(ctx context.Context, customer, after string, limit int) ([]Event, error)
	// EventsSince lists the events whose sequence is above seq, by sequence.
	EventsSince(ctx context.Context, customer string, seq uint64, limit int) ([]Event, error)
	Event(ctx context.Context, customer, id string) (Event, error)
	Journal(ctx context.Context, q JournalQuery) (Page[JournalEntry], error)
	// LastSequence returns the highest sequence that an event or journal row of
	// the customer has used; zero if there was none.
	LastSequence(ctx context.Context, customer string) (uint64, error)
	Setting(ctx context.Context, name string) (Setting, error)

	// Channels, Endpoints and Alerts list those of the customer by id, including
	// removed ones.
	Channels(ctx context.Context, customer string) ([]Channel, error)
	Endpoints(ctx context.Context, customer string) ([]Endpoint, error)
	Alerts(ctx context.Context, customer string) ([]Alert, error)

	Signal(ctx context.Context, customer, id string) (SignalRecord, error)
	// UnfinishedSignals lists every signal of the channel whose status is not
	// final, oldest first.
	UnfinishedSignals(ctx context.Context, customer, channel string) ([]SignalRecord, error)
	Signals(ctx context.Context, q SignalQuery) (Page[SignalRecord], error)

	// EndpointCursor returns ErrNotFound until the endpoint has stored one.
	EndpointCursor(ctx context.Context, customer, endpoint string) (EndpointCursor, error)
	Deliveries(ctx context.Context, q DeliveryQuery) (Page[Delivery], error)
	// PendingDeliveries lists the endpoint's pending deliveries by DueAt,
	// earliest first.
	PendingDeliveries(ctx context.Context, customer, endpoint string, limit int) ([]Delivery, error)
}

// Store reads, writes and maintains records.
type Store interface {
	Reader
	Writer
	// Integrity returns nil, or an error that wraps ErrIntegrity if the store is damaged.
	// That is found when it is opened or, in a large one, later.
	Integrity() error
	// Full returns nil, or an error that wraps ErrDiskFull while the store accepts only
	// batches that may use its reserve.
	Full() error
	// Purge deletes records and log rows that are older than the retention. It may be
	// called at any time.
	Purge(ctx context.Context, before Retention) error
	// Archive writes the closed orders and the fills that are older than the retention to
	// an archive, and then deletes them. Fills that a position, an unfinished order or the
	// next reading of a venue's executions may need stay, and so do orders whose protection is
	// another unfinished order. The retention must be longer than the life of a request id and
	// than a day. It may be called at any time.
	Archive(ctx context.Context, before Retention, to Archive) error
	Close() error
}

// Archive keeps records that are deleted from the store. After a crash it may get some of
// them again.
type Archive interface {
	// Write returns once the records are durable.
	Write(records []Record) error
}

// Retention holds the time before which each kind of record may be purged. A zero
// time keeps everything.
type Retention struct {
	Idempotency time.Time
	// Events applies to events by their creation and to deliveries by the time when they
	// were settled: delivered or given up. Pending deliveries stay.
	Events time.Time
	// Journal applies to journal rows of customers and to signals by the time they
	// became final. The installation's journal rows stay, because they are chained.
	Journal time.Time
	// Sessions applies to sessions by their end.
	Sessions time.Time
	// Orders and Fills apply to closed orders by their last change, and to fills by their
	// execution; see Store.Archive.
	Orders, Fills time.Time
}

// PagePosition is the end of a page: the sort time and the id of its last record.
type PagePosition struct {
	At venues.Time `json:"at"`
	ID string      `json:"id"`
}

// Page is one page of records, newest first. Next is nil on the last page only: a
// page may hold fewer records than requested, or none, and still be followed by
// another (see ScanRowsMax).
type Page[T any] struct {
	Items []T
	Next  *PagePosition
}

// PageSizeMax bounds Limit of every query; a Limit of zero is PageSizeMax.
const PageSizeMax = 1000

// ScanRowsMax bounds the rows of each index that are scanned for one page of orders,
// fills, journal rows or deliveries, matching or not, so that no query holds a snapshot
// for long.
const ScanRowsMax = 4096
