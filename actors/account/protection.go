package account

import (
	"errors"
	"iter"
	"time"

	"venuegate/actors/account/position"
	"venuegate/actors/account/protection"
	"venuegate/persistence"
	"venuegate/venues"
)

// ProtectionPolicy configures what happens when a fill cannot be protected.
type ProtectionPolicy = protection.Policy

// Defaults of ProtectionPolicy.
const (
	DefaultAlarmAfter = protection.DefaultAlarmAfter
	DefaultCloseAfter = protection.DefaultCloseAfter
)

// protectedOrder is the part of an order that package protection uses: its record and its
// bracket.
type protectedOrder = protection.Order

// protectionPort implements protection.Account.
type protectionPort struct {
	state *state
	step  stepContext
	live  iter.Seq[*protectedOrder]
}

func newProtection(s *state, p ProtectionPolicy) (*protection.Keeper, *protectionPort) {
	port := &protectionPort{state: s, live: func(yield func(*protectedOrder) bool) {
		for _, o := range s.live {
			if !yield(&o.protectedOrder) {
				return
			}
		}
	}}
	rules := protection.Rules{
		Attached: s.caps.AttachedProtection, Policy: p.OrDefault(), RequestLife: requestLife, IsOurs: s.ids.isOurs,
	}
	return &protection.Keeper{Rules: rules, Account: port}, port
}

// protection returns the keeper of protection with the values of the current step. All calls
// to it must use this method.
func (s *state) protection(step stepContext) *protection.Keeper {
	s.protectionPort.step = step
	p := s.protectionKeeper
	p.Now, p.ReconciledAt, p.PositionsAt, p.ReadingBegan = step.now, s.recon.completeAt, s.positions.ReadAt(), s.readingBegan
	return p
}

// order returns the order that o is a part of.
func (p *protectionPort) order(o *protectedOrder) *order { return p.state.orders[o.OrderID] }

func (p *protectionPort) MarkDirty(o *protectedOrder) { p.state.markDirty(p.order(o)) }

func (p *protectionPort) Alarm(o *protectedOrder, kind, field, value string) {
	p.state.journalOrder(p.step, p.order(o), kind, persistence.JournalField{Name: field, Value: value})
	p.state.warnUnprotected(p.order(o), kind)
}

func (p *protectionPort) Place(entry *protectedOrder, kind venues.LegKind, spec venues.OrderSpec) *protectedOrder {
	spec.Symbol, spec.Side = entry.Symbol, entry.Side.Opposite()
	o := p.state.newOrder(p.step, venues.PlaceOrder{OrderSpec: spec, Source: venues.SourceProtection})
	o.EntryOrderID, o.Protects = entry.OrderID, kind
	p.state.after(callPlace{orderID: o.OrderID, request: o.request()})
	return &o.protectedOrder
}

func (p *protectionPort) Withdraw(o *protectedOrder) { p.state.withdraw(p.step, p.order(o)) }

func (p *protectionPort) Query(o *protectedOrder) { p.state.scheduleQuery(p.step, p.order(o), 0) }

func (p *protectionPort) Protect(entry *protectedOrder, request venues.ProtectRequest, delay time.Duration) {
	p.state.after(callProtect{orderID: entry.OrderID, request: request, delay: delay})
}

func (p *protectionPort) EndMove(entry *protectedOrder, cause error) {
	o := p.order(entry)
	if leg, is := errors.AsType[protection.LegRejected](cause); is {
		cause = rejectionOf(leg.Reason)
	} else {
		cause = venueRejection(cause)
	}
	if cause != nil {
		p.state.rejectChange(p.step, o, cause)
		return
	}
	p.state.endChange(o, nil)
}

func (p *protectionPort) RequestReconciliation() { p.state.recon.request(p.step.now) }
func (p *protectionPort) ReadPositions()         { p.state.readFunds(p.step) }

func (p *protectionPort) Ref(o *protectedOrder) venues.OrderRef { return p.state.ids.ref(p.order(o)) }

func (p *protectionPort) Order(id string) *protectedOrder {
	if o, known := p.state.orders[id]; known {
		return &o.protectedOrder
	}
	return nil
}

func (p *protectionPort) Live() iter.Seq[*protectedOrder] { return p.live }

func (p *protectionPort) Position(symbol string, side venues.PositionSide) protection.Position {
	key := venues.Position{Symbol: symbol, Side: side}
	_, isListed := p.state.positions.Find(key.Key())
	return protection.Position{IsListed: isListed, Qty: p.state.positions.Qty(symbol, side)}
}

func (p *protectionPort) MaxMarketQty(symbol string) venues.Optional {
	return p.step.maxMarketQty(symbol)
}

// relinkProtection rebuilds the brackets of the orders that were read from the store.
func (s *state) relinkProtection(step stepContext) {
	orders := s.allInOrder()
	all := make([]*protectedOrder, 0, len(orders))
	for _, o := range orders {
		all = append(all, &o.protectedOrder)
	}
	s.protection(step).Relink(all)
}

// legChanged applies a change of a leg to its entry, if the entry is in memory.
func (s *state) legChanged(step stepContext, leg *order) {
	entry, known := s.orders[leg.EntryOrderID]
	if !known {
		return
	}
	wasLeg := s.protection(step).LegChanged(&entry.protectedOrder, &leg.protectedOrder)
	if wasLeg && entry.Move != nil {
		s.markDirty(entry)
		s.advanceChange(step, entry)
	}
	s.watch(entry)
}

// protectAgain places another order for one that protects a position, whose outcome is unknown
// and which the venue does not list. Both reduce the position only, so that they cannot close
// more than is open; the first is cancelled if it appears after the other is live.
func (s *state) protectAgain(step stepContext, o *order) {
	if entry := s.orders[o.EntryOrderID]; entry != nil {
		s.protection(step).LegNotFound(&entry.protectedOrder, &o.protectedOrder)
		s.watch(entry)
		return
	}
	before := s.orders[o.Replaces]
	isRepeated := before != nil && before.Status == venues.StatusUnknown
	if o.isProtectiveReplacement() && o.ReplacedBy == "" && !o.Withdrawn && !isRepeated {
		next := s.placeSuccessor(step, o, o.OrderSpec, o.waiters)
		o.waiters, o.replyDue = nil, time.Time{}
		s.journalOrder(step, o, "placed_again", persistence.JournalField{Name: "order", Value: next.OrderID})
		s.markDirty(o)
	}
}

// isProtectiveReplacement reports whether the order replaces a stop that protected a position
// until this service cancelled it.
func (o *order) isProtectiveReplacement() bool {
	return o.Replaces != "" && o.ReduceOnly && o.Type.IsStop()
}

// resolveRepeated keeps one of an order of unknown outcome and the order that was placed for it
// again: the first is cancelled once the other is live, the other once the first has executed.
func (s *state) resolveRepeated(step stepContext, o *order) {
	isPlaced := o.Status.IsActive() || o.FilledQty.IsPositive()
	if before := s.orders[o.Replaces]; before != nil && isPlaced && !before.Withdrawn {
		s.withdraw(step, before)
	}
	if next := s.orders[o.ReplacedBy]; next != nil && o.Status != venues.StatusReplaced && o.FilledQty.IsPositive() && !next.Withdrawn {
		s.withdraw(step, next)
	}
}

// withdrawRepeated cancels orders again that were placed again and whose cancel has failed.
func (s *state) withdrawRepeated(step stepContext) {
	for _, o := range s.unfinished() {
		if o.Withdrawn && o.ReplacedBy != "" && o.change.kind == venues.PendingNone {
			s.withdraw(step, o)
		}
	}
}

// resumeProtection continues, after the first reconciliation, the protection that was in force
// when the account ended.
func (s *state) resumeProtection(step stepContext) {
	p := s.protection(step)
	for _, o := range s.allInOrder() { // also the idle ones: a move may have removed the last leg
		if o.Move != nil && o.Move.NeedsResume() {
			p.ResumeMove(&o.protectedOrder)
		}
	}
	for _, o := range s.liveInOrder() {
		p.Resume(&o.protectedOrder)
		s.watch(o)
	}
}

// updateStops updates the triggers on the position that an entry has opened, and publishes the
// position.
func (s *state) updateStops(step stepContext, o *order) {
	before, isOpen := s.positions.Find(o.ProtectedPosition())
	if !isOpen {
		return
	}
	if p := s.protection(step).UpdateTriggers(&o.protectedOrder, before); !position.Equal(&before, &p) {
		s.positions.SetTriggers(p)
		s.after(publishPosition{p})
	}
}

// adoptLeg links an order that the venue made to protect an entry of ours to the entry.
func (s *state) adoptLeg(step stepContext, leg *order, r *venues.ExecutionReport) {
	var named *protectedOrder
	if entry := s.byClient[r.Attachment.EntryClientID]; entry != nil {
		named = &entry.protectedOrder
	}
	if entry := s.protection(step).AdoptLeg(&leg.protectedOrder, r, named); entry != nil {
		s.journalOrder(step, leg, "attached", persistence.JournalField{Name: "entry", Value: entry.OrderID})
	}
}
