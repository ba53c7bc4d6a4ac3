package venuetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// entryCases concern what only a connection for orders has.
var entryCases = []conformanceCase{
	{number: 340, name: "an order, its amendment and its end go over the connection", run: entryCarries},
	{number: 341, name: "without the connection REST takes the order, once", run: entryDown},
	{number: 342, name: "a connection cut with an order under way: unknown, and the order is found", run: entryCut},
	{number: 343, name: "answers out of order find their orders", run: entryReordered},
	{number: 344, name: "an answer told twice is nobody's", run: entryAnswerTwice},
	{number: 345, name: "an answer that comes late is nobody's, and the order is found", run: entryAnswerLate},
	{number: 346, name: "an answer that is swallowed: unknown, and the order is found", run: entryAnswerLost},
	{number: 347, name: "a refused login: REST takes the orders until it is not", needs: EntryLogin, run: entryLoginRefused},
	{number: 348, name: "an order is placed while the connection is replaced", run: entryReplaced},
	{number: 349, name: "without its private feed an account enters orders by REST", run: entryClosed},
	{number: 350, name: "many orders at once each get their own answer", run: entryCrowd},
	{number: 351, name: "orders under cuts: every outcome agrees with the venue's ledger", run: entryStorm},
	{number: 352, name: "orders of both ways count in one limit", under: Conditions{OrdersMax: 4}, run: entrySharesLimit},
	{number: 353, name: "a connection renewed in time loses no order and waits for its answers", needs: Renewal, under: Conditions{ConnLifetime: 200 * time.Millisecond}, run: entryRenewed},
	{number: 354, name: "an order that is refused as a message goes by REST, once", needs: EntryRefusals, run: entryNotTaken},
	{number: 355, name: "protection that travels with an order goes over the connection", needs: EntryProtection, run: entryProtects},
	{number: 356, name: "answers on the connection cut short or in HTML: unknown, and found", run: badEntryAnswers(cutShort, inHTML)},
	{number: 357, name: "answers on the connection with members wrong or missing: unknown, and found", run: badEntryAnswers(mistyped, unknown, missing)},
	{number: 358, name: "descriptions and unknown members in answers on the connection change nothing", run: badEntryAnswers(described, novel)},
}

func entryCarries(s *stage) {
	wire := s.harness.Wire
	var order venues.OrderRequest
	s.carries(wire.Place, func() { order = s.resting() })
	s.carries(wire.Amend, func() {
		if _, err := s.amended(order, func(r *venues.AmendRequest) { r.Price = some("64600") }); err != nil {
			s.t.Fatal(err)
		}
	})
	s.stands(order, "0.01", "64600")
	s.carries(wire.Cancel, func() { s.cancel(order) })
	s.carries(wire.PlaceStop, func() { s.place(stop(venues.Buy, "66000")) })
}

// outage takes all streams away; REST stays.
func (s *stage) outage() {
	s.t.Helper()
	s.streams.stop()
	s.awaitEntry(false)
}

func entryDown(s *stage) {
	s.outage()
	order := s.place()
	s.holds(order.ClientOrderID, 1)
	if _, err := s.amended(order, func(r *venues.AmendRequest) { r.Price = some("64600") }); err != nil {
		s.t.Error(err)
	}
	if _, err := s.account.Cancel(s.t.Context(), refOf(order)); err != nil {
		s.t.Error(err)
	}
	if found := s.find(order); found.Status != venues.StatusCancelled || s.struck() != 0 {
		s.t.Errorf("%+v", found)
	}
}

// underWay places an order that the venue executes only when do has run, and gives
// its outcome.
func (s *stage) underWay(do func()) (venues.OrderRequest, error) {
	s.t.Helper()
	s.delayed(s.harness.Wire.Place)
	order := s.order()
	outcome := make(chan error, 1)
	go func() {
		_, err := s.account.Place(s.t.Context(), order)
		outcome <- err
	}()
	s.eventually("the fault", func() bool { return s.struck() > 0 })
	do()
	s.sim.Control().ClearFaults()
	return order, <-outcome
}

func entryCut(s *stage) {
	s.warm()
	order, err := s.underWay(s.streams.cut)
	s.uncertain(err)
	s.appears(order)
}

// appears waits until the venue holds an order, and looks for it.
func (s *stage) appears(order venues.OrderRequest) {
	s.t.Helper()
	s.executes(order)
	if found := s.find(order); found.Status != venues.StatusOpen {
		s.t.Errorf("%+v", found)
	}
}

func entryReordered(s *stage) {
	s.warm()
	var quick venues.OrderRequest
	slow, err := s.underWay(func() {
		quick = s.place()
		s.holds(quick.ClientOrderID, 1)
	})
	if err != nil {
		s.t.Errorf("the slow order: %v", err)
	}
	s.reaches(slow, venues.StatusOpen)
	s.reaches(quick, venues.StatusOpen)
	s.holds(slow.ClientOrderID, 1)
}

func entryAnswerTwice(s *stage) {
	s.warm()
	place := s.harness.Wire.Place
	s.streamFault(simcore.FaultDuplicate, place.Path, place.Method, 1, simcore.FaultArgs{})
	first := s.resting()
	s.carries(place, func() { s.resting() })
	if s.struck() != 2 {
		s.t.Error("no answer came twice")
	}
	s.holds(first.ClientOrderID, 1)
}

func entryAnswerLate(s *stage) {
	s.warm()
	place := s.harness.Wire.Place
	s.delayed(place)
	order := s.order()
	s.uncertain(s.abandonOrder(order))
	s.sim.Control().ClearFaults()
	s.appears(order)
	s.carries(place, func() { s.resting() })
}

func entryAnswerLost(s *stage) {
	s.warm()
	place := s.harness.Wire.Place
	s.streamFault(simcore.FaultGap, place.Path, place.Method, 1, simcore.FaultArgs{})
	order := s.order()
	s.uncertain(s.abandonOrder(order))
	s.holds(order.ClientOrderID, 1)
	s.reaches(order, venues.StatusOpen)
}

func entryLoginRefused(s *stage) {
	s.fault(simcore.FaultReject, s.harness.entry.Login, 0, simcore.FaultArgs{Code: []byte(s.harness.Wire.NotListed)})
	s.streams.cut()
	s.awaitEntry(false)
	order := s.place()
	s.holds(order.ClientOrderID, 1)
	s.eventually("a refused login", func() bool { return s.struck() > 0 })
	s.sim.Control().ClearFaults()
	s.awaitEntry(true)
	s.carries(s.harness.Wire.Place, func() { order = s.place() })
	s.holds(order.ClientOrderID, 1)
}

func entryReplaced(s *stage) {
	s.warm()
	order, err := s.underWay(func() {
		s.streams.cut()
		s.eventually("an order while the next connection is up", func() bool {
			next := s.order()
			_, err := s.account.Place(s.t.Context(), next)
			if err == nil {
				s.holds(next.ClientOrderID, 1)
			}
			return err == nil && s.harness.entry.Up(s.account)
		})
	})
	s.uncertain(err)
	s.appears(order)
}

func entryClosed(s *stage) {
	s.private.Close()
	s.awaitEntry(false)
	order := s.place()
	s.holds(order.ClientOrderID, 1)
	if found := s.find(order); found.Status != venues.StatusOpen {
		s.t.Errorf("%+v", found)
	}
}

// crowd places orders by several at once and passes each outcome on.
func (s *stage) crowd(ordersMax int, outcome func(venues.OrderRequest, error)) {
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

func entryCrowd(s *stage) {
	s.warm()
	s.crowd(60, func(order venues.OrderRequest, err error) {
		if err != nil {
			s.t.Errorf("%s: %v", order.ClientOrderID, err)
		}
		s.holds(order.ClientOrderID, 1)
	})
}

// entryStorm cuts the connection again and again while orders are placed.
func entryStorm(s *stage) {
	s.warm()
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
	s.crowd(120, func(order venues.OrderRequest, err error) {
		held := len(s.truth(order.ClientOrderID))
		switch {
		case err == nil && held != 1, held > 1:
			s.t.Errorf("%s: %v, and the venue holds %d", order.ClientOrderID, err, held)
		case errors.Is(err, venues.ErrOutcomeUnknown):
		case err != nil && held != 0:
			s.t.Errorf("%s: %v, and the venue holds it", order.ClientOrderID, err)
		}
	})
	close(done)
	cutting.Wait()
	// The last cut may not be noticed yet, and cost one more order its answer.
	s.fault(simcore.FaultDelay, s.harness.Wire.Place, 1, simcore.FaultArgs{})
	s.eventually("an order over the connection", func() bool {
		order := s.order()
		_, err := s.account.Place(s.t.Context(), order)
		return err == nil && s.struck() == 1
	})
}

func entrySharesLimit(s *stage) {
	s.place()
	s.place()
	s.outage()
	orderLimit(s)
	placed := 0
	for _, row := range s.sim.Control().Ledger().Orders {
		if row.Rejection == "" {
			placed++
		}
	}
	if placed > s.under.OrdersMax {
		s.t.Errorf("%d orders", placed)
	}
}

// entryRenewed places orders across several lives of the connection, one of them
// longer under way than the connection is to live.
func entryRenewed(s *stage) {
	s.warm()
	s.fault(simcore.FaultDelay, s.harness.Wire.Place, 1, simcore.FaultArgs{DelayMs: 500})
	s.eventually("an order that outlasts its connection", func() bool {
		order := s.place()
		s.holds(order.ClientOrderID, 1)
		return s.struck() > 0
	})
	for range 3 {
		s.awaitEntry(false)
		order := s.place()
		s.holds(order.ClientOrderID, 1)
		s.awaitEntry(true)
	}
	s.crowd(60, func(order venues.OrderRequest, err error) {
		if err != nil {
			s.t.Errorf("%s: %v", order.ClientOrderID, err)
		}
		s.holds(order.ClientOrderID, 1)
	})
}

// entryNotTaken lets the venue refuse messages for what they are. None of them is
// lost, and none is placed twice.
func entryNotTaken(s *stage) {
	wire, args := s.harness.Wire, simcore.FaultArgs{Code: []byte(s.harness.entry.NotTaken)}
	s.fault(simcore.FaultReject, wire.Place, 1, args)
	order := s.place()
	s.holds(order.ClientOrderID, 1)
	s.awaitEntry(true)
	s.fault(simcore.FaultReject, wire.Amend, 1, args)
	if _, err := s.amended(order, func(r *venues.AmendRequest) { r.Price = some("64600") }); err != nil {
		s.t.Error(err)
	}
	s.stands(order, "0.01", "64600")
	s.awaitEntry(true)
	s.fault(simcore.FaultReject, wire.Cancel, 1, args)
	s.cancel(order)
	if s.struck() != 3 {
		s.t.Errorf("%d messages were refused", s.struck())
	}
	s.awaitEntry(true)
	s.carries(wire.Place, func() { s.resting() })
}

func entryProtects(s *stage) {
	var order venues.OrderRequest
	s.carries(s.harness.Wire.Place, func() { order = s.filled(market(venues.Buy, "0.01"), protected("64000", "67000")) })
	s.guarded(order, "64000", "67000")
}

// badEntryAnswers spoils every answer of the connection for orders in some ways.
func badEntryAnswers(ways ...way) func(*stage) {
	return func(s *stage) {
		scenes := map[string]func(*stage){}
		for _, e := range s.harness.entry.Answers {
			for _, w := range ways {
				scenes[e.Kind+", "+w.name] = func(s *stage) { s.badEntryAnswer(w, &e) }
			}
		}
		s.atOnce(scenes)
	}
}

// badEntryAnswer spoils one kind of answer.
func (s *stage) badEntryAnswer(w way, e *Event) {
	does := s.asks()[e.Kind]
	for _, spoiling := range w.corrupt(e.Members) {
		s.awaitEntry(true)
		var proof func()
		var err error
		if isWhole(w.name) && !w.harmless { // it names no call
			spoilt := s.spoils(e, spoiling)
			err = s.unread(spoilt, func(ctx context.Context) error {
				s.calls = ctx
				proof, err = does()
				return err
			})
			s.calls = nil
		} else {
			s.spoiling(e, spoiling, func() { proof, err = does() })
		}
		s.judge(w, &Answer{}, e.row()+", "+spoiling.what, err)
		s.seen.spoils(e.row(), w)
		proof()
	}
}
