package venuetest

import (
	"slices"
	"time"

	"venuegate/venues"
)

// delayed makes the venue execute changes after it has acknowledged them.
var delayed = Conditions{EngineDelay: time.Millisecond}

var lateAmendCases = []conformanceCase{
	{number: 71, name: "an acknowledged amendment is visible when it is executed, not before", needs: LateOutcomes, under: delayed, run: amendDoneLater},
	{number: 72, name: "an amendment that is acknowledged and then rejected changes nothing", needs: AmendAboveFilled, under: delayed, run: amendRejectedLater},
	{number: 73, name: "an order fills before its acknowledged amendment: filled unamended, published once", needs: LateOutcomes, under: delayed, run: amendOvertaken},
	{number: 74, name: "a stop triggers before its acknowledged amendment: filled unamended", needs: LateOutcomes, under: delayed, run: amendOvertakenByTrigger},
	{number: 75, name: "an acknowledged amendment that then lacks margin changes nothing", needs: LateOutcomes, under: delayed, run: amendWithoutMarginLater},
	{number: 76, name: "of many concurrent amendments the acknowledged ones are executed and the others rate_limited", needs: LateOutcomes, under: delayed, run: amendManyTimes},
}

var lateCancelCases = []conformanceCase{
	{number: 91, name: "an acknowledged cancellation ends the order when it is executed, not before", needs: LateOutcomes, under: delayed, run: cancelDoneLater},
	{number: 92, name: "an order fills before its acknowledged cancellation: filled, published once", needs: LateOutcomes, under: delayed, run: cancelOvertaken},
	{number: 93, name: "a stop triggers before its acknowledged cancellation: filled", needs: LateOutcomes, under: delayed, run: cancelOvertakenByTrigger},
	{number: 94, name: "a repeated cancellation is no failure while the first is pending, and the order ends once", needs: LateOutcomes, under: delayed, run: cancelRepeated},
}

// beforeExecution calls operation, which must be acknowledged, then do, before the venue
// executes the change, and waits for the execution: the venue executes
// acknowledged changes in order, so that a later change of another order shows it.
func (s *env) beforeExecution(operation func() error, do func()) {
	s.t.Helper()
	next := s.resting()
	s.sim.Hold()
	if err := operation(); err != nil {
		s.t.Fatal(err)
	}
	s.amend(next, func(r *venues.AmendRequest) { r.Price = some("64600") })
	do()
	s.sim.Release()
	s.await("the next change", func(h *sink) bool {
		return venues.EqualOptional(h.last(next.ClientOrderID).Price, some("64600"))
	})
}

// amending returns a call that amends an order.
func (s *env) amending(order venues.OrderRequest, edit func(*venues.AmendRequest)) func() error {
	return func() error {
		_, err := s.amended(order, edit)
		return err
	}
}

// cancelling returns a call that cancels an order.
func (s *env) cancelling(order venues.OrderRequest) func() error {
	return func() error {
		_, err := s.account.Cancel(s.t.Context(), refOf(order))
		return err
	}
}

// filledOnce fails the case unless an order is filled, and the stream has published its
// fills and steps exactly once.
func (s *env) filledOnce(order venues.OrderRequest, life ...venues.OrderStatus) {
	s.t.Helper()
	s.awaitStatus(order, venues.StatusFilled)
	if found := s.find(order); found.Status != venues.StatusFilled || !found.FilledQty.Equal(order.Qty) || found.RejectReason != nil {
		s.t.Errorf("order = %+v with reason %+v, want it filled without a reason", found, found.RejectReason)
	}
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	if reported := sumOf(s.sink.fillsOf(order.ClientOrderID)); !reported.Equal(order.Qty) {
		s.t.Errorf("fills of the stream = %v, want %v", reported, order.Qty)
	}
	if awaitSteps := s.sink.stepsOf(order.ClientOrderID); !slices.Equal(awaitSteps, life) {
		s.t.Errorf("lived %v, want %v", awaitSteps, life)
	}
}

func amendDoneLater(s *env) {
	order := s.resting()
	s.beforeExecution(s.amending(order, func(r *venues.AmendRequest) { r.Price, r.Qty = some("64400"), d("0.02") }), func() {
		s.checkOpen(order, "0.01", "64500")
	})
	s.checkOpen(order, "0.02", "64400")
}

func amendRejectedLater(s *env) {
	order := s.resting(limit(venues.Buy, "0.1", "65000"))
	s.beforeExecution(s.amending(order, func(r *venues.AmendRequest) { r.Qty = d("0.05") }), func() {
		s.trade(venues.Sell, "0.06")
		s.awaitStatus(order, venues.StatusPartiallyFilled)
	})
	s.checkOpen(order, "0.1", "65000")
	if found := s.find(order); !found.FilledQty.Equal(d("0.06")) || found.RejectReason != nil {
		s.t.Errorf("order = %+v with reason %+v, want 0.06 filled without a reason", found, found.RejectReason)
	}
	s.trade(venues.Sell, "0.04")
	s.filledOnce(order, venues.StatusOpen, venues.StatusPartiallyFilled, venues.StatusFilled)
}

func amendOvertaken(s *env) {
	order := s.resting(limit(venues.Buy, "0.01", "65000"))
	s.beforeExecution(s.amending(order, func(r *venues.AmendRequest) { r.Price = some("64400") }), func() {
		s.trade(venues.Sell, "0.01")
	})
	s.filledOnce(order, venues.StatusOpen, venues.StatusFilled)
}

func amendOvertakenByTrigger(s *env) {
	order := s.place(stop(venues.Buy, "66000"))
	s.awaitStatus(order, venues.StatusUntriggered)
	s.beforeExecution(s.amending(order, func(r *venues.AmendRequest) { r.TriggerPrice = some("67000") }), func() { s.move("66010") })
	s.filledOnce(order, venues.StatusUntriggered, venues.StatusOpen, venues.StatusFilled)
	if found := s.find(order); !venues.EqualOptional(found.TriggerPrice, some("66000")) {
		s.t.Errorf("trigger = %v, want 66000", found.TriggerPrice)
	}
}

func amendWithoutMarginLater(s *env) {
	order := s.resting()
	s.beforeExecution(s.amending(order, func(r *venues.AmendRequest) { r.Qty = d("20") }), func() {
		s.filled(market(venues.Buy, "20"))
	})
	s.checkOpen(order, "0.01", "64500")
	if found := s.find(order); found.RejectReason != nil {
		s.t.Errorf("reason = %+v, want none", found.RejectReason)
	}
	s.cancel(order)
}

func amendManyTimes(s *env) {
	order, newest := s.resting(), "64500"
	s.beforeExecution(func() error {
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
	s.checkOpen(order, "0.01", newest)
}

func cancelDoneLater(s *env) {
	order := s.resting()
	s.beforeExecution(s.cancelling(order), func() { s.checkOpen(order, "0.01", "64500") })
	s.awaitStatus(order, venues.StatusCancelled)
	s.checkEnded(order, venues.StatusCancelled)
}

func cancelOvertaken(s *env) {
	order := s.resting(limit(venues.Buy, "0.01", "65000"))
	s.beforeExecution(s.cancelling(order), func() { s.trade(venues.Sell, "0.01") })
	s.filledOnce(order, venues.StatusOpen, venues.StatusFilled)
}

func cancelOvertakenByTrigger(s *env) {
	order := s.place(stop(venues.Buy, "66000"))
	s.awaitStatus(order, venues.StatusUntriggered)
	s.beforeExecution(s.cancelling(order), func() { s.move("66010") })
	s.filledOnce(order, venues.StatusUntriggered, venues.StatusOpen, venues.StatusFilled)
}

func cancelRepeated(s *env) {
	order := s.resting()
	s.beforeExecution(s.cancelling(order), func() {
		if err := s.cancelling(order)(); err != nil && venues.CodeOf(err) != venues.CodeNotFound {
			s.t.Error(err)
		}
	})
	s.awaitSteps(order, venues.StatusOpen, venues.StatusCancelled)
	s.checkEnded(order, venues.StatusCancelled)
}
