package customer

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// Deps are what the customer works with.
type Deps struct {
	ID      string
	Store   persistence.Reader
	Journal Journal
	Encoder Encoder
	Pool    *actors.Pool
	// OpenAccount makes the child for a connected venue, to be started under
	// the customer; CloseAccount hears that it is gone.
	OpenAccount  func(persistence.Fence, persistence.VenueAccount, Updates) (actors.Child, error)
	CloseAccount func(customer string, exchange venues.Venue)
	// Standing are the children that every customer has; the channels are those
	// that it begins with. They start before the others and end after them.
	Standing func(persistence.Fence, []persistence.Channel) []actors.Child
	// OpenPart says what follows a Channel or an Endpoint. It is called for each
	// new state of the record.
	OpenPart func(persistence.Fence, persistence.Record) (Part, error)
}

// Part is what follows a record.
type Part struct {
	Name string
	// Child is the one to start; nil if the record needs none any more.
	Child *actors.Child
	// Follow, if there is one, tells a child that lives of the record. Without it
	// that child ends, and Child takes its place.
	Follow func()
}

// Journal takes ownership and commits.
type Journal interface {
	Own(ctx context.Context, customer string) (persistence.Fence, error)
	Commit(ctx context.Context, b persistence.Batch) error
	Submit(b persistence.Batch, done func(error))
}

// Child describes the customer for its supervisor. The loss of one customer is
// no reason to end the others.
func Child(d Deps) actors.Child {
	return actors.Child{
		Name:     "customer/" + d.ID,
		Producer: func() actors.Behaviour { return &customer{deps: d} },
		Restart:  actors.Transient,
	}
}

// earlyMax bounds the commands that wait for the customer to be owned.
const earlyMax = 16

// ownRetry is the wait before a customer that could not be taken is tried again.
const ownRetry = time.Second

// reopenWait is how long a connection waits for the end of the one before it.
const reopenWait = 200 * time.Millisecond

type customer struct {
	deps   Deps
	fence  persistence.Fence
	topics *topics
	parts  parts
	// early are the commands that came before the customer was owned.
	early []any
}

// Started takes the customer and learns its accounts.
func (c *customer) Started(ctx *actors.Context) {
	c.parts = parts{}
	c.topics = newTopics(c.deps.Encoder, uint64(time.Now().UnixNano()))
	c.own(ctx)
}

func (c *customer) own(ctx *actors.Context) {
	err := ctx.Go(c.deps.Pool, func(life context.Context) any {
		fence, err := c.deps.Journal.Own(life, c.deps.ID)
		if err != nil {
			return owned{err: err}
		}
		return c.read(life, fence)
	})
	if err != nil {
		c.ownLater(ctx, err)
	}
}

// read gives what the customer's records describe.
func (c *customer) read(ctx context.Context, fence persistence.Fence) owned {
	accounts, err := c.deps.Store.VenueAccounts(ctx, c.deps.ID)
	if err != nil {
		return owned{err: err}
	}
	channels, err := c.deps.Store.Channels(ctx, c.deps.ID)
	if err != nil {
		return owned{err: err}
	}
	endpoints, err := c.deps.Store.Endpoints(ctx, c.deps.ID)
	return owned{fence, accounts, channels, endpoints, err}
}

// ownLater tries again. To fail would be to forget who listens, who would not
// hear of it.
func (c *customer) ownLater(ctx *actors.Context, cause error) {
	ctx.Logger().Warn("take customer", zap.Error(cause))
	ctx.Timers().After("own", ownRetry, ownDue{})
}

// Receive dispatches.
func (c *customer) Receive(ctx *actors.Context, msg any) {
	now := time.Now()
	switch in := msg.(type) {
	case owned:
		c.owned(ctx, in)
	case ownDue:
		c.own(ctx)
	case connectAccount:
		c.whenOwned(in, func() { c.connect(ctx, in) })
	case recordAccount:
		c.whenOwned(in, func() {
			c.commit(ctx, in.account, func(err error) any { return accountRecorded{in, err} }, in.Reject)
		})
	case accountRecorded:
		c.recorded(in)
	case openAccount:
		c.open(ctx, in.account)
	case accountStored:
		c.connected(ctx, in)
	case removeAccount:
		c.whenOwned(in, func() { c.remove(ctx, in) })
	case accountRemoved:
		c.removed(ctx, in)
	case configure:
		c.whenOwned(in, func() { c.configure(ctx, in) })
	case configured:
		c.configured(ctx, in)
	case stop:
		ctx.Stop()
		in.Send(struct{}{})
	case *actors.ChildEnded:
		c.ended(ctx, in)
	case subscribe:
		s := &subscription{owner: ctx.Self(), kind: in.kind, sink: in.sink}
		c.topics.add(s, now)
		in.Send(s)
	case resync:
		c.topics.snapshot(in.sub, now)
	case leave:
		c.topics.remove(in.sub)
	case reconciled:
		c.topics.replace(in, now)
	case orderChanged:
		c.topics.orderChanged(in.order, now)
	case positionChanged:
		c.topics.positionChanged(in.position, now)
	case balancesChanged:
		c.topics.balancesChanged(in.exchange, in.balances, now)
	default:
		ctx.Unhandled(msg)
	}
}

func (c *customer) owned(ctx *actors.Context, in owned) {
	if in.err != nil {
		c.ownLater(ctx, in.err)
		return
	}
	c.fence = in.fence
	for _, child := range c.deps.Standing(c.fence, in.channels) {
		if _, err := ctx.Children().Start(child); err != nil {
			ctx.Fail(err)
		}
	}
	for _, account := range in.accounts {
		c.open(ctx, account)
	}
	for _, channel := range in.channels {
		_, _ = c.openPart(ctx, channel) // logged; the others go on
	}
	for _, endpoint := range in.endpoints {
		_, _ = c.openPart(ctx, endpoint)
	}
	early := c.early
	c.early = nil
	for _, msg := range early {
		c.Receive(ctx, msg)
	}
}

// whenOwned does what needs the fence, now or as soon as it is taken.
func (c *customer) whenOwned(msg actors.Rejectable, do func()) {
	switch {
	case c.fence.Customer != "":
		do()
	case len(c.early) < earlyMax:
		c.early = append(c.early, msg)
	default:
		msg.Reject(actors.ErrBusy)
	}
}

func (c *customer) open(ctx *actors.Context, account persistence.VenueAccount) {
	if !account.RemovedAt.IsZero() {
		return
	}
	child, err := c.deps.OpenAccount(c.fence, account, Updates{ctx.Self()})
	if err == nil {
		_, err = ctx.Children().Start(child)
	}
	switch {
	case errors.Is(err, actors.ErrNameTaken): // the one before it is still stopping
		ctx.Timers().After("open/"+string(account.Exchange), reopenWait, openAccount{account})
	case err != nil:
		ctx.Logger().Error("open account", zap.String("exchange", string(account.Exchange)), zap.Error(err))
	}
}

// connect stores a new connection first; the account starts once it is durable.
func (c *customer) connect(ctx *actors.Context, in connectAccount) {
	c.commit(ctx, in.account, func(err error) any { return accountStored{in, err} }, in.Reject)
}

func (c *customer) connected(ctx *actors.Context, in accountStored) {
	if in.err != nil {
		in.in.Reject(in.err)
		return
	}
	c.close(ctx, in.in.account.Exchange)
	c.open(ctx, in.in.account)
	in.in.Send(struct{}{})
}

func (c *customer) recorded(in accountRecorded) {
	if in.err != nil {
		in.in.Reject(in.err)
		return
	}
	in.in.Send(struct{}{})
}

// remove keeps the record, marked: the orders that were made through it stay.
func (c *customer) remove(ctx *actors.Context, in removeAccount) {
	err := ctx.Go(c.deps.Pool, func(life context.Context) any {
		return accountRemoved{in, c.markRemoved(life, in.exchange)}
	})
	if err != nil {
		in.Reject(err)
	}
}

func (c *customer) markRemoved(ctx context.Context, exchange venues.Venue) error {
	accounts, err := c.deps.Store.VenueAccounts(ctx, c.deps.ID)
	if err != nil {
		return err
	}
	for _, account := range accounts {
		if account.Exchange == exchange && account.RemovedAt.IsZero() {
			account.RemovedAt, account.Sealed = venues.At(time.Now()), nil
			return c.deps.Journal.Commit(ctx, persistence.Batch{Fence: c.fence, Puts: []persistence.Record{account}})
		}
	}
	return venues.Errorf(venues.CodeNotFound, "no %s account is connected", exchange)
}

func (c *customer) removed(ctx *actors.Context, in accountRemoved) {
	if in.err != nil {
		in.in.Reject(in.err)
		return
	}
	c.close(ctx, in.in.exchange)
	in.in.Send(struct{}{})
}

func (c *customer) close(ctx *actors.Context, exchange venues.Venue) {
	ctx.Timers().Cancel("open/" + string(exchange))
	ctx.Children().Stop("account/" + string(exchange))
	c.deps.CloseAccount(c.deps.ID, exchange)
}

// ended hears of an account that was removed, replaced, or lost: it has no more
// to tell.
func (c *customer) ended(ctx *actors.Context, in *actors.ChildEnded) {
	c.partEnded(ctx, in.Name)
	if exchange, ok := strings.CutPrefix(in.Name, "account/"); ok {
		c.topics.replace(reconciled{exchange: venues.Venue(exchange)}, time.Now())
	}
	if in.Err != nil {
		ctx.Logger().Error("child lost", zap.String("child", in.Name), zap.Error(in.Err))
	}
}

func (c *customer) commit(ctx *actors.Context, r persistence.Record, done func(error) any, reject func(error)) {
	batch := persistence.Batch{Fence: c.fence, Puts: []persistence.Record{r}}
	err := ctx.Go(c.deps.Pool, func(life context.Context) any { return done(c.deps.Journal.Commit(life, batch)) })
	if err != nil {
		reject(err)
	}
}
