package venuetest

import (
	"time"

	"venuegate/venues"
)

var stopCases = []conformanceCase{
	{number: 35, name: "a rising stop waits, triggers and fills", run: risingStop},
	{number: 36, name: "a falling stop waits, triggers and fills", run: fallingStop},
	{number: 37, name: "a stop limit triggers and rests at its price", run: stopLimitRests},
	{number: 38, name: "a stop whose trigger is passed is refused, never taken for the other kind", run: stopAlreadyPassed},
	{number: 39, name: "a closing stop closes whatever the position is at the trigger", run: closingStop},
	{number: 40, name: "a waiting stop is cancelled", run: waitingStopIsCancelled},
	{number: 41, name: "a triggered stop limit is cancelled as the order it became", run: triggeredStopIsCancelled},
	{number: 42, name: "a reducing stop without a position at the trigger opens none", run: stopWithoutPosition},
	{number: 260, name: "a stop whose order was cancelled so long ago that the venue has forgotten it is not open", run: forgottenStop},
}

func risingStop(s *stage) {
	order := s.place(stop(venues.Buy, "66000"))
	s.reaches(order, venues.StatusUntriggered)
	waiting := s.find(order)
	if waiting.Status != venues.StatusUntriggered || !waiting.FilledQty.IsZero() {
		s.t.Errorf("%+v", waiting)
	}
	s.move("66010")
	s.lived(order, venues.StatusUntriggered, venues.StatusFilled)
	found := s.find(order)
	if found.Status != venues.StatusFilled || !found.FilledQty.Equal(order.Qty) || found.Type != venues.TypeStopMarket || found.ClientOrderID != order.ClientOrderID {
		s.t.Errorf("%+v", found)
	}
	if renamed := waiting.VenueOrderID != found.VenueOrderID; waiting.ConditionalID != renamed || found.ConditionalID {
		s.t.Errorf("id %s (conditional: %v) became %s (%v)", waiting.VenueOrderID, waiting.ConditionalID, found.VenueOrderID, found.ConditionalID)
	}
	fills := s.fills(symbol)
	if len(fills) != 1 || fills[0].VenueOrderID != found.VenueOrderID {
		s.t.Errorf("fills %+v of order %s", fills, found.VenueOrderID)
	}
}

func fallingStop(s *stage) {
	order := s.place(stop(venues.Sell, "64000"))
	s.reaches(order, venues.StatusUntriggered)
	s.move("63990")
	s.lived(order, venues.StatusUntriggered, venues.StatusFilled)
	s.await("the short position", func(h *heard) bool { return h.holds(venues.Short, "0.01") })
}

func buyStopLimit(price string) change {
	return func(r *venues.OrderRequest) {
		r.Type, r.Side, r.Price, r.TriggerPrice = venues.TypeStopLimit, venues.Buy, some(price), some("66000")
	}
}

func stopLimitRests(s *stage) {
	order := s.place(buyStopLimit("65800"))
	s.reaches(order, venues.StatusUntriggered)
	s.move("66010")
	s.lived(order, venues.StatusUntriggered, venues.StatusOpen)
	if found := s.find(order); found.Status != venues.StatusOpen || !venues.EqualOptional(found.Price, some("65800")) || found.Type != venues.TypeStopLimit {
		s.t.Errorf("%+v", found)
	}
	if open := s.openOrders(); len(open) != 1 || open[0].ClientOrderID != order.ClientOrderID || open[0].Status != venues.StatusOpen {
		s.t.Errorf("%+v", open)
	}
	s.move("65790")
	s.reaches(order, venues.StatusFilled)
}

func stopAlreadyPassed(s *stage) {
	s.filled(market(venues.Buy, "0.01"))
	for direction, trigger := range map[venues.TriggerDirection]string{venues.TriggerFalling: "65500", venues.TriggerRising: "64500"} {
		order := s.order(stop(venues.Sell, trigger), reduceOnly, func(r *venues.OrderRequest) { r.TriggerDirection = direction })
		report, err := s.account.Place(s.t.Context(), order)
		if err == nil {
			s.t.Fatalf("%s to %s was accepted: %+v", direction, trigger, report)
		}
		s.refused(err, venues.CodeInvalidRequest, venues.ReasonWouldTrigger)
	}
	if open := s.openOrders(); len(open) != 0 {
		s.t.Errorf("%+v", open)
	}
}

func closingStop(s *stage) {
	s.opened(market(venues.Buy, "0.02"))
	order := s.place(stop(venues.Sell, "64000"), closing, func(r *venues.OrderRequest) { r.Qty = d("0.02") })
	s.reaches(order, venues.StatusUntriggered)
	s.move("63990")
	s.reaches(order, venues.StatusFilled)
	s.await("the end of the position", func(h *heard) bool { return h.holds(venues.Long, "0") })
	if found := s.find(order); !found.FilledQty.Equal(d("0.02")) || !found.ReduceOnly {
		s.t.Errorf("%+v", found)
	}
}

func waitingStopIsCancelled(s *stage) {
	order := s.place(stop(venues.Buy, "66000"))
	s.reaches(order, venues.StatusUntriggered)
	s.cancel(order)
	if found := s.find(order); found.Status != venues.StatusCancelled || found.Type != venues.TypeStopMarket || found.RejectReason != nil {
		s.t.Errorf("%+v", found)
	}
	s.move("66100")
	if fills := s.fills(symbol); len(fills) != 0 {
		s.t.Errorf("%+v", fills)
	}
}

func triggeredStopIsCancelled(s *stage) {
	order := s.place(buyStopLimit("65800"))
	s.reaches(order, venues.StatusUntriggered)
	s.move("66010")
	s.reaches(order, venues.StatusOpen)
	s.cancel(order)
	if found := s.find(order); found.Status != venues.StatusCancelled || found.Type != venues.TypeStopLimit {
		s.t.Errorf("%+v", found)
	}
	if open := s.openOrders(); len(open) != 0 {
		s.t.Errorf("%+v", open)
	}
}

func forgottenStop(s *stage) {
	order := s.place(buyStopLimit("65800"))
	s.reaches(order, venues.StatusUntriggered)
	s.move("66010")
	s.reaches(order, venues.StatusOpen)
	s.cancel(order)
	s.private.Close() // a venue ends what is so old
	s.sim.Exchange().Clock().SetOffset(s.connector.Capabilities().UnfilledRetention + time.Minute)
	report, err := s.account.Order(s.t.Context(), refOf(order))
	if forgotten := venues.CodeOf(err) == venues.CodeNotFound; !forgotten && (err != nil || report.Status != venues.StatusCancelled) {
		s.t.Errorf("%+v, %v", report, err)
	}
}

func stopWithoutPosition(s *stage) {
	s.filled(market(venues.Buy, "0.01"))
	order := s.place(stop(venues.Sell, "64000"), reduceOnly)
	s.reaches(order, venues.StatusUntriggered)
	s.filled(market(venues.Sell, "0.01"), reduceOnly)
	s.move("63990")
	s.await("the stop's end", func(h *heard) bool { return h.last(order.ClientOrderID).Status.IsClosed() })
	if found := s.find(order); !found.Status.IsClosed() || found.Status == venues.StatusFilled || !found.FilledQty.IsZero() {
		s.t.Errorf("%+v", found)
	}
	if positions := s.positions(); len(positions) != 0 {
		s.t.Errorf("%+v", positions)
	}
}
