package step_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"venuegate/actors"
	"venuegate/actors/actortest"
	"venuegate/actors/step"
	"venuegate/persistence"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// manualJournal answers batches when the test calls answer.
type manualJournal struct{ done []func(error) }

func (j *manualJournal) Submit(_ persistence.Batch, done func(error)) { j.done = append(j.done, done) }

// answer answers the oldest batch.
func (j *manualJournal) answer(err error) {
	done := j.done[0]
	j.done = j.done[1:]
	done(err)
}

// recorder is an actor that logs its messages and effects. Each message is the output of
// its step.
type recorder struct {
	steps step.Runner[effect]
	out   step.Output[effect]
	log   []string
}

// output is a message that describes the output of its step.
type output struct {
	name    string
	batch   bool
	creates string
	now     []effect
	after   []effect
}

// effect logs its name and enqueues a message unless enqueues is nil.
type effect struct {
	name     string
	enqueues *output
}

func names(list ...string) []effect {
	effects := make([]effect, len(list))
	for i, name := range list {
		effects[i].name = name
	}
	return effects
}

func (r *recorder) Started(*actors.Context) {}

func (r *recorder) Receive(ctx *actors.Context, msg any) { r.steps.Receive(ctx, msg) }

func (r *recorder) note(what string) { r.log = append(r.log, what) }

func (r *recorder) handle(ctx *actors.Context, msg any) {
	in, is := msg.(output)
	if !is {
		ctx.Unhandled(msg)
		return
	}
	r.note("handle " + in.name)
	r.out = step.Output[effect]{Now: in.now, After: in.after, Creates: in.creates}
	if in.batch {
		r.out.Batch.Journal = []persistence.JournalEntry{{ID: in.name}}
	}
}

func (r *recorder) finish() step.Output[effect] {
	out := r.out
	r.out = step.Output[effect]{}
	return out
}

func (r *recorder) run(_ *actors.Context, e effect) {
	r.note(e.name)
	if e.enqueues != nil {
		r.steps.Enqueue(*e.enqueues)
	}
}

func (r *recorder) refused(id string, effects []effect, err error) {
	r.note("refused " + id + " " + joined(effects) + " " + err.Error())
}

func (r *recorder) failed(_ *actors.Context, effects []effect, err error) {
	r.note("failed " + joined(effects) + " " + err.Error())
}

func joined(effects []effect) string {
	list := make([]string, len(effects))
	for i, e := range effects {
		list[i] = e.name
	}
	return strings.Join(list, "+")
}

type harness struct {
	*testing.T
	kit *actortest.Kit
	ref actors.Ref
	// actor is the current incarnation; a restart replaces it.
	actor   atomic.Pointer[recorder]
	journal manualJournal
}

func run(t *testing.T, ordered bool, test func(h *harness), opts ...actortest.Option) {
	actortest.Run(t, func(k *actortest.Kit) {
		h := &harness{T: k.T, kit: k}
		h.ref = k.Start(actors.Child{Name: "recorder", Producer: func() actors.Behaviour {
			r := &recorder{}
			r.steps = step.Runner[effect]{
				Journal: &h.journal, Handle: r.handle, Finish: r.finish, Run: r.run, Ordered: ordered,
				Stored: func(id string) { r.note("stored " + id) }, Refused: r.refused, Failed: r.failed,
			}
			h.actor.Store(r)
			return r
		}})
		test(h)
	}, opts...)
}

func (h *harness) tell(messages ...output) {
	for _, m := range messages {
		h.ref.Tell(m)
	}
	h.kit.Settle()
}

func (h *harness) answer(err error) {
	h.journal.answer(err)
	h.kit.Settle()
}

// expect checks the log since the last call.
func (h *harness) expect(want ...string) {
	h.Helper()
	actor := h.actor.Load()
	if got := actor.log; !slices.Equal(got, want) {
		h.Errorf("log = %q, want %q", got, want)
	}
	actor.log = nil
}

func TestEffectsRunOnceTheirBatchIsDurable(t *testing.T) {
	run(t, false, func(h *harness) {
		h.tell(output{name: "a", batch: true, now: names("now"), after: names("after")})
		h.expect("handle a", "now")
		h.answer(nil)
		h.expect("after")
	})
}

// The result of an effect that a full pool rejects is known while the effect runs. It must not
// be handled before the remaining effects of the step.
func TestEnqueuedMessageFollowsTheRemainingEffects(t *testing.T) {
	run(t, false, func(h *harness) {
		refused := effect{name: "refused", enqueues: &output{name: "busy", after: names("retry")}}
		h.tell(output{name: "a", now: []effect{refused, {name: "second"}}, after: names("third")})
		h.expect("handle a", "refused", "second", "third", "handle busy", "retry")
	})
}

func TestEnqueuedMessageFollowsTheEffectsOfACommit(t *testing.T) {
	run(t, true, func(h *harness) {
		refused := effect{name: "refused", enqueues: &output{name: "busy", after: names("retry")}}
		h.tell(output{name: "a", batch: true, after: []effect{refused, {name: "second"}}}, output{name: "b", after: names("trailing")})
		h.expect("handle a", "handle b")
		h.answer(nil)
		h.expect("refused", "second", "trailing", "handle busy", "retry")
	})
}

func TestOrderedEffectsWaitForEarlierBatches(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		run(t, ordered, func(h *harness) {
			h.tell(output{name: "a", batch: true, after: names("after a")}, output{name: "b", after: names("after b")})
			if ordered {
				h.expect("handle a", "handle b")
				h.answer(nil)
				h.expect("after a", "after b")
				return
			}
			h.expect("handle a", "handle b", "after b")
			h.answer(nil)
			h.expect("after a")
		})
	}
}

func TestRefusedObjectIsDropped(t *testing.T) {
	run(t, true, func(h *harness) {
		h.tell(output{name: "a", batch: true, creates: "order", after: names("send")}, output{name: "b", after: names("trailing")})
		h.answer(persistence.ErrUnavailable)
		h.expect("handle a", "handle b", "refused order send "+persistence.ErrUnavailable.Error(), "trailing")
		h.tell(output{name: "c", batch: true, creates: "order", after: names("send")})
		h.answer(nil)
		h.expect("handle c", "stored order", "send")
	})
}

// Only a created object may be dropped, and only if certainly nothing of its batch was applied.
func TestFailedCommitFailsTheActor(t *testing.T) {
	for _, tt := range []struct {
		creates string
		err     error
	}{{"", persistence.ErrUnavailable}, {"order", persistence.ErrOutcomeUnknown}} {
		run(t, true, func(h *harness) {
			first := h.actor.Load()
			h.tell(output{name: "a", batch: true, creates: tt.creates, after: names("one")}, output{name: "b", batch: true, after: names("two")}, output{name: "c", after: names("three")})
			h.answer(tt.err)
			if want := "failed one+two+three " + tt.err.Error(); first.log[len(first.log)-1] != want {
				t.Errorf("log = %q, want %q last", first.log, want)
			}
			if first == h.actor.Load() {
				h.kit.Advance(actors.BackoffMaxDefault)
			}
			if first == h.actor.Load() {
				t.Error("the actor was not restarted, want a new incarnation")
			}
		}, actortest.ExpectFailures())
	}
}

type request struct{ actors.Reply[int] }

func TestEarlyRequestsAreBounded(t *testing.T) {
	early := step.Early{Max: 2}
	answers := make([]error, 3)
	for i := range answers {
		early.Add(request{actors.ReplyFunc(func(_ int, err error) { answers[i] = err })})
	}
	if !errors.Is(answers[2], actors.ErrBusy) || answers[0] != nil || answers[1] != nil {
		t.Errorf("answers = %v, want the third rejected with %v", answers, actors.ErrBusy)
	}
	early.Reject(context.Canceled)
	if !errors.Is(answers[0], context.Canceled) || !errors.Is(answers[1], context.Canceled) || len(early.Take()) != 0 {
		t.Errorf("answers = %v, want %v for the first two", answers, context.Canceled)
	}
}
