package venuetest

import (
	"time"

	"venuegate/venues"
)

var stopCases = []conformanceCase{
	{number: 35, name: "a rising stop stays untriggered, triggers and fills", run: risingStop},
	{number: 36, name: "a falling stop stays untriggered, triggers and fills", run: fallingStop},
	{number: 37, name: "a stop limit triggers and rests at its price", run: stopLimitRests},
	{number: 38, name: "a stop whose trigger has passed is rejected, never placed in the other direction", run: stopAlreadyPassed},
	{number: 39, name: "a closing stop closes the position of the time of the trigger", run: closingStop},
	{number: 40, name: "an untriggered stop is cancelled", run: waitingStopIsCancelled},
	{number: 41, name: "a triggered stop limit is cancelled as the order that it placed", run: triggeredStopIsCancelled},
	{number: 42, name: "a reduce-only stop without a position at the trigger opens none", run: stopWithoutPosition},
	{number: 260, name: "a stop whose cancelled order the venue no longer returns is not open", run: forgottenStop},
}

func risingStop(s *env) {
	order := s.place(stop(venues.Buy, "66000"))
	s.awaitStatus(order, venues.StatusUntriggered)
	waiting := s.find(order)
	if waiting.Status != venues.StatusUntriggered || !waiting.FilledQty.IsZero() {
		s.t.Errorf("order = %+v, want it untriggered and unfilled", waiting)
	}
	s.move("66010")
	s.awaitSteps(order, venues.StatusUntriggered, venues.StatusFilled)
	found := s.find(order)
	if found.Status != venues.StatusFilled || !found.FilledQty.Equal(order.Qty) || found.Type != venues.TypeStopMarket || found.ClientOrderID != order.ClientOrderID {
		s.t.Errorf("order = %+v, want it filled under the same client id", found)
	}
	if renamed := waiting.VenueOrderID != found.VenueOrderID; waiting.ConditionalID != renamed || found.ConditionalID {
		s.t.Errorf("id %s (conditional: %v) became %s (%v), want a conditional id only where it changes", waiting.VenueOrderID, waiting.ConditionalID, found.VenueOrderID, found.ConditionalID)
	}
	fills := s.fills(symbol)
	if len(fills) != 1 || fills[0].VenueOrderID != found.VenueOrderID {
		s.t.Errorf("fills = %+v, want one of order %s", fills, found.VenueOrderID)
	}
}

func fallingStop(s *env) {
	order := s.place(stop(venues.Sell, "64000"))
	s.awaitStatus(order, venues.StatusUntriggered)
	s.move("63990")
	s.awaitSteps(order, venues.StatusUntriggered, venues.StatusFilled)
	s.await("the short position", func(h *sink) bool { return h.hasPosition(venues.Short, "0.01") })
}

func buyStopLimit(price string) change {
	return func(r *venues.OrderRequest) {
		r.Type, r.Side, r.Price, r.TriggerPrice = venues.TypeStopLimit, venues.Buy, some(price), some("66000")
	}
}

func stopLimitRests(s *env) {
	order := s.place(buyStopLimit("65800"))
	s.awaitStatus(order, venues.StatusUntriggered)
	s.move("66010")
	s.awaitSteps(order, venues.StatusUntriggered, venues.StatusOpen)
	if found := s.find(order); found.Status != venues.StatusOpen || !venues.EqualOptional(found.Price, some("65800")) || found.Type != venues.TypeStopLimit {
		s.t.Errorf("order = %+v, want an open stop limit at 65800", found)
	}
	if open := s.openOrders(); len(open) != 1 || open[0].ClientOrderID != order.ClientOrderID || open[0].Status != venues.StatusOpen {
		s.t.Errorf("open orders = %+v, want %s alone", open, order.ClientOrderID)
	}
	s.move("65790")
	s.awaitStatus(order, venues.StatusFilled)
}

func stopAlreadyPassed(s *env) {
	s.filled(market(venues.Buy, "0.01"))
	for direction, trigger := range map[venues.TriggerDirection]string{venues.TriggerFalling: "65500", venues.TriggerRising: "64500"} {
		order := s.order(stop(venues.Sell, trigger), reduceOnly, func(r *venues.OrderRequest) { r.TriggerDirection = direction })
		report, err := s.account.Place(s.t.Context(), order)
		if err == nil {
			s.t.Fatalf("stop that triggers %s to %s is accepted as %+v, want a rejection", direction, trigger, report)
		}
		s.checkRejected(err, venues.CodeInvalidRequest, venues.ReasonWouldTrigger)
	}
	s.checkOpenOrders(0)
}

func closingStop(s *env) {
	s.openPosition(market(venues.Buy, "0.02"))
	order := s.place(stop(venues.Sell, "64000"), closing, func(r *venues.OrderRequest) { r.Qty = d("0.02") })
	s.awaitStatus(order, venues.StatusUntriggered)
	s.move("63990")
	s.awaitStatus(order, venues.StatusFilled)
	s.await("the end of the position", func(h *sink) bool { return h.hasPosition(venues.Long, "0") })
	if found := s.find(order); !found.FilledQty.Equal(d("0.02")) || !found.ReduceOnly {
		s.t.Errorf("order = %+v, want 0.02 filled, reduce-only", found)
	}
}

func waitingStopIsCancelled(s *env) {
	order := s.place(stop(venues.Buy, "66000"))
	s.awaitStatus(order, venues.StatusUntriggered)
	s.cancel(order)
	if found := s.find(order); found.Status != venues.StatusCancelled || found.Type != venues.TypeStopMarket || found.RejectReason != nil {
		s.t.Errorf("order = %+v, want a cancelled stop market without a reason", found)
	}
	s.move("66100")
	s.checkFills(symbol, 0)
}

func triggeredStopIsCancelled(s *env) {
	order := s.place(buyStopLimit("65800"))
	s.awaitStatus(order, venues.StatusUntriggered)
	s.move("66010")
	s.awaitStatus(order, venues.StatusOpen)
	s.cancel(order)
	if found := s.find(order); found.Status != venues.StatusCancelled || found.Type != venues.TypeStopLimit {
		s.t.Errorf("order = %+v, want a cancelled stop limit", found)
	}
	s.checkOpenOrders(0)
}

func forgottenStop(s *env) {
	order := s.place(buyStopLimit("65800"))
	s.awaitStatus(order, venues.StatusUntriggered)
	s.move("66010")
	s.awaitStatus(order, venues.StatusOpen)
	s.cancel(order)
	s.private.Close() // the venue closes a stream of that age
	s.sim.Exchange().Clock().SetOffset(s.connector.Capabilities().UnfilledRetention + time.Minute)
	report, err := s.account.Order(s.t.Context(), refOf(order))
	if forgotten := venues.CodeOf(err) == venues.CodeNotFound; !forgotten && (err != nil || report.Status != venues.StatusCancelled) {
		s.t.Errorf("order = %+v, %v, want it cancelled or not found", report, err)
	}
}

func stopWithoutPosition(s *env) {
	s.filled(market(venues.Buy, "0.01"))
	order := s.place(stop(venues.Sell, "64000"), reduceOnly)
	s.awaitStatus(order, venues.StatusUntriggered)
	s.filled(market(venues.Sell, "0.01"), reduceOnly)
	s.move("63990")
	s.await("the stop's end", func(h *sink) bool { return h.last(order.ClientOrderID).Status.IsClosed() })
	if found := s.find(order); !found.Status.IsClosed() || found.Status == venues.StatusFilled || !found.FilledQty.IsZero() {
		s.t.Errorf("order = %+v, want it closed and unfilled", found)
	}
	s.checkNoPosition()
}
