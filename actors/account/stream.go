package account

import (
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// streamLagMax is how long after REST has shown a change of an order the private
	// stream may still tell it. Then it has missed it.
	streamLagMax = 5 * time.Second
	// streamSlack is how long after its connection a change must lie, by the venue's
	// clock, for the stream to owe it.
	streamSlack = time.Second
	// missesSpan is how far apart two misses may lie for the stream to be taken for
	// mute; renewEvery is the shortest time between two new connections for that.
	missesSpan = 10 * time.Minute
	renewEvery = time.Minute
)

// privateStream is what is known of the private connection.
type privateStream struct {
	// upSince is when it was connected; zero while it is not.
	upSince time.Time
	// missedAt is when it missed something last, renewedAt when it was opened anew
	// for that.
	missedAt  time.Time
	renewedAt time.Time
}

// owes says whether the stream should tell of what happened then.
func (p *privateStream) owes(at time.Time) bool {
	return !p.upSince.IsZero() && at.After(p.upSince.Add(streamSlack))
}

// progress is how far an order has come in the word of one source.
type progress struct {
	stage  int
	filled decimal.Decimal
}

func progressOf(status venues.OrderStatus, filled decimal.Decimal) progress {
	switch {
	case status == venues.StatusUntriggered:
		return progress{1, filled}
	case status.IsActive():
		return progress{2, filled}
	case status.IsClosed() && status != venues.StatusRejected: // of which not every venue has an event
		return progress{3, filled}
	}
	return progress{}
}

func (p progress) with(q progress) progress {
	return progress{max(p.stage, q.stage), decimal.Max(p.filled, q.filled)}
}

func (p progress) covers(q progress) bool {
	return p.stage >= q.stage && p.filled.GreaterThanOrEqual(q.filled)
}

// heard notes what the private stream tells, before it is applied.
func (s *state) heard(r *venues.ExecutionReport) {
	if o := s.findReported(r); o != nil {
		s.knows(o, progressOf(r.Status, r.FilledQty))
	}
}

// knows notes how far an order has come without the stream owing it any more.
func (s *state) knows(o *order, told progress) {
	if o.heard = o.heard.with(told); o.heard.covers(o.shown) {
		o.toldDue = time.Time{}
		s.watch(o)
	}
}

// shows expects the stream's word on what a report has shown. What is older than
// the connection is not owed.
func (s *state) shows(m moment, o *order, r *venues.ExecutionReport) {
	now := progressOf(r.Status, r.FilledQty)
	o.shown = o.shown.with(now)
	switch {
	case r.VenueTime.IsZero() || o.heard.covers(o.shown):
	case !s.stream.owes(r.VenueTime):
		s.knows(o, now)
	case o.toldDue.IsZero():
		o.toldDue = m.now.Add(streamLagMax)
		s.watch(o)
	}
}

// streamMissed reconciles at once what the stream should have told. If that is not the
// first time, the stream is mute and opened anew. One silence may have swallowed
// more: what is shown until now counts as one miss.
func (s *state) streamMissed(m moment, o *order) {
	for _, other := range slices.Concat(s.liveInOrder(), s.watchedInOrder()) {
		s.knows(other, other.shown)
	}
	renew := !s.stream.missedAt.IsZero() && m.now.Sub(s.stream.missedAt) <= missesSpan &&
		(s.stream.renewedAt.IsZero() || m.now.Sub(s.stream.renewedAt) >= renewEvery)
	s.stream.missedAt = m.now
	s.recon.due = m.now
	s.journal(m, "stream.mute", string(s.exchange),
		persistence.JournalField{Name: "order", Value: o.OrderID},
		persistence.JournalField{Name: "renewed", Value: strconv.FormatBool(renew)})
	s.after(logMute{orderID: o.OrderID, renewed: renew})
	if renew {
		s.stream = privateStream{renewedAt: m.now}
		s.after(renewPrivate{})
	}
}

type (
	logMute struct {
		orderID string
		renewed bool
	}
	renewPrivate struct{}
)

func (e logMute) run(a *account, _ *actors.Context) {
	a.logger.Warn("private stream mute", zap.String("order", e.orderID), zap.Bool("renewed", e.renewed))
}

// run closes the private connection. Its end, when it is told, opens it anew.
func (renewPrivate) run(_ *account, ctx *actors.Context) {
	for _, name := range ctx.Children().Names() {
		ctx.Children().Stop(name)
	}
}

// openPrivate starts the child that keeps the private connection.
func (a *account) openPrivate(ctx *actors.Context) {
	if a.deps.Private == nil {
		return
	}
	if _, err := ctx.Children().Start(a.deps.Private(Observer{ctx.Self()})); err != nil {
		ctx.Fail(err)
	}
}
