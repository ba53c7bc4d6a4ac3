package venuetest

import (
	"context"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// lookInterval is how often a case looks for what no event tells it.
const lookInterval = time.Millisecond

// eventually waits until a condition holds.
func (s *stage) eventually(what string, holds func() bool) {
	s.t.Helper()
	late := time.After(patience)
	look := time.NewTicker(lookInterval)
	defer look.Stop()
	for !holds() {
		select {
		case <-look.C:
		case <-late:
			s.t.Fatalf("%s did not come", what)
		}
	}
}

// delayed lets the next request of a route wait, from when its fault has struck until
// the faults are cleared.
func (s *stage) delayed(route Route) {
	s.t.Helper()
	s.fault(simcore.FaultDelay, route, 1, simcore.FaultArgs{DelayMs: int(2 * patience.Milliseconds())})
}

// abandon makes a call whose answer a scripted fault withholds, and ends its
// context once the fault has struck: the venue has the request by then, and no
// clock decides what becomes of it. The error is the call's.
func (s *stage) abandon(call func(context.Context) error) error {
	s.t.Helper()
	before := s.struck()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- call(ctx) }()
	s.eventually("the fault", func() bool { return s.struck() > before || len(ended) > 0 })
	cancel()
	return <-ended
}

// unread makes a call whose answer on the connection for orders nobody can read, and
// ends its context once the connection has: the answer was met, and that of an order
// behind it has come. The error is the call's.
func (s *stage) unread(met func() bool, call func(context.Context) error) error {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- call(ctx) }()
	s.eventually("the answer", func() bool { return met() || len(ended) > 0 })
	s.streams.tamper(nil)
	s.place()
	cancel()
	return <-ended
}

// abandonOrder is abandon for an order.
func (s *stage) abandonOrder(order venues.OrderRequest) error {
	s.t.Helper()
	return s.abandon(s.placing(order))
}

func (s *stage) placing(order venues.OrderRequest) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := s.account.Place(ctx, order)
		return err
	}
}

// executes waits until the venue has executed an order, which may be after its
// caller gave up, and fails the case if it holds more than one.
func (s *stage) executes(order venues.OrderRequest) {
	s.t.Helper()
	s.eventually("the order at the venue", func() bool { return len(s.truth(order.ClientOrderID)) > 0 })
	s.holds(order.ClientOrderID, 1)
}
