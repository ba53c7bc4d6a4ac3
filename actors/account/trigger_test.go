package account

import (
	"errors"
	"testing"

	"venuegate/actors"
	"venuegate/venues"
)

// wouldTriggerRule returns the rule of the first field of an error and what it allows.
func wouldTriggerRule(err error) (rule, allowed string) {
	var rejection *venues.Error
	if !errors.As(err, &rejection) {
		return "", ""
	}
	fields, is := rejection.Details["fields"].([]venues.FieldError)
	if !is || len(fields) == 0 {
		return "", ""
	}
	return fields[0].Rule, fields[0].Allowed
}

// A stop whose trigger the price has reached is rejected before anything is sent. Others are
// sent with the direction of their side.
func TestReachedTriggerIsRejected(t *testing.T) {
	for _, c := range []struct {
		side          venues.Side
		trigger, mark string
		// allowed is empty if the order is accepted.
		allowed   string
		direction venues.TriggerDirection
	}{
		{venues.Buy, "61000", "60000", "", venues.TriggerRising},
		{venues.Buy, "60000", "60000", "above 60000", ""},
		{venues.Buy, "59000", "60000", "above 60000", ""},
		{venues.Sell, "59000", "60000", "", venues.TriggerFalling},
		{venues.Sell, "60000", "60000", "below 60000", ""},
		{venues.Sell, "61000", "60000", "below 60000", ""},
		{venues.Buy, "59000", "", "", venues.TriggerRising}, // the venue decides
	} {
		b := newFixture(t, venues.Capabilities{})
		if c.mark != "" {
			b.prices = map[string]string{"BTCUSDT": c.mark}
		}
		in := stopOrder()
		in.cmd.Side, in.cmd.TriggerPrice = c.side, venues.Some(venues.MustDecimal(c.trigger))
		if c.allowed == "" {
			if got := b.place(in).request().TriggerDirection; got != c.direction {
				t.Errorf("%s stop at %s: direction %q, want %q", c.side, c.trigger, got, c.direction)
			}
			continue
		}
		var err error = b.state.admit(b.stepContext(), in)
		if rule, allowed := wouldTriggerRule(err); rule != venues.ReasonWouldTrigger || allowed != c.allowed {
			t.Errorf("%s stop at %s with the price at %s: %v, want rule %s and %q", c.side, c.trigger, c.mark, err, venues.ReasonWouldTrigger, c.allowed)
		}
	}
}

// An amend may not move a trigger past the price. A stop from outside the service keeps the
// direction that its trigger shows.
func TestAmendPastThePriceIsRejected(t *testing.T) {
	for name, c := range map[string]struct {
		source         venues.Source
		trigger, moved string
		isRejected     bool
	}{
		"own stop":                              {venues.SourceAPI, "61000", "60500", false},
		"own stop, past the price":              {venues.SourceAPI, "61000", "59000", true},
		"foreign take profit":                   {venues.SourceVenue, "59000", "59500", false},
		"foreign take profit, past the price":   {venues.SourceVenue, "59000", "60500", true},
		"foreign stop":                          {venues.SourceVenue, "61000", "60500", false},
		"foreign stop, past the price":          {venues.SourceVenue, "61000", "59000", true},
		"own stop, of which only the qty moves": {venues.SourceAPI, "61000", "", false},
	} {
		b := newFixture(t, venues.Capabilities{AmendStops: true})
		in := stopOrder()
		in.cmd.Source, in.cmd.TriggerPrice = c.source, venues.Some(venues.MustDecimal(c.trigger))
		o := b.open(in, venues.StatusUntriggered)
		b.prices = map[string]string{"BTCUSDT": "60000"}
		cmd := venues.AmendOrder{OrderID: o.OrderID, Qty: venues.Some(venues.MustDecimal("2"))}
		if c.moved != "" {
			cmd = venues.AmendOrder{OrderID: o.OrderID, TriggerPrice: venues.Some(venues.MustDecimal(c.moved))}
		}
		b.replies = nil
		b.step(func(step stepContext) {
			b.state.amend(step, amendOrder{orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(), mark: b.mark("BTCUSDT"), cmd: cmd})
		})
		var err error
		if len(b.replies) > 0 {
			err = b.replies[0].err
		}
		rule, _ := wouldTriggerRule(err)
		if isRejected := rule == venues.ReasonWouldTrigger; isRejected != c.isRejected || err != nil && !isRejected {
			t.Errorf("%s: trigger moved from %s to %q: error %v, want a rejection: %v", name, c.trigger, c.moved, err, c.isRejected)
		}
	}
}
