package protection

import (
	"maps"
	"slices"

	"venuegate/persistence"
	"venuegate/venues"
)

// protectTriesMax bounds how often a change of attached protection with an unknown outcome is
// sent. The request has absolute prices, so that it can be repeated.
const protectTriesMax = 3

// Move is a pending change of an entry's stop loss and take profit.
type Move struct {
	// targets has the new triggers by kind. An unknown one removes the protection of its
	// kind; a kind that is not in the map is not changed.
	targets map[venues.LegKind]venues.Optional
	// before is the protection that is restored if the change is rejected.
	before *venues.Protection
	// request is the pending request to the venue; nil if there is none.
	request *venues.ProtectRequest
	tries   int
	// needsResume is set after a restart of the account until its first reading of the venue.
	needsResume bool
}

// LegRejected is the cause of a move that ends because the venue rejected the new leg.
type LegRejected struct {
	// Reason is the error of the leg's record; it may be nil.
	Reason *venues.RejectReason
}

func (LegRejected) Error() string { return "the venue rejected the new leg" }

// NewMove returns the change of an entry's protection that a command requests. It leaves out
// kinds that already are as requested.
func NewMove(o *Order, cmd *venues.AmendOrder) *Move {
	m := &Move{targets: requestedTargets(cmd), before: o.Protection}
	maps.DeleteFunc(m.targets, o.isPlanned)
	return m
}

// Record writes the move to the amendment that is stored with its order.
func (m *Move) Record(a *persistence.Amendment) {
	stop, changesStop := m.targets[venues.LegStopLoss]
	profit, changesProfit := m.targets[venues.LegTakeProfit]
	a.StopLoss, a.DropStopLoss = stop, changesStop && !stop.Valid
	a.TakeProfit, a.DropTakeProfit = profit, changesProfit && !profit.Valid
	a.Before = m.before
}

// RestoreMove returns the move of a stored amendment, to be resumed with Keeper.ResumeMove; nil
// if the amendment changes no protection.
func RestoreMove(a *persistence.Amendment) *Move {
	targets := requestedTargets(&venues.AmendOrder{
		StopLoss: a.StopLoss, RemoveStopLoss: a.DropStopLoss, TakeProfit: a.TakeProfit, RemoveTakeProfit: a.DropTakeProfit,
	})
	if targets == nil {
		return nil
	}
	return &Move{targets: targets, before: a.Before, needsResume: true}
}

// requestedTargets returns the triggers that a command requests; nil if none.
func requestedTargets(cmd *venues.AmendOrder) map[venues.LegKind]venues.Optional {
	targets := map[venues.LegKind]venues.Optional{}
	if cmd.StopLoss.Valid || cmd.RemoveStopLoss {
		targets[venues.LegStopLoss] = cmd.StopLoss
	}
	if cmd.TakeProfit.Valid || cmd.RemoveTakeProfit {
		targets[venues.LegTakeProfit] = cmd.TakeProfit
	}
	if len(targets) == 0 {
		return nil
	}
	return targets
}

// NeedsResume reports whether the move must be resumed with Keeper.ResumeMove.
func (m *Move) NeedsResume() bool { return m.needsResume }

// OnlyRemoves reports whether the move removes protection and adds none: it can be
// completed although nothing is left to protect.
func (m *Move) OnlyRemoves() bool {
	for _, target := range m.targets {
		if target.Valid {
			return false
		}
	}
	return true
}

// CheckMove checks whether the protection of an entry can be changed by a command, apart from
// its prices.
func (k *Keeper) CheckMove(o *Order, cmd *venues.AmendOrder, mark venues.Optional) *venues.Error {
	field := "stopLoss"
	if !cmd.StopLoss.Valid && !cmd.RemoveStopLoss {
		field = "takeProfit"
	}
	switch {
	case cmd.Qty.Valid || cmd.Price.Valid || cmd.TriggerPrice.Valid:
		return venues.InvalidFields(venues.FieldError{Field: field, Rule: "not_with_other_changes", Allowed: o.inTwoRequests(cmd, mark)})
	case o.EntryOrderID != "" || o.ReduceOnly:
		return venues.InvalidFields(venues.FieldError{Field: field, Rule: "not_of_this_type"})
	case o.Bracket.closing:
		return venues.Errorf(venues.CodeOrderRejected, "the position is being closed").With("reason", "closing")
	case k.Rules.Attached && o.Bracket.placedHere && !o.Unattached && o.Status.IsActive():
		// The venue attaches legs to the next fills, at the prices that it has.
		return venues.Errorf(venues.CodeOrderRejected, "the order is partly filled and protected by the service").With("reason", "partly_filled")
	}
	return nil
}

// inTwoRequests describes how a client changes both terms and protection. Venues take them as
// two requests, of which the second may be rejected, and an answer cannot report half a
// change. Protection comes first if it is valid with the order's present terms.
func (o *Order) inTwoRequests(cmd *venues.AmendOrder, mark venues.Optional) string {
	now := o.OrderSpec
	now.StopLoss, now.TakeProfit = cmd.StopLoss, cmd.TakeProfit
	if CheckPrices(&now, mark) == nil {
		return "two requests: first stopLoss and takeProfit, then the rest"
	}
	return "two requests: first the rest, then stopLoss and takeProfit"
}

// CheckTargets checks the triggers that a command requests against the entry and the
// rules of its instrument.
func (k *Keeper) CheckTargets(o *Order, cmd *venues.AmendOrder, i *venues.Instrument, mark venues.Optional) *venues.Error {
	for kind := range requestedTargets(cmd) {
		if plan := o.Protection.Leg(kind); plan != nil && plan.Status == venues.ProtectionTriggered {
			return venues.Errorf(venues.CodeOrderRejected, "the %s was reached", kind).With("reason", "triggered")
		}
	}
	spec := o.OrderSpec
	spec.StopLoss, spec.TakeProfit = cmd.StopLoss, cmd.TakeProfit
	if o.QtyToProtect().IsPositive() { // the mark price counts from the first fill on
		spec.Price, spec.TriggerPrice = venues.Optional{}, venues.Optional{}
	}
	if err := CheckPrices(&spec, mark); err != nil {
		return err
	}
	if err := CheckLegQty(i, &spec, k.Attaches(o)); err != nil {
		return err
	}
	spec.ReduceOnly = true // its quantity was admitted before
	return i.CheckOrder(&spec, mark)
}

// StartMove carries out the move of an entry: by a request to the venue if it attaches the
// protection, else by new legs, which replace the old ones once they are live.
func (k *Keeper) StartMove(o *Order) {
	m := o.Move
	o.Unattached = k.Rules.Attached && !k.Attaches(o)
	request := k.newRequest(o)
	needsVenue := false
	for _, kind := range Kinds() {
		target, changes := m.targets[kind]
		switch {
		case !changes:
		case k.addToRequest(o, kind, &request):
			needsVenue = true
		default:
			k.setRequested(o, kind, target)
			k.moveLeg(o, kind, target)
		}
	}
	if needsVenue {
		k.send(o, &request)
	}
}

// ResumeMove continues the move of an entry after a restart. It must not be called before the
// first reading of the venue. New legs of ours are in the record already, and become live or are
// rejected like all legs. A request to the venue is sent again, because its outcome is not
// known.
func (k *Keeper) ResumeMove(o *Order) {
	m := o.Move
	m.needsResume = false
	k.Account.MarkDirty(o)
	request := k.newRequest(o)
	needsVenue := false
	for _, kind := range Kinds() {
		target, changes := m.targets[kind]
		switch {
		case !changes || o.isPlanned(kind, target):
		case k.addToRequest(o, kind, &request):
			needsVenue = true
		default: // the order of the venue has ended
			delete(m.targets, kind)
		}
	}
	switch {
	case needsVenue:
		k.send(o, &request)
	case len(m.targets) == 0:
		k.Account.EndMove(o, venues.Errorf(venues.CodeExchangeUnavailable, "there is nothing left to change"))
	}
}

func (k *Keeper) newRequest(o *Order) venues.ProtectRequest {
	return venues.ProtectRequest{Entry: k.Account.Ref(o), Side: o.Side, Deadline: k.Now.Add(k.Rules.RequestLife)}
}

// addToRequest adds a kind to a request to the venue if the venue has attached its protection,
// and reports whether it did.
func (k *Keeper) addToRequest(o *Order, kind venues.LegKind, request *venues.ProtectRequest) bool {
	current, target := o.Bracket.Current(kind), o.Move.targets[kind]
	switch {
	case current.isOpen() && !k.isOurs(current) && (target.Valid || current.keepsOtherTrigger(o.Move.targets)):
		request.Leg = k.Account.Ref(current)
	case current == nil && !k.placesLegs(o) && o.Status.IsActive(): // it is still attached to the order
	default:
		return false
	}
	request.Set(kind, target)
	return true
}

func (k *Keeper) send(o *Order, request *venues.ProtectRequest) {
	o.Move.request = request
	o.Move.tries++
	k.Account.Protect(o, *request, 0)
}

// moveLeg places or withdraws the leg of a kind, if there is something to protect.
func (k *Keeper) moveLeg(o *Order, kind venues.LegKind, target venues.Optional) {
	switch {
	case !target.Valid:
		k.withdrawKind(o, kind)
	case o.QtyToProtect().IsPositive():
		o.Bracket.placedHere = true
		k.placeLeg(o, kind, target.Decimal)
	case k.Rules.Attached:
		o.Bracket.placedHere = true // the venue's leg has ended
	}
}

// EndMoveIfDone ends the move of an entry if its new legs are live and the legs that it removes
// are closed.
func (k *Keeper) EndMoveIfDone(o *Order) {
	m := o.Move
	if m.request != nil || m.needsResume {
		return
	}
	for kind, target := range m.targets {
		plan := o.Protection.Leg(kind)
		if target.Valid && o.QtyToProtect().IsPositive() && plan != nil && plan.Status == venues.ProtectionPending {
			return
		}
		if !target.Valid && slices.ContainsFunc(o.Bracket.legs[kind], (*Order).isOpen) {
			return
		}
	}
	k.Account.EndMove(o, nil)
}
