package venuetest

import (
	"venuegate/venues"
)

var orderCases = []conformanceCase{
	{number: 20, name: "a limit order rests and is returned by query, list and stream", run: limitOrderRests},
	{number: 21, name: "a market order fills and has a price and a fee", run: marketOrderFills},
	{number: 22, name: "a crossing limit order fills at its price or better", run: limitOrderCrosses},
	{number: 23, name: "the answer to an order has its status", needs: SyncAck, run: answerHasStatus},
	{number: 24, name: "an IOC order fills partially and ends", run: iocTakesAPart},
	{number: 25, name: "an IOC order without liquidity ends with the reason", run: iocFindsNothing},
	{number: 26, name: "a FOK order with enough liquidity is filled completely", run: fokFills},
	{number: 27, name: "a FOK order without enough liquidity ends with the reason", run: fokFindsTooLittle},
	{number: 28, name: "a post-only order rests and fills as maker", run: postOnlyRests},
	{number: 29, name: "a post-only order that would take ends immediately with the reason", run: postOnlyWouldTake},
	{number: 30, name: "a reduce-only market order closes the position", run: reduceOnlyCloses},
	{number: 31, name: "a reduce-only order without a position is rejected with the reason", run: reduceOnlyWithoutPosition},
	{number: 32, name: "a reduce-only order never reverses the position", run: reduceOnlyNeverFlips},
	{number: 33, name: "a resting reduce-only order keeps its flag", run: reduceOnlyRests},
	{number: 34, name: "the terms of every type and flag are returned as sent", run: termsComeBack},
}

func limitOrderRests(s *env) {
	order := s.resting()
	found := s.find(order)
	if found.Status != venues.StatusOpen || found.VenueOrderID == "" || !found.FilledQty.IsZero() || found.VenueTime.IsZero() {
		s.t.Errorf("order = %+v, want it open and unfilled with its id and time", found)
	}
	open := s.openOrders()
	if len(open) != 1 || open[0].ClientOrderID != order.ClientOrderID || open[0].VenueOrderID != found.VenueOrderID {
		s.t.Errorf("open orders = %+v, want %s alone", open, order.ClientOrderID)
	}
	s.checkOrders(order.ClientOrderID, 1)
}

func (s *env) openOrders() []venues.ExecutionReport {
	s.t.Helper()
	open, err := s.account.OpenOrders(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return open
}

func marketOrderFills(s *env) {
	order := s.filled(market(venues.Buy, "0.01"))
	s.await("the fill", func(h *sink) bool { return sumOf(h.fillsOf(order.ClientOrderID)).Equal(order.Qty) })
	found := s.find(order)
	if found.Status != venues.StatusFilled || !found.FilledQty.Equal(order.Qty) || !venues.EqualOptional(found.AvgPrice, some("65000.1")) {
		s.t.Errorf("order = %+v, want it filled at 65000.1", found)
	}
	fills := s.fills(symbol)
	if len(fills) != 1 || fills[0].Liquidity != venues.Taker || !fills[0].Fee.Decimal.IsPositive() || fills[0].FeeCurrency != "USDT" ||
		fills[0].VenueOrderID != found.VenueOrderID || fills[0].Side != venues.Buy {
		s.t.Errorf("fills = %+v, want one buy as taker with a fee in USDT", fills)
	}
}

func limitOrderCrosses(s *env) {
	order := s.filled(limit(venues.Buy, "0.01", "65200"))
	found := s.find(order)
	if !venues.EqualOptional(found.AvgPrice, some("65000.1")) || !venues.EqualOptional(found.Price, some("65200")) {
		s.t.Errorf("order = %+v, want it filled at 65000.1 with price 65200", found)
	}
}

func answerHasStatus(s *env) {
	for _, c := range []struct {
		edit   change
		status venues.OrderStatus
	}{
		{limit(venues.Buy, "0.01", "64500"), venues.StatusOpen},
		{market(venues.Buy, "0.01"), venues.StatusFilled},
		{stop(venues.Buy, "66000"), venues.StatusUntriggered},
	} {
		report, err := s.account.Place(s.t.Context(), s.order(c.edit))
		if err != nil || report.Status != c.status {
			s.t.Errorf("%+v, %v, want %s", report, err, c.status)
		}
	}
}

// emptyBook leaves one ask of a quantity at 65100 in the book.
func (s *env) emptyBook(qty string) {
	s.t.Helper()
	s.depth(0)
	s.houseAsk("65100", qty)
}

func iocTakesAPart(s *env) {
	s.emptyBook("0.04")
	order := s.place(limit(venues.Buy, "0.1", "65100"), inForce(venues.ImmediateOrCancel))
	s.awaitStatus(order, venues.StatusCancelled)
	found := s.find(order)
	if found.Status != venues.StatusCancelled || !found.FilledQty.Equal(d("0.04")) || found.RejectReason != nil {
		s.t.Errorf("order = %+v with reason %+v, want it cancelled with 0.04 filled", found, found.RejectReason)
	}
}

func iocFindsNothing(s *env) {
	s.checkEndsWith(venues.ReasonIOCNotFilled, inForce(venues.ImmediateOrCancel))
}

func fokFills(s *env) {
	s.emptyBook("0.05")
	order := s.filled(limit(venues.Buy, "0.05", "65100"), inForce(venues.FillOrKill))
	if found := s.find(order); !found.FilledQty.Equal(d("0.05")) {
		s.t.Errorf("filled quantity = %s, want 0.05", found.FilledQty)
	}
}

func fokFindsTooLittle(s *env) {
	s.emptyBook("0.04")
	s.checkEndsWith(venues.ReasonFOKNotFilled, limit(venues.Buy, "0.05", "65100"), inForce(venues.FillOrKill))
	s.checkNoPosition()
}

// checkEndsWith places an order that cannot rest. A venue rejects it, or accepts and
// ends it; the reason must be the same.
func (s *env) checkEndsWith(reason string, changes ...change) {
	s.t.Helper()
	order := s.order(changes...)
	report, err := s.account.Place(s.t.Context(), order)
	if err != nil {
		s.checkRejected(err, venues.CodeOrderRejected, reason)
		s.checkOrders(order.ClientOrderID, 0)
		return
	}
	if report.Status != venues.StatusPending && report.Status != venues.StatusCancelled {
		s.t.Errorf("report = %+v, want pending or cancelled", report)
	}
	s.awaitStatus(order, venues.StatusCancelled)
	found := s.find(order)
	if found.Status != venues.StatusCancelled || found.RejectReason == nil || found.RejectReason.Reason != reason {
		s.t.Errorf("order = %+v with reason %+v, want it cancelled for %s", found, found.RejectReason, reason)
	}
	s.await("the reason", func(h *sink) bool {
		last := h.last(order.ClientOrderID)
		return last.RejectReason != nil && last.RejectReason.Reason == reason
	})
}

func postOnlyRests(s *env) {
	order := s.resting(limit(venues.Buy, "0.01", "65000"), postOnly)
	s.trade(venues.Sell, "0.01")
	s.awaitStatus(order, venues.StatusFilled)
	fills := s.fills(symbol)
	if len(fills) != 1 || fills[0].Liquidity != venues.Maker || !fills[0].Price.Equal(d("65000")) {
		s.t.Errorf("fills = %+v, want one as maker at 65000", fills)
	}
}

func postOnlyWouldTake(s *env) {
	s.checkEndsWith(venues.ReasonPostOnlyWouldTake, limit(venues.Buy, "0.01", "65200"), postOnly)
}

func reduceOnlyCloses(s *env) {
	s.openPosition(market(venues.Buy, "0.02"))
	order := s.filled(market(venues.Sell, "0.02"), reduceOnly)
	s.await("the end of the position", func(h *sink) bool { return h.hasPosition(venues.Long, "0") })
	if positions := s.positions(); len(positions) != 0 || !s.find(order).ReduceOnly {
		s.t.Errorf("positions = %+v, want none, closed by a reduce-only order", positions)
	}
}

func reduceOnlyWithoutPosition(s *env) {
	order := s.order(market(venues.Sell, "0.01"), reduceOnly)
	_, err := s.account.Place(s.t.Context(), order)
	s.checkRejected(err, venues.CodeOrderRejected, venues.ReasonNoPosition)
}

func reduceOnlyNeverFlips(s *env) {
	s.openPosition(market(venues.Buy, "0.02"))
	order := s.order(market(venues.Sell, "0.05"), reduceOnly)
	if _, err := s.account.Place(s.t.Context(), order); err != nil {
		s.checkRejected(err, venues.CodeOrderRejected, "")
	} else {
		s.await("the end of the position", func(h *sink) bool { return h.hasPosition(venues.Long, "0") })
	}
	for _, p := range s.positions() {
		if p.Side == venues.Short || p.Qty.GreaterThan(d("0.02")) {
			s.t.Errorf("position = %+v, want at most 0.02 long", p)
		}
	}
}

func reduceOnlyRests(s *env) {
	s.filled(market(venues.Buy, "0.02"))
	order := s.resting(limit(venues.Sell, "0.02", "65500"), reduceOnly)
	if found := s.find(order); !found.ReduceOnly {
		s.t.Errorf("order = %+v, want reduce-only", found)
	}
	s.move("65600")
	s.awaitStatus(order, venues.StatusFilled)
}

func termsComeBack(s *env) {
	s.filled(market(venues.Buy, "0.02"))
	for name, edits := range map[string][]change{
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
		order := s.place(edits...)
		s.await(name, func(h *sink) bool { return h.last(order.ClientOrderID).Status.IsActive() })
		s.sink.mu.Lock()
		reported := s.sink.last(order.ClientOrderID)
		s.sink.mu.Unlock()
		for from, got := range map[string]venues.ExecutionReport{"query": s.find(order), "stream": reported} {
			if !sameTerms(order, got) {
				s.t.Errorf("%s by %s: %+v, want %+v", name, from, got, order.OrderSpec)
			}
		}
	}
	s.checkOpenOrders(9)
}

func sameTerms(order venues.OrderRequest, got venues.ExecutionReport) bool {
	priced := order.Type.IsMarket() || venues.EqualOptional(got.Price, order.Price)
	timed := order.Type.IsMarket() || got.TimeInForce == order.TimeInForce
	return priced && timed && got.Symbol == order.Symbol && got.Side == order.Side && got.Type == order.Type && got.Qty.Equal(order.Qty) &&
		venues.EqualOptional(got.TriggerPrice, order.TriggerPrice) && got.ReduceOnly == order.ReduceOnly && got.PostOnly == order.PostOnly
}
