package simcore

import (
	"sort"
	"time"

	"github.com/shopspring/decimal"
)

// TriggerPrice is the kind of price that triggers a conditional order.
type TriggerPrice uint8

// Kinds of trigger prices.
const (
	TriggerOnLast TriggerPrice = iota
	TriggerOnMark
	TriggerOnIndex
)

// ConditionalStatus is the state of a conditional order.
type ConditionalStatus uint8

// Conditional states. Waiting and Triggering can still be open; a triggered one
// finishes when its order is closed.
const (
	ConditionalWaiting ConditionalStatus = iota
	ConditionalTriggering
	ConditionalTriggered
	ConditionalFinished
	ConditionalCancelled
	ConditionalRejected
	ConditionalExpired
)

func (s ConditionalStatus) String() string {
	return [...]string{"waiting", "triggering", "triggered", "finished", "cancelled", "rejected", "expired"}[s]
}

// ConditionalRequest is an order that is placed when a price reaches its trigger.
// Margin is checked at the trigger, not before.
type ConditionalRequest struct {
	OrderRequest
	// Rising triggers at or above TriggerPrice, else at or below.
	Rising       bool
	TriggerBy    TriggerPrice
	TriggerPrice decimal.Decimal
	// ClosePosition closes the whole position as it is at the trigger.
	ClosePosition bool
	// RequiresPosition rejects the order without a position and expires it when
	// the position is closed.
	RequiresPosition bool
	// CallbackRate makes the order a trailing stop: it triggers when the price has
	// moved back by this fraction from its extreme since Activation was reached.
	// CallbackSpread does the same with a distance in place of the fraction.
	CallbackRate, CallbackSpread decimal.Decimal
	Activation                   decimal.Decimal
}

// trails reports whether the request is a trailing stop.
func (r *ConditionalRequest) trails() bool {
	return r.CallbackRate.IsPositive() || r.CallbackSpread.IsPositive()
}

// Conditional is a conditional order that the venue accepted.
type Conditional struct {
	ID      int64
	Request ConditionalRequest
	Status  ConditionalStatus
	// Rejected is the reason why the order was rejected at the trigger.
	Rejected    Reason
	OrderID     int64
	CreatedAt   time.Time
	UpdatedAt   time.Time
	TriggeredAt time.Time
	// Order is the order placed at the trigger, as it was when this copy was made;
	// nil before the trigger.
	Order *Order

	fireAt    time.Time
	activated bool
	extreme   decimal.Decimal
}

// Open reports whether the conditional order has not placed its order or ended yet.
func (c Conditional) Open() bool { return c.Status <= ConditionalTriggering }

// conditionalSet is an account's conditional orders.
type conditionalSet struct {
	byID       map[int64]*Conditional
	byClientID map[string]*Conditional
	history    []*Conditional
}

func (cs *conditionalSet) add(c *Conditional) {
	if cs.byID == nil {
		cs.byID, cs.byClientID = map[int64]*Conditional{}, map[string]*Conditional{}
	}
	cs.byID[c.ID] = c
	if c.Request.ClientID != "" {
		cs.byClientID[c.Request.ClientID] = c
	}
	cs.history = append(cs.history, c)
	if len(cs.history) > 2*closedOrdersMax {
		cs.purgeClosed(len(cs.history) - closedOrdersMax)
	}
}

func (cs *conditionalSet) purgeClosed(n int) {
	kept := make([]*Conditional, 0, len(cs.history))
	for i, c := range cs.history {
		if i >= n || c.Status <= ConditionalTriggered {
			kept = append(kept, c)
			continue
		}
		delete(cs.byID, c.ID)
		if cs.byClientID[c.Request.ClientID] == c {
			delete(cs.byClientID, c.Request.ClientID)
		}
	}
	cs.history = kept
}

func (cs *conditionalSet) find(ref OrderRef) *Conditional {
	if ref.ID != 0 {
		return cs.byID[ref.ID]
	}
	return cs.byClientID[ref.ClientID]
}

// findWaiting returns a conditional order that can still be changed.
func (cs *conditionalSet) findWaiting(ref OrderRef) (*Conditional, *Rejection) {
	c := cs.find(ref)
	switch {
	case c == nil || !c.Open():
		return nil, reject(ReasonUnknownOrder)
	case c.Status == ConditionalTriggering:
		return nil, reject(ReasonTriggering)
	}
	return c, nil
}

// PlaceConditional accepts a conditional order. The error is a *Rejection.
func (x *Exchange) PlaceConditional(request ConditionalRequest) (Conditional, error) {
	x.lockToWrite()
	defer x.unlock()
	in, rejection := x.newIntent(&request.OrderRequest)
	if rejection != nil {
		return Conditional{}, rejection
	}
	if rejection := x.checkConditional(in, &request); rejection != nil {
		return Conditional{}, rejection
	}
	c := &Conditional{Request: request, CreatedAt: in.now, UpdatedAt: in.now}
	c.extreme = in.symbol.triggerPrice(request.TriggerBy)
	if request.DryRun {
		return *c, nil
	}
	x.algoID++
	c.ID = x.algoID
	in.account.conditionals.add(c)
	in.symbol.conditionals = append(in.symbol.conditionals, c)
	x.ledger.acceptedConditional(*c, in.symbol.terms)
	x.emitConditional(in.account, c)
	return *c, nil
}

func (x *Exchange) checkConditional(in *intent, request *ConditionalRequest) *Rejection {
	if rejection := x.checkConditionalTerms(in, request); rejection != nil {
		return rejection
	}
	if rejection := x.checkPositionSide(in); rejection != nil {
		return rejection
	}
	if in.ClientID != "" {
		earlier, used := in.account.conditionals.byClientID[in.ClientID]
		if used && (x.options.ClientIDs == UniqueForever || earlier.Open()) {
			return reject(ReasonDuplicateClientID)
		}
	}
	if in.symbol.halted {
		return reject(ReasonNotTradable)
	}
	if request.RequiresPosition && in.holding.position(in.PosSide).reducible(in.Side) == 0 {
		return reject(ReasonNoPosition)
	}
	if request.ClosePosition && in.account.hasCloseOrder(in.symbol, request) {
		return reject(ReasonDuplicateClose)
	}
	if !request.trails() && reached(request.Rising, in.symbol.triggerPrice(request.TriggerBy), request.TriggerPrice) {
		return reject(ReasonWouldTrigger)
	}
	return nil
}

func (x *Exchange) checkConditionalTerms(in *intent, request *ConditionalRequest) *Rejection {
	if !request.trails() {
		if _, rejection := in.symbol.checkPrice(request.TriggerPrice); rejection != nil {
			return rejection
		}
	}
	if rejection := x.checkPrice(in); rejection != nil {
		return rejection
	}
	if request.ClosePosition {
		return nil
	}
	return x.checkQty(in)
}

// hasCloseOrder reports whether a waiting order of the account already closes the
// same position in the same direction of the price.
func (a *account) hasCloseOrder(s *symbol, request *ConditionalRequest) bool {
	for _, c := range s.conditionals {
		r := &c.Request
		if r.Account == a.id && r.ClosePosition && r.Side == request.Side &&
			r.PosSide == request.PosSide && r.Rising == request.Rising {
			return true
		}
	}
	return false
}

// CancelConditional cancels a waiting conditional order. The error is a *Rejection.
func (x *Exchange) CancelConditional(accountID string, ref OrderRef) (Conditional, error) {
	x.lockToWrite()
	defer x.unlock()
	a, rejection := x.account(accountID)
	if rejection != nil {
		return Conditional{}, rejection
	}
	c, rejection := a.conditionals.findWaiting(ref)
	if rejection != nil {
		return Conditional{}, rejection
	}
	x.endConditional(a, c, ConditionalCancelled)
	return *c, nil
}

// CancelAllConditionals cancels the waiting conditional orders of an account in a
// symbol, or in all symbols where it is empty, and returns them.
func (x *Exchange) CancelAllConditionals(accountID, symbolName string) ([]Conditional, error) {
	x.lockToWrite()
	defer x.unlock()
	a, rejection := x.account(accountID)
	if rejection != nil {
		return nil, rejection
	}
	var cancelled []Conditional
	for _, c := range a.conditionals.waiting(symbolName) {
		x.endConditional(a, c, ConditionalCancelled)
		cancelled = append(cancelled, *c)
	}
	return cancelled, nil
}

func (cs *conditionalSet) waiting(symbolName string) []*Conditional {
	var found []*Conditional
	for _, c := range cs.byID {
		if c.Status == ConditionalWaiting && (symbolName == "" || c.Request.Symbol == symbolName) {
			found = append(found, c)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].ID < found[j].ID })
	return found
}
