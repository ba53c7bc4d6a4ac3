package venuetest

import (
	"errors"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

var limitCases = []conformanceCase{
	{number: 300, name: "an order beyond the rate limit is rate_limited with a time to wait, and is not placed", under: Conditions{OrdersMax: 3}, run: orderLimit},
	{number: 301, name: "a ban is rate_limited with its duration; later orders are not sent", run: banned},
	{number: 302, name: "maintenance is reported as such and never as success", run: maintenance},
	{number: 303, name: "maintenance of a read is reported as such", run: maintenanceOfRead},
	{number: 304, name: "a burst of reads stays within the venue's limits", run: burst},
	{number: 305, name: "a ban of a read does not make its outcome unknown", run: banOfRead},
}

// orderLimit places orders until the venue, or the connector's own rate limit, admits
// none before the order's deadline.
func orderLimit(s *env) {
	const ordersMax = 12
	for range ordersMax {
		order := s.order()
		_, err := s.account.Place(s.t.Context(), order)
		if err == nil {
			continue
		}
		e, ok := errors.AsType[*venues.Error](err)
		if !ok || e.Code != venues.CodeRateLimited || e.RetryAfter <= 0 || errors.Is(err, venues.ErrOutcomeUnknown) {
			s.t.Errorf("error = %v, want rate_limited with a time to wait", err)
		}
		s.checkLimitOfVenue(e)
		s.checkOrders(order.ClientOrderID, 0)
		return
	}
	s.t.Errorf("%d orders were placed, want a rate limit", ordersMax)
}

// checkLimitOfVenue checks that an error names the venue as the scope of the limit.
func (s *env) checkLimitOfVenue(e *venues.Error) {
	s.t.Helper()
	if e != nil && e.Details["scope"] != venues.LimitOfVenue {
		s.t.Errorf("details = %v, want the scope %s", e.Details, venues.LimitOfVenue)
	}
}

func banned(s *env) {
	order := s.resting()
	s.fault(simcore.FaultBan, s.harness.Wire.Place, 1, simcore.FaultArgs{DelayMs: 60_000})
	limited := s.order()
	_, err := s.account.Place(s.t.Context(), limited)
	e, ok := errors.AsType[*venues.Error](err)
	if !ok || e.Code != venues.CodeRateLimited || e.RetryAfter <= 0 || errors.Is(err, venues.ErrOutcomeUnknown) {
		s.t.Fatalf("error = %v, want rate_limited with a time to wait", err)
	}
	s.checkLimitOfVenue(e)
	s.checkOrders(limited.ClientOrderID, 0)
	next := s.order()
	if _, err = s.account.Place(s.t.Context(), next); err == nil || errors.Is(err, venues.ErrOutcomeUnknown) || venues.CodeOf(err) != venues.CodeRateLimited {
		s.t.Errorf("error during the ban = %v, want rate_limited", err)
	}
	s.checkOrders(next.ClientOrderID, 0)
	s.checkOrders(order.ClientOrderID, 1)
}

func maintenance(s *env) {
	s.warmUp()
	s.fault(simcore.FaultMaintenance, s.harness.Wire.Place, 1, simcore.FaultArgs{})
	order := s.order()
	_, err := s.account.Place(s.t.Context(), order)
	if code := venues.CodeOf(err); code != venues.CodeMaintenance && code != venues.CodeExchangeUnavailable || errors.Is(err, venues.ErrNotSent) {
		s.t.Errorf("error = %v, want maintenance or exchange_unavailable", err)
	}
	s.checkOrders(order.ClientOrderID, 0)
	s.checkNotFound(order)
}

func maintenanceOfRead(s *env) {
	s.fault(simcore.FaultMaintenance, s.harness.Wire.OpenOrders, 1, simcore.FaultArgs{})
	_, err := s.account.OpenOrders(s.t.Context())
	s.checkReadFailed(err, venues.CodeMaintenance, venues.CodeExchangeUnavailable)
}

func burst(s *env) {
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
			s.t.Errorf("error = %v, want none", err)
		}
	}
}

func banOfRead(s *env) {
	s.fault(simcore.FaultBan, s.harness.Wire.OpenOrders, 1, simcore.FaultArgs{DelayMs: 60_000})
	_, err := s.account.OpenOrders(s.t.Context())
	s.checkReadFailed(err, venues.CodeRateLimited)
}
