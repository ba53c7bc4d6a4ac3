package venuetest

import "venuegate/venues"

var bandCases = []conformanceCase{
	{number: 360, name: "a far price that the venue moves is published as moved", needs: MovedPrices, run: farPriceIsMoved},
	{number: 361, name: "an amendment outside the band is rejected and changes nothing", run: amendBeyondTheBand},
	{number: 362, name: "a stop limit with a far price is accepted unchanged or rejected", run: stopLimitBeyondTheBand},
}

// rejectFarPrices makes the account reject far prices where that is a setting.
func (s *env) rejectFarPrices() {
	if venue, ok := s.sim.(PriceBander); ok {
		venue.RejectFarPrices(s.sim.DemoAccount().ID)
	}
}

// farPriceIsMoved sells far below the market: the order must rest at the edge of the
// band.
func farPriceIsMoved(s *env) {
	s.depth(0)
	order := s.resting(limit(venues.Sell, "0.01", "50000"))
	found := s.find(order)
	if !found.Price.Valid || !found.Price.Decimal.GreaterThan(d("50000")) || !found.Price.Decimal.LessThan(d("65000")) {
		s.t.Errorf("order = %+v, want a price between 50000 and 65000", found)
	}
	s.sink.mu.Lock()
	reported := s.sink.last(order.ClientOrderID).Price
	s.sink.mu.Unlock()
	if rows := s.ledgerOrders(order.ClientOrderID); !venues.EqualOptional(reported, found.Price) || len(rows) != 1 || !d(rows[0].Price).Equal(found.Price.Decimal) {
		s.t.Errorf("price of the stream = %v and of the ledger %+v, want %v as by the query", reported, rows, found.Price)
	}
}

func amendBeyondTheBand(s *env) {
	s.rejectFarPrices()
	order := s.resting()
	_, err := s.amended(order, func(r *venues.AmendRequest) { r.Price = some("90000") })
	e := s.rejection(err, venues.CodeInvalidRequest, venues.ReasonPriceBand)
	if e.VenueCode == "" {
		s.t.Errorf("rejection = %+v, want a code of the venue", e)
	}
	s.checkOpen(order, "0.01", "64500")
}

func stopLimitBeyondTheBand(s *env) {
	s.rejectFarPrices()
	order := s.order(stop(venues.Buy, "66000"), func(r *venues.OrderRequest) { r.Type, r.Price = venues.TypeStopLimit, some("90000") })
	if _, err := s.account.Place(s.t.Context(), order); err != nil {
		s.checkRejected(err, venues.CodeInvalidRequest, venues.ReasonPriceBand)
		s.checkOrders(order.ClientOrderID, 0)
		return
	}
	s.awaitStatus(order, venues.StatusUntriggered)
	if found := s.find(order); !venues.EqualOptional(found.Price, some("90000")) {
		s.t.Errorf("price = %v, want 90000", found.Price)
	}
}
