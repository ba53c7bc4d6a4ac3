package venuetest

import (
	"sync"

	"venuegate/venues"
)

var cancelCases = []conformanceCase{
	{number: 80, name: "an open order is cancelled", run: cancelOpen},
	{number: 81, name: "a cancelled order keeps what it filled", run: cancelPartlyFilled},
	{number: 82, name: "a second cancel is refused as not_found", run: cancelTwice},
	{number: 83, name: "cancelling a filled order is refused and changes nothing", run: cancelFilled},
	{number: 84, name: "cancelling an order that never was is refused as not_found", run: cancelUnknown},
	{number: 85, name: "every open order of every kind is listed and cancelled", run: cancelAll},
	{number: 86, name: "an order is found and cancelled by the venue's id alone", run: cancelByVenueID},
	{number: 87, name: "cancel and fill at once: one story, told alike by venue and query", run: cancelRacesFill},
	{number: 88, name: "cancel and trigger at once: one story", run: cancelRacesTrigger},
	{number: 89, name: "two cancels at once: one order ends once", run: cancelRacesCancel},
	{number: 90, name: "amend and cancel at once: the order is gone", run: cancelRacesAmend},
}

func cancelOpen(s *stage) {
	order := s.resting()
	report, err := s.account.Cancel(s.t.Context(), refOf(order))
	if err != nil || report.Status != venues.StatusCancelled && report.Status != venues.StatusPending {
		s.t.Fatalf("%+v, %v", report, err)
	}
	s.lived(order, venues.StatusOpen, venues.StatusCancelled)
	if found := s.find(order); found.Status != venues.StatusCancelled || found.RejectReason != nil || !found.FilledQty.IsZero() {
		s.t.Errorf("%+v, %+v", found, found.RejectReason)
	}
	if open := s.openOrders(); len(open) != 0 {
		s.t.Errorf("%+v", open)
	}
}

func cancelPartlyFilled(s *stage) {
	order := s.resting(limit(venues.Buy, "0.1", "65000"))
	s.trade(venues.Sell, "0.04")
	s.reaches(order, venues.StatusPartiallyFilled)
	s.cancel(order)
	found := s.find(order)
	if found.Status != venues.StatusCancelled || !found.FilledQty.Equal(d("0.04")) || !venues.EqualOptional(found.AvgPrice, some("65000")) || found.RejectReason != nil {
		s.t.Errorf("%+v, %+v", found, found.RejectReason)
	}
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	if told := sumOf(s.heard.fillsOf(order.ClientOrderID)); !told.Equal(d("0.04")) {
		s.t.Errorf("the stream told fills of %v", told)
	}
}

func cancelTwice(s *stage) {
	order := s.resting()
	s.cancel(order)
	_, err := s.account.Cancel(s.t.Context(), refOf(order))
	s.refused(err, venues.CodeNotFound, "")
}

func cancelFilled(s *stage) {
	order := s.filled(market(venues.Buy, "0.01"))
	_, err := s.account.Cancel(s.t.Context(), refOf(order))
	s.refused(err, venues.CodeNotFound, "")
	if found := s.find(order); found.Status != venues.StatusFilled {
		s.t.Errorf("%+v", found)
	}
}

func cancelUnknown(s *stage) {
	for _, order := range []venues.OrderRequest{s.order(), s.order(stop(venues.Buy, "66000"))} {
		_, err := s.account.Cancel(s.t.Context(), refOf(order))
		s.refused(err, venues.CodeNotFound, "")
		s.missing(order)
	}
}

func cancelAll(s *stage) {
	s.filled(market(venues.Buy, "0.02"))
	s.resting()
	s.resting(limit(venues.Sell, "0.01", "65500"), reduceOnly)
	s.resting(func(r *venues.OrderRequest) { r.Symbol, r.Qty, r.Price = "ETHUSDT", d("1"), some("3190") })
	partly := s.resting(limit(venues.Buy, "0.1", "65000"))
	s.trade(venues.Sell, "0.04")
	s.reaches(partly, venues.StatusPartiallyFilled)
	for _, wish := range []change{stop(venues.Buy, "66000"), buyStopLimit("65900")} {
		s.reaches(s.place(wish), venues.StatusUntriggered)
	}
	open := s.openOrders()
	if len(open) != 6 {
		s.t.Fatalf("%d orders: %+v", len(open), open)
	}
	for _, o := range open {
		ref := venues.OrderRef{Symbol: o.Symbol, ClientOrderID: o.ClientOrderID, VenueOrderID: o.VenueOrderID, Type: o.Type}
		if _, err := s.account.Cancel(s.t.Context(), ref); err != nil {
			s.t.Errorf("%+v: %v", ref, err)
		}
		s.reaches(venues.OrderRequest{ClientOrderID: o.ClientOrderID}, venues.StatusCancelled)
	}
	if open = s.openOrders(); len(open) != 0 {
		s.t.Errorf("%+v", open)
	}
}

func cancelByVenueID(s *stage) {
	order := s.resting()
	ref := venues.OrderRef{Symbol: order.Symbol, VenueOrderID: s.find(order).VenueOrderID, Type: order.Type}
	if found, err := s.account.Order(s.t.Context(), ref); err != nil || found.ClientOrderID != order.ClientOrderID {
		s.t.Errorf("%+v, %v", found, err)
	}
	if _, err := s.account.Cancel(s.t.Context(), ref); err != nil {
		s.t.Fatal(err)
	}
	s.reaches(order, venues.StatusCancelled)
}

// racesMax is how often a race is run.
const racesMax = 4

// raced runs two things at once and waits for both.
func raced(one, other func()) {
	var both sync.WaitGroup
	both.Go(one)
	both.Go(other)
	both.Wait()
}

func cancelRacesFill(s *stage) {
	for range racesMax {
		order := s.resting(limit(venues.Buy, "0.01", "65000"))
		var err error
		raced(
			func() { _, err = s.account.Cancel(s.t.Context(), refOf(order)) },
			func() { s.trade(venues.Sell, "0.01") },
		)
		s.await("an end", func(h *heard) bool { return h.last(order.ClientOrderID).Status.IsClosed() })
		found, row := s.find(order), s.truth(order.ClientOrderID)[0]
		if string(found.Status) != row.Status || !found.FilledQty.Equal(d(row.FilledQty).Mul(s.contractSize())) {
			s.t.Errorf("query %+v, venue %+v", found, row)
		}
		if err != nil {
			s.refused(err, venues.CodeNotFound, "")
		}
		if (err == nil) != (found.Status == venues.StatusCancelled) {
			s.t.Errorf("cancel said %v of an order that is %s", err, found.Status)
		}
		s.move("65000")
	}
}

func cancelRacesTrigger(s *stage) {
	for range racesMax {
		order := s.place(stop(venues.Buy, "66000"))
		s.reaches(order, venues.StatusUntriggered)
		var err error
		raced(
			func() { _, err = s.account.Cancel(s.t.Context(), refOf(order)) },
			func() { s.move("66010") },
		)
		if err != nil {
			s.refused(err, venues.CodeNotFound, "")
		}
		s.await("an end", func(h *heard) bool { return h.last(order.ClientOrderID).Status.IsClosed() })
		if found := s.find(order); found.Status == venues.StatusFilled != found.FilledQty.Equal(order.Qty) {
			s.t.Errorf("%+v", found)
		}
		s.move("65000")
	}
}

func cancelRacesCancel(s *stage) {
	order := s.resting()
	var errs [2]error
	raced(
		func() { _, errs[0] = s.account.Cancel(s.t.Context(), refOf(order)) },
		func() { _, errs[1] = s.account.Cancel(s.t.Context(), refOf(order)) },
	)
	s.reaches(order, venues.StatusCancelled)
	if errs[0] != nil && errs[1] != nil {
		s.t.Errorf("%v, %v", errs[0], errs[1])
	}
	for _, err := range errs {
		if err != nil {
			s.refused(err, venues.CodeNotFound, "")
		}
	}
}

func cancelRacesAmend(s *stage) {
	order := s.resting()
	var cancelled, amended error
	raced(
		func() { _, cancelled = s.account.Cancel(s.t.Context(), refOf(order)) },
		func() { _, amended = s.amended(order, func(r *venues.AmendRequest) { r.Price = some("64600") }) },
	)
	if cancelled != nil {
		s.t.Errorf("cancel: %v", cancelled)
	}
	if amended != nil {
		s.refused(amended, venues.CodeNotFound, "")
	}
	s.reaches(order, venues.StatusCancelled)
	if found := s.find(order); found.Status != venues.StatusCancelled {
		s.t.Errorf("%+v", found)
	}
}
