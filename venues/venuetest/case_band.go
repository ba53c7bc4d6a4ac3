package venuetest

import "venuegate/venues"

var bandCases = []conformanceCase{
	{number: 360, name: "a far price that the venue moves is told as what it became", needs: MovedPrices, run: farPriceIsMoved},
	{number: 361, name: "an amendment beyond the band is refused and changes nothing", run: amendBeyondTheBand},
	{number: 362, name: "a stop limit whose price is far from the market waits or is refused, and is never moved", run: stopLimitBeyondTheBand},
}

// refuseFarPrices makes the account refuse far prices where it is asked whether it
// wants that.
func (s *stage) refuseFarPrices() {
	if venue, ok := s.sim.(PriceBander); ok {
		venue.RejectFarPrices(s.sim.DemoAccount().ID)
	}
}

// farPriceIsMoved sells far below the market, which stays as it is: the order waits
// at the edge of the band.
func farPriceIsMoved(s *stage) {
	s.depth(0)
	order := s.resting(limit(venues.Sell, "0.01", "50000"))
	found := s.find(order)
	if !found.Price.Valid || !found.Price.Decimal.GreaterThan(d("50000")) || !found.Price.Decimal.LessThan(d("65000")) {
		s.t.Errorf("%+v", found)
	}
	s.heard.mu.Lock()
	told := s.heard.last(order.ClientOrderID).Price
	s.heard.mu.Unlock()
	if rows := s.truth(order.ClientOrderID); !venues.EqualOptional(told, found.Price) || len(rows) != 1 || !d(rows[0].Price).Equal(found.Price.Decimal) {
		s.t.Errorf("told %v, found %v, the venue's ledger %+v", told, found.Price, rows)
	}
}

func amendBeyondTheBand(s *stage) {
	s.refuseFarPrices()
	order := s.resting()
	_, err := s.amended(order, func(r *venues.AmendRequest) { r.Price = some("90000") })
	e := s.refusal(err, venues.CodeInvalidRequest, venues.ReasonPriceBand)
	if e.VenueCode == "" {
		s.t.Errorf("%+v", e)
	}
	s.stands(order, "0.01", "64500")
}

func stopLimitBeyondTheBand(s *stage) {
	s.refuseFarPrices()
	order := s.order(stop(venues.Buy, "66000"), func(r *venues.OrderRequest) { r.Type, r.Price = venues.TypeStopLimit, some("90000") })
	if _, err := s.account.Place(s.t.Context(), order); err != nil {
		s.refused(err, venues.CodeInvalidRequest, venues.ReasonPriceBand)
		s.holds(order.ClientOrderID, 0)
		return
	}
	s.reaches(order, venues.StatusUntriggered)
	if found := s.find(order); !venues.EqualOptional(found.Price, some("90000")) {
		s.t.Errorf("%+v", found)
	}
}
