package registry

import (
	"context"

	"venuegate/venues"
)

// SignalTest is what a channel would do with a signal.
type SignalTest struct {
	// Status is that of the signal at the end of the plan, whose orders count as filled.
	Status string `json:"status"`
	// Duplicate means that the requestId was used before: the signal would do nothing.
	Duplicate bool `json:"duplicate"`
	// TestMode means that the channel sends nothing until its test mode is switched off.
	TestMode bool           `json:"testMode"`
	Rules    []RuleResult   `json:"rules"`
	Plan     []PlannedStep  `json:"plan"`
	Error    *PlannedReject `json:"error"`
}

// RuleResult is the result of one rule.
type RuleResult struct {
	Rule    string `json:"rule"`
	Limit   string `json:"limit,omitzero"`
	Given   string `json:"given,omitzero"`
	Passed  bool   `json:"passed"`
	Message string `json:"message,omitzero"`
}

// PlannedStep is a step of the plan. One with an Error does nothing; what follows it is the
// channel's policy for opposite signals.
type PlannedStep struct {
	Step       string           `json:"step"`
	Exchange   venues.Venue     `json:"exchange,omitzero"`
	Symbol     string           `json:"symbol,omitzero"`
	Side       venues.Side      `json:"side,omitzero"`
	Type       venues.OrderType `json:"type,omitzero"`
	Qty        string           `json:"qty,omitzero"`
	Price      string           `json:"price,omitzero"`
	StopLoss   string           `json:"stopLoss,omitzero"`
	TakeProfit string           `json:"takeProfit,omitzero"`
	Rules      []RuleResult     `json:"rules"`
	Error      *PlannedReject   `json:"error"`
}

// PlannedReject is why a signal or a step would be rejected.
type PlannedReject struct {
	Code    venues.Code `json:"code"`
	Message string      `json:"message"`
}

// Test returns what a channel would do with a signal whose sender is authenticated: the results
// of its rules, and the steps of the plan. Nothing is sent or stored.
func (h *Hooks) Test(ctx context.Context, id string, body []byte) (SignalTest, error) {
	signal, err := h.signal(ctx, id, body)
	if err != nil {
		return SignalTest{}, err
	}
	p, err := h.service.Preview(ctx, signal)
	if err != nil {
		return SignalTest{}, err
	}
	return signalTest(&p), nil
}

func signalTest(p *venues.SignalPreview) SignalTest {
	test := SignalTest{Status: p.Status, Duplicate: p.Duplicate, TestMode: p.TestMode, Rules: ruleResults(p.Rules), Plan: make([]PlannedStep, len(p.Plan))}
	if p.Error != nil {
		test.Error = &PlannedReject{p.Error.Code, p.Error.Message}
	}
	for i := range p.Plan {
		test.Plan[i] = plannedStep(&p.Plan[i])
	}
	return test
}

func plannedStep(s *venues.PreviewStep) PlannedStep {
	planned := PlannedStep{
		Step: s.Step, Exchange: s.Exchange, Symbol: s.Symbol, Side: s.Side, Type: s.Type, Qty: venues.FormatOptional(s.Qty),
		Price: venues.FormatOptional(s.Price), StopLoss: venues.FormatOptional(s.StopLoss), TakeProfit: venues.FormatOptional(s.TakeProfit),
		Rules: ruleResults(s.Rules),
	}
	if s.Rejection != nil {
		planned.Error = &PlannedReject{s.Rejection.Code, s.Rejection.Message}
	}
	return planned
}

func ruleResults(rules []venues.RuleCheck) []RuleResult {
	results := make([]RuleResult, len(rules))
	for i, r := range rules {
		results[i] = RuleResult{Rule: r.Rule, Limit: r.Limit, Given: r.Given, Passed: r.Rejection == nil}
		if r.Rejection != nil {
			results[i].Message = r.Rejection.Message
		}
	}
	return results
}
