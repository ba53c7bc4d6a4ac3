package rows

import (
	"context"
	"errors"
	"fmt"

	"venuegate/persistence"
)

// Operation is one thing for the writer of an engine to do within a group.
// generation counts the openings of the store. An operation may be tried again
// in another transaction if the first was thrown away.
type Operation func(tx Tx, generation uint64) error

// IsAnswer says whether the result of an operation is what its caller is to be
// told. Any other error means that its changes must be thrown away.
func IsAnswer(err error) bool {
	return err == nil || errors.Is(err, persistence.ErrFenced) || errors.Is(err, persistence.ErrExists) ||
		errors.Is(err, persistence.ErrUnavailable)
}

// Enqueue hands an operation to the writer of an engine: done is called exactly
// once, in order, as of persistence.Writer.Submit.
type Enqueue func(op Operation, done func(error))

// Await enqueues one operation and waits for its answer.
func Await(ctx context.Context, enqueue func(done func(error))) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", persistence.ErrUnavailable, err)
	}
	answer := make(chan error, 1)
	enqueue(func(err error) { answer <- err })
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", persistence.ErrOutcomeUnknown, ctx.Err())
	}
}

// Refused is the answer to a batch that cannot be prepared.
func Refused(err error) error { return fmt.Errorf("%w: %w", persistence.ErrUnavailable, err) }

// Own takes a customer through the writer of an engine.
func Own(ctx context.Context, enqueue Enqueue, customer string) (persistence.Fence, error) {
	if customer == "" {
		return persistence.Fence{}, Refused(fmt.Errorf("%w: the installation has no owner", ErrInvalid))
	}
	if err := checkTexts(customer); err != nil {
		return persistence.Fence{}, Refused(err)
	}
	// The answer orders the writer's last write before the read below; when ctx
	// ends first there is no read.
	var fence persistence.Fence
	err := Await(ctx, func(done func(error)) {
		enqueue(func(tx Tx, generation uint64) (err error) {
			fence, err = takeOwnership(tx, customer, generation)
			return err
		}, done)
	})
	if err != nil {
		return persistence.Fence{}, err
	}
	return fence, nil
}

// Purge removes what is older than the retention, step by step through the
// writer of an engine.
func Purge(ctx context.Context, engine Viewer, enqueue Enqueue, before persistence.Retention) error {
	var from []byte
	for {
		var found [][]byte
		err := engine.View(ctx, func(s Snapshot) error {
			var err error
			found, from, err = stale(ctx, s, before, from)
			return err
		})
		if err != nil {
			return err
		}
		if len(found) > 0 {
			err := Await(ctx, func(done func(error)) {
				enqueue(func(tx Tx, _ uint64) error { return removeStale(tx, found, before) }, done)
			})
			if err != nil {
				return err
			}
		}
		if from == nil {
			return nil
		}
	}
}
