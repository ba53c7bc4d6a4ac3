package venues

import "slices"

// OrderCheck is the result of checking an order that is not placed.
type OrderCheck struct {
	// Order is the order as it would be placed; nil if its request has faults of its own.
	Order *PlaceOrder
	// Notional and Margin are those of the whole order, Available the balance in its
	// settlement currency. Each may be unknown.
	Notional, Margin, Available Optional
	// Faults are the invalid fields, Rules all rules that apply to the order.
	Faults []FieldError
	Rules  []RuleCheck
}

// RuleCheck is the result of checking an order against one rule.
type RuleCheck struct {
	// Rule is details.rule of the rejection, or its code if that has none. It is empty for
	// checks of fields, whose rejections name the fields.
	Rule string
	// Limit and Given are empty if the rule has none, or if they are not known.
	Limit, Given string
	// Rejection is nil if the order passes.
	Rejection *Error
}

// Passes reports whether the order has no fault and breaks no rule.
func (c *OrderCheck) Passes() bool {
	return len(c.Faults) == 0 && !slices.ContainsFunc(c.Rules, func(r RuleCheck) bool { return r.Rejection != nil })
}

// FirstRejection returns the rejection of the faults, or else of the first rule that the order
// breaks, or nil.
func (c *OrderCheck) FirstRejection() *Error {
	if len(c.Faults) > 0 {
		return InvalidFields(c.Faults...)
	}
	for i := range c.Rules {
		if c.Rules[i].Rejection != nil {
			return c.Rules[i].Rejection
		}
	}
	return nil
}

// Add adds the result of one check. A field that breaks a rule in two checks is added once.
func (c *OrderCheck) Add(r RuleCheck) {
	if r.Rule != "" {
		c.Rules = append(c.Rules, r)
		return
	}
	if r.Rejection == nil {
		return
	}
	fields, _ := r.Rejection.Details["fields"].([]FieldError)
	for _, f := range fields {
		if !slices.ContainsFunc(c.Faults, func(known FieldError) bool { return known.Field == f.Field && known.Rule == f.Rule }) {
			c.Faults = append(c.Faults, f)
		}
	}
}
