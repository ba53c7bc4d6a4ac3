package venues

import "time"

// RateLimit is how much of a venue's rate limit this process uses.
type RateLimit struct {
	// Name is that of the limit, such as request_weight_1m. Where each account has a
	// limit of its own, Used is that of the account that uses most of it.
	Name  string
	Used  int
	Limit int
	// ExhaustedUntil is set while the venue has reported that the limit is used up: only
	// cancels are sent before then.
	ExhaustedUntil time.Time
}

// Congestion is what holds up requests to a venue.
type Congestion struct {
	// FrozenUntil is when requests are sent again after the venue has stopped all of them;
	// zero if it has not.
	FrozenUntil time.Time
	// Waiting has the requests that wait for a rate limit, by their priority, the most urgent
	// first.
	Waiting []WaitingRequests
}

// WaitingRequests are the requests of one priority that wait.
type WaitingRequests struct {
	// Priority is cancel, protect, order, outcome, read, reconcile or history.
	Priority string
	Requests int
}
