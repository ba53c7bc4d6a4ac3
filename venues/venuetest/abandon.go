package venuetest

import (
	"context"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// pollInterval is how often a case polls for a condition that no event reports.
const pollInterval = time.Millisecond

// eventually polls until a condition holds.
func (s *env) eventually(what string, holds func() bool) {
	s.t.Helper()
	late := time.After(waitMax)
	look := time.NewTicker(pollInterval)
	defer look.Stop()
	for !holds() {
		select {
		case <-look.C:
		case <-late:
			s.t.Fatalf("timeout, want %s", what)
		}
	}
}

// delayed delays the next request of a route until the faults are cleared.
func (s *env) delayed(route Route) {
	s.t.Helper()
	s.fault(simcore.FaultDelay, route, 1, simcore.FaultArgs{DelayMs: int(2 * waitMax.Milliseconds())})
}

// abandon makes a call whose answer an injected fault withholds, and cancels its context
// once the fault was applied: by then the venue has the request, so that the outcome
// does not depend on time. It returns the error of the call.
func (s *env) abandon(call func(context.Context) error) error {
	s.t.Helper()
	before := s.faultsApplied()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- call(ctx) }()
	s.eventually("the fault", func() bool { return s.faultsApplied() > before || len(ended) > 0 })
	cancel()
	return <-ended
}

// callUndecodable makes a call whose answer on the order entry connection cannot be
// decoded. It cancels the context of the call once received reports true and the answer
// to a later order has come. It returns the error of the call.
func (s *env) callUndecodable(met func() bool, call func(context.Context) error) error {
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

// abandonOrder is abandon for a new order.
func (s *env) abandonOrder(order venues.OrderRequest) error {
	s.t.Helper()
	return s.abandon(s.placing(order))
}

func (s *env) placing(order venues.OrderRequest) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := s.account.Place(ctx, order)
		return err
	}
}

// awaitExecuted waits until the venue has executed an order, which may be after its
// caller gave up, and fails the case if the venue has more than one.
func (s *env) awaitExecuted(order venues.OrderRequest) {
	s.t.Helper()
	s.eventually("the order at the venue", func() bool { return len(s.ledgerOrders(order.ClientOrderID)) > 0 })
	s.checkOrders(order.ClientOrderID, 1)
}
