package venuetest

import (
	"errors"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// skew is the offset of a wrong clock.
const skew = 90 * time.Second

var clockCases = []conformanceCase{
	{number: 280, name: "equal clocks have no offset", run: tradesDespiteSkew},
	{number: 281, name: "a clock far behind the venue's is measured and orders succeed immediately", under: Conditions{ClockOffset: skew}, run: tradesDespiteSkew},
	{number: 282, name: "a clock far ahead of the venue's is measured and orders succeed immediately", under: Conditions{ClockOffset: -skew}, run: tradesDespiteSkew},
	{number: 283, name: "a clock that jumps is measured again and the order sent once", run: clockJumps},
	{number: 284, name: "an order whose deadline has passed is not sent", run: deadlinePassed},
	{number: 285, name: "an order that would be executed after its deadline is rejected by the venue", run: deadlineAtVenue},
	{number: 286, name: "the deadline holds with a skewed clock", under: Conditions{ClockOffset: skew}, run: deadlineAtVenue},
	{number: 287, name: "an amendment that would be executed after its deadline changes nothing", run: deadlineOfAmendment},
	{number: 288, name: "times of the venue are those of its clock", under: Conditions{ClockOffset: skew}, run: timesAreTheVenues},
}

func tradesDespiteSkew(s *env) {
	order := s.resting()
	s.checkOrders(order.ClientOrderID, 1)
	s.cancel(order)
	offset, err := s.connector.SyncClock(s.t.Context())
	if wanted := s.sim.Exchange().Clock().Offset(); err != nil || (offset-wanted).Abs() > 2*time.Second {
		s.t.Errorf("%v measured as %v, %v", wanted, offset, err)
	}
	s.filled(market(venues.Buy, "0.01"))
	if fills := s.fillsAround(s.sim.Exchange().Clock().Now()); len(fills) != 1 {
		s.t.Errorf("fills = %+v, want one", fills)
	}
}

func (s *env) fillsAround(at time.Time) []venues.Fill {
	s.t.Helper()
	fills, err := s.account.Fills(s.t.Context(), venues.FillsQuery{Symbol: symbol, From: at.Add(-time.Minute), To: at.Add(time.Minute)})
	if err != nil {
		s.t.Fatal(err)
	}
	return fills
}

func clockJumps(s *env) {
	s.resting()
	for _, offset := range []time.Duration{skew, -skew} {
		s.sim.Exchange().Clock().SetOffset(offset)
		order := s.resting()
		s.checkOrders(order.ClientOrderID, 1)
	}
}

func deadlinePassed(s *env) {
	order := s.order(func(r *venues.OrderRequest) { r.Deadline = time.Now().Add(-time.Second) })
	_, err := s.account.Place(s.t.Context(), order)
	if !errors.Is(err, venues.ErrNotSent) {
		s.t.Errorf("error = %v, want not sent", err)
	}
	s.checkOrders(order.ClientOrderID, 0)
	if rows := len(s.sim.Control().Ledger().Orders); rows != 0 {
		s.t.Errorf("%d orders in the ledger, want 0", rows)
	}
}

func deadlineAtVenue(s *env) {
	s.warmUp()
	s.overdue(s.harness.Wire.Place, func(deadline time.Time) error {
		order := s.order(func(r *venues.OrderRequest) { r.Deadline = deadline })
		_, err := s.account.Place(s.t.Context(), order)
		s.checkOrders(order.ClientOrderID, 0)
		return err
	})
	s.resting()
}

// overdue makes a call that reaches the venue in time and is executed after its
// deadline, which must be rejected. If the machine is too slow to send before the
// deadline, it repeats the call with a longer deadline and delay.
func (s *env) overdue(route Route, call func(deadline time.Time) error) {
	s.t.Helper()
	for lifetime := time.Second; lifetime < waitMax; lifetime *= 2 {
		s.fault(simcore.FaultDelay, route, 0, simcore.FaultArgs{DelayMs: int(2 * lifetime.Milliseconds())})
		err := call(time.Now().Add(lifetime))
		if err == nil || errors.Is(err, venues.ErrOutcomeUnknown) {
			s.t.Errorf("error = %v, want a rejection", err)
		}
		sent := s.faultsApplied() > 0
		s.sim.Control().ClearFaults()
		if sent {
			s.checkRejected(err, venues.CodeOrderRejected, venues.ReasonTooLate)
			if errors.Is(err, venues.ErrNotSent) {
				s.t.Errorf("error = %v, want that of a request that was sent", err)
			}
			return
		}
	}
	s.t.Error("no call was sent before its deadline, want one")
}

func deadlineOfAmendment(s *env) {
	order := s.resting()
	s.overdue(s.harness.Wire.Amend, func(deadline time.Time) error {
		_, err := s.amended(order, func(r *venues.AmendRequest) { r.Price, r.Deadline = some("64600"), deadline })
		return err
	})
	s.checkOpen(order, "0.01", "64500")
}

func timesAreTheVenues(s *env) {
	s.filled(market(venues.Buy, "0.01"))
	now := s.sim.Exchange().Clock().Now()
	fills := s.fillsAround(now)
	if len(fills) != 1 || now.Sub(fills[0].ExecutedAt.Time) > 30*time.Second {
		s.t.Errorf("fills = %+v, want one at about %v", fills, now)
	}
}
