package book

import (
	"context"
	"errors"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

const (
	// FirstSnapshotWait bounds the wait for the first snapshot of a book that is not
	// subscribed yet.
	FirstSnapshotWait = 3 * time.Second
	// depthReadersMax bounds the callers that wait for it.
	depthReadersMax = 256
	// staleRetry is the Retry-After of a book that is not current.
	staleRetry = time.Second
)

// depthReader is a caller that waits for the first snapshot.
type depthReader struct {
	*readDepth
	since time.Time
}

// errNotLive rejects a read of a stale book.
var errNotLive = errors.New("the book is not live")

// Snapshot returns the message with which a subscription of that depth begins. Its Seq is
// that of the topic, so that it can be compared with the messages of a subscription. It waits
// up to FirstSnapshotWait for the book to be live, and keeps it subscribed for WatchFor. If
// the book is stale, or not live in time, the error is a *venues.Error exchange_unavailable
// with the reason venues.ReasonStale; other errors are those of Subscribe.
func (c *Client) Snapshot(ctx context.Context, depth int) (venues.Frame, error) {
	if c.subscriptions.depth(depth) == nil {
		return venues.Frame{}, venues.Errorf(venues.CodeNotFound, "no book of depth %d", depth)
	}
	ctx, cancel := context.WithTimeout(ctx, FirstSnapshotWait)
	defer cancel()
	c.markRead()
	frame, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[venues.Frame]) any { return &readDepth{Reply: reply, depth: depth} })
	if errors.Is(err, errNotLive) || errors.Is(err, context.DeadlineExceeded) {
		return venues.Frame{}, c.staleError(err)
	}
	return frame, err
}

func (c *Client) staleError(cause error) *venues.Error {
	i := &c.deps.Instrument
	e := venues.Errorf(venues.CodeExchangeUnavailable, "the book of %s on %s is not current", i.Symbol, i.Exchange).
		With("exchange", string(i.Exchange)).With("symbol", i.Symbol).With("reason", venues.ReasonStale).Because(cause)
	e.RetryAfter = staleRetry
	return e
}

func (b *book) readDepth(now time.Time, m *readDepth) {
	switch {
	case b.state.retired:
		m.Reject(actors.ErrStopped)
	case len(b.readers) >= depthReadersMax:
		m.Reject(actors.ErrBusy)
	default:
		b.readers = append(b.readers, depthReader{m, now}) // answered at the end of the step
	}
}

// answerReaders answers the callers that wait for a snapshot, unless the book is still
// becoming live for the first time.
func (b *book) answerReaders(now time.Time) {
	phase := b.state.book.phase
	if phase != PhaseLive && phase != PhaseStale {
		return
	}
	for _, r := range b.readers {
		switch {
		case now.Sub(r.since) >= FirstSnapshotWait: // the caller no longer waits
		case phase == PhaseStale:
			r.Reject(errNotLive)
		default:
			r.Send(b.state.bookSnapshot(now, b.client.subscriptions.depth(r.depth)))
		}
	}
	clear(b.readers)
	b.readers = b.readers[:0]
}

// bookSnapshot returns a snapshot of a depth of the live book: the published state, or, if
// the topic has no subscribers, the next message of the topic, which only the caller receives.
func (s *state) bookSnapshot(now time.Time, d *depthTopic) venues.Frame {
	switch {
	case !d.begun:
		d.view.take(&s.book.book)
		frame := s.encoder.bookFrame(s.encoder.next(&d.topic, venues.MessageSnapshot, now, s.book.venueTime), d.view.bids, d.view.asks)
		d.view.clear()
		return frame
	case d.snapshot.Seq != d.seq:
		d.snapshot = s.encoder.bookFrame(s.encoder.again(&d.topic, now, s.book.venueTime), d.view.bids, d.view.asks)
	}
	return d.snapshot
}
