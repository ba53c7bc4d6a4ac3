package account

import (
	"errors"
	"testing"

	"venuegate/actors"
	"venuegate/venues"
)

// firstRule returns the rule of the first field of an error.
func firstRule(err error) string {
	var rejection *venues.Error
	if !errors.As(err, &rejection) {
		return ""
	}
	fields, is := rejection.Details["fields"].([]venues.FieldError)
	if !is || len(fields) == 0 {
		return ""
	}
	return fields[0].Rule
}

// A stop is sent with the direction of its side, whatever the price is: the venue rejects one
// whose trigger is reached.
func TestDirectionOfAStopIsThatOfItsSide(t *testing.T) {
	for side, want := range map[venues.Side]venues.TriggerDirection{venues.Buy: venues.TriggerRising, venues.Sell: venues.TriggerFalling} {
		for _, trigger := range []string{"59000", "61000"} {
			b := newFixture(t, venues.Capabilities{})
			b.prices = map[string]string{"BTCUSDT": "60000"}
			in := stopOrder()
			in.cmd.Side, in.cmd.TriggerPrice = side, venues.Some(venues.MustDecimal(trigger))
			if got := b.place(in).request().TriggerDirection; got != want {
				t.Errorf("%s stop at %s: direction %q, want %q", side, trigger, got, want)
			}
		}
	}
}

// A replacement may not have a trigger past the price, because it would be rejected after the
// cancel; a venue that amends decides by its own price. A stop whose direction is not stored,
// because it was placed outside the service, keeps the one that its trigger shows.
func TestAmendPastThePriceIsRejectedIfItReplaces(t *testing.T) {
	for name, c := range map[string]struct {
		isForeign      bool
		trigger, moved string
		isRejected     bool
		amendsStops    bool
		replacement    venues.TriggerDirection
	}{
		"own stop, amended":                    {false, "61000", "60500", false, true, ""},
		"own stop, amended past the price":     {false, "61000", "59000", false, true, ""},
		"foreign stop, amended past the price": {true, "61000", "59000", false, true, ""},
		"qty of an own stop, amended":          {false, "61000", "", false, true, ""},
		"own stop":                             {false, "61000", "60500", false, false, venues.TriggerRising},
		"own stop, past the price":             {false, "61000", "59000", true, false, ""},
		"foreign take profit":                  {true, "59000", "59500", false, false, venues.TriggerFalling},
		"foreign take profit, past the price":  {true, "59000", "60500", true, false, ""},
		"foreign stop":                         {true, "61000", "60500", false, false, venues.TriggerRising},
		"foreign stop, past the price":         {true, "61000", "59000", true, false, ""},
		"qty of an own stop, replaced":         {false, "61000", "", false, false, venues.TriggerRising},
		"qty of an own stop that is reached":   {false, "59900", "", true, false, ""},
		"qty of a foreign stop, replaced":      {true, "61000", "", false, false, venues.TriggerRising},
		"qty of a foreign take profit":         {true, "59000", "", false, false, venues.TriggerFalling},
	} {
		b := newFixture(t, venues.Capabilities{AmendStops: c.amendsStops})
		in := stopOrder()
		in.cmd.TriggerPrice = venues.Some(venues.MustDecimal(c.trigger))
		o := b.open(in, venues.StatusUntriggered)
		if c.isForeign {
			o.TriggerDirection = ""
		}
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
		isSent := b.find(func(e effect) bool {
			sent, is := e.(callAmend)
			if is && sent.request.TriggerDirection != venues.TriggerRising {
				t.Errorf("%s: direction %q, want that of the stop, %q", name, sent.request.TriggerDirection, venues.TriggerRising)
			}
			return is
		})
		if isSent != c.amendsStops {
			t.Errorf("%s: amend sent to the venue: %v, want %v", name, isSent, c.amendsStops)
		}
		rule := firstRule(err)
		if isRejected := rule == venues.ReasonWouldTrigger; isRejected != c.isRejected || err != nil && !isRejected {
			t.Errorf("%s: error %v, want a rejection: %v", name, err, c.isRejected)
		}
		if c.replacement == "" {
			continue
		}
		b.prices["BTCUSDT"] = "62000" // it has passed the trigger meanwhile
		if c.replacement == venues.TriggerFalling {
			b.prices["BTCUSDT"] = "58000"
		}
		b.confirmCancels(o)
		if next := b.state.orders[o.ReplacedBy]; next == nil || next.request().TriggerDirection != c.replacement {
			t.Errorf("%s: replaced by %+v, want one with direction %s", name, next, c.replacement)
		}
	}
}
