package venuetest

import (
	"cmp"
	"slices"
	"time"

	"venuegate/venues"
)

var protectionCases = []conformanceCase{
	{number: 50, name: "attached stop loss and take profit are placed when the position opens", needs: AttachedProtection, run: protectionIsPlaced},
	{number: 51, name: "an attached stop loss closes the position", needs: AttachedProtection, run: stopLossCloses},
	{number: 52, name: "an attached take profit closes the position", needs: AttachedProtection, run: takeProfitCloses},
	{number: 53, name: "protection of an order that never fills is not placed", needs: AttachedProtection, run: protectionOfNothing},
	{number: 54, name: "attached protection on the wrong side is rejected", needs: AttachedProtection, run: protectionOnTheWrongSide},
	{number: 56, name: "attached protection is published as orders of the venue, with entry and triggers", needs: AttachedProtection, run: protectionIsPublished},
	{number: 57, name: "live attached protection is moved", needs: AttachedProtection, run: protectionMoves},
	{number: 58, name: "one attached leg is removed and the other remains", needs: AttachedProtection, run: protectionLosesALeg},
	{number: 59, name: "attached protection is changed before its order fills", needs: AttachedProtection, run: protectionChangesEarly},
	{number: 55, name: "closing stops on both sides of the price: one closes, none opens", run: closingStopsOnBothSides},
}

func protected(stopLoss, takeProfit string) change {
	return func(r *venues.OrderRequest) { r.StopLoss, r.TakeProfit = some(stopLoss), some(takeProfit) }
}

// attached returns the newest report of each order that protects the position of an
// entry order, newest first. Protection that was attached to the position later names no
// entry.
func (h *sink) attached(entry venues.OrderRequest) []venues.ExecutionReport {
	name := func(r *venues.ExecutionReport) string { return cmp.Or(r.ClientOrderID, r.VenueOrderID) }
	changeProtection := map[string]bool{}
	for _, r := range h.reports {
		if a := r.Attachment; a != nil && (a.EntryClientID == entry.ClientOrderID || a.EntryClientID == "" && a.WholePosition) {
			changeProtection[name(&r)] = true
		}
	}
	var newest []venues.ExecutionReport
	for _, r := range slices.Backward(h.reports) {
		if changeProtection[name(&r)] {
			newest = append(newest, r)
		}
		delete(changeProtection, name(&r))
	}
	return newest
}

// trigger returns the trigger price of live protection of a kind; unknown if there is
// none.
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

// awaitProtection waits until the stream publishes protection at the prices; an empty
// price stands for none.
func (s *env) awaitProtection(entry venues.OrderRequest, stopLoss, takeProfit string) {
	s.t.Helper()
	wanted := func(text string) venues.Optional {
		if text == "" {
			return venues.Optional{}
		}
		return some(text)
	}
	s.await("stop loss "+stopLoss+", take profit "+takeProfit, func(h *sink) bool {
		attached := h.attached(entry)
		return venues.EqualOptional(trigger(attached, venues.LegStopLoss), wanted(stopLoss)) &&
			venues.EqualOptional(trigger(attached, venues.LegTakeProfit), wanted(takeProfit))
	})
}

func protectionIsPlaced(s *env) {
	entry := s.filled(market(venues.Buy, "0.01"), protected("64000", "67000"))
	s.awaitProtection(entry, "64000", "67000")
	s.move("66900")
	s.move("64100")
	s.checkPosition(venues.Long, "0.01")
}

func protectionIsPublished(s *env) {
	entry := s.filled(market(venues.Buy, "0.01"), protected("64000", "67000"))
	s.awaitProtection(entry, "64000", "67000")
	open := s.openOrders()
	if !venues.EqualOptional(trigger(open, venues.LegStopLoss), some("64000")) || !venues.EqualOptional(trigger(open, venues.LegTakeProfit), some("67000")) {
		s.t.Errorf("open orders = %+v, want triggers at 64000 and 67000", open)
	}
	for _, r := range open {
		if r.Attachment == nil || r.Attachment.EntryClientID != entry.ClientOrderID || r.ClientOrderID == entry.ClientOrderID || r.Side != venues.Sell || !r.ReduceOnly {
			s.t.Errorf("leg = %+v, %+v, want a reduce-only sell order of entry %s", r, r.Attachment, entry.ClientOrderID)
		}
	}
}

// protection returns a request to change the protection of an order.
func (s *env) protection(entry venues.OrderRequest) venues.ProtectRequest {
	r := venues.ProtectRequest{Entry: refOf(entry), Side: entry.Side, Deadline: time.Now().Add(orderLifetime)}
	s.sink.mu.Lock()
	for _, leg := range s.sink.attached(entry) {
		r.Leg = venues.OrderRef{Symbol: leg.Symbol, ClientOrderID: leg.ClientOrderID, VenueOrderID: leg.VenueOrderID, Type: leg.Type}
	}
	s.sink.mu.Unlock()
	return r
}

// changeProtection changes the protection of an order.
func (s *env) changeProtection(entry venues.OrderRequest, edit func(*venues.ProtectRequest)) {
	s.t.Helper()
	protector, ok := s.account.(venues.Protector)
	if !ok {
		s.t.Fatal("the account is no Protector")
	}
	r := s.protection(entry)
	edit(&r)
	if err := protector.Protect(s.t.Context(), r); err != nil {
		s.t.Fatal(err)
	}
}

func protectionMoves(s *env) {
	entry := s.filled(market(venues.Buy, "0.01"), protected("64000", "67000"))
	s.awaitProtection(entry, "64000", "67000")
	s.changeProtection(entry, func(r *venues.ProtectRequest) {
		r.Set(venues.LegStopLoss, some("63000"))
		r.Set(venues.LegTakeProfit, some("68000"))
	})
	s.awaitProtection(entry, "63000", "68000")
	s.move("63900")
	s.move("67100")
	s.checkPosition(venues.Long, "0.01")
	s.move("68010")
	s.await("the end of the position", func(h *sink) bool { return h.hasPosition(venues.Long, "0") })
	s.checkFlat()
}

func protectionLosesALeg(s *env) {
	entry := s.filled(market(venues.Buy, "0.01"), protected("64000", "67000"))
	s.awaitProtection(entry, "64000", "67000")
	s.changeProtection(entry, func(r *venues.ProtectRequest) { r.Set(venues.LegTakeProfit, venues.Optional{}) })
	s.awaitProtection(entry, "64000", "")
	s.move("67100")
	s.checkPosition(venues.Long, "0.01")
	s.move("63990")
	s.await("the end of the position", func(h *sink) bool { return h.hasPosition(venues.Long, "0") })
	s.checkFlat()
}

func protectionChangesEarly(s *env) {
	entry := s.resting(limit(venues.Buy, "0.01", "65000"), protected("64000", "67000"))
	s.changeProtection(entry, func(r *venues.ProtectRequest) { r.Set(venues.LegStopLoss, some("63500")) })
	s.trade(venues.Sell, "0.01")
	s.awaitStatus(entry, venues.StatusFilled)
	s.awaitProtection(entry, "63500", "67000")
}

// checkTriggered waits until all protection of an order has ended, and fails the case
// unless exactly one leg was filled, by the trigger of a kind.
func (s *env) checkTriggered(entry venues.OrderRequest, kind venues.LegKind) {
	s.t.Helper()
	var fired venues.OrderRef
	s.await("the end of the protection", func(h *sink) bool {
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
		s.t.Errorf("leg = %+v, %+v, %v, want it filled by %s", found, found.Attachment, err, kind)
	}
}

func stopLossCloses(s *env) {
	entry := s.openPosition(market(venues.Buy, "0.01"), protected("64000", "67000"))
	s.awaitProtection(entry, "64000", "67000")
	s.move("63990")
	s.await("the end of the position", func(h *sink) bool { return h.hasPosition(venues.Long, "0") })
	s.checkTriggered(entry, venues.LegStopLoss)
	s.checkFlat()
}

func takeProfitCloses(s *env) {
	entry := s.openPosition(market(venues.Sell, "0.01"), protected("66000", "63000"))
	s.awaitProtection(entry, "66000", "63000")
	s.move("62990")
	s.await("the end of the position", func(h *sink) bool { return h.hasPosition(venues.Short, "0") })
	s.checkTriggered(entry, venues.LegTakeProfit)
	s.checkFlat()
}

// checkFlat fails the case if there is a position or an open order.
func (s *env) checkFlat() {
	s.t.Helper()
	s.checkNoPosition()
	for _, row := range s.sim.Control().Ledger().Orders {
		if row.Rejection == "" && (row.Status == "waiting" || row.Status == "new") {
			s.t.Errorf("order in the ledger = %+v, want none open", row)
		}
	}
}

func protectionOfNothing(s *env) {
	order := s.resting(protected("64000", "67000"))
	s.cancel(order)
	s.checkFlat()
	s.checkOpenOrders(0)
}

func protectionOnTheWrongSide(s *env) {
	s.checkPlaceRejected(s.order(market(venues.Buy, "0.01"), func(r *venues.OrderRequest) { r.StopLoss = some("67000") }), venues.CodeInvalidRequest)
}

func closingStopsOnBothSides(s *env) {
	s.openPosition(market(venues.Buy, "0.01"))
	loss := s.place(stop(venues.Sell, "64000"), closing)
	profit := s.place(stop(venues.Sell, "66000"), closing)
	s.awaitStatus(loss, venues.StatusUntriggered)
	s.awaitStatus(profit, venues.StatusUntriggered)
	s.move("66010")
	s.awaitStatus(profit, venues.StatusFilled)
	s.await("the end of the position", func(h *sink) bool { return h.hasPosition(venues.Long, "0") })
	s.move("63990")
	s.await("the end of the other stop", func(h *sink) bool {
		status := h.last(loss.ClientOrderID).Status
		return status.IsClosed() && status != venues.StatusFilled
	})
	s.checkFlat()
}
