package account

import (
	"venuegate/actors/account/position"
	"venuegate/actors/account/protection"
	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

// state is the state of one account, a deterministic state machine: its input is messages,
// its output a batch to commit and effects. Time and ids come in with each step. Between steps
// only the effects callPlace and callAmend change it: they mark an order as sending (risk.go).
type state struct {
	customer string
	exchange venues.Venue
	caps     venues.Capabilities
	fence    persistence.Fence

	// isLoaded is set once the store was read, ready after the first reading of the venue. New
	// orders are rejected before that.
	isLoaded bool
	ready    bool
	// stopping is set when the account stops. No request is sent after that.
	stopping bool

	orderIndex
	stepOutput

	fillMarks    fillMarks
	funds        funds
	recon        reconciliation
	absence      absenceCheck
	stream       privateStream
	positions    *position.State
	positionPort *positionPort
	risk         *risk.State
	riskPort     *riskPort
	halt         halting
	orderList    orderList

	counts *Counts

	protectionKeeper *protection.Keeper
	protectionPort   *protectionPort
}

func newState(c Config, fence persistence.Fence) *state {
	s := &state{
		customer: c.Customer, exchange: c.Exchange, caps: c.Capabilities, fence: fence,
		orderIndex: newOrderIndex(clientIDs{c.ClientIDPrefix, c.Customer, c.Exchange}),
		fillMarks:  newFillMarks(c.Customer, c.Exchange),
		positions:  position.NewState(c.Customer, c.Exchange),
		counts:     &Counts{},
	}
	s.positionPort = &positionPort{state: s}
	s.risk, s.riskPort = risk.NewState(c.Customer, c.Exchange, requestLife, s.positions), newRiskPort(s)
	s.protectionKeeper, s.protectionPort = newProtection(s, c.Protection)
	return s
}
