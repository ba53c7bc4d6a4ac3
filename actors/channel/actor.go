package channel

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/step"
	"venuegate/persistence"
	"venuegate/venues"
)

// Name returns the name of a channel's actor among the children of its customer.
func Name(channelID string) string { return "channel/" + channelID }

// Deps are the dependencies of a channel.
type Deps struct {
	// Channel is the record when the actor is created. The store may have a newer
	// one; see Client.Follow.
	Channel persistence.Channel
	Fence   persistence.Fence
	Store   Inbox
	// Journal takes the commits in order; it is the actor's commit queue.
	Journal persistence.Submitter
	// Executor returns what a channel with this record trades through.
	Executor    func(*persistence.Channel) Executor
	SignalQueue SignalQueue
	NewID       func(prefix string, at time.Time) string
	Pool        *actors.Pool
}

// SignalQueue keeps the customer's signals in order; see package signalqueue.
type SignalQueue interface {
	Enter(channel, id string, exchange venues.Venue, symbol string, receivedAt time.Time, granted func(error))
	Release(channel, id string)
	Retain(channel string, ids []string)
}

// mailboxMax bounds the pending signals of a channel.
const mailboxMax = 256

// Child returns the specification of a channel's actor. The causes that keep it from
// starting are temporary, so it is restarted without limit. A removed channel
// finishes the signals that it has accepted and then ends.
func Child(d Deps) actors.Child {
	return actors.Child{
		Name: Name(d.Channel.ID), MailboxMax: mailboxMax, Restart: actors.Transient, RestartsMax: math.MaxInt,
		Producer: func() actors.Behaviour { return &channel{deps: d} },
	}
}

// findDue starts a search that was delayed.
type findDue struct{ find }

type channel struct {
	deps     Deps
	executor Executor
	state    *state
	steps    step.Runner[effect]
	ready    bool
	// isNewest reports whether the record came through Follow; then it is at least as
	// new as what the actor reads from the store.
	isNewest bool
	// early are the signals that arrive before the inbox is read.
	early step.Early
}

// Started reads the inbox. It first waits until the commits of the previous
// incarnation are answered.
func (c *channel) Started(ctx *actors.Context) {
	c.state = newState(c.deps.Fence)
	c.early.Max = mailboxMax
	c.steps = step.Runner[effect]{
		Journal: c.deps.Journal, Handle: c.handle, Finish: c.state.take,
		Run:    func(ctx *actors.Context, e effect) { e.run(c, ctx) },
		Stored: c.state.durable, Refused: c.claimRefused, Failed: c.commitFailed,
	}
	c.follow(c.deps.Channel)
	c.isNewest = false
	if err := c.begin(ctx, c.load); err != nil {
		ctx.Fail(err)
	}
}

// follow applies another version of the record to everything that begins later.
// Steps under way end with the version they began with.
func (c *channel) follow(record persistence.Channel) {
	c.state.channel, c.executor, c.isNewest = record, c.deps.Executor(&record), true
}

// Stopping starts nothing more and answers the remaining callers. The slots in the
// signal queue stay: the next incarnation needs them.
func (c *channel) Stopping(ctx *actors.Context) {
	c.steps.Do(ctx, func() {
		c.state.stopping = true
		c.early.Reject(actors.ErrStopped)
		c.state.answerDurable()
	})
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

// record reads the newest version of the channel's record.
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

// Receive handles one message.
func (c *channel) Receive(ctx *actors.Context, msg any) {
	c.steps.Receive(ctx, msg)
	if c.ready && c.state.isOver() {
		ctx.Stop()
	}
}

func (c *channel) handle(ctx *actors.Context, msg any) {
	m := step.NewContext(c.deps.NewID)
	switch in := msg.(type) {
	case accept:
		c.accept(m, in)
	case changed:
		c.follow(in.record)
	case loaded:
		c.loaded(ctx, in)
	case granted:
		if c.ready { // until then no signal is known
			c.state.granted(m, in)
		}
	case stepDone:
		c.state.stepDone(m, in)
	case found:
		c.state.found(m, in)
	case findDue:
		in.run(c, ctx)
	case flatRead:
		c.state.flatRead(m, in)
	case dryRunDone:
		c.state.dryRunDone(m, in)
	case answerDue:
		c.state.answerDue(in.id)
	case retryDue:
		c.state.retry(m, in.id)
	case expiryDue:
		c.state.expiryDue(m, in.id)
	default:
		ctx.Unhandled(msg)
	}
}

func (c *channel) accept(m step.Context, in accept) {
	if c.ready {
		c.state.accept(m, in)
		return
	}
	c.early.Add(in)
}

func (c *channel) loaded(ctx *actors.Context, in loaded) {
	if in.err != nil {
		c.early.Reject(in.err)
		ctx.Fail(in.err)
	}
	if !c.isNewest {
		c.follow(in.record)
	}
	c.state.loaded(in)
	c.deps.SignalQueue.Retain(c.deps.Channel.ID, slices.Sorted(maps.Keys(c.state.tasks)))
	c.ready = true
	for _, early := range c.early.Take() {
		c.steps.Enqueue(early)
	}
}

// claimRefused drops a signal whose first commit was refused.
func (c *channel) claimRefused(id string, effects []effect, err error) {
	rejectReplies(effects, err)
	c.state.dropUnstored(id, err)
}

// commitFailed answers every caller: with the state of the signal if that is
// durable, else with err. Memory is ahead of the store, so the channel restarts from
// its inbox.
func (c *channel) commitFailed(ctx *actors.Context, effects []effect, err error) {
	rejectReplies(effects, err)
	ctx.Logger().Warn("signal not stored", zap.String("channel", c.deps.Channel.ID), zap.Error(err))
	c.state.answerDurable()
	for _, e := range c.state.take().After {
		e.run(c, ctx)
	}
	for _, t := range c.state.tasks {
		if t.waiter != nil {
			t.waiter.Reject(err)
		}
	}
}

func rejectReplies(effects []effect, err error) {
	for _, e := range effects {
		if r, is := e.(replyOutcome); is {
			r.to.Reject(err)
		}
	}
}
