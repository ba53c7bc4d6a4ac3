package account

import (
	"time"

	"venuegate/actors/step"
	"venuegate/venues"
)

// stepContext has the time of one step and what it can look up.
type stepContext struct {
	now   time.Time
	newID func(prefix string) string
	// price returns the mark price of a currency in the settlement currency of an
	// instrument, if it is known. A request makes it known later.
	price func(currency, symbol string) venues.Optional
	// mark returns the mark price of an instrument, likewise.
	mark func(symbol string) venues.Optional
	// maxMarketQty returns the quantity of the largest market order of an instrument.
	maxMarketQty func(symbol string) venues.Optional
}

func (a *account) stepContext() stepContext {
	now := time.Now()
	return stepContext{
		now: now, newID: func(prefix string) string { return a.deps.NewID(prefix, now) },
		price: a.price, mark: a.deps.Market.Mark, maxMarketQty: a.maxMarketQty,
	}
}

func (a *account) price(currency, symbol string) venues.Optional {
	i, known := a.deps.Market.Instrument(symbol)
	if !known {
		return venues.Optional{}
	}
	return a.deps.Market.Mark(currency + i.SettleCurrency)
}

func (a *account) maxMarketQty(symbol string) venues.Optional {
	i, known := a.deps.Market.Instrument(symbol)
	if !known {
		return venues.Optional{}
	}
	return i.MaxMarketQty
}

// output is the result of a step. Its claim is the order whose intent is in the batch, if
// the step did nothing else.
type output = step.Output[effect]

// stepOutput collects the output of the current step.
type stepOutput struct {
	out output
	// dirty are the orders that the step has changed, pendingReplies the answers that
	// are sent with the records as they are stored.
	dirty          []*order
	pendingReplies []pendingReply
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
