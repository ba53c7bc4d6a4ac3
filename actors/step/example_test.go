package step_test

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/step"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
)

// add is a command that adds to the sum. The answer is the sum, once it is durable.
type add struct {
	actors.Reply[int]
	amount int
}

// counter is an actor whose state is a sum.
type counter struct {
	store persistence.Submitter
	steps step.Runner[reply]
	sum   int
	out   step.Output[reply]
}

// reply is the counter's only kind of effect.
type reply struct {
	to  add
	sum int
}

func (c *counter) Started(*actors.Context) {
	c.steps = step.Runner[reply]{
		Journal: c.store, Handle: c.handle, Finish: c.take,
		Run: func(_ *actors.Context, e reply) { e.to.Send(e.sum) },
	}
}

func (c *counter) Receive(ctx *actors.Context, msg any) { c.steps.Receive(ctx, msg) }

func (c *counter) handle(ctx *actors.Context, msg any) {
	switch in := msg.(type) {
	case add:
		c.sum += in.amount
		c.out.Batch.Journal = append(c.out.Batch.Journal, persistence.JournalEntry{
			ID: "jrn_" + strconv.Itoa(c.sum), Kind: "counter.sum", Result: strconv.Itoa(c.sum),
		})
		c.out.After = append(c.out.After, reply{in, c.sum})
	default:
		ctx.Unhandled(msg)
	}
}

func (c *counter) take() step.Output[reply] {
	out := c.out
	c.out = step.Output[reply]{}
	return out
}

func Example() {
	store := storetest.NewMemory()
	system := actors.New(zap.NewNop())
	ref, err := system.Start(actors.Child{Name: "counter", Producer: func() actors.Behaviour { return &counter{store: store} }})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, amount := range []int{40, 2} {
		sum, err := actors.Ask(ctx, ref, func(r actors.Reply[int]) any { return add{r, amount} })
		fmt.Println(sum, err)
	}
	fmt.Println(system.Stop(ctx))
	// Output:
	// 40 <nil>
	// 42 <nil>
	// <nil>
}
