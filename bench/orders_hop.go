package bench

import (
	"context"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
)

const (
	// hopsOfRound is the number of requests of a round, hopsQuick that of a quick run.
	hopsOfRound = 100_000
	hopsQuick   = 100
	// hopAnswerMax bounds all requests of a scenario.
	hopAnswerMax = 10 * time.Minute
)

// echo is an actor that replies to every request.
type echo struct{}

type echoQuestion struct{ actors.Reply[int] }

func (echo) Receive(_ *actors.Context, message any) { message.(echoQuestion).Send(1) }

// measureHop measures a request to an idle actor, as an order makes to its account,
// against a request to a goroutine over a channel.
func measureHop(ctx context.Context, o Options) (Figure, error) {
	ctx, cancel := context.WithTimeout(ctx, hopAnswerMax)
	defer cancel()
	system := actors.New(zap.NewNop())
	defer func() { _ = system.Stop(context.WithoutCancel(ctx)) }()
	ref, err := system.Start(actors.Child{Name: "echo", Producer: func() actors.Behaviour { return echo{} }})
	if err != nil {
		return Figure{}, err
	}
	asked := make(chan chan int)
	defer close(asked)
	go func() {
		for reply := range asked {
			reply <- 1
		}
	}()
	reply := make(chan int, 1)
	hops := hopsOfRound
	if o.Quick {
		hops = hopsQuick
	}
	var ours, limit []float64
	for range o.Rounds {
		begun := time.Now()
		for range hops {
			asked <- reply
			<-reply
		}
		limit = append(limit, float64(time.Since(begun).Nanoseconds())/1e3/float64(hops))
		begun = time.Now()
		for range hops {
			if _, err := actors.Ask(ctx, ref, func(r actors.Reply[int]) any { return echoQuestion{r} }); err != nil {
				return Figure{}, err
			}
		}
		ours = append(ours, float64(time.Since(begun).Nanoseconds())/1e3/float64(hops))
	}
	return Figure{Group: "actors", Name: "request to an actor", Ours: spreadOf(ours), Limit: spreadOf(limit), Unit: "µs", Goal: "<= 2 µs; limit: request to a goroutine over a channel"}, nil
}
