package step

import (
	"fmt"
	"slices"

	"venuegate/actors"
	"venuegate/persistence"
)

// Runner runs the steps of one incarnation of an actor. It calls all its functions on
// the actor's goroutine. Journal, Handle, Finish and Run must be set;
// Stored, Refused and Failed may be nil.
type Runner[E any] struct {
	// Journal commits the batches and answers them in order.
	Journal persistence.Submitter
	// Handle applies one message to the state.
	Handle func(ctx *actors.Context, msg any)
	// Finish ends a step and returns its output.
	Finish func() Output[E]
	// Run runs one effect.
	Run func(ctx *actors.Context, effect E)

	// Stored is called when a batch that creates an object (Output.Creates) is durable,
	// before its effects.
	Stored func(id string)
	// Refused is called when the store has rejected a batch that creates an object as a
	// whole. effects are those of the batch, which will not run.
	Refused func(id string, effects []E, err error)
	// Failed is called when a batch was not committed, right before the actor fails.
	// effects are those that will not run: of the batch and, if the Runner is Ordered,
	// of all later steps.
	Failed func(ctx *actors.Context, effects []E, err error)

	// Ordered delays the effects of a step without a batch until the batches of
	// the earlier steps are durable.
	Ordered bool

	// commits has the batches that are not answered yet, oldest first.
	commits []*commit[E]
	// queue has the enqueued messages, oldest first.
	queue []any
}

// commit is a submitted batch. It is also the message with the batch's outcome.
type commit[E any] struct {
	creates string
	effects []E
	// trailing has the effects of later steps without a batch, if the Runner is Ordered.
	trailing []E
	err      error
}

// Receive handles a message as one step, and then the messages that its effects
// have enqueued, each as a step of its own.
func (r *Runner[E]) Receive(ctx *actors.Context, msg any) {
	r.Do(ctx, func() {
		if c, is := msg.(*commit[E]); is {
			r.committed(ctx, c)
			return
		}
		r.Handle(ctx, msg)
	})
}

// Do runs a step for a change of the state without a message.
func (r *Runner[E]) Do(ctx *actors.Context, change func()) {
	change()
	r.finish(ctx)
	for len(r.queue) > 0 {
		msg := r.queue[0]
		r.queue = r.queue[1:]
		r.Handle(ctx, msg)
		r.finish(ctx)
	}
}

// Enqueue adds a message that is handled after the current step. It must be called by
// an effect or by Handle, during Receive or Do.
func (r *Runner[E]) Enqueue(msg any) { r.queue = append(r.queue, msg) }

func (r *Runner[E]) finish(ctx *actors.Context) {
	out := r.Finish()
	r.run(ctx, out.Now)
	switch {
	case !out.Batch.Empty():
		r.submit(ctx, &out)
	case r.Ordered && len(r.commits) > 0:
		last := r.commits[len(r.commits)-1]
		last.trailing = append(last.trailing, out.After...)
	default:
		r.run(ctx, out.After)
	}
}

func (r *Runner[E]) submit(ctx *actors.Context, out *Output[E]) {
	c := &commit[E]{creates: out.Creates, effects: out.After}
	r.commits = append(r.commits, c)
	Submit(ctx, r.Journal, out.Batch, func(err error) any {
		c.err = err
		return c
	})
}

func (r *Runner[E]) run(ctx *actors.Context, effects []E) {
	for _, e := range effects {
		r.Run(ctx, e)
	}
}

func (r *Runner[E]) committed(ctx *actors.Context, c *commit[E]) {
	i := slices.Index(r.commits, c)
	r.commits = slices.Delete(r.commits, i, i+1)
	switch {
	case c.err == nil:
		if c.creates != "" && r.Stored != nil {
			r.Stored(c.creates)
		}
		r.run(ctx, c.effects)
	case c.creates != "" && r.Refused != nil && persistence.IsRejected(c.err):
		r.Refused(c.creates, c.effects, c.err)
	default:
		r.fail(ctx, c)
	}
	r.run(ctx, c.trailing)
}

// fail calls Failed and fails the actor. It does not return.
func (r *Runner[E]) fail(ctx *actors.Context, c *commit[E]) {
	effects := slices.Concat(c.effects, c.trailing)
	if r.Ordered {
		for _, later := range r.commits {
			effects = slices.Concat(effects, later.effects, later.trailing)
		}
	}
	if r.Failed != nil {
		r.Failed(ctx, effects, c.err)
	}
	ctx.Fail(fmt.Errorf("commit: %w", c.err))
}
