package venuetest

import (
	"time"

	"venuegate/venues"
)

var amendCases = []conformanceCase{
	{number: 60, name: "a price is amended", run: amendPrice},
	{number: 61, name: "a quantity is amended up and down", run: amendQty},
	{number: 62, name: "price and quantity are amended together and the ids stay", run: amendBoth},
	{number: 63, name: "an amendment without a change succeeds", run: amendNothing},
	{number: 64, name: "the quantity of a partially filled order is its total", run: amendPartlyFilled},
	{number: 65, name: "the trigger of an untriggered stop is amended", needs: AmendStops, run: amendTrigger},
	{number: 402, name: "an amendment of a stop past the price is rejected and changes nothing", needs: AmendStops, run: amendPastThePrice},
	{number: 66, name: "an amendment of a filled order is rejected", run: amendFilled},
	{number: 67, name: "an amendment of an unknown order is rejected", run: amendUnknown},
	{number: 68, name: "an amendment off the tick is rejected and changes nothing", run: amendOffTheTick},
	{number: 69, name: "an amended price that crosses fills", run: amendCrosses},
	{number: 70, name: "an amendment with insufficient margin is rejected and changes nothing", run: amendWithoutMargin},
}

// amendment returns a change of an order.
func amendment(order venues.OrderRequest, edit func(*venues.AmendRequest)) venues.AmendRequest {
	r := venues.AmendRequest{
		OrderRef: refOf(order), Side: order.Side, Qty: order.Qty, Price: order.Price, TriggerPrice: order.TriggerPrice,
		ReduceOnly: order.ReduceOnly, Deadline: time.Now().Add(orderLifetime),
	}
	edit(&r)
	return r
}

// amended amends an order.
func (s *env) amended(order venues.OrderRequest, edit func(*venues.AmendRequest)) (venues.ExecutionReport, error) {
	return s.account.Amend(s.context(), amendment(order, edit))
}

// amendAndCheck amends an order, which must succeed, and waits until stream and query
// show the change.
func (s *env) amendAndCheck(order venues.OrderRequest, qty, price string) {
	s.t.Helper()
	s.amend(order, func(r *venues.AmendRequest) { r.Qty, r.Price = d(qty), some(price) })
	s.await("the amendment", func(h *sink) bool {
		last := h.last(order.ClientOrderID)
		return last.Qty.Equal(d(qty)) && venues.EqualOptional(last.Price, some(price))
	})
	s.checkOpen(order, qty, price)
}

func (s *env) checkOpen(order venues.OrderRequest, qty, price string) {
	s.t.Helper()
	if found := s.find(order); !found.Qty.Equal(d(qty)) || !venues.EqualOptional(found.Price, some(price)) || !found.Status.IsActive() {
		s.t.Errorf("%+v, want %s at %s", found, qty, price)
	}
}

func amendPrice(s *env) { s.amendAndCheck(s.resting(), "0.01", "64600") }

func amendQty(s *env) {
	order := s.resting()
	s.amendAndCheck(order, "0.03", "64500")
	s.amendAndCheck(order, "0.02", "64500")
}

func amendBoth(s *env) {
	order := s.resting()
	before := s.find(order)
	s.amendAndCheck(order, "0.02", "64600")
	if after := s.find(order); after.VenueOrderID != before.VenueOrderID || after.ClientOrderID != before.ClientOrderID {
		s.t.Errorf("ids after the amendment = %s and %s, want %s and %s", after.VenueOrderID, after.ClientOrderID, before.VenueOrderID, before.ClientOrderID)
	}
	s.checkOpenOrders(1)
}

func amendNothing(s *env) {
	order := s.resting()
	report, err := s.amended(order, func(*venues.AmendRequest) {})
	if err != nil || report.Status != venues.StatusOpen && report.Status != venues.StatusPending {
		s.t.Errorf("report = %+v, %v, want open or pending", report, err)
	}
	s.checkOpen(order, "0.01", "64500")
}

func amendPartlyFilled(s *env) {
	order := s.resting(limit(venues.Buy, "0.1", "65000"))
	s.trade(venues.Sell, "0.04")
	s.awaitStatus(order, venues.StatusPartiallyFilled)
	s.amendAndCheck(order, "0.06", "65000")
	s.trade(venues.Sell, "0.02")
	s.awaitStatus(order, venues.StatusFilled)
	if found := s.find(order); !found.FilledQty.Equal(d("0.06")) || !found.Qty.Equal(d("0.06")) {
		s.t.Errorf("order = %+v, want 0.06 filled of 0.06", found)
	}
}

func amendTrigger(s *env) {
	order := s.place(stop(venues.Buy, "66000"))
	s.awaitStatus(order, venues.StatusUntriggered)
	s.amend(order, func(r *venues.AmendRequest) { r.TriggerPrice, r.Qty = some("67000"), d("0.02") })
	s.await("the amendment", func(h *sink) bool {
		return venues.EqualOptional(h.last(order.ClientOrderID).TriggerPrice, some("67000"))
	})
	if found := s.find(order); found.Status != venues.StatusUntriggered || !venues.EqualOptional(found.TriggerPrice, some("67000")) || !found.Qty.Equal(d("0.02")) {
		s.t.Errorf("order = %+v, want 0.02 untriggered with trigger 67000", found)
	}
	s.move("66500")
	s.move("67010")
	s.awaitStatus(order, venues.StatusFilled)
	if found := s.find(order); !found.FilledQty.Equal(d("0.02")) {
		s.t.Errorf("filled quantity = %s, want 0.02", found.FilledQty)
	}
}

func amendPastThePrice(s *env) {
	order := s.place(stop(venues.Buy, "66000"))
	s.awaitStatus(order, venues.StatusUntriggered)
	_, err := s.amended(order, func(r *venues.AmendRequest) {
		r.TriggerPrice, r.TriggerDirection = some("64000"), venues.TriggerRising
	})
	s.checkRejected(err, venues.CodeInvalidRequest, venues.ReasonWouldTrigger)
	if found := s.find(order); found.Status != venues.StatusUntriggered || !venues.EqualOptional(found.TriggerPrice, some("66000")) {
		s.t.Errorf("order = %+v, want it untriggered with trigger 66000", found)
	}
}

func amendFilled(s *env) {
	order := s.filled(limit(venues.Buy, "0.01", "65200"))
	s.checkAmendRejected(order, venues.CodeNotFound, func(r *venues.AmendRequest) { r.Price = some("65100") })
}

func amendUnknown(s *env) {
	s.checkAmendRejected(s.order(), venues.CodeNotFound, func(r *venues.AmendRequest) { r.Price = some("64600") })
}

func amendOffTheTick(s *env) {
	order := s.resting()
	s.checkAmendRejected(order, venues.CodeInvalidRequest, func(r *venues.AmendRequest) { r.Price = some("64600.05") })
	s.checkOpen(order, "0.01", "64500")
}

func amendCrosses(s *env) {
	order := s.resting()
	s.amend(order, func(r *venues.AmendRequest) { r.Price = some("65200") })
	s.awaitStatus(order, venues.StatusFilled)
	if found := s.find(order); !venues.EqualOptional(found.AvgPrice, some("65000.1")) {
		s.t.Errorf("average price = %v, want 65000.1", found.AvgPrice)
	}
}

func amendWithoutMargin(s *env) {
	order := s.resting()
	s.checkAmendRejected(order, venues.CodeInsufficientBalance, func(r *venues.AmendRequest) { r.Qty = d("900") })
	s.checkOpen(order, "0.01", "64500")
}
