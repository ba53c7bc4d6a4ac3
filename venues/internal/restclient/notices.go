package restclient

import (
	"context"
	"errors"
	"time"

	"venuegate/venues"
)

const (
	// noticeAgeMax is how long a notice is valid: failures come in bursts, and reading
	// notices is rate limited too.
	noticeAgeMax = 10 * time.Second
	// noticeTimeout bounds reading a notice, which delays the answer to a request.
	noticeTimeout = 2 * time.Second
)

// MaintenanceRetry is the time to wait in a maintenance without a known end.
const MaintenanceRetry = time.Minute

// Notice is what a venue reports about its maintenance. Left is how long it lasts; zero
// or negative if the venue does not say.
type Notice struct {
	Ongoing bool
	Left    time.Duration
}

// Notices explains failures by the venue's maintenance notices, which are read when
// needed, once for all failed requests. The zero value is ready to use. It is safe for
// concurrent use.
type Notices struct {
	reading Semaphore
	last    Notice
	// readAt is when last was read; zero if it never was.
	readAt time.Time
}

// Explain turns the error of a failed request into maintenance if the venue's notices
// report one. Whether the outcome of the request is unknown does not change. If no notice
// can be read the error is returned as it is.
func (n *Notices) Explain(ctx context.Context, cause error, read func(context.Context) (Notice, error)) error {
	e, ok := errors.AsType[*venues.Error](cause)
	if !ok || n.reading.Acquire(ctx) != nil {
		return cause
	}
	defer n.reading.Release()
	n.refresh(ctx, read)
	if !n.last.Ongoing {
		return cause
	}
	maintenance := *e
	maintenance.Code, maintenance.Message, maintenance.RetryAfter = venues.CodeMaintenance, "the venue is under maintenance", MaintenanceRetry
	if left := n.last.Left - time.Since(n.readAt); left > 0 {
		maintenance.RetryAfter = left
	}
	return &maintenance
}

// refresh reads the notices if the last ones are old; reading is held. A failure to read
// is kept equally long.
func (n *Notices) refresh(ctx context.Context, read func(context.Context) (Notice, error)) {
	began := time.Now()
	if !n.readAt.IsZero() && began.Sub(n.readAt) < noticeAgeMax {
		return
	}
	limited, cancel := context.WithTimeout(ctx, noticeTimeout)
	defer cancel()
	notice, err := read(limited)
	if err != nil && ctx.Err() != nil {
		return // the next caller reads
	}
	n.last, n.readAt = notice, began
}
