package account

import (
	"time"

	"go.uber.org/zap"

	"venuegate/actors/account/risk"
	"venuegate/actors/step"
	"venuegate/venues"
)

// account is the actor. Messages change its state (actor.go); effects use its collaborators
// (effects.go).
type account struct {
	deps   Deps
	logger *zap.Logger
	state  *state
	steps  step.Runner[effect]
	// context is that of the step under way. All steps have the functions in common.
	context stepContext
	gate    risk.Gate
	// tickDue is when the next tick is scheduled; zero for none.
	tickDue time.Time
}

func (a *account) price(currency, symbol string) venues.Optional {
	i, known := a.deps.Market.Instrument(symbol)
	if !known {
		return venues.Optional{}
	}
	return a.deps.Market.Mark(currency + i.SettleCurrency)
}

func (a *account) settlesIn(symbol string) string {
	i, known := a.deps.Market.Instrument(symbol)
	if !known {
		return ""
	}
	return i.SettleCurrency
}

func (a *account) maxMarketQty(symbol string) venues.Optional {
	i, known := a.deps.Market.Instrument(symbol)
	if !known {
		return venues.Optional{}
	}
	return i.MaxMarketQty
}
