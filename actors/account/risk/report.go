package risk

import "venuegate/venues"

// Report returns the loss of the day by its parts.
func (s *State) Report(a Account) venues.RiskReport {
	s.beginDay(a)
	r := venues.RiskReport{
		Day: venues.At(s.today.Start), Realized: s.today.Earned.Add(s.today.Fees), Fees: s.today.Fees, Forgiven: s.record.Forgiven,
		AsOf: venues.At(s.positions.ReadAt()),
	}
	if !s.record.Baseline.Valid || !s.positions.IsValued() {
		return r
	}
	loss := s.DailyLoss()
	r.UnrealizedChange, r.Loss = venues.Some(s.unrealizedChange()), venues.Some(loss)
	if limit := s.Limits.DailyLoss; limit.Valid {
		r.Remaining = venues.Some(limit.Decimal.Sub(loss))
	}
	return r
}
