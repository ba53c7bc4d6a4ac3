package venuetest

import (
	"errors"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

var limitCases = []conformanceCase{
	{number: 300, name: "a broken order limit is rate_limited with a time to wait, and nothing is placed", under: Conditions{OrdersMax: 3}, run: orderLimit},
	{number: 301, name: "a ban is rate_limited with its time; what follows is not sent", run: banned},
	{number: 302, name: "maintenance is told as such and never as success", run: maintenance},
	{number: 303, name: "maintenance of a read is told as such", run: maintenanceOfRead},
	{number: 304, name: "a burst of reads stays within the venue's limits", run: burst},
	{number: 305, name: "a ban of a read does not make its outcome a question", run: banOfRead},
}

// orderLimit places orders until the venue, or the connector that minds the
// venue's limit, has no room before the order's deadline.
func orderLimit(s *stage) {
	const ordersMax = 12
	for range ordersMax {
		order := s.order()
		_, err := s.account.Place(s.t.Context(), order)
		if err == nil {
			continue
		}
		e, ok := errors.AsType[*venues.Error](err)
		if !ok || e.Code != venues.CodeRateLimited || e.RetryAfter <= 0 || errors.Is(err, venues.ErrOutcomeUnknown) {
			s.t.Errorf("%v", err)
		}
		s.holds(order.ClientOrderID, 0)
		return
	}
	s.t.Errorf("%d orders passed", ordersMax)
}

func banned(s *stage) {
	order := s.resting()
	s.fault(simcore.FaultBan, s.harness.Wire.Place, 1, simcore.FaultArgs{DelayMs: 60_000})
	refused := s.order()
	_, err := s.account.Place(s.t.Context(), refused)
	e, ok := errors.AsType[*venues.Error](err)
	if !ok || e.Code != venues.CodeRateLimited || e.RetryAfter <= 0 || errors.Is(err, venues.ErrOutcomeUnknown) {
		s.t.Fatalf("%v", err)
	}
	s.holds(refused.ClientOrderID, 0)
	next := s.order()
	if _, err = s.account.Place(s.t.Context(), next); err == nil || errors.Is(err, venues.ErrOutcomeUnknown) || venues.CodeOf(err) != venues.CodeRateLimited {
		s.t.Errorf("during the ban: %v", err)
	}
	s.holds(next.ClientOrderID, 0)
	s.holds(order.ClientOrderID, 1)
}

func maintenance(s *stage) {
	s.warm()
	s.fault(simcore.FaultMaintenance, s.harness.Wire.Place, 1, simcore.FaultArgs{})
	order := s.order()
	_, err := s.account.Place(s.t.Context(), order)
	if code := venues.CodeOf(err); code != venues.CodeMaintenance && code != venues.CodeExchangeUnavailable || errors.Is(err, venues.ErrNotSent) {
		s.t.Errorf("%v", err)
	}
	s.holds(order.ClientOrderID, 0)
	s.missing(order)
}

func maintenanceOfRead(s *stage) {
	s.fault(simcore.FaultMaintenance, s.harness.Wire.OpenOrders, 1, simcore.FaultArgs{})
	_, err := s.account.OpenOrders(s.t.Context())
	s.plain(err, venues.CodeMaintenance, venues.CodeExchangeUnavailable)
}

func burst(s *stage) {
	order := s.resting()
	const readsMax = 30
	errs := make(chan error, readsMax)
	for range readsMax {
		go func() {
			_, err := s.account.Order(s.t.Context(), refOf(order))
			errs <- err
		}()
	}
	for range readsMax {
		if err := <-errs; err != nil {
			s.t.Errorf("%v", err)
		}
	}
}

func banOfRead(s *stage) {
	s.fault(simcore.FaultBan, s.harness.Wire.OpenOrders, 1, simcore.FaultArgs{DelayMs: 60_000})
	_, err := s.account.OpenOrders(s.t.Context())
	s.plain(err, venues.CodeRateLimited)
}
