package persistence

import "errors"

// ErrNotFound is the answer of reads.
var ErrNotFound = errors.New("persistence: not found")

// The four classes of a commit that was not confirmed.
var (
	// ErrFenced: another owner has taken the customer; stop owning it.
	ErrFenced = errors.New("persistence: fenced by a newer epoch")
	// ErrExists: a key that had to be absent is there; see ExistsError.
	ErrExists = errors.New("persistence: exists")
	// ErrOutcomeUnknown: the batch may or may not be durable. Reload before
	// going on.
	ErrOutcomeUnknown = errors.New("persistence: commit outcome unknown")
	// ErrUnavailable: nothing was applied; the store cannot take it now, or
	// never can: a batch that breaks the contract gets this class too, and the
	// text says what is wrong with it.
	ErrUnavailable = errors.New("persistence: unavailable")
)

// ErrIntegrity: the store has lost or altered what it had confirmed. Reading
// goes on; trading must not start.
var ErrIntegrity = errors.New("persistence: integrity check failed")

// ExistsError is ErrExists with the record found.
type ExistsError struct{ Found Record }

func (e *ExistsError) Error() string { return ErrExists.Error() + ": " + e.Found.Key().String() }

// Is makes errors.Is(err, ErrExists) true.
func (e *ExistsError) Is(target error) bool { return target == ErrExists }
