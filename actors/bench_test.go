package actors_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
)

// benchWindow is the number of messages under way in the one-way benchmarks, below the
// mailbox's limit.
const benchWindow = 512

// newBench starts one actor with the given Receive.
func newBench(b *testing.B, receive func(ctx *actors.Context, msg any)) (*actors.System, actors.Ref) {
	b.Helper()
	system := actors.New(zap.NewNop())
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := system.Stop(ctx); err != nil {
			b.Error(err)
		}
	})
	ref, err := system.Start(actors.Child{
		Name:       "bench",
		MailboxMax: 1 << 20,
		Producer:   func() actors.Behaviour { return receiveFunc(receive) },
	})
	if err != nil {
		b.Fatal(err)
	}
	return system, ref
}

// receiveFunc is a Behaviour without state.
type receiveFunc func(ctx *actors.Context, msg any)

// Receive implements actors.Behaviour.
func (f receiveFunc) Receive(ctx *actors.Context, msg any) { f(ctx, msg) }

type ping struct{ actors.Reply[int] }

// BenchmarkTell sends one message in windows, two of which are under way.
func BenchmarkTell(b *testing.B) {
	windows := make(chan struct{}, 2)
	received := 0
	_, ref := newBench(b, func(*actors.Context, any) {
		if received++; received%benchWindow == 0 {
			windows <- struct{}{}
		}
	})
	msg := &ping{}
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n++ {
		ref.Tell(msg)
		if (n+1)%benchWindow == 0 && n >= 2*benchWindow {
			<-windows
		}
	}
}

// BenchmarkTellParallel has as many senders as there are processors.
func BenchmarkTellParallel(b *testing.B) {
	_, ref := newBench(b, func(*actors.Context, any) {})
	msg := &ping{}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			ref.Tell(msg)
		}
	})
}

// BenchmarkAsk is a round trip of one caller to an idle actor.
func BenchmarkAsk(b *testing.B) {
	_, ref := newBench(b, func(_ *actors.Context, msg any) { msg.(*ping).Send(1) })
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := actors.Ask(ctx, ref, func(r actors.Reply[int]) any { return &ping{r} }); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAskParallel has 64 callers a processor.
func BenchmarkAskParallel(b *testing.B) {
	_, ref := newBench(b, func(_ *actors.Context, msg any) { msg.(*ping).Send(1) })
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	b.ReportAllocs()
	b.SetParallelism(64)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := actors.Ask(ctx, ref, func(r actors.Reply[int]) any { return &ping{r} }); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkRefused sends to a mailbox that stays full.
func BenchmarkRefused(b *testing.B) {
	hold := make(chan struct{})
	_, ref := newBench(b, func(*actors.Context, any) { <-hold })
	b.Cleanup(func() { close(hold) })
	msg := &ping{}
	for range 1<<20 + 1 {
		ref.Tell(msg)
	}
	b.ReportAllocs()
	for b.Loop() {
		ref.Tell(msg)
	}
}

// BenchmarkFanOut sends to 1000 idle actors; one operation is one message.
func BenchmarkFanOut(b *testing.B) {
	const actorCount = 1000
	var round sync.WaitGroup
	system, _ := newBench(b, func(*actors.Context, any) {})
	refs := make([]actors.Ref, actorCount)
	for n := range refs {
		var err error
		refs[n], err = system.Start(actors.Child{
			Name:     fmt.Sprintf("leaf/%d", n),
			Producer: func() actors.Behaviour { return receiveFunc(func(*actors.Context, any) { round.Done() }) },
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	msg := &ping{}
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; {
		batch := min(actorCount, b.N-n)
		round.Add(batch)
		for _, ref := range refs[:batch] {
			ref.Tell(msg)
		}
		round.Wait()
		n += batch
	}
}

// BenchmarkEffect is an empty effect: to the pool and back.
func BenchmarkEffect(b *testing.B) {
	system := actors.New(zap.NewNop())
	pool := system.NewPool("bench", 4, 4)
	type start struct{ actors.Reply[int] }
	type done struct{ reply actors.Reply[int] }
	ref, err := system.Start(actors.Child{Name: "bench", Producer: func() actors.Behaviour {
		return receiveFunc(func(ctx *actors.Context, msg any) {
			switch m := msg.(type) {
			case *start:
				if err := ctx.Go(pool, func(context.Context) any { return &done{m.Reply} }); err != nil {
					m.Reject(err)
				}
			case *done:
				m.reply.Send(1)
			}
		})
	}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := actors.Ask(ctx, ref, func(r actors.Reply[int]) any { return &start{r} }); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	if err := system.Stop(ctx); err != nil {
		b.Error(err)
	}
}

// BenchmarkStartStop starts and stops an actor.
func BenchmarkStartStop(b *testing.B) {
	ended := make(chan struct{})
	type start struct{}
	_, ref := newBench(b, func(ctx *actors.Context, msg any) {
		switch msg.(type) {
		case *start:
			_, err := ctx.Children().Start(actors.Child{Name: "leaf/1", Restart: actors.Transient, Producer: func() actors.Behaviour {
				return receiveFunc(func(*actors.Context, any) {})
			}})
			if err != nil {
				b.Error(err)
			}
			ctx.Children().Stop("leaf/1")
		case *actors.ChildEnded:
			ended <- struct{}{}
		}
	})
	b.ReportAllocs()
	for b.Loop() {
		ref.Tell(&start{})
		<-ended
	}
}

// BenchmarkTimer replaces a timer.
func BenchmarkTimer(b *testing.B) {
	type start struct{ actors.Reply[int] }
	_, ref := newBench(b, func(ctx *actors.Context, msg any) {
		m := msg.(*start)
		for n := 0; n < b.N; n++ {
			ctx.Timers().After("key", time.Hour, msg)
		}
		m.Send(1)
	})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := actors.Ask(ctx, ref, func(r actors.Reply[int]) any { return &start{r} }); err != nil {
		b.Fatal(err)
	}
}
