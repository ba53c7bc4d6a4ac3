package rows

import (
	"context"
	"errors"
	"fmt"

	"venuegate/persistence"
)

// Getter reads single rows. Get returns nil if there is none. The value must not be
// changed.
type Getter interface {
	Get(key []byte) ([]byte, error)
}

// Snapshot is one consistent state of the rows.
type Snapshot interface {
	Getter
	// Scan calls visit for the rows with from <= key < to in ascending or descending
	// order until it returns false. A nil to means no upper bound. Key and value are
	// valid only during the call.
	Scan(from, to []byte, descending bool, visit func(key, value []byte) bool) error
	// LacksRequest reports that no key begins with prefix, a result of RequestPrefix.
	// It may return false although there is none. An engine that keeps a filter of
	// these prefixes answers without a read; nearly every request id is new.
	LacksRequest(prefix []byte) bool
}

// Viewer calls read with a snapshot of what is durable. The snapshot is valid until
// read returns.
type Viewer interface {
	View(ctx context.Context, read func(Snapshot) error) error
}

// Tx is the transaction of a commit group. It reads what was durable before the group
// and what the group has changed so far.
type Tx interface {
	Getter
	// Replace changes one row. old is its current value, nil if there is none; value
	// is the new one, nil to delete the row. The engine may retain all three slices.
	Replace(key, old, value []byte) error
	// Cache returns the engine's cache of rows, which outlives the group. The engine
	// clears it when it rolls a group back. The zero RowCache caches nothing.
	Cache() RowCache
}

// Operation is one change that the writer of an engine executes within a commit
// group. It is executed again if the transaction was rolled back. generation is the
// number of times that the store has been opened.
type Operation func(tx Tx, generation uint64) error

// IsReply reports whether err, the result of an operation, is the reply to its caller:
// success, or a rejection that has changed nothing. Any other error means that the
// transaction must be rolled back.
func IsReply(err error) bool {
	return err == nil || errors.Is(err, persistence.ErrFenced) || errors.Is(err, persistence.ErrExists) ||
		errors.Is(err, persistence.ErrUnavailable)
}

// Enqueue queues an operation for the writer of an engine. done is called exactly
// once, in order of submission, like that of persistence.Writer.Submit.
type Enqueue func(op Operation, done func(error))

// Await calls enqueue and waits until it calls done. If ctx ends first, it returns
// ErrOutcomeUnknown; if ctx has already ended, it returns ErrUnavailable and enqueues
// nothing.
func Await(ctx context.Context, enqueue func(done func(error))) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", persistence.ErrUnavailable, err)
	}
	reply := make(chan error, 1)
	enqueue(func(err error) { reply <- err })
	select {
	case err := <-reply:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", persistence.ErrOutcomeUnknown, ctx.Err())
	}
}

// Rejected returns the reply to an invalid batch: err wrapped in ErrUnavailable, because
// nothing was applied.
func Rejected(err error) error { return fmt.Errorf("%w: %w", persistence.ErrUnavailable, err) }
