package persistence

import (
	"errors"
	"fmt"
)

// ErrNotFound is returned by reads if there is no such record.
var ErrNotFound = errors.New("persistence: not found")

// The four classes of a failed commit.
var (
	// ErrFenced means that another owner has taken the customer. Nothing was applied,
	// and the caller is no longer the owner.
	ErrFenced = errors.New("persistence: fenced by a newer epoch")
	// ErrExists means that a key that must be absent exists. Nothing was applied; see
	// ExistsError.
	ErrExists = errors.New("persistence: exists")
	// ErrOutcomeUnknown means that the batch may or may not be durable. The caller must
	// reload before it continues.
	ErrOutcomeUnknown = errors.New("persistence: commit outcome unknown")
	// ErrUnavailable means that the store cannot commit now, or that the batch is
	// invalid. Nothing was applied; the text of the error has the reason.
	ErrUnavailable = errors.New("persistence: unavailable")
)

// ErrDiskFull is the ErrUnavailable of a batch that may not use the reserve of a full disk
// (Batch.Reserve), or for which that is used up.
var ErrDiskFull = fmt.Errorf("%w: the disk is full", ErrUnavailable)

// IsRejected reports whether err rejects a single batch: nothing of it was applied, and
// its owner can commit others. It returns false for ErrFenced.
func IsRejected(err error) bool {
	return errors.Is(err, ErrExists) || errors.Is(err, ErrUnavailable)
}

// ErrIntegrity reports that the store has lost or altered what it had confirmed.
// Reads still work; trading must not start.
var ErrIntegrity = errors.New("persistence: integrity check failed")

// ExistsError is ErrExists with the existing record.
type ExistsError struct{ Found Record }

func (e *ExistsError) Error() string { return ErrExists.Error() + ": " + e.Found.Key().String() }

// Is reports whether target is ErrExists.
func (e *ExistsError) Is(target error) bool { return target == ErrExists }
