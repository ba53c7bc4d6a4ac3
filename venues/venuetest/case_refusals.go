package venuetest

import (
	"venuegate/venues"
)

var refusalCases = []conformanceCase{
	{number: 43, name: "a price off the tick is refused", run: offTheTick},
	{number: 44, name: "a quantity off the step is refused", run: offTheStep},
	{number: 45, name: "a quantity below the least is refused", run: belowTheLeast},
	{number: 46, name: "an order of too little value is refused with the least value", needs: MinNotional, run: tooLittleValue},
	{number: 47, name: "a quantity above the most is refused", run: aboveTheMost},
	{number: 48, name: "a price beyond the band is refused", run: beyondTheBand},
	{number: 49, name: "too little margin is refused with what is free and what is needed", run: tooLittleMargin},
}

// invalid places an order that must be refused for what it asks.
func (s *stage) invalid(changes ...change) {
	s.t.Helper()
	_ = s.refusalOf(venues.CodeInvalidRequest, changes...)
}

// refusalOf places an order that must be refused and leave nothing behind.
func (s *stage) refusalOf(code venues.Code, changes ...change) *venues.Error {
	s.t.Helper()
	order := s.order(changes...)
	_, err := s.account.Place(s.t.Context(), order)
	e := s.refusal(err, code, "")
	s.holds(order.ClientOrderID, 0)
	if open := s.openOrders(); len(open) != 0 {
		s.t.Errorf("%+v", open)
	}
	return e
}

func offTheTick(s *stage) {
	s.invalid(limit(venues.Buy, "0.01", "64500.05"))
}

func offTheStep(s *stage) {
	s.invalid(limit(venues.Buy, "0.01000001", "64500"))
}

func belowTheLeast(s *stage) {
	s.invalid(limit(venues.Buy, "0.00001", "64500"))
}

func tooLittleValue(s *stage) {
	e := s.refusalOf(venues.CodeInvalidRequest, func(r *venues.OrderRequest) { r.Symbol, r.Qty, r.Price = "DOGEUSDT", d("2"), some("0.149") })
	if e.Details["reason"] != "below_minimum_notional" {
		s.t.Errorf("%v", e.Details)
	}
}

func aboveTheMost(s *stage) {
	s.invalid(limit(venues.Buy, "2000000", "64500"))
}

func beyondTheBand(s *stage) {
	s.refuseFarPrices()
	for _, far := range []change{limit(venues.Buy, "0.01", "90000"), limit(venues.Sell, "0.01", "40000")} {
		if e := s.refusalOf(venues.CodeInvalidRequest, far); e.Details["reason"] != venues.ReasonPriceBand || e.VenueCode == "" {
			s.t.Errorf("%+v", e)
		}
	}
}

func tooLittleMargin(s *stage) {
	e := s.refusalOf(venues.CodeInsufficientBalance, limit(venues.Buy, "900", "64500"))
	if e.Details["available"] != "100000" || e.Details["required"] == nil {
		s.t.Errorf("%v", e.Details)
	}
}
