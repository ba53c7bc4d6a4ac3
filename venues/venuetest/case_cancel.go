package venuetest

import (
	"sync"

	"venuegate/venues"
)

var cancelCases = []conformanceCase{
	{number: 80, name: "an open order is cancelled", run: cancelOpen},
	{number: 81, name: "a cancelled order keeps what it filled", run: cancelPartlyFilled},
	{number: 82, name: "a second cancellation is rejected as not_found", run: cancelTwice},
	{number: 83, name: "the cancellation of a filled order is rejected and changes nothing", run: cancelFilled},
	{number: 84, name: "the cancellation of an unknown order is rejected as not_found", run: cancelUnknown},
	{number: 85, name: "every open order of every kind is listed and cancelled", run: cancelAll},
	{number: 86, name: "an order is queried and cancelled by the venue's id alone", run: cancelByVenueID},
	{number: 87, name: "concurrent cancellation and fill: venue and query agree on the outcome", run: cancelRacesFill},
	{number: 88, name: "concurrent cancellation and trigger: one outcome", run: cancelRacesTrigger},
	{number: 89, name: "two concurrent cancellations: the order ends once", run: cancelRacesCancel},
	{number: 90, name: "concurrent amendment and cancellation: the order is cancelled", run: cancelRacesAmend},
}

func cancelOpen(s *env) {
	order := s.resting()
	report, err := s.account.Cancel(s.t.Context(), refOf(order))
	if err != nil || report.Status != venues.StatusCancelled && report.Status != venues.StatusPending {
		s.t.Fatalf("report = %+v, %v, want cancelled or pending", report, err)
	}
	s.awaitSteps(order, venues.StatusOpen, venues.StatusCancelled)
	if found := s.find(order); found.Status != venues.StatusCancelled || found.RejectReason != nil || !found.FilledQty.IsZero() {
		s.t.Errorf("order = %+v with reason %+v, want it cancelled without a fill or reason", found, found.RejectReason)
	}
	s.checkOpenOrders(0)
}

func cancelPartlyFilled(s *env) {
	order := s.resting(limit(venues.Buy, "0.1", "65000"))
	s.trade(venues.Sell, "0.04")
	s.awaitStatus(order, venues.StatusPartiallyFilled)
	s.cancel(order)
	found := s.find(order)
	if found.Status != venues.StatusCancelled || !found.FilledQty.Equal(d("0.04")) || !venues.EqualOptional(found.AvgPrice, some("65000")) || found.RejectReason != nil {
		s.t.Errorf("order = %+v with reason %+v, want it cancelled with 0.04 filled at 65000", found, found.RejectReason)
	}
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	if reported := sumOf(s.sink.fillsOf(order.ClientOrderID)); !reported.Equal(d("0.04")) {
		s.t.Errorf("fills of the stream = %v, want 0.04", reported)
	}
}

func cancelTwice(s *env) {
	order := s.resting()
	s.cancel(order)
	s.checkCancelRejected(order)
}

func cancelFilled(s *env) {
	order := s.filled(market(venues.Buy, "0.01"))
	s.checkCancelRejected(order)
	s.checkStatus(order, venues.StatusFilled)
}

func cancelUnknown(s *env) {
	for _, order := range []venues.OrderRequest{s.order(), s.order(stop(venues.Buy, "66000"))} {
		s.checkCancelRejected(order)
		s.checkNotFound(order)
	}
}

func cancelAll(s *env) {
	s.filled(market(venues.Buy, "0.02"))
	s.resting()
	s.resting(limit(venues.Sell, "0.01", "65500"), reduceOnly)
	s.resting(func(r *venues.OrderRequest) { r.Symbol, r.Qty, r.Price = "ETHUSDT", d("1"), some("3190") })
	partly := s.resting(limit(venues.Buy, "0.1", "65000"))
	s.trade(venues.Sell, "0.04")
	s.awaitStatus(partly, venues.StatusPartiallyFilled)
	for _, edit := range []change{stop(venues.Buy, "66000"), buyStopLimit("65900")} {
		s.awaitStatus(s.place(edit), venues.StatusUntriggered)
	}
	open := s.openOrders()
	if len(open) != 6 {
		s.t.Fatalf("%d open orders, want 6: %+v", len(open), open)
	}
	for _, o := range open {
		ref := venues.OrderRef{Symbol: o.Symbol, ClientOrderID: o.ClientOrderID, VenueOrderID: o.VenueOrderID, Type: o.Type}
		if _, err := s.account.Cancel(s.t.Context(), ref); err != nil {
			s.t.Errorf("cancel %+v: %v", ref, err)
		}
		s.awaitStatus(venues.OrderRequest{ClientOrderID: o.ClientOrderID}, venues.StatusCancelled)
	}
	s.checkOpenOrders(0)
}

func cancelByVenueID(s *env) {
	order := s.resting()
	ref := venues.OrderRef{Symbol: order.Symbol, VenueOrderID: s.find(order).VenueOrderID, Type: order.Type}
	if found, err := s.account.Order(s.t.Context(), ref); err != nil || found.ClientOrderID != order.ClientOrderID {
		s.t.Errorf("order = %+v, %v, want client id %s", found, err, order.ClientOrderID)
	}
	if _, err := s.account.Cancel(s.t.Context(), ref); err != nil {
		s.t.Fatal(err)
	}
	s.awaitStatus(order, venues.StatusCancelled)
}

// racesMax is how often a race is repeated.
const racesMax = 4

// concurrently runs two functions at the same time and waits for both.
func concurrently(one, other func()) {
	var both sync.WaitGroup
	both.Go(one)
	both.Go(other)
	both.Wait()
}

func cancelRacesFill(s *env) {
	for range racesMax {
		order := s.resting(limit(venues.Buy, "0.01", "65000"))
		var err error
		concurrently(
			func() { _, err = s.account.Cancel(s.t.Context(), refOf(order)) },
			func() { s.trade(venues.Sell, "0.01") },
		)
		s.await("an end", func(h *sink) bool { return h.last(order.ClientOrderID).Status.IsClosed() })
		found, row := s.find(order), s.ledgerOrders(order.ClientOrderID)[0]
		if string(found.Status) != row.Status || !found.FilledQty.Equal(d(row.FilledQty).Mul(s.contractSize())) {
			s.t.Errorf("order = %+v, want that of the ledger %+v", found, row)
		}
		if err != nil {
			s.checkRejected(err, venues.CodeNotFound, "")
		}
		if (err == nil) != (found.Status == venues.StatusCancelled) {
			s.t.Errorf("error of the cancellation = %v, want one unless the order is cancelled; it is %s", err, found.Status)
		}
		s.move("65000")
	}
}

func cancelRacesTrigger(s *env) {
	for range racesMax {
		order := s.place(stop(venues.Buy, "66000"))
		s.awaitStatus(order, venues.StatusUntriggered)
		var err error
		concurrently(
			func() { _, err = s.account.Cancel(s.t.Context(), refOf(order)) },
			func() { s.move("66010") },
		)
		if err != nil {
			s.checkRejected(err, venues.CodeNotFound, "")
		}
		s.await("an end", func(h *sink) bool { return h.last(order.ClientOrderID).Status.IsClosed() })
		if found := s.find(order); found.Status == venues.StatusFilled != found.FilledQty.Equal(order.Qty) {
			s.t.Errorf("order = %+v, want the whole quantity if filled and less otherwise", found)
		}
		s.move("65000")
	}
}

func cancelRacesCancel(s *env) {
	order := s.resting()
	var errs [2]error
	concurrently(
		func() { _, errs[0] = s.account.Cancel(s.t.Context(), refOf(order)) },
		func() { _, errs[1] = s.account.Cancel(s.t.Context(), refOf(order)) },
	)
	s.awaitStatus(order, venues.StatusCancelled)
	if errs[0] != nil && errs[1] != nil {
		s.t.Errorf("errors = %v and %v, want at most one", errs[0], errs[1])
	}
	for _, err := range errs {
		if err != nil {
			s.checkRejected(err, venues.CodeNotFound, "")
		}
	}
}

func cancelRacesAmend(s *env) {
	order := s.resting()
	var cancelled, amended error
	concurrently(
		func() { _, cancelled = s.account.Cancel(s.t.Context(), refOf(order)) },
		func() { _, amended = s.amended(order, func(r *venues.AmendRequest) { r.Price = some("64600") }) },
	)
	if cancelled != nil {
		s.t.Errorf("error of the cancellation = %v, want none", cancelled)
	}
	if amended != nil {
		s.checkRejected(amended, venues.CodeNotFound, "")
	}
	s.awaitStatus(order, venues.StatusCancelled)
	s.checkStatus(order, venues.StatusCancelled)
}
