package persistence

import (
	"context"
	"errors"
)

// Submitter is the part of a Writer that queues a batch.
type Submitter interface {
	Submit(b Batch, done func(error))
}

// Await submits a batch and waits for its answer. If ctx ends first the outcome
// is unknown.
func Await(ctx context.Context, to Submitter, b Batch) error {
	answer := make(chan error, 1)
	to.Submit(b, func(err error) { answer <- err })
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return errors.Join(ErrOutcomeUnknown, ctx.Err())
	}
}
