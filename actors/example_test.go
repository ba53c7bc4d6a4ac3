package actors_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
)

// A complete actor package, with its files in one. The actor adds to a number that is
// kept in a slow store.

// protocol.go
//
//	message      kind     sent by   reply
//	*add         command  Client    the new sum, or errNegative
//	*loaded      result   own load
//	*saved       result   own save
type (
	add struct {
		actors.Reply[int]
		amount int
	}
	loaded struct {
		sum int
		err error
	}
	saved struct {
		reply actors.Reply[int]
		sum   int
		err   error
	}
)

var errNegative = errors.New("amount is negative")

// client.go

// Client is the only way to use the actor. It is a small value that may be copied.
type Client struct{ ref actors.Ref }

// NewClient returns a client of the counter at ref.
func NewClient(ref actors.Ref) Client { return Client{ref} }

// Add adds amount and returns the new sum once it is saved.
func (c Client) Add(ctx context.Context, amount int) (int, error) {
	return actors.Ask(ctx, c.ref, func(reply actors.Reply[int]) any {
		return &add{Reply: reply, amount: amount}
	})
}

// actor.go

// Store is the dependency of the counter.
type Store interface {
	Load(ctx context.Context) (int, error)
	Save(ctx context.Context, sum int) error
}

// Deps are set in actors/root. Pool runs one effect at a time, which keeps the saves in
// order.
type Deps struct {
	Store Store
	Pool  *actors.Pool
}

// New returns the Producer of a counter.
func New(deps Deps) func() actors.Behaviour {
	return func() actors.Behaviour { return &counter{deps: deps} }
}

type counter struct {
	deps Deps
	sum  int
	late []*add // arrived before the sum was loaded; bounded by lateMax
}

const lateMax = 64

// Started loads the state; nothing is kept from an earlier incarnation.
func (c *counter) Started(ctx *actors.Context) { c.load(ctx) }

// Receive handles one message.
func (c *counter) Receive(ctx *actors.Context, msg any) {
	switch m := msg.(type) {
	case *add:
		c.add(ctx, m)
	case *loaded:
		c.loaded(ctx, m)
	case *saved:
		c.saved(ctx, m)
	default:
		ctx.Unhandled(msg)
	}
}

// state.go and effects.go

func (c *counter) load(ctx *actors.Context) {
	err := ctx.Go(c.deps.Pool, func(ctx context.Context) any {
		sum, err := c.deps.Store.Load(ctx)
		return &loaded{sum: sum, err: err}
	})
	if err != nil {
		ctx.Fail(fmt.Errorf("load the sum: %w", err))
	}
	c.late = []*add{}
}

func (c *counter) loaded(ctx *actors.Context, m *loaded) {
	if m.err != nil {
		ctx.Fail(fmt.Errorf("load the sum: %w", m.err)) // the supervisor restarts the actor later
	}
	late := c.late
	c.sum, c.late = m.sum, nil
	for _, a := range late {
		c.add(ctx, a)
	}
}

func (c *counter) add(ctx *actors.Context, m *add) {
	switch {
	case m.amount < 0:
		m.Reject(errNegative) // invalid input is rejected
	case c.late == nil:
		c.save(ctx, m)
	case len(c.late) < lateMax:
		c.late = append(c.late, m)
	default:
		m.Reject(actors.ErrBusy)
	}
}

func (c *counter) save(ctx *actors.Context, m *add) {
	sum := c.sum + m.amount
	err := ctx.Go(c.deps.Pool, func(ctx context.Context) any {
		return &saved{reply: m.Reply, sum: sum, err: c.deps.Store.Save(ctx, sum)}
	})
	if err != nil {
		m.Reject(err)
		return
	}
	c.sum = sum
}

func (c *counter) saved(ctx *actors.Context, m *saved) {
	if m.err != nil {
		m.reply.Reject(m.err)
		ctx.Fail(fmt.Errorf("save the sum: %w", m.err)) // the next incarnation loads the stored sum
	}
	m.reply.Send(m.sum)
}

// slowStore replaces a real store.
type slowStore struct{}

func (slowStore) Load(context.Context) (int, error) { return 40, nil }
func (slowStore) Save(context.Context, int) error   { return nil }

func Example() {
	system := actors.New(zap.NewNop())
	deps := Deps{Store: slowStore{}, Pool: system.NewPool("store", 1, 64)}
	ref, err := system.Start(actors.Child{Name: "counter/visits", Producer: New(deps)})
	if err != nil {
		panic(err)
	}
	client := NewClient(ref)

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	fmt.Println(client.Add(ctx, 2))
	fmt.Println(client.Add(ctx, -1))
	fmt.Println(system.Stop(ctx))
	_, err = client.Add(ctx, 1)
	fmt.Println(errors.Is(err, actors.ErrStopped))
	// Output:
	// 42 <nil>
	// 0 amount is negative
	// <nil>
	// true
}
