package venuetest

import "venuegate/venues"

var triggerCases = []conformanceCase{
	{number: 400, name: "a stop looks at trades alone, not at the mark or the index price", run: stopByTrades},
	{number: 401, name: "attached protection looks at trades alone", needs: AttachedProtection, run: protectionByTrades},
}

// derive moves the mark and the index price, past triggers and back; the venue has
// answered since.
func (s *stage) derive(prices ...string) {
	s.t.Helper()
	for _, price := range prices {
		s.mark(price)
		s.resting()
	}
}

func stopByTrades(s *stage) {
	rising, falling := s.place(stop(venues.Buy, "65500")), s.place(stop(venues.Sell, "64500"))
	s.reaches(rising, venues.StatusUntriggered)
	s.reaches(falling, venues.StatusUntriggered)
	s.derive("65600", "64400", "65000")
	s.move("65510")
	s.lived(rising, venues.StatusUntriggered, venues.StatusFilled)
	if found := s.find(rising); found.AvgPrice.Decimal.LessThan(d("65500")) {
		s.t.Errorf("triggered before a trade: %+v", found)
	}
	if found := s.find(falling); found.Status != venues.StatusUntriggered {
		s.t.Errorf("%+v", found)
	}
}

func protectionByTrades(s *stage) {
	entry := s.filled(market(venues.Buy, "0.01"), protected("64500", "65500"))
	s.guarded(entry, "64500", "65500")
	s.derive("65600", "64400", "65000")
	s.holding(venues.Long, "0.01")
	s.move("65510")
	s.await("the end of the position", func(h *heard) bool { return h.holds(venues.Long, "0") })
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	for _, r := range s.heard.attached(entry) {
		if r.Status == venues.StatusFilled && r.AvgPrice.Decimal.LessThan(d("65500")) {
			s.t.Errorf("triggered before a trade: %+v", r)
		}
	}
}
