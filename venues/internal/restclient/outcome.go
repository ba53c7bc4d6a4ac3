package restclient

import (
	"errors"

	"venuegate/venues"
)

// ErrDeadlinePassed is in the error of a request that would be sent too late.
var ErrDeadlinePassed = errors.New("deadline passed before the request was sent")

// NotSent marks an error: nothing was sent.
func NotSent(err error) error { return join(err, venues.ErrNotSent) }

// OutcomeUnknown marks an error: the request may have been executed.
func OutcomeUnknown(err error) error { return join(err, venues.ErrOutcomeUnknown) }

// join returns an error that has an outcome already as it is.
func join(err, outcome error) error {
	if errors.Is(err, venues.ErrNotSent) || errors.Is(err, venues.ErrOutcomeUnknown) {
		return err
	}
	if e, ok := errors.AsType[*venues.Error](err); ok {
		return e.Because(errors.Join(outcome, e.Err))
	}
	return venues.Errorf(venues.CodeExchangeUnavailable, "the venue cannot be reached").
		Because(errors.Join(outcome, err))
}

// DeadlinePassed returns the error of a request that was not sent because its deadline
// has passed.
func DeadlinePassed() error {
	return NotSent(venues.Errorf(venues.CodeExchangeUnavailable, "the order's deadline has passed").Because(ErrDeadlinePassed))
}

// TooLate returns the error of a request that the venue has rejected because its deadline had
// passed.
func TooLate(rejected error) error {
	e, ok := errors.AsType[*venues.Error](rejected)
	if !ok {
		return rejected
	}
	late := *e
	late.Code, late.Message, late.RetryAfter = venues.CodeOrderRejected, "the request reached the venue after its deadline", 0
	return late.With("reason", venues.ReasonTooLate)
}

// Unreadable returns the error for an answer that cannot be understood. The venue may
// have executed the request.
func Unreadable(method, path string, cause error) error {
	return venues.Errorf(venues.CodeExchangeUnavailable, "%s %s: the venue's answer cannot be read", method, path).Because(cause)
}
