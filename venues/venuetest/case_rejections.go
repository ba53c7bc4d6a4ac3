package venuetest

import (
	"venuegate/venues"
)

var rejectionCases = []conformanceCase{
	{number: 43, name: "a price off the tick is rejected", run: offTheTick},
	{number: 44, name: "a quantity off the step is rejected", run: offTheStep},
	{number: 45, name: "a quantity below the minimum is rejected", run: belowMinimum},
	{number: 46, name: "an order below the minimum notional is rejected with the minimum", needs: MinNotional, run: belowMinNotional},
	{number: 47, name: "a quantity above the maximum is rejected", run: aboveMaximum},
	{number: 48, name: "a price outside the band is rejected", run: beyondTheBand},
	{number: 49, name: "insufficient margin is rejected with the available and the required margin", run: tooLittleMargin},
}

// invalid places an order that must be rejected as invalid.
func (s *env) invalid(changes ...change) {
	s.t.Helper()
	_ = s.placeRejected(venues.CodeInvalidRequest, changes...)
}

// placeRejected places an order that must be rejected without any effect.
func (s *env) placeRejected(code venues.Code, changes ...change) *venues.Error {
	s.t.Helper()
	order := s.order(changes...)
	_, err := s.account.Place(s.t.Context(), order)
	e := s.rejection(err, code, "")
	s.checkOrders(order.ClientOrderID, 0)
	s.checkOpenOrders(0)
	return e
}

func offTheTick(s *env) {
	s.invalid(limit(venues.Buy, "0.01", "64500.05"))
}

func offTheStep(s *env) {
	s.invalid(limit(venues.Buy, "0.01000001", "64500"))
}

func belowMinimum(s *env) {
	s.invalid(limit(venues.Buy, "0.00001", "64500"))
}

func belowMinNotional(s *env) {
	e := s.placeRejected(venues.CodeInvalidRequest, func(r *venues.OrderRequest) { r.Symbol, r.Qty, r.Price = "DOGEUSDT", d("2"), some("0.149") })
	if e.Details["reason"] != "below_minimum_notional" {
		s.t.Errorf("details = %v, want reason below_minimum_notional", e.Details)
	}
}

func aboveMaximum(s *env) {
	s.invalid(limit(venues.Buy, "2000000", "64500"))
}

func beyondTheBand(s *env) {
	s.rejectFarPrices()
	for _, far := range []change{limit(venues.Buy, "0.01", "90000"), limit(venues.Sell, "0.01", "40000")} {
		if e := s.placeRejected(venues.CodeInvalidRequest, far); e.Details["reason"] != venues.ReasonPriceBand || e.VenueCode == "" {
			s.t.Errorf("rejection = %+v, want %s with a code of the venue", e, venues.ReasonPriceBand)
		}
	}
}

func tooLittleMargin(s *env) {
	e := s.placeRejected(venues.CodeInsufficientBalance, limit(venues.Buy, "900", "64500"))
	if e.Details["available"] != "100000" || e.Details["required"] == nil {
		s.t.Errorf("details = %v, want 100000 available and the required margin", e.Details)
	}
}
