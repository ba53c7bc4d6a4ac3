package rows

import (
	"context"
	"fmt"

	"venuegate/persistence"
)

// TakeOwnership increases the epoch of a customer through the writer of an engine, and
// returns the new fence.
func TakeOwnership(ctx context.Context, enqueue Enqueue, customer string) (persistence.Fence, error) {
	if customer == "" {
		return persistence.Fence{}, Rejected(fmt.Errorf("%w: the installation has no owner", ErrInvalid))
	}
	if err := checkTexts(customer); err != nil {
		return persistence.Fence{}, Rejected(err)
	}
	// The writer sets fence before it replies, and fence is read only after the reply,
	// so there is no data race.
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

// generationShift places the generation, which counts the openings of the store, in
// the upper half of an epoch. Every epoch of an earlier opening is therefore lower than
// those of a later one, and Commit.Apply rejects the fences of an earlier opening at once,
// before ownership is taken again. The lower half counts how often ownership was taken.
const generationShift = 32

// epochFloor returns the number that is lower than every epoch of a generation, and not
// lower than those of earlier ones.
func epochFloor(generation uint64) uint64 { return generation << generationShift }

// takeOwnership stores the next epoch of a customer and returns its fence.
func takeOwnership(tx Tx, customer string, generation uint64) (persistence.Fence, error) {
	k := epochKey(customer)
	epoch, err := currentNumber(tx, k)
	if err != nil {
		return persistence.Fence{}, err
	}
	epoch = max(epoch, epochFloor(generation)) + 1
	return persistence.Fence{Customer: customer, Epoch: epoch}, raiseNumber(tx, k, epoch)
}
