package persistence

import "errors"

// ErrNotFound is returned by reads when there is no such record.
var ErrNotFound = errors.New("persistence: not found")

// The four classes of a failed commit.
var (
	// ErrFenced: another owner has taken the customer. Nothing was applied; the
	// caller must stop owning it.
	ErrFenced = errors.New("persistence: fenced by a newer epoch")
	// ErrExists: a key that must be absent exists. Nothing was applied; see
	// ExistsError.
	ErrExists = errors.New("persistence: exists")
	// ErrOutcomeUnknown: the batch may or may not be durable. The caller must reload
	// before it continues.
	ErrOutcomeUnknown = errors.New("persistence: commit outcome unknown")
	// ErrUnavailable: nothing was applied. The store cannot commit now, or the batch
	// is invalid; the text of the error states the reason.
	ErrUnavailable = errors.New("persistence: unavailable")
)

// IsRejected reports whether err is proof that nothing of a batch was
// applied, while other batches may be.
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
