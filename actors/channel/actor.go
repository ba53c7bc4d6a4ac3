package channel

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// Name of the actor of a channel, under its customer.
func Name(channelID string) string { return "channel/" + channelID }

// Deps are what a channel works with.
type Deps struct {
	// Channel is the record as it is when the actor is made; the store has the
	// newest (see Client.Follow).
	Channel persistence.Channel
	Fence   persistence.Fence
	Store   Inbox
	Journal Committer
	// Desk is what a channel with this record trades through.
	Desk  func(*persistence.Channel) Desk
	Lanes Lanes
	NewID func(prefix string, at time.Time) string
	Pool  *actors.Pool
}

// Committer takes commits in order; it is a line of the journal.
type Committer interface {
	Submit(b persistence.Batch, done func(error))
}

// Lanes keep the order of the customer's signals; see package lane.
type Lanes interface {
	Enter(holder, id string, exchange venues.Venue, symbol string, receivedAt time.Time, called func(error))
	GiveBack(holder, id string)
	Retain(holder string, ids []string)
}

// mailboxMax bounds the signals that wait to be taken.
const mailboxMax = 256

// Child describes the channel for its supervisor. What keeps it from starting
// passes: it tries until then. One that was removed finishes what it has taken,
// and ends.
func Child(d Deps) actors.Child {
	return actors.Child{
		Name: Name(d.Channel.ID), MailboxMax: mailboxMax, Restart: actors.Transient, RestartsMax: math.MaxInt,
		Producer: func() actors.Behaviour { return &channel{deps: d} },
	}
}

// findDue begins a search that was put off.
type findDue struct{ find }

type channel struct {
	deps  Deps
	desk  Desk
	state *state
	ready bool
	// told says that it follows a record that it was told of, which is as new as
	// any that it reads.
	told bool
	// early are the signals that came before the inbox was read.
	early []accept
}

// Started reads the inbox, once what an incarnation before this one has submitted
// is answered.
func (c *channel) Started(ctx *actors.Context) {
	c.state = newState(c.deps.Fence)
	c.follow(c.deps.Channel)
	c.told = false
	if err := c.begin(ctx, c.load); err != nil {
		ctx.Fail(err)
	}
}

// follow holds what comes to another state of the record. Steps under way end as
// they began.
func (c *channel) follow(record persistence.Channel) {
	c.state.channel, c.desk, c.told = record, c.deps.Desk(&record), true
}

// Stopping begins nothing any more and answers those whom nobody will. The
// tickets stay with their signals: the next incarnation needs their places.
func (c *channel) Stopping(ctx *actors.Context) {
	c.state.stopping = true
	c.rejectEarly(actors.ErrStopped)
	c.state.answerDurable()
	c.finish(ctx)
}

func (c *channel) rejectEarly(err error) {
	for _, in := range c.early {
		in.Reject(err)
	}
	c.early = nil
}

func (c *channel) load(ctx context.Context) any {
	var in loaded
	if in.err = persistence.Await(ctx, c.deps.Journal, persistence.Batch{Fence: c.deps.Fence}); in.err != nil {
		return in
	}
	if in.record, in.err = c.record(ctx); in.err != nil {
		return in
	}
	in.unfinished, in.err = c.deps.Store.UnfinishedSignals(ctx, c.deps.Channel.Customer, c.deps.Channel.ID)
	if in.err != nil || c.deps.Channel.Kind != persistence.ChannelChart {
		return in
	}
	q := persistence.SignalQuery{
		Customer: c.deps.Channel.Customer, Channel: c.deps.Channel.ID,
		From: time.Now().Add(-persistence.ChartRepeatWindow), Limit: persistence.PageSizeMax,
	}
	var page persistence.Page[persistence.SignalRecord]
	page, in.err = c.deps.Store.Signals(ctx, q)
	in.recent = page.Items
	return in
}

// record is the newest that is durable.
func (c *channel) record(ctx context.Context) (persistence.Channel, error) {
	records, err := c.deps.Store.Channels(ctx, c.deps.Channel.Customer)
	if err != nil {
		return persistence.Channel{}, err
	}
	i := slices.IndexFunc(records, func(r persistence.Channel) bool { return r.ID == c.deps.Channel.ID })
	if i < 0 {
		return persistence.Channel{}, fmt.Errorf("the record of channel %s: %w", c.deps.Channel.ID, persistence.ErrNotFound)
	}
	return records[i], nil
}

// Receive dispatches.
func (c *channel) Receive(ctx *actors.Context, msg any) {
	m := c.moment()
	switch in := msg.(type) {
	case accept:
		c.accept(m, in)
	case changed:
		c.follow(in.record)
	case loaded:
		c.loaded(ctx, m, in)
	case stored:
		c.stored(ctx, in)
	case turn:
		if c.ready { // before that nothing is known to have one
			c.state.turn(m, in)
		}
	case acted:
		c.state.acted(m, in)
	case found:
		c.state.found(m, in)
	case findDue:
		in.run(c, ctx)
	case flatSeen:
		c.state.flatSeen(m, in)
	case rehearsed:
		c.state.rehearsed(m, in)
	case answerDue:
		c.state.answerDue(in.id)
	case retryDue:
		c.state.retry(m, in.id)
	case expiryDue:
		c.state.expiryDue(m, in.id)
	default:
		ctx.Unhandled(msg)
	}
	c.finish(ctx)
	if c.ready && c.state.isOver() {
		ctx.Stop()
	}
}

func (c *channel) moment() moment {
	now := time.Now()
	return moment{now: now, newID: func(prefix string) string { return c.deps.NewID(prefix, now) }}
}

func (c *channel) accept(m moment, in accept) {
	switch {
	case c.ready:
		c.state.accept(m, in)
	case len(c.early) < mailboxMax:
		c.early = append(c.early, in)
	default:
		in.Reject(actors.ErrBusy)
	}
}

func (c *channel) loaded(ctx *actors.Context, m moment, in loaded) {
	if in.err != nil {
		c.rejectEarly(in.err)
		ctx.Fail(in.err)
	}
	if !c.told {
		c.follow(in.record)
	}
	c.state.loaded(in)
	c.deps.Lanes.Retain(c.deps.Channel.ID, slices.Sorted(maps.Keys(c.state.tasks)))
	c.ready = true
	c.finish(ctx)
	early := c.early
	c.early = nil
	for _, in := range early {
		c.state.accept(m, in)
		c.finish(ctx)
	}
}

// finish ends a step: what waits for the commit follows it.
func (c *channel) finish(ctx *actors.Context) {
	out := c.state.take()
	if out.batch.Empty() {
		c.run(ctx, out.after)
		return
	}
	done := actors.ReplyTo(ctx, func(_ struct{}, err error) any { return stored{out, err} })
	c.deps.Journal.Submit(out.batch, func(err error) {
		if err != nil {
			done.Reject(err)
			return
		}
		done.Send(struct{}{})
	})
}

// stored goes on once a step is durable. A signal whose first commit was refused
// whole is simply not there. Any other failure leaves memory ahead of the store,
// so the channel starts anew from its inbox.
func (c *channel) stored(ctx *actors.Context, in stored) {
	if in.err == nil {
		c.state.durable(in.taken)
		c.run(ctx, in.after)
		return
	}
	for _, e := range in.after {
		if r, is := e.(replyOutcome); is {
			r.to.Reject(in.err)
		}
	}
	if in.taken != "" && (errors.Is(in.err, persistence.ErrExists) || errors.Is(in.err, persistence.ErrUnavailable)) {
		c.state.notTaken(in.taken, in.err)
		return
	}
	ctx.Logger().Warn("signal not stored", zap.String("channel", c.deps.Channel.ID), zap.Error(in.err))
	c.state.answerDurable()
	c.run(ctx, c.state.take().after)
	for _, t := range c.state.tasks {
		if t.waiter != nil {
			t.waiter.Reject(in.err)
		}
	}
	ctx.Fail(in.err)
}

func (c *channel) run(ctx *actors.Context, effects []effect) {
	for _, e := range effects {
		e.run(c, ctx)
	}
}
