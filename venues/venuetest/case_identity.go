package venuetest

import (
	"venuegate/venues"
	"venuegate/venues/simcore"
)

var identityCases = []conformanceCase{
	{number: 100, name: "a second order with the id of an open one: outcome unknown, because the first exists", run: duplicateOfOpen},
	{number: 101, name: "the id of a closed order is accepted again", needs: ClientIDReuse, run: idIsUsedAgain},
	{number: 102, name: "a client id is never accepted again", needs: ClientIDForever, run: idIsSpent},
	{number: 103, name: "the id of an untriggered stop is in use", run: duplicateOfStop},
	{number: 104, name: "accounts do not see each other's orders", run: accountsAreApart},
	{number: 105, name: "the id of a rejected order is free", run: idOfRejected},
	{number: 106, name: "an id of 32 characters is sent unaltered", run: longID},
}

func duplicateOfOpen(s *env) {
	order := s.resting()
	s.checkPlaceDuplicate(order)
	s.checkStatus(order, venues.StatusOpen)
}

func idIsUsedAgain(s *env) {
	order := s.filled(market(venues.Buy, "0.01"))
	again := order
	again.Deadline = s.order().Deadline
	s.sink.mu.Lock()
	s.sink.anyOrder = true // a second order with the same id
	s.sink.mu.Unlock()
	if _, err := s.account.Place(s.t.Context(), again); err != nil {
		s.t.Fatal(err)
	}
	s.checkOrders(order.ClientOrderID, 2)
}

func idIsSpent(s *env) {
	filled := s.filled(market(venues.Buy, "0.01"))
	cancelled := s.resting()
	s.cancel(cancelled)
	for _, order := range []venues.OrderRequest{filled, cancelled} {
		order.Deadline = s.order().Deadline
		s.checkPlaceDuplicate(order)
	}
}

func duplicateOfStop(s *env) {
	order := s.place(stop(venues.Buy, "66000"))
	s.awaitStatus(order, venues.StatusUntriggered)
	s.checkPlaceDuplicate(order)
}

func accountsAreApart(s *env) {
	order := s.resting()
	s.useNew(simcore.AccountBody{})
	s.checkNotFound(order)
	s.checkOpenOrders(0)
	s.checkCancelRejected(order)
	if _, err := s.account.Place(s.t.Context(), order); err != nil {
		s.t.Errorf("error of the same id on another account = %v, want none", err)
	}
}

func idOfRejected(s *env) {
	order := s.order(limit(venues.Buy, "0.01", "64500.05"))
	_, err := s.account.Place(s.t.Context(), order)
	s.checkRejected(err, venues.CodeInvalidRequest, "")
	order.Price = some("64500")
	if _, err := s.account.Place(s.t.Context(), order); err != nil {
		s.t.Fatal(err)
	}
	s.awaitStatus(order, venues.StatusOpen)
}

func longID(s *env) {
	order := s.resting(func(r *venues.OrderRequest) { r.ClientOrderID = "vg0123456789abcdefghijklmnopqrst" })
	waiting := s.place(stop(venues.Buy, "66000"), func(r *venues.OrderRequest) { r.ClientOrderID = "vgtsrqponmlkjihgfedcba9876543210" })
	s.awaitStatus(waiting, venues.StatusUntriggered)
	for _, o := range []venues.OrderRequest{order, waiting} {
		if found := s.find(o); found.ClientOrderID != o.ClientOrderID {
			s.t.Errorf("client id = %q, want %q", found.ClientOrderID, o.ClientOrderID)
		}
	}
}
