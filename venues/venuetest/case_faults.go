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
	{number: 240, name: "delay: a slow answer is an answer", run: faultDelay},
	{number: 241, name: "timeout_before: unknown, and nothing at the venue", run: faultTimeoutBefore},
	{number: 242, name: "timeout_after: unknown, and the order is found", run: faultTimeoutAfter},
	{number: 243, name: "drop_connection before execution: unknown, and nothing at the venue", run: faultDropBefore},
	{number: 244, name: "drop_connection after execution: unknown, and the order is found", run: faultDropAfter},
	{number: 245, name: "status 5xx in HTML before execution: unknown", run: faultStatusBefore},
	{number: 246, name: "status 5xx in HTML after execution: unknown, and the order is found", run: faultStatusAfter},
	{number: 247, name: "reject with a known code: that refusal", run: faultRejectKnown},
	{number: 248, name: "reject with a code that leaves it open: unknown, and the order is found", run: faultRejectOpen},
	{number: 249, name: "reject with a code that nobody knows: a refusal or unknown, never success", run: faultRejectUnlisted},
	{number: 250, name: "a cancel without an answer: unknown, and the order is gone", run: faultCancel},
	{number: 251, name: "an amendment without an answer: unknown, and the order is amended", run: faultAmend},
	{number: 252, name: "a change of leverage without an answer is no refusal", run: faultLeverage},
	{number: 253, name: "a read without an answer fails plainly and does not end anything", run: faultRead},
	{number: 254, name: "a venue that refuses connections: proved not sent", run: faultUnreachable},
	{number: 255, name: "a caller who gives up: unknown if it was sent, nothing sent twice", run: faultGivenUp},
	{number: 256, name: "a storm of faults: every outcome agrees with the venue's ledger", run: faultStorm},
	{number: 257, name: "a stop without an answer: unknown, and the stop is found", run: faultStop},
	{number: 258, name: "after unknown the private stream tells the truth", run: faultThenStream},
	{number: 259, name: "an answer that outlasts the connector's own time: unknown, and the order is found", run: faultTooSlow},
}

// warm lets the connector learn what it wants to know before its first order, so
// that a fault strikes the order alone.
func (s *stage) warm() {
	s.t.Helper()
	s.cancel(s.resting())
}

// doubtful places an order whose outcome must be unknown, and looks for it. One
// whose answer never comes is given up.
func (s *stage) doubtful(do simcore.FaultAction, args simcore.FaultArgs, executed bool) {
	s.t.Helper()
	s.warm()
	s.fault(do, s.harness.Wire.Place, 1, args)
	order := s.order()
	var err error
	switch {
	case do == simcore.FaultTimeoutBefore || do == simcore.FaultTimeoutAfter:
		err = s.abandonOrder(order)
	case do == simcore.FaultStatus && s.harness.entry != nil:
		err = s.unread(func() bool { return s.struck() > 0 }, s.placing(order))
	default:
		_, err = s.account.Place(s.t.Context(), order)
	}
	s.uncertain(err)
	if s.struck() != 1 {
		s.t.Errorf("the fault struck %d times", s.struck())
	}
	if !executed {
		s.missing(order)
		s.holds(order.ClientOrderID, 0)
		return
	}
	s.executes(order)
	if found := s.find(order); !found.Status.IsActive() {
		s.t.Errorf("%+v", found)
	}
}

func faultDelay(s *stage) {
	s.fault(simcore.FaultDelay, s.harness.Wire.Place, 1, simcore.FaultArgs{DelayMs: 200})
	order := s.resting()
	s.holds(order.ClientOrderID, 1)
}

func faultTimeoutBefore(s *stage) {
	s.doubtful(simcore.FaultTimeoutBefore, simcore.FaultArgs{}, false)
}

func faultTimeoutAfter(s *stage) {
	s.doubtful(simcore.FaultTimeoutAfter, simcore.FaultArgs{}, true)
}

func faultDropBefore(s *stage) {
	s.doubtful(simcore.FaultDropConnection, simcore.FaultArgs{}, false)
}

func faultDropAfter(s *stage) {
	s.doubtful(simcore.FaultDropConnection, simcore.FaultArgs{Executed: true}, true)
}

func faultStatusBefore(s *stage) {
	s.doubtful(simcore.FaultStatus, simcore.FaultArgs{Status: 502}, false)
}

func faultStatusAfter(s *stage) {
	s.doubtful(simcore.FaultStatus, simcore.FaultArgs{Status: 504, Executed: true}, true)
}

func faultRejectKnown(s *stage) {
	s.fault(simcore.FaultReject, s.harness.Wire.Place, 1, simcore.FaultArgs{Code: []byte(s.harness.Wire.NoMargin)})
	order := s.order()
	_, err := s.account.Place(s.t.Context(), order)
	e := s.refusal(err, venues.CodeInsufficientBalance, "")
	if e.VenueCode == "" {
		s.t.Errorf("%+v", e)
	}
	s.holds(order.ClientOrderID, 0)
}

func faultRejectOpen(s *stage) {
	s.doubtful(simcore.FaultReject, simcore.FaultArgs{Code: []byte(s.harness.Wire.Uncertain), Executed: true}, true)
}

func faultRejectUnlisted(s *stage) {
	s.fault(simcore.FaultReject, s.harness.Wire.Place, 1, simcore.FaultArgs{Code: []byte(s.harness.Wire.NotListed), Message: "a word that nobody knows"})
	order := s.order()
	_, err := s.account.Place(s.t.Context(), order)
	e, ok := errors.AsType[*venues.Error](err)
	if !ok || errors.Is(err, venues.ErrNotSent) || e.VenueCode == "" || e.VenueMessage != "a word that nobody knows" {
		s.t.Errorf("%v", err)
	}
	s.holds(order.ClientOrderID, 0)
}

func faultCancel(s *stage) {
	order := s.resting()
	s.fault(simcore.FaultTimeoutAfter, s.harness.Wire.Cancel, 1, simcore.FaultArgs{})
	s.uncertain(s.abandon(func(ctx context.Context) error {
		_, err := s.account.Cancel(ctx, refOf(order))
		return err
	}))
	s.reaches(order, venues.StatusCancelled)
	if found := s.find(order); found.Status != venues.StatusCancelled {
		s.t.Errorf("%+v", found)
	}
}

func faultAmend(s *stage) {
	order := s.resting()
	s.fault(simcore.FaultTimeoutAfter, s.harness.Wire.Amend, 1, simcore.FaultArgs{})
	s.uncertain(s.abandon(func(ctx context.Context) error {
		_, err := s.account.Amend(ctx, amendment(order, func(r *venues.AmendRequest) { r.Price = some("64600") }))
		return err
	}))
	s.await("the amendment", func(h *heard) bool { return venues.EqualOptional(h.last(order.ClientOrderID).Price, some("64600")) })
	s.stands(order, "0.01", "64600")
}

func faultLeverage(s *stage) {
	s.fault(simcore.FaultTimeoutAfter, s.harness.Wire.SetLeverage, 1, simcore.FaultArgs{})
	s.uncertain(s.abandon(func(ctx context.Context) error {
		_, err := s.account.SetLeverage(ctx, symbol, d("7"))
		return err
	}))
}

func faultRead(s *stage) {
	order := s.resting()
	s.fault(simcore.FaultTimeoutBefore, s.harness.Wire.OpenOrders, 1, simcore.FaultArgs{})
	err := s.abandon(func(ctx context.Context) error {
		_, err := s.account.OpenOrders(ctx)
		return err
	})
	s.plain(err, venues.CodeExchangeUnavailable)
	s.fault(simcore.FaultStatus, s.harness.Wire.Query, 1, simcore.FaultArgs{Status: 502})
	_, err = s.account.Order(s.t.Context(), refOf(order))
	s.plain(err, venues.CodeExchangeUnavailable)
	if open := s.openOrders(); len(open) != 1 {
		s.t.Errorf("%+v", open)
	}
}

func faultUnreachable(s *stage) {
	s.warm()
	s.network.stop()
	s.streams.stop()
	const attemptsMax = 20 // a connection that was open may fail with its bytes on the way
	for range attemptsMax {
		order := s.order()
		_, err := s.account.Place(s.t.Context(), order)
		s.holds(order.ClientOrderID, 0)
		if errors.Is(err, venues.ErrNotSent) {
			if errors.Is(err, venues.ErrOutcomeUnknown) || venues.CodeOf(err) != venues.CodeExchangeUnavailable {
				s.t.Errorf("%v", err)
			}
			return
		}
		s.uncertain(err)
	}
	s.t.Error("nothing was ever proved not sent")
}

func faultGivenUp(s *stage) {
	s.warm()
	s.delayed(s.harness.Wire.Place)
	order := s.order()
	s.uncertain(s.abandonOrder(order))
	s.sim.Control().ClearFaults()
	s.reaches(order, venues.StatusOpen)
	s.executes(order)
	ended, cancel := context.WithCancel(s.t.Context())
	cancel()
	late := s.order()
	if _, err := s.account.Place(ended, late); !errors.Is(err, venues.ErrNotSent) {
		s.t.Errorf("%v", err)
	}
	s.holds(late.ClientOrderID, 0)
}

// faultTooSlow leaves the giving up to a connector in a hurry. It tries until an
// order has reached the venue, for whatever comes before that may take too long.
func faultTooSlow(s *stage) {
	hurried := s.connect(Conditions{Timeout: time.Second, OrderEntry: s.under.OrderEntry})
	s.eventually("the catalogue", func() bool {
		_, err := hurried.Instruments(s.t.Context())
		return err == nil
	})
	account := s.openOn(hurried, s.sim.DemoAccount().Credentials)
	if e := s.harness.entry; e != nil {
		s.listen(account)
		s.eventually("the connection for orders", func() bool { return e.Up(account) })
	}
	s.fault(simcore.FaultTimeoutAfter, s.harness.Wire.Place, 0, simcore.FaultArgs{})
	s.eventually("an order that the venue has and did not answer", func() bool {
		order := s.order()
		_, err := account.Place(s.t.Context(), order)
		if err == nil && s.harness.entry == nil {
			s.t.Fatal("an answer that never came")
		}
		if errors.Is(err, venues.ErrOutcomeUnknown) == errors.Is(err, venues.ErrNotSent) && err != nil {
			s.t.Fatalf("%v, want an unknown outcome or none", err)
		}
		return errors.Is(err, venues.ErrOutcomeUnknown) && len(s.truth(order.ClientOrderID)) == 1
	})
}

func faultStop(s *stage) {
	s.warm()
	s.fault(simcore.FaultTimeoutAfter, s.harness.Wire.PlaceStop, 1, simcore.FaultArgs{})
	order := s.order(stop(venues.Buy, "66000"))
	s.uncertain(s.abandonOrder(order))
	s.executes(order)
	if found := s.find(order); found.Status != venues.StatusUntriggered {
		s.t.Errorf("%+v", found)
	}
}

func faultThenStream(s *stage) {
	s.warm()
	s.fault(simcore.FaultTimeoutAfter, s.harness.Wire.Place, 1, simcore.FaultArgs{})
	order := s.order(market(venues.Buy, "0.01"))
	s.uncertain(s.abandonOrder(order))
	s.reaches(order, venues.StatusFilled)
	s.holding(venues.Long, "0.01")
}

// faultStorm lets orders run into faults by chance and holds each outcome against
// the ledger.
func faultStorm(s *stage) {
	s.warm()
	for n, f := range []simcore.FaultRequest{
		{Do: simcore.FaultTimeoutAfter, Args: simcore.FaultArgs{DelayMs: 50}},
		{Do: simcore.FaultTimeoutBefore, Args: simcore.FaultArgs{DelayMs: 50}},
		{Do: simcore.FaultDropConnection, Args: simcore.FaultArgs{Executed: true}},
		{Do: simcore.FaultDropConnection},
		{Do: simcore.FaultStatus, Args: simcore.FaultArgs{Status: 502, Executed: true}},
		{Do: simcore.FaultReject, Args: simcore.FaultArgs{Code: []byte(s.harness.Wire.NoMargin)}},
	} {
		if f.Do == simcore.FaultStatus && s.harness.entry != nil {
			continue // no answer on a connection for orders, at the price of a time-out each
		}
		f.Match = simcore.FaultMatch{Path: s.harness.Wire.Place.Path, Op: s.harness.Wire.Place.Method}
		f.Probability, f.Seed = &simcore.Decimal{Decimal: d("0.15")}, uint64(n+1)
		s.script(f)
	}
	outcomes := map[string]int{}
	const ordersMax = 25
	for range ordersMax {
		if s.harness.entry != nil {
			s.awaitEntry(true) // REST has no storm
		}
		order := s.order()
		_, err := s.account.Place(s.t.Context(), order)
		held := len(s.truth(order.ClientOrderID))
		switch {
		case err == nil:
			outcomes["placed"]++
			s.holds(order.ClientOrderID, 1)
		case errors.Is(err, venues.ErrOutcomeUnknown):
			outcomes[fmt.Sprintf("unknown, %d held", held)]++
			if held > 1 {
				s.t.Errorf("%v: %d orders", err, held)
			}
		default:
			outcomes["refused"]++
			s.holds(order.ClientOrderID, 0)
		}
	}
	if len(outcomes) < 3 {
		s.t.Errorf("the storm was none: %v", outcomes)
	}
}
