package restclient

import (
	"context"
	"errors"
	"time"

	"venuegate/venues"
)

const (
	// noticeAgeMax is how long what a venue told of its maintenance is believed: its
	// failures come in crowds, and its notices are limited like everything else.
	noticeAgeMax = 10 * time.Second
	// noticeTimeout bounds the reading, which holds up the answer to a request.
	noticeTimeout = 2 * time.Second
)

// MaintenanceRetry is when to come back to a maintenance without an end.
const MaintenanceRetry = time.Minute

// Notice is what a venue tells of its maintenance now. Left is how long it goes on,
// not above zero if the venue does not say.
type Notice struct {
	Ongoing bool
	Left    time.Duration
}

// Notices explain why a venue does not answer as it should. They are read when it
// is asked for, once for all requests that failed. The zero value is ready; it is
// safe for concurrent use.
type Notices struct {
	turn Turn
	last Notice
	// readAt is when last was read; zero if it never was.
	readAt time.Time
}

// Explain makes maintenance of the error of a request that the venue turned away, if
// that is what the venue's notices say. What is unknown of the request's outcome
// stays so, and where nothing can be read so does the error.
func (n *Notices) Explain(ctx context.Context, cause error, read func(context.Context) (Notice, error)) error {
	e, ok := errors.AsType[*venues.Error](cause)
	if !ok || n.turn.Take(ctx) != nil {
		return cause
	}
	defer n.turn.Give()
	n.refresh(ctx, read)
	if !n.last.Ongoing {
		return cause
	}
	away := *e
	away.Code, away.Message, away.RetryAfter = venues.CodeMaintenance, "the venue is under maintenance", MaintenanceRetry
	if left := n.last.Left - time.Since(n.readAt); left > 0 {
		away.RetryAfter = left
	}
	return &away
}

// refresh reads the notices if the last ones are old; the turn is held. That they
// could not be read is remembered as long.
func (n *Notices) refresh(ctx context.Context, read func(context.Context) (Notice, error)) {
	began := time.Now()
	if !n.readAt.IsZero() && began.Sub(n.readAt) < noticeAgeMax {
		return
	}
	limited, cancel := context.WithTimeout(ctx, noticeTimeout)
	defer cancel()
	notice, err := read(limited)
	if err != nil && ctx.Err() != nil {
		return // the next one reads
	}
	n.last, n.readAt = notice, began
}
