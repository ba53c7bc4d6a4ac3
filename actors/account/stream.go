package account

import (
	"slices"
	"strconv"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// streamLagMax is how long after REST has returned the progress of an order the private
	// stream may take to report it. After that it counts as missed.
	streamLagMax = 5 * time.Second
	// streamSlack is how long after the connection an event must take place, by the venue's
	// clock, for the stream to be expected to report it.
	streamSlack = time.Second
	// missesSpan is the longest time between two misses for which the stream counts as
	// stalled, renewEvery the shortest time between two reconnections of a stalled stream.
	missesSpan = 10 * time.Minute
	renewEvery = time.Minute
)

// privateStream is the state of the private connection.
type privateStream struct {
	// upSince is when the stream was connected; zero while it is not.
	upSince time.Time
	// missedAt is the time of the last miss, renewedAt when the stream was last reconnected
	// because it was stalled.
	missedAt  time.Time
	renewedAt time.Time
}

// shouldReport reports whether the stream is expected to report an event that took place at
// a time.
func (p *privateStream) shouldReport(at time.Time) bool {
	return !p.upSince.IsZero() && at.After(p.upSince.Add(streamSlack))
}

// coversSince reports whether the stream has reported every event since a time: it has been
// connected since then, without a miss.
func (p *privateStream) coversSince(at time.Time) bool {
	return !p.upSince.IsZero() && !at.Before(p.upSince) && !at.Before(p.missedAt)
}

// streamReported records the progress in a report of the private stream.
func (x *orderIndex) streamReported(step stepContext, r *venues.ExecutionReport) {
	o := x.findReported(r)
	if o == nil {
		return
	}
	if r.Status.IsActive() && o.streamedOpenAt.IsZero() {
		o.streamedOpenAt = step.now
	}
	x.noteStreamed(o, progressOf(r.Status, r.FilledQty))
}

// noteStreamed records the progress of an order that the stream has reported, or is not
// expected to report.
func (x *orderIndex) noteStreamed(o *order, streamed progress) {
	if o.streamProgress = o.streamProgress.furthest(streamed); o.streamProgress.covers(o.seenProgress) {
		o.streamDue = time.Time{}
		x.watch(o)
	}
}

// noteProgress records the progress of an order by any report. If the stream is expected to
// report it too, streamDue is set. Progress from before the connection is not expected.
func (s *state) noteProgress(step stepContext, o *order, r *venues.ExecutionReport) {
	now := progressOf(r.Status, r.FilledQty)
	o.seenProgress = o.seenProgress.furthest(now)
	switch {
	case r.VenueTime.IsZero() || o.streamProgress.covers(o.seenProgress):
	case !s.stream.shouldReport(r.VenueTime):
		s.noteStreamed(o, now)
	case o.streamDue.IsZero():
		o.streamDue = step.now.Add(streamLagMax)
		s.watch(o)
	}
}

// streamMissed starts a reconciliation after a miss of the stream. At the second miss within
// missesSpan the stream counts as stalled and is reconnected. An outage may affect many
// orders: all their progress that is known by now counts as one miss.
func (s *state) streamMissed(step stepContext, o *order) {
	for _, other := range slices.Concat(s.liveInOrder(), s.watchedInOrder()) {
		s.noteStreamed(other, other.seenProgress)
	}
	renew := !s.stream.missedAt.IsZero() && step.now.Sub(s.stream.missedAt) <= missesSpan &&
		(s.stream.renewedAt.IsZero() || step.now.Sub(s.stream.renewedAt) >= renewEvery)
	s.stream.missedAt = step.now
	s.recon.request(step.now)
	s.journal(step, "stream.mute", string(s.exchange),
		persistence.JournalField{Name: "order", Value: o.OrderID},
		persistence.JournalField{Name: "renewed", Value: strconv.FormatBool(renew)})
	s.after(logMissed{orderID: o.OrderID, renewed: renew})
	if renew {
		s.stream = privateStream{renewedAt: step.now}
		s.after(renewPrivate{})
	}
}

type (
	logMissed struct {
		orderID string
		renewed bool
	}
	renewPrivate struct{}
)

func (e logMissed) run(a *account, _ *actors.Context) {
	message := "private stream missed a report"
	if e.renewed {
		message = "private stream stalled"
	}
	a.logger.Warn(message, zap.String("order", e.orderID), zap.Bool("renewed", e.renewed))
}

// run closes the private connection. The account opens it again when the child has ended.
func (renewPrivate) run(_ *account, ctx *actors.Context) {
	for _, name := range ctx.Children().Names() {
		ctx.Children().Stop(name)
	}
}

// Observer sends the events of a private connection to the account. It is safe for
// concurrent use and never blocks.
type Observer struct{ ref actors.Ref }

// Report sends a report of an order.
func (o Observer) Report(r venues.ExecutionReport) { o.ref.Tell(observed{report: &r}) }

// Position sends the new state of a position.
func (o Observer) Position(p venues.Position) { o.ref.Tell(observed{position: &p}) }

// BalancesChanged reports that balances have changed.
func (o Observer) BalancesChanged() { o.ref.Tell(observed{balancesChanged: true}) }

// Connected reports that the stream is connected.
func (o Observer) Connected() { o.ref.Tell(observed{connected: true}) }

// Lost reports that the stream may have missed events.
func (o Observer) Lost(error) { o.ref.Tell(observed{lost: true}) }

// observe applies an event of the private connection.
func (s *state) observe(step stepContext, in observed) {
	switch {
	case in.report != nil:
		s.streamReported(step, in.report)
		s.handleReport(step, *in.report)
	case in.position != nil:
		s.positionReported(step, *in.position)
	case in.balancesChanged:
		s.planFunds(step) // publishes the new balances
	case in.connected:
		s.streamConnected(step)
	case in.lost:
		s.streamLost(step)
	}
}

// openPrivate starts the child that holds the private connection.
func (a *account) openPrivate(ctx *actors.Context) {
	if a.deps.Private == nil {
		return
	}
	if _, err := ctx.Children().Start(a.deps.Private(Observer{ctx.Self()})); err != nil {
		ctx.Fail(err)
	}
}
