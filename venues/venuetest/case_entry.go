package venuetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// entryCases are the cases that only an order entry connection has.
var entryCases = []conformanceCase{
	{number: 340, name: "an order, its amendment and its cancellation use the connection", run: entryCarries},
	{number: 341, name: "without the connection an order is placed by REST, once", run: entryDown},
	{number: 342, name: "a connection cut with a pending order: outcome unknown, and the order is found", run: entryCut},
	{number: 343, name: "answers out of order are matched to their orders", run: entryReordered},
	{number: 344, name: "a duplicate answer is ignored", run: entryAnswerTwice},
	{number: 345, name: "a late answer is ignored, and the order is found", run: entryAnswerLate},
	{number: 346, name: "a lost answer: outcome unknown, and the order is found", run: entryAnswerLost},
	{number: 347, name: "a rejected login: orders are placed by REST until it succeeds", needs: EntryLogin, run: entryLoginRejected},
	{number: 348, name: "an order is placed while the connection is replaced", run: entryReplaced},
	{number: 349, name: "without its private feed an account enters orders by REST", run: entryClosed},
	{number: 350, name: "many concurrent orders each get their own answer", run: entryCrowd},
	{number: 351, name: "orders while the connection is cut: every outcome agrees with the venue's ledger", run: entryStorm},
	{number: 352, name: "orders of both ways count against one limit", under: Conditions{OrdersMax: 4}, run: entrySharesLimit},
	{number: 353, name: "a renewed connection loses no order and waits for pending answers", needs: Renewal, under: Conditions{ConnLifetime: 200 * time.Millisecond}, run: entryRenewed},
	{number: 354, name: "an order whose message is rejected is placed by REST, once", needs: EntryRejections, run: entryMessageRejected},
	{number: 355, name: "attached protection is sent on the connection", needs: EntryProtection, run: entryProtects},
	{number: 356, name: "truncated answers and HTML on the connection: outcome unknown, and found", run: badEntryAnswers(cutShort, inHTML)},
	{number: 357, name: "wrong and missing members in answers on the connection: outcome unknown, and found", run: badEntryAnswers(mistyped, unknown, missing)},
	{number: 358, name: "descriptions and unknown members in answers on the connection are ignored", run: badEntryAnswers(described, novel)},
}

func entryCarries(s *env) {
	wire := s.harness.Wire
	var order venues.OrderRequest
	s.checkCarried(wire.Place, func() { order = s.resting() })
	s.checkCarried(wire.Amend, func() {
		s.amend(order, func(r *venues.AmendRequest) { r.Price = some("64600") })
	})
	s.checkOpen(order, "0.01", "64600")
	s.checkCarried(wire.Cancel, func() { s.cancel(order) })
	s.checkCarried(wire.PlaceStop, func() { s.place(stop(venues.Buy, "66000")) })
}

// stopStreams stops all streams; REST continues.
func (s *env) stopStreams() {
	s.t.Helper()
	s.streams.stop()
	s.awaitEntry(false)
}

func entryDown(s *env) {
	s.stopStreams()
	order := s.place()
	s.checkOrders(order.ClientOrderID, 1)
	s.amend(order, func(r *venues.AmendRequest) { r.Price = some("64600") })
	if _, err := s.account.Cancel(s.t.Context(), refOf(order)); err != nil {
		s.t.Error(err)
	}
	if found := s.find(order); found.Status != venues.StatusCancelled || s.faultsApplied() != 0 {
		s.t.Errorf("order = %+v with %d faults, want it cancelled without a fault", found, s.faultsApplied())
	}
}

// placeDelayed places an order that the venue executes only after do has run. It returns
// the error of the call.
func (s *env) placeDelayed(do func()) (venues.OrderRequest, error) {
	s.t.Helper()
	s.delayed(s.harness.Wire.Place)
	order := s.order()
	outcome := make(chan error, 1)
	go func() {
		_, err := s.account.Place(s.t.Context(), order)
		outcome <- err
	}()
	s.eventually("the fault", func() bool { return s.faultsApplied() > 0 })
	do()
	s.sim.Control().ClearFaults()
	return order, <-outcome
}

func entryCut(s *env) {
	s.warmUp()
	order, err := s.placeDelayed(s.streams.cut)
	s.checkUnknown(err)
	s.awaitPlaced(order)
}

// awaitPlaced waits until the venue has an order, and queries it.
func (s *env) awaitPlaced(order venues.OrderRequest) {
	s.t.Helper()
	s.awaitExecuted(order)
	s.checkStatus(order, venues.StatusOpen)
}

func entryReordered(s *env) {
	s.warmUp()
	var quick venues.OrderRequest
	slow, err := s.placeDelayed(func() {
		quick = s.place()
		s.checkOrders(quick.ClientOrderID, 1)
	})
	if err != nil {
		s.t.Errorf("error of the slow order = %v, want none", err)
	}
	s.awaitStatus(slow, venues.StatusOpen)
	s.awaitStatus(quick, venues.StatusOpen)
	s.checkOrders(slow.ClientOrderID, 1)
}

func entryAnswerTwice(s *env) {
	s.warmUp()
	place := s.harness.Wire.Place
	s.streamFault(simcore.FaultDuplicate, place.Path, place.Method, 1, simcore.FaultArgs{})
	first := s.resting()
	s.checkCarried(place, func() { s.resting() })
	s.checkFaults(2)
	s.checkOrders(first.ClientOrderID, 1)
}

func entryAnswerLate(s *env) {
	s.warmUp()
	place := s.harness.Wire.Place
	s.delayed(place)
	order := s.order()
	s.checkUnknown(s.abandonOrder(order))
	s.sim.Control().ClearFaults()
	s.awaitPlaced(order)
	s.checkCarried(place, func() { s.resting() })
}

func entryAnswerLost(s *env) {
	s.warmUp()
	place := s.harness.Wire.Place
	s.streamFault(simcore.FaultGap, place.Path, place.Method, 1, simcore.FaultArgs{})
	order := s.order()
	s.checkUnknown(s.abandonOrder(order))
	s.checkOrders(order.ClientOrderID, 1)
	s.awaitStatus(order, venues.StatusOpen)
}

func entryLoginRejected(s *env) {
	s.fault(simcore.FaultReject, s.harness.entry.Login, 0, simcore.FaultArgs{Code: []byte(s.harness.Wire.NotListed)})
	s.streams.cut()
	s.awaitEntry(false)
	order := s.place()
	s.checkOrders(order.ClientOrderID, 1)
	s.eventually("a rejected login", func() bool { return s.faultsApplied() > 0 })
	s.sim.Control().ClearFaults()
	s.awaitEntry(true)
	s.checkCarried(s.harness.Wire.Place, func() { order = s.place() })
	s.checkOrders(order.ClientOrderID, 1)
}

func entryReplaced(s *env) {
	s.warmUp()
	order, err := s.placeDelayed(func() {
		s.streams.cut()
		s.eventually("an order while the next connection is up", func() bool {
			next := s.order()
			_, err := s.account.Place(s.t.Context(), next)
			if err == nil {
				s.checkOrders(next.ClientOrderID, 1)
			}
			return err == nil && s.harness.entry.Up(s.account)
		})
	})
	s.checkUnknown(err)
	s.awaitPlaced(order)
}

func entryClosed(s *env) {
	s.private.Close()
	s.awaitEntry(false)
	order := s.place()
	s.checkOrders(order.ClientOrderID, 1)
	s.checkStatus(order, venues.StatusOpen)
}

// placeMany places orders concurrently and calls outcome for each.
func (s *env) placeMany(ordersMax int, outcome func(venues.OrderRequest, error)) {
	const placers = 6
	var running sync.WaitGroup
	for range placers {
		running.Go(func() {
			for range ordersMax / placers {
				order := s.order()
				_, err := s.account.Place(s.t.Context(), order)
				outcome(order, err)
			}
		})
	}
	running.Wait()
}

func entryCrowd(s *env) {
	s.warmUp()
	s.placeMany(60, func(order venues.OrderRequest, err error) {
		if err != nil {
			s.t.Errorf("%s: error = %v, want none", order.ClientOrderID, err)
		}
		s.checkOrders(order.ClientOrderID, 1)
	})
}

// entryStorm cuts the connection repeatedly while orders are placed.
func entryStorm(s *env) {
	s.warmUp()
	done := make(chan struct{})
	var cutting sync.WaitGroup
	cutting.Go(func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				s.streams.cut()
			}
		}
	})
	s.placeMany(120, func(order venues.OrderRequest, err error) {
		held := len(s.ledgerOrders(order.ClientOrderID))
		switch {
		case err == nil && held != 1, held > 1:
			s.t.Errorf("%s: error %v with %d orders at the venue, want one order for a success and at most one otherwise", order.ClientOrderID, err, held)
		case errors.Is(err, venues.ErrOutcomeUnknown):
		case err != nil && held != 0:
			s.t.Errorf("%s: rejected with %v, want no order at the venue", order.ClientOrderID, err)
		}
	})
	close(done)
	cutting.Wait()
	// The connector may not have noticed the last cut, which costs one more order its
	// answer.
	s.fault(simcore.FaultDelay, s.harness.Wire.Place, 1, simcore.FaultArgs{})
	s.eventually("an order over the connection", func() bool {
		order := s.order()
		_, err := s.account.Place(s.t.Context(), order)
		return err == nil && s.faultsApplied() == 1
	})
}

func entrySharesLimit(s *env) {
	s.place()
	s.place()
	s.stopStreams()
	orderLimit(s)
	placed := 0
	for _, row := range s.sim.Control().Ledger().Orders {
		if row.Rejection == "" {
			placed++
		}
	}
	if placed > s.under.OrdersMax {
		s.t.Errorf("%d orders were placed, want at most %d", placed, s.under.OrdersMax)
	}
}

// entryRenewed places orders over several renewals of the connection. One of them takes
// longer than the lifetime of the connection.
func entryRenewed(s *env) {
	s.warmUp()
	s.fault(simcore.FaultDelay, s.harness.Wire.Place, 1, simcore.FaultArgs{DelayMs: 500})
	s.eventually("an order that outlasts its connection", func() bool {
		order := s.place()
		s.checkOrders(order.ClientOrderID, 1)
		return s.faultsApplied() > 0
	})
	for range 3 {
		s.awaitEntry(false)
		order := s.place()
		s.checkOrders(order.ClientOrderID, 1)
		s.awaitEntry(true)
	}
	s.placeMany(60, func(order venues.OrderRequest, err error) {
		if err != nil {
			s.t.Errorf("%s: error = %v, want none", order.ClientOrderID, err)
		}
		s.checkOrders(order.ClientOrderID, 1)
	})
}

// entryMessageRejected has the venue reject messages regardless of their orders. No order may
// be lost or placed twice.
func entryMessageRejected(s *env) {
	wire, args := s.harness.Wire, simcore.FaultArgs{Code: []byte(s.harness.entry.NotTaken)}
	s.fault(simcore.FaultReject, wire.Place, 1, args)
	order := s.place()
	s.checkOrders(order.ClientOrderID, 1)
	s.awaitEntry(true)
	s.fault(simcore.FaultReject, wire.Amend, 1, args)
	s.amend(order, func(r *venues.AmendRequest) { r.Price = some("64600") })
	s.checkOpen(order, "0.01", "64600")
	s.awaitEntry(true)
	s.fault(simcore.FaultReject, wire.Cancel, 1, args)
	s.cancel(order)
	s.checkFaults(3)
	s.awaitEntry(true)
	s.checkCarried(wire.Place, func() { s.resting() })
}

func entryProtects(s *env) {
	var order venues.OrderRequest
	s.checkCarried(s.harness.Wire.Place, func() { order = s.filled(market(venues.Buy, "0.01"), protected("64000", "67000")) })
	s.awaitProtection(order, "64000", "67000")
}

// badEntryAnswers returns a case that corrupts every answer of the order entry
// connection in some ways.
func badEntryAnswers(ways ...way) func(*env) {
	return func(s *env) {
		subtests := map[string]func(*env){}
		for _, e := range s.harness.entry.Answers {
			for _, w := range ways {
				subtests[e.Kind+", "+w.name] = func(s *env) { s.badEntryAnswer(w, &e) }
			}
		}
		s.runParallel(subtests)
	}
}

// badEntryAnswer corrupts one kind of answer.
func (s *env) badEntryAnswer(w way, e *Event) {
	does := s.operations()[e.Kind]
	for _, c := range w.corrupt(e.Members) {
		s.awaitEntry(true)
		var confirm func()
		var err error
		if corruptsAll(w.name) && !w.harmless { // the answer belongs to no call
			corrupted := s.corruptEvents(e, c)
			err = s.callUndecodable(corrupted, func(ctx context.Context) error {
				s.calls = ctx
				confirm, err = does()
				return err
			})
			s.calls = nil
		} else {
			s.whileCorrupted(e, c, func() { confirm, err = does() })
		}
		s.checkOutcome(w, &Answer{}, e.row()+", "+c.what, err)
		s.seen.recordCorrupted(e.row(), w)
		confirm()
	}
}
