package simcore

import (
	"sort"
	"time"

	"github.com/shopspring/decimal"
)

// TriggerPrice says which price a conditional order watches.
type TriggerPrice uint8

// Prices to watch.
const (
	TriggerOnLast TriggerPrice = iota
	TriggerOnMark
	TriggerOnIndex
)

// ConditionalStatus is the state of a conditional order.
type ConditionalStatus uint8

// Conditional states. Waiting, Triggering and Triggered are open: a triggered
// one finishes when its order is closed.
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

// ConditionalRequest is an order with a condition in front. Margin is checked
// at the trigger, not before.
type ConditionalRequest struct {
	OrderRequest
	// Rising triggers at or above TriggerPrice, else at or below.
	Rising       bool
	Watch        TriggerPrice
	TriggerPrice decimal.Decimal
	// ClosePosition closes whatever the position is at the trigger.
	ClosePosition bool
	// NeedsPosition refuses the order without a position and expires it when
	// the position is closed.
	NeedsPosition bool
	// CallbackRate makes it trailing: it triggers when the price has come back
	// by this fraction from its extreme since Activation was reached. CallbackSpread
	// does the same with a distance in place of the fraction.
	CallbackRate, CallbackSpread decimal.Decimal
	Activation                   decimal.Decimal
}

// trails says whether the request follows the price.
func (r *ConditionalRequest) trails() bool {
	return r.CallbackRate.IsPositive() || r.CallbackSpread.IsPositive()
}

// Conditional is a conditional order that the venue accepted.
type Conditional struct {
	ID      int64
	Request ConditionalRequest
	Status  ConditionalStatus
	// Rejected says why the trigger could not place the order.
	Rejected    Reason
	OrderID     int64
	CreatedAt   time.Time
	UpdatedAt   time.Time
	TriggeredAt time.Time
	// Order is the order that the trigger placed, as it is when this copy was
	// made; nil before.
	Order *Order

	fireAt    time.Time
	activated bool
	extreme   decimal.Decimal
}

// Open says whether the conditional order can still be cancelled.
func (c Conditional) Open() bool { return c.Status <= ConditionalTriggering }

// conditionalSet is an account's conditional orders.
type conditionalSet struct {
	byID       map[int64]*Conditional
	byClientID map[string]*Conditional
	history    []*Conditional
}

func (cs *conditionalSet) remember(c *Conditional) {
	if cs.byID == nil {
		cs.byID, cs.byClientID = map[int64]*Conditional{}, map[string]*Conditional{}
	}
	cs.byID[c.ID] = c
	if c.Request.ClientID != "" {
		cs.byClientID[c.Request.ClientID] = c
	}
	cs.history = append(cs.history, c)
	if len(cs.history) > 2*closedOrdersMax {
		cs.forget(len(cs.history) - closedOrdersMax)
	}
}

func (cs *conditionalSet) forget(n int) {
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

// PlaceConditional accepts a conditional order. The error is a *Refusal.
func (x *Exchange) PlaceConditional(request ConditionalRequest) (Conditional, error) {
	x.lockToWrite()
	defer x.mu.Unlock()
	in, refusal := x.newIntent(&request.OrderRequest)
	if refusal != nil {
		return Conditional{}, refusal
	}
	if refusal := x.checkConditional(in, &request); refusal != nil {
		return Conditional{}, refusal
	}
	c := &Conditional{Request: request, CreatedAt: in.now, UpdatedAt: in.now}
	c.extreme = in.symbol.watched(request.Watch)
	if request.DryRun {
		return *c, nil
	}
	x.algoID++
	c.ID = x.algoID
	in.account.conditionals.remember(c)
	in.symbol.conditionals = append(in.symbol.conditionals, c)
	x.ledger.acceptedConditional(*c, in.symbol.terms)
	x.emitConditional(in.account, c)
	return *c, nil
}

func (x *Exchange) checkConditional(in *intent, request *ConditionalRequest) *Refusal {
	if refusal := x.checkConditionalTerms(in, request); refusal != nil {
		return refusal
	}
	if refusal := x.checkPositionSide(in); refusal != nil {
		return refusal
	}
	if in.ClientID != "" {
		earlier, used := in.account.conditionals.byClientID[in.ClientID]
		if used && (x.options.ClientIDs == UniqueForever || earlier.Open()) {
			return refuse(ReasonDuplicateClientID)
		}
	}
	if in.symbol.halted {
		return refuse(ReasonNotTradable)
	}
	if request.NeedsPosition && in.holding.position(in.PosSide).reducible(in.Side) == 0 {
		return refuse(ReasonNoPosition)
	}
	if request.ClosePosition && in.account.guards(in.symbol, request) {
		return refuse(ReasonDuplicateClose)
	}
	if !request.trails() && reached(request.Rising, in.symbol.watched(request.Watch), request.TriggerPrice) {
		return refuse(ReasonWouldTrigger)
	}
	return nil
}

func (x *Exchange) checkConditionalTerms(in *intent, request *ConditionalRequest) *Refusal {
	if !request.trails() {
		if _, refusal := in.symbol.checkPrice(request.TriggerPrice); refusal != nil {
			return refusal
		}
	}
	if refusal := x.checkPrice(in); refusal != nil {
		return refusal
	}
	if request.ClosePosition {
		return nil
	}
	return x.checkQty(in)
}

// guards says whether a waiting order of the account already closes the same
// position in the same way.
func (a *account) guards(s *symbol, request *ConditionalRequest) bool {
	for _, c := range s.conditionals {
		r := &c.Request
		if r.Account == a.id && r.ClosePosition && r.Side == request.Side &&
			r.PosSide == request.PosSide && r.Rising == request.Rising {
			return true
		}
	}
	return false
}

// CancelConditional ends a waiting conditional order.
func (x *Exchange) CancelConditional(accountID string, ref OrderRef) (Conditional, error) {
	x.lockToWrite()
	defer x.mu.Unlock()
	a, refusal := x.account(accountID)
	if refusal != nil {
		return Conditional{}, refusal
	}
	c := a.conditionals.find(ref)
	switch {
	case c == nil || !c.Open():
		return Conditional{}, refuse(ReasonUnknownOrder)
	case c.Status == ConditionalTriggering:
		return Conditional{}, refuse(ReasonTriggering)
	}
	x.endConditional(a, c, ConditionalCancelled)
	return *c, nil
}

// CancelAllConditionals ends the waiting conditional orders of an account in a
// symbol, or in all where it is empty.
func (x *Exchange) CancelAllConditionals(accountID, symbolName string) ([]Conditional, error) {
	x.lockToWrite()
	defer x.mu.Unlock()
	a, refusal := x.account(accountID)
	if refusal != nil {
		return nil, refusal
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
