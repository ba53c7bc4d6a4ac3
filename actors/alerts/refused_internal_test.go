package alerts

import (
	"context"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/actors/actortest"
	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
)

// probe is an effect that only calls the test.
type probe func()

func (p probe) run(*behaviour, *actors.Context) { p() }

// A full pool refuses a watch while the effects of a step run. The step that schedules
// another watch must not run before the remaining effects.
func TestRefusedWatchDoesNotRunBeforeTheRemainingEffects(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		store := storetest.NewMemory()
		log := journal.NewClient(store)
		fence, err := log.Own(kit.T.Context(), "c1")
		if err != nil {
			kit.T.Fatal(err)
		}
		pool := kit.System.NewPool("watch", 1, 0)
		var b *behaviour
		deps := Deps{
			Customer: "c1", Fence: fence, Store: store, Journal: log.CommitQueue("c1", Name), Pool: pool,
			NewID: func(prefix string, _ time.Time) string { return prefix + "1" },
		}
		ref := kit.Start(actors.Child{Name: Name, Producer: func() actors.Behaviour {
			b = &behaviour{deps: deps}
			return b
		}})
		kit.Start(actors.Child{Name: "other", Producer: func() actors.Behaviour { return occupier{pool} }})
		b.state.alerts["a1"] = &alert{Alert: persistence.Alert{ID: "a1"}}
		failures := -1
		b.state.out.After = append(b.state.out.After, watch{id: "a1"}, probe(func() { failures = b.state.alerts["a1"].failures }))
		ref.Tell(watchDue{id: "none"})
		kit.Settle()
		if failures != 0 || b.state.alerts["a1"].failures != 1 {
			kit.T.Errorf("failures = %d within the step, %d after it, want 0 and 1", failures, b.state.alerts["a1"].failures)
		}
	})
}

// A full pool at the start is temporary: the actor is restarted.
func TestRefusedReadingIsRepeated(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		store := storetest.NewMemory()
		log := journal.NewClient(store)
		fence, err := log.Own(kit.T.Context(), "c1")
		if err != nil {
			kit.T.Fatal(err)
		}
		pool := kit.System.NewPool("watch", 1, 0)
		kit.Start(actors.Child{Name: "other", Producer: func() actors.Behaviour { return occupier{pool} }})
		ref := kit.Start(Child(Deps{Customer: "c1", Fence: fence, Store: store, Journal: log.CommitQueue("c1", Name), Pool: pool}))
		kit.Advance(time.Minute)
		ctx, cancel := context.WithTimeout(kit.T.Context(), time.Second)
		defer cancel()
		if _, err := NewClient(ref).Put(ctx, persistence.Alert{ID: "a1", Customer: "c1"}, persistence.JournalEntry{ID: "j1", Subject: "a1"}); err != nil {
			kit.T.Errorf("an alert after the pool was full: error %v, want none", err)
		}
	}, actortest.ExpectFailures())
}

func TestUnknownMessageIsReported(t *testing.T) {
	var unknown []any
	observe := actors.WithObserver(actors.Observer{Unhandled: func(_ string, msg any) { unknown = append(unknown, msg) }})
	actortest.Run(t, func(kit *actortest.Kit) {
		pool := kit.System.NewPool("watch", 1, 1)
		store := storetest.NewMemory()
		ref := kit.Start(Child(Deps{Customer: "c1", Store: store, Journal: journal.NewClient(store).CommitQueue("c1", Name), Pool: pool}))
		ref.Tell("unknown")
		kit.Settle()
	}, actortest.With(observe))
	if len(unknown) != 1 || unknown[0] != "unknown" {
		t.Errorf("unhandled messages %v, want the unknown one", unknown)
	}
}

// occupier is an actor whose effect occupies a pool.
type occupier struct{ pool *actors.Pool }

func (o occupier) Started(ctx *actors.Context) {
	_ = ctx.Go(o.pool, func(life context.Context) any {
		select {
		case <-life.Done():
		case <-time.After(time.Second):
		}
		return nil
	})
}

func (occupier) Receive(*actors.Context, any) {}
