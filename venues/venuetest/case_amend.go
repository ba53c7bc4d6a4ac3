package venuetest

import (
	"time"

	"venuegate/venues"
)

var amendCases = []conformanceCase{
	{number: 60, name: "a price is amended", run: amendPrice},
	{number: 61, name: "a quantity is amended up and down", run: amendQty},
	{number: 62, name: "price and quantity are amended at once and the ids stay", run: amendBoth},
	{number: 63, name: "an amendment to what is already so succeeds", run: amendNothing},
	{number: 64, name: "the quantity of a partly filled order is its total", run: amendPartlyFilled},
	{number: 65, name: "the trigger of a waiting stop is amended", needs: AmendStops, run: amendTrigger},
	{number: 66, name: "an amendment of a filled order is refused", run: amendFilled},
	{number: 67, name: "an amendment of an order that never was is refused", run: amendUnknown},
	{number: 68, name: "an amendment off the tick is refused and changes nothing", run: amendOffTheTick},
	{number: 69, name: "an amended price that crosses fills", run: amendCrosses},
	{number: 70, name: "too little margin for an amendment is refused and changes nothing", run: amendWithoutMargin},
}

// amendment is a change of an order.
func amendment(order venues.OrderRequest, wish func(*venues.AmendRequest)) venues.AmendRequest {
	r := venues.AmendRequest{
		OrderRef: refOf(order), Side: order.Side, Qty: order.Qty, Price: order.Price, TriggerPrice: order.TriggerPrice,
		ReduceOnly: order.ReduceOnly, Deadline: time.Now().Add(orderLifetime),
	}
	wish(&r)
	return r
}

// amended asks for a change of an order.
func (s *stage) amended(order venues.OrderRequest, wish func(*venues.AmendRequest)) (venues.ExecutionReport, error) {
	return s.account.Amend(s.context(), amendment(order, wish))
}

// amends amends an order, which must succeed, and waits until stream and query
// show it.
func (s *stage) amends(order venues.OrderRequest, qty, price string) {
	s.t.Helper()
	if _, err := s.amended(order, func(r *venues.AmendRequest) { r.Qty, r.Price = d(qty), some(price) }); err != nil {
		s.t.Fatal(err)
	}
	s.await("the amendment", func(h *heard) bool {
		last := h.last(order.ClientOrderID)
		return last.Qty.Equal(d(qty)) && venues.EqualOptional(last.Price, some(price))
	})
	s.stands(order, qty, price)
}

func (s *stage) stands(order venues.OrderRequest, qty, price string) {
	s.t.Helper()
	if found := s.find(order); !found.Qty.Equal(d(qty)) || !venues.EqualOptional(found.Price, some(price)) || !found.Status.IsActive() {
		s.t.Errorf("%+v, want %s at %s", found, qty, price)
	}
}

func amendPrice(s *stage) { s.amends(s.resting(), "0.01", "64600") }

func amendQty(s *stage) {
	order := s.resting()
	s.amends(order, "0.03", "64500")
	s.amends(order, "0.02", "64500")
}

func amendBoth(s *stage) {
	order := s.resting()
	before := s.find(order)
	s.amends(order, "0.02", "64600")
	if after := s.find(order); after.VenueOrderID != before.VenueOrderID || after.ClientOrderID != before.ClientOrderID {
		s.t.Errorf("%+v became %+v", before, after)
	}
	if open := s.openOrders(); len(open) != 1 {
		s.t.Errorf("%+v", open)
	}
}

func amendNothing(s *stage) {
	order := s.resting()
	report, err := s.amended(order, func(*venues.AmendRequest) {})
	if err != nil || report.Status != venues.StatusOpen && report.Status != venues.StatusPending {
		s.t.Errorf("%+v, %v", report, err)
	}
	s.stands(order, "0.01", "64500")
}

func amendPartlyFilled(s *stage) {
	order := s.resting(limit(venues.Buy, "0.1", "65000"))
	s.trade(venues.Sell, "0.04")
	s.reaches(order, venues.StatusPartiallyFilled)
	s.amends(order, "0.06", "65000")
	s.trade(venues.Sell, "0.02")
	s.reaches(order, venues.StatusFilled)
	if found := s.find(order); !found.FilledQty.Equal(d("0.06")) || !found.Qty.Equal(d("0.06")) {
		s.t.Errorf("%+v", found)
	}
}

func amendTrigger(s *stage) {
	order := s.place(stop(venues.Buy, "66000"))
	s.reaches(order, venues.StatusUntriggered)
	if _, err := s.amended(order, func(r *venues.AmendRequest) { r.TriggerPrice, r.Qty = some("67000"), d("0.02") }); err != nil {
		s.t.Fatal(err)
	}
	s.await("the amendment", func(h *heard) bool {
		return venues.EqualOptional(h.last(order.ClientOrderID).TriggerPrice, some("67000"))
	})
	if found := s.find(order); found.Status != venues.StatusUntriggered || !venues.EqualOptional(found.TriggerPrice, some("67000")) || !found.Qty.Equal(d("0.02")) {
		s.t.Errorf("%+v", found)
	}
	s.move("66500")
	s.move("67010")
	s.reaches(order, venues.StatusFilled)
	if found := s.find(order); !found.FilledQty.Equal(d("0.02")) {
		s.t.Errorf("%+v", found)
	}
}

func amendFilled(s *stage) {
	order := s.filled(limit(venues.Buy, "0.01", "65200"))
	_, err := s.amended(order, func(r *venues.AmendRequest) { r.Price = some("65100") })
	s.refused(err, venues.CodeNotFound, "")
}

func amendUnknown(s *stage) {
	_, err := s.amended(s.order(), func(r *venues.AmendRequest) { r.Price = some("64600") })
	s.refused(err, venues.CodeNotFound, "")
}

func amendOffTheTick(s *stage) {
	order := s.resting()
	_, err := s.amended(order, func(r *venues.AmendRequest) { r.Price = some("64600.05") })
	s.refused(err, venues.CodeInvalidRequest, "")
	s.stands(order, "0.01", "64500")
}

func amendCrosses(s *stage) {
	order := s.resting()
	if _, err := s.amended(order, func(r *venues.AmendRequest) { r.Price = some("65200") }); err != nil {
		s.t.Fatal(err)
	}
	s.reaches(order, venues.StatusFilled)
	if found := s.find(order); !venues.EqualOptional(found.AvgPrice, some("65000.1")) {
		s.t.Errorf("%+v", found)
	}
}

func amendWithoutMargin(s *stage) {
	order := s.resting()
	_, err := s.amended(order, func(r *venues.AmendRequest) { r.Qty = d("900") })
	s.refused(err, venues.CodeInsufficientBalance, "")
	s.stands(order, "0.01", "64500")
}
