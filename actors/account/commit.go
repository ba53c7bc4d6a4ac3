package account

import (
	"errors"
	"slices"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// finish ends a step: what it asks for is committed first and carried out
// afterwards, always behind the steps before it. Commits are handed over at once;
// the line merges those that meet.
func (a *account) finish(ctx *actors.Context, m moment) {
	out := a.state.finish(m)
	a.gate.set(a.state.isClosed())
	switch {
	case !out.batch.Empty():
		a.submit(ctx, &out)
	case len(a.committing) > 0:
		last := a.committing[len(a.committing)-1]
		last.after = append(last.after, out.after...)
	default:
		a.carryOut(ctx, out.after)
	}
	a.schedule(ctx)
}

func (a *account) submit(ctx *actors.Context, out *output) {
	a.committing = append(a.committing, out)
	done := actors.ReplyTo(ctx, func(_ struct{}, err error) any { return committed{err} })
	a.deps.Journal.Submit(out.batch, func(err error) {
		if err != nil {
			done.Reject(err)
			return
		}
		done.Send(struct{}{})
	})
}

func (a *account) carryOut(ctx *actors.Context, after []effect) {
	for _, e := range after {
		e.run(a, ctx)
	}
}

// refusesWhole says whether it is certain that nothing of a batch was applied.
func refusesWhole(err error) bool {
	return errors.Is(err, persistence.ErrExists) || errors.Is(err, persistence.ErrUnavailable)
}

// committed goes on once the oldest commit is durable. An intent that was not
// stored is simply not there: its request id is taken, or the store has no room;
// nothing of it was put behind it. Any other failure leaves memory
// ahead of the store, so the account starts anew from what is durable.
func (a *account) committed(ctx *actors.Context, in committed) {
	out := a.committing[0]
	a.committing = slices.Delete(a.committing, 0, 1)
	switch {
	case in.err == nil:
		a.state.intentStored(out.intent)
		a.carryOut(ctx, out.after)
	case out.intent != "" && refusesWhole(in.err):
		a.state.intentRefused(out.intent, in.err)
		a.carryOut(ctx, out.after[out.own:])
	default:
		a.abandon(out)
		ctx.Fail(in.err)
	}
}

// abandon answers those of whom something is certain before the account starts anew:
// refusals that only waited behind the commit, and the outcome of orders that is not
// known. The kit answers the others.
func (a *account) abandon(failed *output) {
	for _, out := range slices.Concat([]*output{failed}, a.committing) {
		for _, e := range out.after {
			if r, is := e.(replyOrder); is && r.err != nil {
				r.to.Reject(r.err)
			}
		}
	}
	a.state.abandon()
}

// commitError is what a caller is told if nothing was done because a commit
// failed.
func commitError(cause error) *venues.Error {
	e := venues.Errorf(venues.CodeMaintenance, "the store cannot take orders now").Because(cause)
	e.RetryAfter = maintenanceRetry
	return e
}
