package venuetest

import (
	"venuegate/venues"
)

var protectionCases = []conformanceCase{
	{number: 50, name: "attached stop loss and take profit guard the position once it is open", needs: AttachedProtection, run: protectionGuards},
	{number: 51, name: "an attached stop loss closes the position", needs: AttachedProtection, run: stopLossCloses},
	{number: 52, name: "an attached take profit closes the position", needs: AttachedProtection, run: takeProfitCloses},
	{number: 53, name: "protection of an order that never fills guards nothing", needs: AttachedProtection, run: protectionOfNothing},
	{number: 54, name: "attached protection on the wrong side is refused", needs: AttachedProtection, run: protectionOnTheWrongSide},
	{number: 55, name: "closing stops on both sides of the price: one closes, none opens", run: closingStopsOnBothSides},
}

func protected(stopLoss, takeProfit string) change {
	return func(r *venues.OrderRequest) { r.StopLoss, r.TakeProfit = some(stopLoss), some(takeProfit) }
}

func protectionGuards(s *stage) {
	s.filled(market(venues.Buy, "0.01"), protected("64000", "67000"))
	rows := 0
	for _, row := range s.sim.Control().Ledger().Orders {
		if row.Kind == "conditional" && row.Status == "waiting" {
			rows++
		}
	}
	if rows == 0 {
		s.t.Error("the venue guards nothing")
	}
}

func stopLossCloses(s *stage) {
	s.filled(market(venues.Buy, "0.01"), protected("64000", "67000"))
	s.move("63990")
	s.await("the end of the position", func(h *heard) bool { return h.holds(venues.Long, "0") })
	s.flat()
}

func takeProfitCloses(s *stage) {
	s.filled(market(venues.Sell, "0.01"), protected("66000", "63000"))
	s.move("62990")
	s.await("the end of the position", func(h *heard) bool { return h.holds(venues.Short, "0") })
	s.flat()
}

// flat fails the case unless there is neither position nor waiting order.
func (s *stage) flat() {
	s.t.Helper()
	if positions := s.positions(); len(positions) != 0 {
		s.t.Errorf("%+v", positions)
	}
	for _, row := range s.sim.Control().Ledger().Orders {
		if row.Refusal == "" && (row.Status == "waiting" || row.Status == "new") {
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
	s.filled(market(venues.Buy, "0.01"))
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
