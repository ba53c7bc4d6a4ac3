package customer

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/step"
	"venuegate/persistence"
	"venuegate/venues"
)

// Deps are the dependencies of a customer.
type Deps struct {
	ID      string
	Store   persistence.Reader
	Journal Journal
	Encoder Encoder
	Pool    *actors.Pool
	// OpenAccount returns the account of a connected venue, to be started under the
	// customer. CloseAccount is called when it is stopped.
	OpenAccount  func(persistence.Fence, persistence.VenueAccount, Updates) (actors.Child, error)
	CloseAccount func(customer string, exchange venues.Venue)
	// FixedChildren returns the children that every customer has; channels are the
	// records at the start. They start before the other children and end after them.
	FixedChildren func(persistence.Fence, []persistence.Channel) []actors.Child
	// OpenFollower returns what follows a Channel or an Endpoint. It is called for each
	// version of the record.
	OpenFollower func(persistence.Fence, persistence.Record) (Follower, error)
	// Loaded is called when the accounts and followers of all records are opened.
	Loaded func(customer string)
}

// Follower is the child that follows a record.
type Follower struct {
	Name string
	// Child is the child to start; nil if the record needs none.
	Child *actors.Child
	// Follow, if not nil, notifies a running child of the record. Without it the
	// running child is stopped and Child takes its place.
	Follow func()
}

// Journal takes ownership of customers and commits.
type Journal interface {
	Own(ctx context.Context, customer string) (persistence.Fence, error)
	Commit(ctx context.Context, b persistence.Batch) error
	Submit(b persistence.Batch, done func(error))
}

// Child returns the specification of a customer. A customer that fails permanently does
// not end the others.
func Child(d Deps) actors.Child {
	return actors.Child{
		Name:     "customer/" + d.ID,
		Producer: func() actors.Behaviour { return &customer{deps: d} },
		Restart:  actors.Transient,
	}
}

// earlyMax bounds the commands that are kept until the customer is owned.
const earlyMax = 16

// ownRetry is the delay before another attempt to own the customer.
const ownRetry = time.Second

// reopenWait is the delay before another attempt to start an account while the
// previous one is stopping.
const reopenWait = 200 * time.Millisecond

// snapshotWaitMax bounds how long a subscriber waits for accounts that are not reconciled
// yet. Then it gets a snapshot without them, and another one for each of them.
const snapshotWaitMax = 3 * time.Second

type customer struct {
	deps      Deps
	fence     persistence.Fence
	topics    *topics
	followers followers
	// early are the commands that arrive before the customer is owned.
	early step.Early
}

// Started takes the fence and reads the customer's records.
func (c *customer) Started(ctx *actors.Context) {
	c.followers, c.early.Max = followers{}, earlyMax
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

// read reads the records that describe the customer's children.
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

// ownLater schedules another attempt. The actor does not fail, since a restart would
// lose its subscribers without notice.
func (c *customer) ownLater(ctx *actors.Context, cause error) {
	ctx.Logger().Warn("take customer", zap.Error(cause))
	ctx.Timers().After("own", ownRetry, ownDue{})
}

// Receive handles one message.
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
			c.commit(ctx, in.account, func(err error) any { return accountRecorded{in, err} })
		})
	case accountRecorded:
		c.recorded(in)
	case openAccount:
		c.open(ctx, in.account)
	case connectStored:
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
		c.topics.resync(in.sub, now)
	case snapshotsDue:
		c.topics.waitNoLonger(now)
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
	for _, child := range c.deps.FixedChildren(c.fence, in.channels) {
		if _, err := ctx.Children().Start(child); err != nil {
			ctx.Fail(err)
		}
	}
	for _, account := range in.accounts {
		c.open(ctx, account)
	}
	for _, channel := range in.channels {
		_, _ = c.openFollower(ctx, channel) // logged; the others start
	}
	for _, endpoint := range in.endpoints {
		_, _ = c.openFollower(ctx, endpoint)
	}
	c.deps.Loaded(c.deps.ID)
	for _, msg := range c.early.Take() {
		c.Receive(ctx, msg)
	}
}

// whenOwned calls do, which needs the fence, or keeps msg until the customer is owned.
func (c *customer) whenOwned(msg actors.Rejectable, do func()) {
	if c.fence.Customer == "" {
		c.early.Add(msg)
		return
	}
	do()
}

func (c *customer) open(ctx *actors.Context, account persistence.VenueAccount) {
	if !account.RemovedAt.IsZero() {
		return
	}
	child, err := c.deps.OpenAccount(c.fence, account, Updates{ctx.Self()})
	if err == nil {
		_, err = ctx.Children().Start(child)
	}
	if err == nil {
		c.topics.opened(account.Exchange)
		ctx.Timers().After("snapshots", snapshotWaitMax, snapshotsDue{})
	}
	switch {
	case errors.Is(err, actors.ErrNameTaken): // the previous one is still stopping
		ctx.Timers().After("open/"+string(account.Exchange), reopenWait, openAccount{account})
	case err != nil:
		ctx.Logger().Error("open account", zap.String("exchange", string(account.Exchange)), zap.Error(err))
	}
}

// connect stores a new connection. The account starts once that is durable.
func (c *customer) connect(ctx *actors.Context, in connectAccount) {
	c.commit(ctx, in.account, func(err error) any { return connectStored{in, err} })
}

func (c *customer) connected(ctx *actors.Context, in connectStored) {
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

// remove marks the record as removed and keeps it: orders refer to it.
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
			return c.deps.Journal.Commit(ctx, persistence.Batch{Fence: c.fence, Puts: []persistence.Record{account}, Reserve: true})
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

// ended handles the end of a child. What an account has published is withdrawn.
func (c *customer) ended(ctx *actors.Context, in *actors.ChildEnded) {
	c.followerEnded(ctx, in.Name)
	if exchange, ok := strings.CutPrefix(in.Name, "account/"); ok {
		c.topics.closed(venues.Venue(exchange), time.Now())
	}
	if in.Err != nil {
		ctx.Logger().Error("child lost", zap.String("child", in.Name), zap.Error(in.Err))
	}
}

func (c *customer) commit(ctx *actors.Context, r persistence.Record, result func(error) any) {
	// An operator can halt an account on a full disk.
	step.Submit(ctx, c.deps.Journal, persistence.Batch{Fence: c.fence, Puts: []persistence.Record{r}, Reserve: true}, result)
}
