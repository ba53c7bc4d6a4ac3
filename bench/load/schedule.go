package load

import (
	"context"
	"sync"
	"time"
)

// backlogMax is how long a request that is due may wait for a client that is free.
const backlogMax = 10 * time.Second

// schedule is the times at which requests are due.
type schedule struct {
	start time.Time
	// rate is the number of requests per second.
	rate float64
	// requests is the number of requests.
	requests int
}

// due returns when request n is due.
func (s schedule) due(n int) time.Time {
	return s.start.Add(time.Duration(float64(n) / s.rate * float64(time.Second)))
}

// request is one that is due.
type request struct {
	n   int
	due time.Time
}

// run sends the requests of a schedule with clients that each send one at a time, until all have
// ended or ctx ends. A request that waits longer than backlogMax for a client is given to
// unsent, which must not block. send and unsent are called by several goroutines.
func (s schedule) run(ctx context.Context, clients int, send func(ctx context.Context, client int, r request), unsent func(request)) {
	// A free client takes the next request at once; the channel holds those for which there is
	// none.
	waiting := make(chan request, max(clients, int(s.rate*backlogMax.Seconds())))
	var running sync.WaitGroup
	for client := range clients {
		running.Go(func() {
			for r := range waiting {
				if ctx.Err() != nil || time.Since(r.due) > backlogMax {
					unsent(r)
					continue
				}
				send(ctx, client, r)
			}
		})
	}
	s.release(ctx, waiting, unsent)
	close(waiting)
	running.Wait()
}

// release puts each request into waiting when it is due.
func (s schedule) release(ctx context.Context, waiting chan<- request, unsent func(request)) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	for n := range s.requests {
		r := request{n: n, due: s.due(n)}
		if early := time.Until(r.due); early > 0 {
			timer.Reset(early)
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
		}
		select {
		case waiting <- r:
		default:
			unsent(r)
		}
	}
}
