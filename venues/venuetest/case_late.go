package venuetest

import (
	"slices"
	"time"

	"venuegate/venues"
)

// delayed lets the venue do only later what it has acknowledged.
var delayed = Conditions{EngineDelay: time.Millisecond}

var lateAmendCases = []conformanceCase{
	{number: 71, name: "an acknowledged amendment is shown when it is done, not before", needs: LateOutcomes, under: delayed, run: amendDoneLater},
	{number: 72, name: "an amendment that was acknowledged and then refused changes nothing", needs: AmendAboveFilled, under: delayed, run: amendRefusedLater},
	{number: 73, name: "an amendment that was acknowledged comes too late: filled as it was, told once", needs: LateOutcomes, under: delayed, run: amendOvertaken},
	{number: 74, name: "a stop triggers before its acknowledged amendment: filled as it was", needs: LateOutcomes, under: delayed, run: amendOvertakenByTrigger},
	{number: 75, name: "an amendment that was acknowledged and then lacks margin changes nothing", needs: LateOutcomes, under: delayed, run: amendWithoutMarginLater},
	{number: 76, name: "of many amendments at once the acknowledged ones are done and the others rate_limited", needs: LateOutcomes, under: delayed, run: amendManyTimes},
}

var lateCancelCases = []conformanceCase{
	{number: 91, name: "an acknowledged cancel ends the order when it is done, not before", needs: LateOutcomes, under: delayed, run: cancelDoneLater},
	{number: 92, name: "a cancel that was acknowledged comes too late: filled, told once", needs: LateOutcomes, under: delayed, run: cancelOvertaken},
	{number: 93, name: "a stop triggers before its acknowledged cancel: filled", needs: LateOutcomes, under: delayed, run: cancelOvertakenByTrigger},
	{number: 94, name: "a cancel asked for again while it is under way is no failure and ends the order once", needs: LateOutcomes, under: delayed, run: cancelAskedAgain},
}

// meanwhile asks for a change, which must be acknowledged, lets do happen before
// the venue gets to it, and waits until the venue has: it does what it has
// acknowledged in order, so that a later change of another order shows it.
func (s *stage) meanwhile(ask func() error, do func()) {
	s.t.Helper()
	next := s.resting()
	s.sim.Hold()
	if err := ask(); err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.amended(next, func(r *venues.AmendRequest) { r.Price = some("64600") }); err != nil {
		s.t.Fatal(err)
	}
	do()
	s.sim.Release()
	s.await("the next change", func(h *heard) bool {
		return venues.EqualOptional(h.last(next.ClientOrderID).Price, some("64600"))
	})
}

// amending is an amendment to ask for.
func (s *stage) amending(order venues.OrderRequest, wish func(*venues.AmendRequest)) func() error {
	return func() error {
		_, err := s.amended(order, wish)
		return err
	}
}

// cancelling is a cancel to ask for.
func (s *stage) cancelling(order venues.OrderRequest) func() error {
	return func() error {
		_, err := s.account.Cancel(s.t.Context(), refOf(order))
		return err
	}
}

// filledOnce fails the case unless an order is filled by what the stream told, and
// told no more than that.
func (s *stage) filledOnce(order venues.OrderRequest, life ...venues.OrderStatus) {
	s.t.Helper()
	s.reaches(order, venues.StatusFilled)
	if found := s.find(order); found.Status != venues.StatusFilled || !found.FilledQty.Equal(order.Qty) || found.RejectReason != nil {
		s.t.Errorf("%+v, %+v", found, found.RejectReason)
	}
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	if told := sumOf(s.heard.fillsOf(order.ClientOrderID)); !told.Equal(order.Qty) {
		s.t.Errorf("the stream told fills of %v", told)
	}
	if lived := s.heard.lifeOf(order.ClientOrderID); !slices.Equal(lived, life) {
		s.t.Errorf("lived %v, want %v", lived, life)
	}
}

func amendDoneLater(s *stage) {
	order := s.resting()
	s.meanwhile(s.amending(order, func(r *venues.AmendRequest) { r.Price, r.Qty = some("64400"), d("0.02") }), func() {
		s.stands(order, "0.01", "64500")
	})
	s.stands(order, "0.02", "64400")
}

func amendRefusedLater(s *stage) {
	order := s.resting(limit(venues.Buy, "0.1", "65000"))
	s.meanwhile(s.amending(order, func(r *venues.AmendRequest) { r.Qty = d("0.05") }), func() {
		s.trade(venues.Sell, "0.06")
		s.reaches(order, venues.StatusPartiallyFilled)
	})
	s.stands(order, "0.1", "65000")
	if found := s.find(order); !found.FilledQty.Equal(d("0.06")) || found.RejectReason != nil {
		s.t.Errorf("%+v, %+v", found, found.RejectReason)
	}
	s.trade(venues.Sell, "0.04")
	s.filledOnce(order, venues.StatusOpen, venues.StatusPartiallyFilled, venues.StatusFilled)
}

func amendOvertaken(s *stage) {
	order := s.resting(limit(venues.Buy, "0.01", "65000"))
	s.meanwhile(s.amending(order, func(r *venues.AmendRequest) { r.Price = some("64400") }), func() {
		s.trade(venues.Sell, "0.01")
	})
	s.filledOnce(order, venues.StatusOpen, venues.StatusFilled)
}

func amendOvertakenByTrigger(s *stage) {
	order := s.place(stop(venues.Buy, "66000"))
	s.reaches(order, venues.StatusUntriggered)
	s.meanwhile(s.amending(order, func(r *venues.AmendRequest) { r.TriggerPrice = some("67000") }), func() { s.move("66010") })
	s.filledOnce(order, venues.StatusUntriggered, venues.StatusOpen, venues.StatusFilled)
	if found := s.find(order); !venues.EqualOptional(found.TriggerPrice, some("66000")) {
		s.t.Errorf("%+v", found)
	}
}

func amendWithoutMarginLater(s *stage) {
	order := s.resting()
	s.meanwhile(s.amending(order, func(r *venues.AmendRequest) { r.Qty = d("20") }), func() {
		s.filled(market(venues.Buy, "20"))
	})
	s.stands(order, "0.01", "64500")
	if found := s.find(order); found.RejectReason != nil {
		s.t.Errorf("%+v", found.RejectReason)
	}
	s.cancel(order)
}

func amendManyTimes(s *stage) {
	order, newest := s.resting(), "64500"
	s.meanwhile(func() error {
		for _, price := range []string{"64400", "64300", "64200", "64100", "64000"} {
			_, err := s.amended(order, func(r *venues.AmendRequest) { r.Price = some(price) })
			switch {
			case err == nil:
				newest = price
			case venues.CodeOf(err) != venues.CodeRateLimited:
				return err
			}
		}
		return nil
	}, func() {})
	s.stands(order, "0.01", newest)
}

func cancelDoneLater(s *stage) {
	order := s.resting()
	s.meanwhile(s.cancelling(order), func() { s.stands(order, "0.01", "64500") })
	s.reaches(order, venues.StatusCancelled)
	if found := s.find(order); found.Status != venues.StatusCancelled || found.RejectReason != nil {
		s.t.Errorf("%+v, %+v", found, found.RejectReason)
	}
}

func cancelOvertaken(s *stage) {
	order := s.resting(limit(venues.Buy, "0.01", "65000"))
	s.meanwhile(s.cancelling(order), func() { s.trade(venues.Sell, "0.01") })
	s.filledOnce(order, venues.StatusOpen, venues.StatusFilled)
}

func cancelOvertakenByTrigger(s *stage) {
	order := s.place(stop(venues.Buy, "66000"))
	s.reaches(order, venues.StatusUntriggered)
	s.meanwhile(s.cancelling(order), func() { s.move("66010") })
	s.filledOnce(order, venues.StatusUntriggered, venues.StatusOpen, venues.StatusFilled)
}

func cancelAskedAgain(s *stage) {
	order := s.resting()
	s.meanwhile(s.cancelling(order), func() {
		if err := s.cancelling(order)(); err != nil && venues.CodeOf(err) != venues.CodeNotFound {
			s.t.Error(err)
		}
	})
	s.lived(order, venues.StatusOpen, venues.StatusCancelled)
	if found := s.find(order); found.Status != venues.StatusCancelled || found.RejectReason != nil {
		s.t.Errorf("%+v, %+v", found, found.RejectReason)
	}
}
