package venuetest

import (
	"venuegate/venues"
	"venuegate/venues/simcore"
)

var identityCases = []conformanceCase{
	{number: 100, name: "a second order under the id of an open one proves the first: outcome unknown", run: duplicateOfOpen},
	{number: 101, name: "the id of a closed order is accepted again", needs: ClientIDReuse, run: idIsUsedAgain},
	{number: 102, name: "a client id is never accepted again", needs: ClientIDForever, run: idIsSpent},
	{number: 103, name: "the id of a waiting stop is taken too", run: duplicateOfStop},
	{number: 104, name: "accounts do not see each other's orders", run: accountsAreApart},
	{number: 105, name: "the id of a refused order is free", run: idOfRefused},
	{number: 106, name: "an id of 32 characters passes unaltered", run: longID},
}

func duplicateOfOpen(s *stage) {
	order := s.resting()
	_, err := s.account.Place(s.t.Context(), order)
	s.uncertain(err)
	s.holds(order.ClientOrderID, 1)
	if found := s.find(order); found.Status != venues.StatusOpen {
		s.t.Errorf("%+v", found)
	}
}

func idIsUsedAgain(s *stage) {
	order := s.filled(market(venues.Buy, "0.01"))
	again := order
	again.Deadline = s.order().Deadline
	s.heard.mu.Lock()
	s.heard.disordered = true // a second life under the same name
	s.heard.mu.Unlock()
	if _, err := s.account.Place(s.t.Context(), again); err != nil {
		s.t.Fatal(err)
	}
	s.holds(order.ClientOrderID, 2)
}

func idIsSpent(s *stage) {
	filled := s.filled(market(venues.Buy, "0.01"))
	cancelled := s.resting()
	s.cancel(cancelled)
	for _, order := range []venues.OrderRequest{filled, cancelled} {
		order.Deadline = s.order().Deadline
		_, err := s.account.Place(s.t.Context(), order)
		s.uncertain(err)
		s.holds(order.ClientOrderID, 1)
	}
}

func duplicateOfStop(s *stage) {
	order := s.place(stop(venues.Buy, "66000"))
	s.reaches(order, venues.StatusUntriggered)
	_, err := s.account.Place(s.t.Context(), order)
	s.uncertain(err)
	s.holds(order.ClientOrderID, 1)
}

func accountsAreApart(s *stage) {
	order := s.resting()
	s.useNew(simcore.AccountBody{})
	s.missing(order)
	if open := s.openOrders(); len(open) != 0 {
		s.t.Errorf("%+v", open)
	}
	_, err := s.account.Cancel(s.t.Context(), refOf(order))
	s.refused(err, venues.CodeNotFound, "")
	if _, err := s.account.Place(s.t.Context(), order); err != nil {
		s.t.Errorf("the same id on another account: %v", err)
	}
}

func idOfRefused(s *stage) {
	order := s.order(limit(venues.Buy, "0.01", "64500.05"))
	_, err := s.account.Place(s.t.Context(), order)
	s.refused(err, venues.CodeInvalidRequest, "")
	order.Price = some("64500")
	if _, err := s.account.Place(s.t.Context(), order); err != nil {
		s.t.Fatal(err)
	}
	s.reaches(order, venues.StatusOpen)
}

func longID(s *stage) {
	order := s.resting(func(r *venues.OrderRequest) { r.ClientOrderID = "vg0123456789abcdefghijklmnopqrst" })
	waiting := s.place(stop(venues.Buy, "66000"), func(r *venues.OrderRequest) { r.ClientOrderID = "vgtsrqponmlkjihgfedcba9876543210" })
	s.reaches(waiting, venues.StatusUntriggered)
	for _, o := range []venues.OrderRequest{order, waiting} {
		if found := s.find(o); found.ClientOrderID != o.ClientOrderID {
			s.t.Errorf("%q came back as %q", o.ClientOrderID, found.ClientOrderID)
		}
	}
}
