package actors

import "errors"

// Errors of Ask, Start and effects. ErrBusy and ErrStopped prove that the
// request was not handled; after ErrFailed and ErrDeadline its outcome is not
// known, and it may still be carried out.
var (
	// ErrBusy refuses work that has no place: a full mailbox or a full pool.
	ErrBusy = errors.New("actors: busy")
	// ErrStopped says that the actor has ended, or takes no new work because
	// it is about to.
	ErrStopped = errors.New("actors: stopped")
	// ErrFailed says that the actor has taken the request and ended before it
	// answered: it failed, or had to stop.
	ErrFailed = errors.New("actors: ended before the answer")
	// ErrDeadline says that no answer came before the context ended. It wraps
	// the context's own error.
	ErrDeadline = errors.New("actors: no answer in time")
	// ErrNameTaken says that a sibling, perhaps one that is still stopping,
	// bears the name.
	ErrNameTaken = errors.New("actors: name taken")
	// ErrBadName refuses a name that is empty, too long, or not made of
	// segments of letters, digits and "._:-" joined by single slashes.
	ErrBadName = errors.New("actors: bad name")
)
