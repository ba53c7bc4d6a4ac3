package venuetest

import (
	"venuegate/venues"
)

var orderCases = []conformanceCase{
	{number: 20, name: "a limit order rests and is found by query, list and stream", run: limitOrderRests},
	{number: 21, name: "a market order fills and tells price and fee", run: marketOrderFills},
	{number: 22, name: "a limit order that crosses fills no worse than its price", run: limitOrderCrosses},
	{number: 23, name: "the answer to an order tells its state", needs: SyncAck, run: answerTellsState},
	{number: 24, name: "an IOC order takes what there is and ends", run: iocTakesAPart},
	{number: 25, name: "an IOC order that finds nothing ends with the reason", run: iocFindsNothing},
	{number: 26, name: "a FOK order that can be filled is filled whole", run: fokFills},
	{number: 27, name: "a FOK order that cannot be filled ends with the reason", run: fokFindsTooLittle},
	{number: 28, name: "a post-only order rests and fills as maker", run: postOnlyRests},
	{number: 29, name: "post-only that would take ends at once with the reason", run: postOnlyWouldTake},
	{number: 30, name: "a reduce-only market order closes the position", run: reduceOnlyCloses},
	{number: 31, name: "reduce-only without a position is refused with the reason", run: reduceOnlyWithoutPosition},
	{number: 32, name: "reduce-only never turns the position round", run: reduceOnlyNeverFlips},
	{number: 33, name: "a resting reduce-only order keeps its flag", run: reduceOnlyRests},
	{number: 34, name: "terms of every type and flag come back as asked", run: termsComeBack},
}

func limitOrderRests(s *stage) {
	order := s.resting()
	found := s.find(order)
	if found.Status != venues.StatusOpen || found.VenueOrderID == "" || !found.FilledQty.IsZero() || found.VenueTime.IsZero() {
		s.t.Errorf("%+v", found)
	}
	open := s.openOrders()
	if len(open) != 1 || open[0].ClientOrderID != order.ClientOrderID || open[0].VenueOrderID != found.VenueOrderID {
		s.t.Errorf("%+v", open)
	}
	s.holds(order.ClientOrderID, 1)
}

func (s *stage) openOrders() []venues.ExecutionReport {
	s.t.Helper()
	open, err := s.account.OpenOrders(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return open
}

func marketOrderFills(s *stage) {
	order := s.filled(market(venues.Buy, "0.01"))
	s.await("the fill", func(h *heard) bool { return sumOf(h.fillsOf(order.ClientOrderID)).Equal(order.Qty) })
	found := s.find(order)
	if found.Status != venues.StatusFilled || !found.FilledQty.Equal(order.Qty) || !venues.EqualOptional(found.AvgPrice, some("65000.1")) {
		s.t.Errorf("%+v", found)
	}
	fills := s.fills(symbol)
	if len(fills) != 1 || fills[0].Liquidity != venues.Taker || !fills[0].Fee.Decimal.IsPositive() || fills[0].FeeCurrency != "USDT" ||
		fills[0].VenueOrderID != found.VenueOrderID || fills[0].Side != venues.Buy {
		s.t.Errorf("%+v", fills)
	}
}

func limitOrderCrosses(s *stage) {
	order := s.filled(limit(venues.Buy, "0.01", "65200"))
	found := s.find(order)
	if !venues.EqualOptional(found.AvgPrice, some("65000.1")) || !venues.EqualOptional(found.Price, some("65200")) {
		s.t.Errorf("%+v", found)
	}
}

func answerTellsState(s *stage) {
	for _, c := range []struct {
		wish   change
		status venues.OrderStatus
	}{
		{limit(venues.Buy, "0.01", "64500"), venues.StatusOpen},
		{market(venues.Buy, "0.01"), venues.StatusFilled},
		{stop(venues.Buy, "66000"), venues.StatusUntriggered},
	} {
		report, err := s.account.Place(s.t.Context(), s.order(c.wish))
		if err != nil || report.Status != c.status {
			s.t.Errorf("%+v, %v, want %s", report, err, c.status)
		}
	}
}

// emptyBook leaves a market of one ask of a quantity at 65100.
func (s *stage) emptyBook(qty string) {
	s.t.Helper()
	s.depth(0)
	s.houseAsk("65100", qty)
}

func iocTakesAPart(s *stage) {
	s.emptyBook("0.04")
	order := s.place(limit(venues.Buy, "0.1", "65100"), inForce(venues.ImmediateOrCancel))
	s.reaches(order, venues.StatusCancelled)
	found := s.find(order)
	if found.Status != venues.StatusCancelled || !found.FilledQty.Equal(d("0.04")) || found.RejectReason != nil {
		s.t.Errorf("%+v, %+v", found, found.RejectReason)
	}
}

func iocFindsNothing(s *stage) {
	s.endsAtOnce(venues.ReasonIOCNotFilled, inForce(venues.ImmediateOrCancel))
}

func fokFills(s *stage) {
	s.emptyBook("0.05")
	order := s.filled(limit(venues.Buy, "0.05", "65100"), inForce(venues.FillOrKill))
	if found := s.find(order); !found.FilledQty.Equal(d("0.05")) {
		s.t.Errorf("%+v", found)
	}
}

func fokFindsTooLittle(s *stage) {
	s.emptyBook("0.04")
	s.endsAtOnce(venues.ReasonFOKNotFilled, limit(venues.Buy, "0.05", "65100"), inForce(venues.FillOrKill))
	if positions := s.positions(); len(positions) != 0 {
		s.t.Errorf("%+v", positions)
	}
}

// endsAtOnce places an order that finds no place. A venue refuses it or accepts
// it and ends it; the reason is the same.
func (s *stage) endsAtOnce(reason string, changes ...change) {
	s.t.Helper()
	order := s.order(changes...)
	report, err := s.account.Place(s.t.Context(), order)
	if err != nil {
		s.refused(err, venues.CodeOrderRejected, reason)
		s.holds(order.ClientOrderID, 0)
		return
	}
	if report.Status != venues.StatusPending && report.Status != venues.StatusCancelled {
		s.t.Errorf("%+v", report)
	}
	s.reaches(order, venues.StatusCancelled)
	found := s.find(order)
	if found.Status != venues.StatusCancelled || found.RejectReason == nil || found.RejectReason.Reason != reason {
		s.t.Errorf("%+v, %+v", found, found.RejectReason)
	}
	s.await("the reason", func(h *heard) bool {
		last := h.last(order.ClientOrderID)
		return last.RejectReason != nil && last.RejectReason.Reason == reason
	})
}

func postOnlyRests(s *stage) {
	order := s.resting(limit(venues.Buy, "0.01", "65000"), postOnly)
	s.trade(venues.Sell, "0.01")
	s.reaches(order, venues.StatusFilled)
	fills := s.fills(symbol)
	if len(fills) != 1 || fills[0].Liquidity != venues.Maker || !fills[0].Price.Equal(d("65000")) {
		s.t.Errorf("%+v", fills)
	}
}

func postOnlyWouldTake(s *stage) {
	s.endsAtOnce(venues.ReasonPostOnlyWouldTake, limit(venues.Buy, "0.01", "65200"), postOnly)
}

func reduceOnlyCloses(s *stage) {
	s.opened(market(venues.Buy, "0.02"))
	order := s.filled(market(venues.Sell, "0.02"), reduceOnly)
	s.await("the end of the position", func(h *heard) bool { return h.holds(venues.Long, "0") })
	if positions := s.positions(); len(positions) != 0 || !s.find(order).ReduceOnly {
		s.t.Errorf("%+v", positions)
	}
}

func reduceOnlyWithoutPosition(s *stage) {
	order := s.order(market(venues.Sell, "0.01"), reduceOnly)
	_, err := s.account.Place(s.t.Context(), order)
	s.refused(err, venues.CodeOrderRejected, venues.ReasonNoPosition)
}

func reduceOnlyNeverFlips(s *stage) {
	s.opened(market(venues.Buy, "0.02"))
	order := s.order(market(venues.Sell, "0.05"), reduceOnly)
	if _, err := s.account.Place(s.t.Context(), order); err != nil {
		s.refused(err, venues.CodeOrderRejected, "")
	} else {
		s.await("the end of the position", func(h *heard) bool { return h.holds(venues.Long, "0") })
	}
	for _, p := range s.positions() {
		if p.Side == venues.Short || p.Qty.GreaterThan(d("0.02")) {
			s.t.Errorf("%+v", p)
		}
	}
}

func reduceOnlyRests(s *stage) {
	s.filled(market(venues.Buy, "0.02"))
	order := s.resting(limit(venues.Sell, "0.02", "65500"), reduceOnly)
	if found := s.find(order); !found.ReduceOnly {
		s.t.Errorf("%+v", found)
	}
	s.move("65600")
	s.reaches(order, venues.StatusFilled)
}

func termsComeBack(s *stage) {
	s.filled(market(venues.Buy, "0.02"))
	for name, wishes := range map[string][]change{
		"limit":          {limit(venues.Buy, "0.01", "64500")},
		"post-only":      {limit(venues.Buy, "0.01", "64400"), postOnly},
		"sell":           {limit(venues.Sell, "0.01", "65400")},
		"reduce-only":    {limit(venues.Sell, "0.01", "65500"), reduceOnly},
		"stop market":    {stop(venues.Buy, "66000")},
		"falling stop":   {stop(venues.Sell, "64000")},
		"reducing stop":  {stop(venues.Sell, "63000"), reduceOnly},
		"stop limit":     {limit(venues.Buy, "0.01", "65900"), func(r *venues.OrderRequest) { r.Type, r.TriggerPrice = venues.TypeStopLimit, some("66000") }},
		"stop limit ioc": {limit(venues.Buy, "0.01", "65900"), inForce(venues.ImmediateOrCancel), func(r *venues.OrderRequest) { r.Type, r.TriggerPrice = venues.TypeStopLimit, some("66100") }},
	} {
		order := s.place(wishes...)
		s.await(name, func(h *heard) bool { return h.last(order.ClientOrderID).Status.IsActive() })
		s.heard.mu.Lock()
		told := s.heard.last(order.ClientOrderID)
		s.heard.mu.Unlock()
		for from, got := range map[string]venues.ExecutionReport{"query": s.find(order), "stream": told} {
			if !sameTerms(order, got) {
				s.t.Errorf("%s by %s: asked %+v, got %+v", name, from, order.OrderSpec, got)
			}
		}
	}
	if open := s.openOrders(); len(open) != 9 {
		s.t.Errorf("%d orders are open", len(open))
	}
}

func sameTerms(order venues.OrderRequest, got venues.ExecutionReport) bool {
	priced := order.Type.IsMarket() || venues.EqualOptional(got.Price, order.Price)
	timed := order.Type.IsMarket() || got.TimeInForce == order.TimeInForce
	return priced && timed && got.Symbol == order.Symbol && got.Side == order.Side && got.Type == order.Type && got.Qty.Equal(order.Qty) &&
		venues.EqualOptional(got.TriggerPrice, order.TriggerPrice) && got.ReduceOnly == order.ReduceOnly && got.PostOnly == order.PostOnly
}
