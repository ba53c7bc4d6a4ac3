package rows

import "venuegate/persistence"

// generationShift places the generation above the count of takings in an epoch:
// an epoch of an earlier opening is always lower than one of a later.
const generationShift = 32

func firstEpoch(generation uint64) uint64 { return generation << generationShift }

func epochKey(customer string) key { return newKey(customer, tableEpoch) }

// takeOwnership raises the epoch of a customer. generation counts the openings
// of the store: fences of an earlier opening are refused even before the
// customer is taken anew.
func takeOwnership(tx Tx, customer string, generation uint64) (persistence.Fence, error) {
	k := epochKey(customer)
	epoch, err := latestNumber(tx, k)
	if err != nil {
		return persistence.Fence{}, err
	}
	epoch = max(epoch, firstEpoch(generation)) + 1
	return persistence.Fence{Customer: customer, Epoch: epoch}, raiseNumber(tx, k, epoch)
}
