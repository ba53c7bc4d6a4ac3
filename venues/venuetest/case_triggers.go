package venuetest

import "venuegate/venues"

var triggerCases = []conformanceCase{
	{number: 400, name: "a stop triggers by trades alone, not by the mark or the index price", run: stopByTrades},
	{number: 401, name: "attached protection triggers by trades alone", needs: AttachedProtection, run: protectionByTrades},
}

// moveMark moves the mark price, and with it the index price, to each of the prices, and
// places an order after each.
func (s *env) moveMark(prices ...string) {
	s.t.Helper()
	for _, price := range prices {
		s.mark(price)
		s.resting()
	}
}

func stopByTrades(s *env) {
	rising, falling := s.place(stop(venues.Buy, "65500")), s.place(stop(venues.Sell, "64500"))
	s.awaitStatus(rising, venues.StatusUntriggered)
	s.awaitStatus(falling, venues.StatusUntriggered)
	s.moveMark("65600", "64400", "65000")
	s.move("65510")
	s.awaitSteps(rising, venues.StatusUntriggered, venues.StatusFilled)
	if found := s.find(rising); found.AvgPrice.Decimal.LessThan(d("65500")) {
		s.t.Errorf("order = %+v, want an average price of at least 65500", found)
	}
	s.checkStatus(falling, venues.StatusUntriggered)
}

func protectionByTrades(s *env) {
	entry := s.filled(market(venues.Buy, "0.01"), protected("64500", "65500"))
	s.awaitProtection(entry, "64500", "65500")
	s.moveMark("65600", "64400", "65000")
	s.checkPosition(venues.Long, "0.01")
	s.move("65510")
	s.await("the end of the position", func(h *sink) bool { return h.hasPosition(venues.Long, "0") })
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	for _, r := range s.sink.attached(entry) {
		if r.Status == venues.StatusFilled && r.AvgPrice.Decimal.LessThan(d("65500")) {
			s.t.Errorf("leg = %+v, want an average price of at least 65500", r)
		}
	}
}
