package venuetest

import (
	"cmp"
	"slices"
	"time"

	"venuegate/venues"
)

var protectionCases = []conformanceCase{
	{number: 50, name: "attached stop loss and take profit guard the position once it is open", needs: AttachedProtection, run: protectionGuards},
	{number: 51, name: "an attached stop loss closes the position", needs: AttachedProtection, run: stopLossCloses},
	{number: 52, name: "an attached take profit closes the position", needs: AttachedProtection, run: takeProfitCloses},
	{number: 53, name: "protection of an order that never fills guards nothing", needs: AttachedProtection, run: protectionOfNothing},
	{number: 54, name: "attached protection on the wrong side is refused", needs: AttachedProtection, run: protectionOnTheWrongSide},
	{number: 56, name: "attached protection is told as the venue's own orders, with entry and triggers", needs: AttachedProtection, run: protectionIsTold},
	{number: 57, name: "live attached protection is moved", needs: AttachedProtection, run: protectionMoves},
	{number: 58, name: "one attached leg is removed and the other stays", needs: AttachedProtection, run: protectionLosesALeg},
	{number: 59, name: "attached protection is changed before its order fills", needs: AttachedProtection, run: protectionChangesEarly},
	{number: 55, name: "closing stops on both sides of the price: one closes, none opens", run: closingStopsOnBothSides},
}

func protected(stopLoss, takeProfit string) change {
	return func(r *venues.OrderRequest) { r.StopLoss, r.TakeProfit = some(stopLoss), some(takeProfit) }
}

// attached is the newest report of each order that protects what an order opened,
// newest first. What a position has got later names no entry.
func (h *heard) attached(entry venues.OrderRequest) []venues.ExecutionReport {
	name := func(r *venues.ExecutionReport) string { return cmp.Or(r.ClientOrderID, r.VenueOrderID) }
	protects := map[string]bool{}
	for _, r := range h.reports {
		if a := r.Attachment; a != nil && (a.EntryClientID == entry.ClientOrderID || a.EntryClientID == "" && a.WholePosition) {
			protects[name(&r)] = true
		}
	}
	var newest []venues.ExecutionReport
	for _, r := range slices.Backward(h.reports) {
		if protects[name(&r)] {
			newest = append(newest, r)
		}
		delete(protects, name(&r))
	}
	return newest
}

// trigger is where live protection of a kind stands; unknown if there is none.
func trigger(attached []venues.ExecutionReport, kind venues.LegKind) venues.Optional {
	for _, r := range attached {
		if r.Status != venues.StatusUntriggered || r.Attachment == nil {
			continue
		}
		if price := r.Attachment.Trigger(kind); price.Valid {
			return price
		}
	}
	return venues.Optional{}
}

// guarded waits until the stream tells where protection stands; an empty price is
// none.
func (s *stage) guarded(entry venues.OrderRequest, stopLoss, takeProfit string) {
	s.t.Helper()
	wanted := func(text string) venues.Optional {
		if text == "" {
			return venues.Optional{}
		}
		return some(text)
	}
	s.await("stop loss "+stopLoss+", take profit "+takeProfit, func(h *heard) bool {
		attached := h.attached(entry)
		return venues.EqualOptional(trigger(attached, venues.LegStopLoss), wanted(stopLoss)) &&
			venues.EqualOptional(trigger(attached, venues.LegTakeProfit), wanted(takeProfit))
	})
}

func protectionGuards(s *stage) {
	entry := s.filled(market(venues.Buy, "0.01"), protected("64000", "67000"))
	s.guarded(entry, "64000", "67000")
	s.move("66900")
	s.move("64100")
	s.holding(venues.Long, "0.01")
}

func protectionIsTold(s *stage) {
	entry := s.filled(market(venues.Buy, "0.01"), protected("64000", "67000"))
	s.guarded(entry, "64000", "67000")
	open := s.openOrders()
	if !venues.EqualOptional(trigger(open, venues.LegStopLoss), some("64000")) || !venues.EqualOptional(trigger(open, venues.LegTakeProfit), some("67000")) {
		s.t.Errorf("%+v", open)
	}
	for _, r := range open {
		if r.Attachment == nil || r.Attachment.EntryClientID != entry.ClientOrderID || r.ClientOrderID == entry.ClientOrderID || r.Side != venues.Sell || !r.ReduceOnly {
			s.t.Errorf("%+v, %+v", r, r.Attachment)
		}
	}
}

// protection names what is attached to an order, for a change of it.
func (s *stage) protection(entry venues.OrderRequest) venues.ProtectRequest {
	r := venues.ProtectRequest{Entry: refOf(entry), Side: entry.Side, Deadline: time.Now().Add(orderLifetime)}
	s.heard.mu.Lock()
	for _, leg := range s.heard.attached(entry) {
		r.Leg = venues.OrderRef{Symbol: leg.Symbol, ClientOrderID: leg.ClientOrderID, VenueOrderID: leg.VenueOrderID, Type: leg.Type}
	}
	s.heard.mu.Unlock()
	return r
}

// protects changes what is attached to an order.
func (s *stage) protects(entry venues.OrderRequest, wish func(*venues.ProtectRequest)) {
	s.t.Helper()
	protector, ok := s.account.(venues.Protector)
	if !ok {
		s.t.Fatal("the account cannot change protection")
	}
	r := s.protection(entry)
	wish(&r)
	if err := protector.Protect(s.t.Context(), r); err != nil {
		s.t.Fatal(err)
	}
}

func protectionMoves(s *stage) {
	entry := s.filled(market(venues.Buy, "0.01"), protected("64000", "67000"))
	s.guarded(entry, "64000", "67000")
	s.protects(entry, func(r *venues.ProtectRequest) {
		r.Set(venues.LegStopLoss, some("63000"))
		r.Set(venues.LegTakeProfit, some("68000"))
	})
	s.guarded(entry, "63000", "68000")
	s.move("63900")
	s.move("67100")
	s.holding(venues.Long, "0.01")
	s.move("68010")
	s.await("the end of the position", func(h *heard) bool { return h.holds(venues.Long, "0") })
	s.flat()
}

func protectionLosesALeg(s *stage) {
	entry := s.filled(market(venues.Buy, "0.01"), protected("64000", "67000"))
	s.guarded(entry, "64000", "67000")
	s.protects(entry, func(r *venues.ProtectRequest) { r.Set(venues.LegTakeProfit, venues.Optional{}) })
	s.guarded(entry, "64000", "")
	s.move("67100")
	s.holding(venues.Long, "0.01")
	s.move("63990")
	s.await("the end of the position", func(h *heard) bool { return h.holds(venues.Long, "0") })
	s.flat()
}

func protectionChangesEarly(s *stage) {
	entry := s.resting(limit(venues.Buy, "0.01", "65000"), protected("64000", "67000"))
	s.protects(entry, func(r *venues.ProtectRequest) { r.Set(venues.LegStopLoss, some("63500")) })
	s.trade(venues.Sell, "0.01")
	s.reaches(entry, venues.StatusFilled)
	s.guarded(entry, "63500", "67000")
}

// firedOnce waits until all that protected an order has ended, one of it filled
// by the trigger of a kind.
func (s *stage) firedOnce(entry venues.OrderRequest, kind venues.LegKind) {
	s.t.Helper()
	var fired venues.OrderRef
	s.await("the end of the protection", func(h *heard) bool {
		filled := 0
		for _, r := range h.attached(entry) {
			if !r.Status.IsClosed() {
				return false
			}
			if r.Status == venues.StatusFilled {
				fired = venues.OrderRef{Symbol: r.Symbol, ClientOrderID: r.ClientOrderID, VenueOrderID: r.VenueOrderID, Type: r.Type}
				filled++
			}
		}
		return filled == 1
	})
	found, err := s.account.Order(s.t.Context(), fired)
	if err != nil || found.Status != venues.StatusFilled || found.Attachment == nil || found.Attachment.Triggered != kind && found.Attachment.Triggered != "" {
		s.t.Errorf("%+v, %+v, %v", found, found.Attachment, err)
	}
}

func stopLossCloses(s *stage) {
	entry := s.opened(market(venues.Buy, "0.01"), protected("64000", "67000"))
	s.guarded(entry, "64000", "67000")
	s.move("63990")
	s.await("the end of the position", func(h *heard) bool { return h.holds(venues.Long, "0") })
	s.firedOnce(entry, venues.LegStopLoss)
	s.flat()
}

func takeProfitCloses(s *stage) {
	entry := s.opened(market(venues.Sell, "0.01"), protected("66000", "63000"))
	s.guarded(entry, "66000", "63000")
	s.move("62990")
	s.await("the end of the position", func(h *heard) bool { return h.holds(venues.Short, "0") })
	s.firedOnce(entry, venues.LegTakeProfit)
	s.flat()
}

// flat fails the case unless there is neither position nor waiting order.
func (s *stage) flat() {
	s.t.Helper()
	if positions := s.positions(); len(positions) != 0 {
		s.t.Errorf("%+v", positions)
	}
	for _, row := range s.sim.Control().Ledger().Orders {
		if row.Rejection == "" && (row.Status == "waiting" || row.Status == "new") {
			s.t.Errorf("the venue still holds %+v", row)
		}
	}
}

func protectionOfNothing(s *stage) {
	order := s.resting(protected("64000", "67000"))
	s.cancel(order)
	s.flat()
	if open := s.openOrders(); len(open) != 0 {
		s.t.Errorf("%+v", open)
	}
}

func protectionOnTheWrongSide(s *stage) {
	order := s.order(market(venues.Buy, "0.01"), func(r *venues.OrderRequest) { r.StopLoss = some("67000") })
	_, err := s.account.Place(s.t.Context(), order)
	s.refused(err, venues.CodeInvalidRequest, "")
	s.holds(order.ClientOrderID, 0)
}

func closingStopsOnBothSides(s *stage) {
	s.opened(market(venues.Buy, "0.01"))
	loss := s.place(stop(venues.Sell, "64000"), closing)
	profit := s.place(stop(venues.Sell, "66000"), closing)
	s.reaches(loss, venues.StatusUntriggered)
	s.reaches(profit, venues.StatusUntriggered)
	s.move("66010")
	s.reaches(profit, venues.StatusFilled)
	s.await("the end of the position", func(h *heard) bool { return h.holds(venues.Long, "0") })
	s.move("63990")
	s.await("the end of the other stop", func(h *heard) bool {
		status := h.last(loss.ClientOrderID).Status
		return status.IsClosed() && status != venues.StatusFilled
	})
	s.flat()
}
