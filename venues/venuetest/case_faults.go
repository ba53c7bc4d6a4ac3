package venuetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

var faultCases = []conformanceCase{
	{number: 240, name: "delay: a slow answer is received", run: faultDelay},
	{number: 241, name: "timeout_before: outcome unknown, and no order at the venue", run: faultTimeoutBefore},
	{number: 242, name: "timeout_after: outcome unknown, and the order is found", run: faultTimeoutAfter},
	{number: 243, name: "drop_connection before execution: outcome unknown, and no order at the venue", run: faultDropBefore},
	{number: 244, name: "drop_connection after execution: outcome unknown, and the order is found", run: faultDropAfter},
	{number: 245, name: "status 5xx in HTML before execution: outcome unknown", run: faultStatusBefore},
	{number: 246, name: "status 5xx in HTML after execution: outcome unknown, and the order is found", run: faultStatusAfter},
	{number: 247, name: "reject with a known code: that rejection", run: faultRejectKnown},
	{number: 248, name: "reject with a code that leaves the outcome open: outcome unknown, and the order is found", run: faultRejectOpen},
	{number: 249, name: "reject with an undocumented code: rejected or unknown, never success", run: faultRejectUnlisted},
	{number: 250, name: "a cancellation without an answer: outcome unknown, and the order is cancelled", run: faultCancel},
	{number: 251, name: "an amendment without an answer: outcome unknown, and the order is amended", run: faultAmend},
	{number: 252, name: "a change of leverage without an answer is no rejection", run: faultLeverage},
	{number: 253, name: "a read without an answer fails without other effects", run: faultRead},
	{number: 254, name: "a venue that refuses connections: certainly not sent", run: faultUnreachable},
	{number: 255, name: "a cancelled call: outcome unknown if it was sent, and nothing is sent twice", run: faultCallerCancels},
	{number: 256, name: "random faults: every outcome agrees with the venue's ledger", run: faultStorm},
	{number: 257, name: "a stop without an answer: outcome unknown, and the stop is found", run: faultStop},
	{number: 258, name: "after an unknown outcome the private stream publishes the order", run: faultThenStream},
	{number: 259, name: "an answer after the connector's timeout: outcome unknown, and the order is found", run: faultTooSlow},
}

// warmUp places and cancels an order, so that the connector has read what it needs
// before its first order and a fault applies to the order alone.
func (s *env) warmUp() {
	s.t.Helper()
	s.cancel(s.resting())
}

// placeUnknown places an order whose outcome must be unknown, and queries it. A call
// without any answer is abandoned.
func (s *env) placeUnknown(do simcore.FaultAction, args simcore.FaultArgs, executed bool) {
	s.t.Helper()
	s.warmUp()
	s.fault(do, s.harness.Wire.Place, 1, args)
	order := s.order()
	var err error
	switch {
	case do == simcore.FaultTimeoutBefore || do == simcore.FaultTimeoutAfter:
		err = s.abandonOrder(order)
	case do == simcore.FaultStatus && s.harness.entry != nil:
		err = s.callUndecodable(func() bool { return s.faultsApplied() > 0 }, s.placing(order))
	default:
		_, err = s.account.Place(s.t.Context(), order)
	}
	s.checkUnknown(err)
	s.checkFaults(1)
	if !executed {
		s.checkNotFound(order)
		s.checkOrders(order.ClientOrderID, 0)
		return
	}
	s.awaitExecuted(order)
	if found := s.find(order); !found.Status.IsActive() {
		s.t.Errorf("status = %s, want an active one: %+v", found.Status, found)
	}
}

func faultDelay(s *env) {
	s.fault(simcore.FaultDelay, s.harness.Wire.Place, 1, simcore.FaultArgs{DelayMs: 200})
	order := s.resting()
	s.checkOrders(order.ClientOrderID, 1)
}

func faultTimeoutBefore(s *env) {
	s.placeUnknown(simcore.FaultTimeoutBefore, simcore.FaultArgs{}, false)
}

func faultTimeoutAfter(s *env) {
	s.placeUnknown(simcore.FaultTimeoutAfter, simcore.FaultArgs{}, true)
}

func faultDropBefore(s *env) {
	s.placeUnknown(simcore.FaultDropConnection, simcore.FaultArgs{}, false)
}

func faultDropAfter(s *env) {
	s.placeUnknown(simcore.FaultDropConnection, simcore.FaultArgs{Executed: true}, true)
}

func faultStatusBefore(s *env) {
	s.placeUnknown(simcore.FaultStatus, simcore.FaultArgs{Status: 502}, false)
}

func faultStatusAfter(s *env) {
	s.placeUnknown(simcore.FaultStatus, simcore.FaultArgs{Status: 504, Executed: true}, true)
}

func faultRejectKnown(s *env) {
	s.fault(simcore.FaultReject, s.harness.Wire.Place, 1, simcore.FaultArgs{Code: []byte(s.harness.Wire.NoMargin)})
	order := s.order()
	_, err := s.account.Place(s.t.Context(), order)
	e := s.rejection(err, venues.CodeInsufficientBalance, "")
	if e.VenueCode == "" {
		s.t.Errorf("rejection = %+v, want a code of the venue", e)
	}
	s.checkOrders(order.ClientOrderID, 0)
}

func faultRejectOpen(s *env) {
	s.placeUnknown(simcore.FaultReject, simcore.FaultArgs{Code: []byte(s.harness.Wire.Uncertain), Executed: true}, true)
}

func faultRejectUnlisted(s *env) {
	s.fault(simcore.FaultReject, s.harness.Wire.Place, 1, simcore.FaultArgs{Code: []byte(s.harness.Wire.NotListed), Message: "an undocumented error"})
	order := s.order()
	_, err := s.account.Place(s.t.Context(), order)
	e, ok := errors.AsType[*venues.Error](err)
	if !ok || errors.Is(err, venues.ErrNotSent) || e.VenueCode == "" || e.VenueMessage != "an undocumented error" {
		s.t.Errorf("error = %v, want code and message of the venue", err)
	}
	s.checkOrders(order.ClientOrderID, 0)
}

func faultCancel(s *env) {
	order := s.resting()
	s.fault(simcore.FaultTimeoutAfter, s.harness.Wire.Cancel, 1, simcore.FaultArgs{})
	s.checkUnknown(s.abandon(func(ctx context.Context) error {
		_, err := s.account.Cancel(ctx, refOf(order))
		return err
	}))
	s.awaitStatus(order, venues.StatusCancelled)
	s.checkStatus(order, venues.StatusCancelled)
}

func faultAmend(s *env) {
	order := s.resting()
	s.fault(simcore.FaultTimeoutAfter, s.harness.Wire.Amend, 1, simcore.FaultArgs{})
	s.checkUnknown(s.abandon(func(ctx context.Context) error {
		_, err := s.account.Amend(ctx, amendment(order, func(r *venues.AmendRequest) { r.Price = some("64600") }))
		return err
	}))
	s.await("the amendment", func(h *sink) bool { return venues.EqualOptional(h.last(order.ClientOrderID).Price, some("64600")) })
	s.checkOpen(order, "0.01", "64600")
}

func faultLeverage(s *env) {
	s.fault(simcore.FaultTimeoutAfter, s.harness.Wire.SetLeverage, 1, simcore.FaultArgs{})
	s.checkUnknown(s.abandon(func(ctx context.Context) error {
		_, err := s.account.SetLeverage(ctx, symbol, d("7"))
		return err
	}))
}

func faultRead(s *env) {
	order := s.resting()
	s.fault(simcore.FaultTimeoutBefore, s.harness.Wire.OpenOrders, 1, simcore.FaultArgs{})
	err := s.abandon(func(ctx context.Context) error {
		_, err := s.account.OpenOrders(ctx)
		return err
	})
	s.checkReadFailed(err, venues.CodeExchangeUnavailable)
	s.fault(simcore.FaultStatus, s.harness.Wire.Query, 1, simcore.FaultArgs{Status: 502})
	_, err = s.account.Order(s.t.Context(), refOf(order))
	s.checkReadFailed(err, venues.CodeExchangeUnavailable)
	s.checkOpenOrders(1)
}

func faultUnreachable(s *env) {
	s.warmUp()
	s.network.stop()
	s.streams.stop()
	const attemptsMax = 20 // the bytes of a request may have been sent on a connection that was open
	for range attemptsMax {
		order := s.order()
		_, err := s.account.Place(s.t.Context(), order)
		s.checkOrders(order.ClientOrderID, 0)
		if errors.Is(err, venues.ErrNotSent) {
			if errors.Is(err, venues.ErrOutcomeUnknown) || venues.CodeOf(err) != venues.CodeExchangeUnavailable {
				s.t.Errorf("error = %v, want exchange_unavailable, certainly not sent", err)
			}
			return
		}
		s.checkUnknown(err)
	}
	s.t.Error("no order was certainly not sent, want one")
}

func faultCallerCancels(s *env) {
	s.warmUp()
	s.delayed(s.harness.Wire.Place)
	order := s.order()
	s.checkUnknown(s.abandonOrder(order))
	s.sim.Control().ClearFaults()
	s.awaitStatus(order, venues.StatusOpen)
	s.awaitExecuted(order)
	ended, cancel := context.WithCancel(s.t.Context())
	cancel()
	late := s.order()
	if _, err := s.account.Place(ended, late); !errors.Is(err, venues.ErrNotSent) {
		s.t.Errorf("error = %v, want not sent", err)
	}
	s.checkOrders(late.ClientOrderID, 0)
}

// faultTooSlow uses a connector with a short timeout. It repeats until an order has
// reached the venue, because earlier requests may exceed the timeout.
func faultTooSlow(s *env) {
	hurried := s.connect(Conditions{Timeout: time.Second, OrderEntry: s.under.OrderEntry})
	s.eventually("the catalogue", func() bool {
		_, err := hurried.Instruments(s.t.Context())
		return err == nil
	})
	account := s.openOn(hurried, s.sim.DemoAccount().Credentials)
	if e := s.harness.entry; e != nil {
		s.listen(account)
		s.eventually("the order entry connection", func() bool { return e.Up(account) })
	}
	s.fault(simcore.FaultTimeoutAfter, s.harness.Wire.Place, 0, simcore.FaultArgs{})
	s.eventually("an order that the venue has and did not answer", func() bool {
		order := s.order()
		_, err := account.Place(s.t.Context(), order)
		if err == nil && s.harness.entry == nil {
			s.t.Fatal("the order succeeds without an answer, want an error")
		}
		if errors.Is(err, venues.ErrOutcomeUnknown) == errors.Is(err, venues.ErrNotSent) && err != nil {
			s.t.Fatalf("%v, want an unknown outcome or none", err)
		}
		return errors.Is(err, venues.ErrOutcomeUnknown) && len(s.ledgerOrders(order.ClientOrderID)) == 1
	})
}

func faultStop(s *env) {
	s.warmUp()
	s.fault(simcore.FaultTimeoutAfter, s.harness.Wire.PlaceStop, 1, simcore.FaultArgs{})
	order := s.order(stop(venues.Buy, "66000"))
	s.checkUnknown(s.abandonOrder(order))
	s.awaitExecuted(order)
	s.checkStatus(order, venues.StatusUntriggered)
}

func faultThenStream(s *env) {
	s.warmUp()
	s.fault(simcore.FaultTimeoutAfter, s.harness.Wire.Place, 1, simcore.FaultArgs{})
	order := s.order(market(venues.Buy, "0.01"))
	s.checkUnknown(s.abandonOrder(order))
	s.awaitStatus(order, venues.StatusFilled)
	s.checkPosition(venues.Long, "0.01")
}

// faultStorm injects faults at random while orders are placed, and compares each outcome
// with the ledger.
func faultStorm(s *env) {
	s.warmUp()
	for n, f := range []simcore.FaultRequest{
		{Do: simcore.FaultTimeoutAfter, Args: simcore.FaultArgs{DelayMs: 50}},
		{Do: simcore.FaultTimeoutBefore, Args: simcore.FaultArgs{DelayMs: 50}},
		{Do: simcore.FaultDropConnection, Args: simcore.FaultArgs{Executed: true}},
		{Do: simcore.FaultDropConnection},
		{Do: simcore.FaultStatus, Args: simcore.FaultArgs{Status: 502, Executed: true}},
		{Do: simcore.FaultReject, Args: simcore.FaultArgs{Code: []byte(s.harness.Wire.NoMargin)}},
	} {
		if f.Do == simcore.FaultStatus && s.harness.entry != nil {
			continue // on an order entry connection this means no answer, and a timeout each
		}
		f.Match = simcore.FaultMatch{Path: s.harness.Wire.Place.Path, Op: s.harness.Wire.Place.Method}
		f.Probability, f.Seed = &simcore.Decimal{Decimal: d("0.15")}, uint64(n+1)
		s.script(f)
	}
	outcomes := map[string]int{}
	const ordersMax = 25
	for range ordersMax {
		if s.harness.entry != nil {
			s.awaitEntry(true) // the faults apply to the connection alone
		}
		order := s.order()
		_, err := s.account.Place(s.t.Context(), order)
		held := len(s.ledgerOrders(order.ClientOrderID))
		switch {
		case err == nil:
			outcomes["placed"]++
			s.checkOrders(order.ClientOrderID, 1)
		case errors.Is(err, venues.ErrOutcomeUnknown):
			outcomes[fmt.Sprintf("unknown, %d held", held)]++
			if held > 1 {
				s.t.Errorf("%d orders after %v, want at most one", held, err)
			}
		default:
			outcomes["rejected"]++
			s.checkOrders(order.ClientOrderID, 0)
		}
	}
	if len(outcomes) < 3 {
		s.t.Errorf("outcomes = %v, want at least three kinds", outcomes)
	}
}
