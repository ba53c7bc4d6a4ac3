package account

import (
	"time"

	"venuegate/actors/step"
	"venuegate/venues"
)

// stepContext has the time of one step, and functions that return ids, market data and the
// state of the store.
type stepContext struct {
	now    time.Time
	makeID func(prefix string, at time.Time) string
	// price returns the mark price of a currency in the settlement currency of an
	// instrument, mark that of an instrument. It may be unknown at the first call and known
	// at a later one.
	price func(currency, symbol string) venues.Optional
	mark  func(symbol string) venues.Optional
	// liveMark and liveLast return the present mark price and last price of an instrument,
	// settlesIn the currency of its profits and losses.
	liveMark, liveLast func(symbol string) venues.Optional
	settlesIn          func(symbol string) string
	// maxMarketQty returns the largest quantity of a market order of an instrument.
	maxMarketQty func(symbol string) venues.Optional
	// full returns an error while the store takes nothing that increases exposure.
	full func() error
}

// newID returns a new id with the given prefix.
func (c *stepContext) newID(prefix string) string { return c.makeID(prefix, c.now) }

// output is the result of a step. Creates is the order whose intent is in the batch, if the
// step did nothing else.
type output = step.Output[effect]

// stepOutput collects the output of the current step.
type stepOutput struct {
	out output
	// dirty has the orders that the step has changed.
	dirty          []*order
	pendingReplies []pendingReply
	// readingBegan is when the reading of the reports that the step applies began; zero if they
	// are new.
	readingBegan time.Time
}

// markDirty stores and publishes an order at the end of the step.
func (p *stepOutput) markDirty(o *order) {
	if !o.dirty {
		o.dirty = true
		p.dirty = append(p.dirty, o)
	}
}

// after carries out an effect once the step is durable.
func (p *stepOutput) after(e effect) { p.out.After = append(p.out.After, e) }
