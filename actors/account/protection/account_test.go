package protection_test

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/protection"
	"venuegate/persistence"
	"venuegate/venues"
)

// account implements protection.Account with orders in memory. The test takes the part of the
// venue. Every action is one step, which ends like those of the real account.
type account struct {
	t      testing.TB
	keeper protection.Keeper

	orders map[string]*protection.Order
	lastID int
	dirty  []*protection.Order
	// placed are the orders that the current action has placed.
	placed []*protection.Order
	// listed are the keys of the positions on the venue's list, closedElsewhere is the
	// quantity of BTCUSDT that was closed elsewhere.
	listed          map[string]bool
	closedElsewhere decimal.Decimal
	maxMarketQty    venues.Optional

	alarms     []string
	requests   []venues.ProtectRequest
	ended      []error
	queried    []*protection.Order
	reconciles int
	reads      int
}

// attaching are the rules of a venue that attaches protection.
var attaching = protection.Rules{Attached: true}

func newAccount(t testing.TB, rules protection.Rules) *account {
	rules.Policy, rules.RequestLife = rules.Policy.OrDefault(), 5*time.Second
	rules.IsOurs = func(clientOrderID string) bool { return strings.HasPrefix(clientOrderID, "ours") }
	a := &account{t: t, orders: map[string]*protection.Order{}, listed: map[string]bool{}}
	a.keeper = protection.Keeper{Rules: rules, Account: a, Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	return a
}

func (a *account) MarkDirty(o *protection.Order) {
	if !slices.Contains(a.dirty, o) {
		a.dirty = append(a.dirty, o)
	}
}

func (a *account) Alarm(_ *protection.Order, kind, _, _ string) { a.alarms = append(a.alarms, kind) }

func (a *account) Place(entry *protection.Order, kind venues.LegKind, spec venues.OrderSpec) *protection.Order {
	spec.Symbol, spec.Side = entry.Symbol, entry.Side.Opposite()
	o := a.add("ours", spec)
	o.EntryOrderID, o.Protects, o.Status = entry.OrderID, kind, venues.StatusPending
	a.placed = append(a.placed, o)
	return o
}

func (a *account) Withdraw(o *protection.Order) {
	o.Withdrawn, o.PendingAction, o.Move = true, venues.PendingCancel, nil
	a.MarkDirty(o)
}

func (a *account) Query(o *protection.Order) { a.queried = append(a.queried, o) }

func (a *account) Protect(_ *protection.Order, r venues.ProtectRequest, _ time.Duration) {
	a.requests = append(a.requests, r)
}

func (a *account) EndMove(entry *protection.Order, cause error) {
	entry.Move, entry.PendingAction = nil, venues.PendingNone
	a.ended = append(a.ended, cause)
	a.MarkDirty(entry)
}

func (a *account) RequestReconciliation() { a.reconciles++ }
func (a *account) ReadPositions()         { a.reads++ }

func (a *account) Ref(o *protection.Order) venues.OrderRef {
	return venues.OrderRef{Symbol: o.Symbol, ClientOrderID: o.ClientOrderID, VenueOrderID: o.VenueOrderID}
}

func (a *account) Order(id string) *protection.Order { return a.orders[id] }

func (a *account) Live() iter.Seq[*protection.Order] {
	return func(yield func(*protection.Order) bool) {
		for _, o := range a.orders {
			if o.Unfinished() && !yield(o) {
				return
			}
		}
	}
}

func (a *account) Position(symbol string, side venues.PositionSide) protection.Position {
	open := a.closedElsewhere.Neg()
	for _, o := range a.orders {
		if o.Side.Opens() == side && !o.ReduceOnly {
			open = open.Add(o.FilledQty)
		} else {
			open = open.Sub(o.FilledQty)
		}
	}
	key := venues.Position{Symbol: symbol, Side: side}
	return protection.Position{IsListed: a.listed[key.Key()], Qty: decimal.Max(decimal.Zero, open)}
}

func (a *account) MaxMarketQty(string) venues.Optional { return a.maxMarketQty }

// do runs one step and ends it: changed legs are applied to their entries.
func (a *account) do(action func(k *protection.Keeper)) {
	action(&a.keeper)
	for i := 0; i < len(a.dirty); i++ {
		o := a.dirty[i]
		a.settle(o)
		a.keeper.EndIfFlat(o)
		if entry := a.orders[o.EntryOrderID]; entry != nil && a.keeper.LegChanged(entry, o) {
			a.settle(entry)
		}
	}
	a.dirty = nil
}

func (a *account) settle(o *protection.Order) {
	if o.Move != nil && (protection.IsChangeable(&o.Order) || o.Move.OnlyRemoves()) {
		a.keeper.EndMoveIfDone(o)
	}
}

// pass advances the time and returns the orders that were placed.
func (a *account) pass(d time.Duration) []*protection.Order {
	a.placed = nil
	for end := a.keeper.Now.Add(d); ; {
		next := end
		for _, o := range a.orders {
			if due := o.Bracket.Due(); !due.IsZero() && due.Before(next) {
				next = due
			}
		}
		if next.After(a.keeper.Now) {
			a.keeper.Now = next
		}
		for _, id := range slices.Sorted(maps.Keys(a.orders)) {
			if o := a.orders[id]; !o.Bracket.Due().IsZero() && !a.keeper.Now.Before(o.Bracket.Due()) {
				a.do(func(k *protection.Keeper) { k.Tick(o) })
			}
		}
		if next.Equal(end) && !slices.ContainsFunc(slices.Collect(maps.Values(a.orders)), func(o *protection.Order) bool {
			due := o.Bracket.Due()
			return !due.IsZero() && !due.After(end)
		}) {
			return a.placed
		}
	}
}

// restart replaces the orders by what an account loads from the store after a crash: without
// their brackets, and without those that are finished.
func (a *account) restart() {
	open := a.Position("BTCUSDT", venues.Long).Qty
	for id, o := range a.orders {
		if !o.Unfinished() {
			delete(a.orders, id)
			continue
		}
		*o = protection.Order{
			OrderRecord: o.OrderRecord, FilledAt: o.FilledAt, Credited: o.FilledQty,
			Triggered: o.Status == venues.StatusOpen || o.FilledQty.IsPositive(),
			Withdrawn: o.PendingAction == venues.PendingCancel,
		}
	}
	a.closedElsewhere = a.closedElsewhere.Add(a.Position("BTCUSDT", venues.Long).Qty.Sub(open))
	a.do(func(k *protection.Keeper) {
		var orders []*protection.Order
		for _, id := range slices.Sorted(maps.Keys(a.orders)) {
			orders = append(orders, a.orders[id])
		}
		k.Relink(orders)
		for _, o := range orders {
			k.Resume(o)
		}
	})
}

func (a *account) add(client string, spec venues.OrderSpec) *protection.Order {
	a.lastID++
	o := &protection.Order{OrderRecord: persistence.OrderRecord{Order: venues.Order{
		OrderID: fmt.Sprintf("ord_%02d", a.lastID), OrderSpec: spec, CreatedAt: venues.At(a.keeper.Now),
	}}}
	if client != "" {
		o.ClientOrderID = fmt.Sprintf("%s-%02d", client, a.lastID)
	}
	a.orders[o.OrderID] = o
	return o
}

// dec parses a decimal.
func dec(text string) decimal.Decimal { return venues.MustDecimal(text) }

func some(text string) venues.Optional { return venues.Some(dec(text)) }

// protectedOrder buys one BTC at 60000, with a stop loss at 58000 and a take profit at
// 65000.
func protectedOrder() venues.OrderSpec {
	return venues.OrderSpec{
		Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeLimit, Qty: dec("1"), Price: some("60000"),
		StopLoss: some("58000"), TakeProfit: some("65000"),
	}
}

// open adds an entry that rests at the venue.
func (a *account) open(spec venues.OrderSpec) *protection.Order {
	o := a.add("ours", spec)
	o.Protection, o.Status = protection.Plan(&spec), venues.StatusOpen
	return o
}

// fill executes a part of an order.
func (a *account) fill(o *protection.Order, qty string) {
	a.do(func(k *protection.Keeper) {
		o.FilledQty, o.FilledAt = o.FilledQty.Add(dec(qty)), k.Now
		a.MarkDirty(o)
		k.Filled(o)
		o.Status = venues.StatusPartiallyFilled
		if o.FilledQty.Equal(o.Qty) {
			a.close(o, venues.StatusFilled)
		}
	})
}

func (a *account) close(o *protection.Order, status venues.OrderStatus) {
	o.Status, o.PendingAction = status, venues.PendingNone
	if o.FilledQty.IsPositive() && o.Type.IsStop() {
		o.Triggered = true
	}
	a.MarkDirty(o)
}

// fillEntry opens a protected order and fills some of it.
func (a *account) fillEntry(qty string) *protection.Order {
	o := a.open(protectedOrder())
	a.fill(o, qty)
	return o
}

// protectedEntry is fillEntry with both legs live and the position listed.
func (a *account) protectedEntry(qty string) (o *protection.Order, legs []*protection.Order) {
	a.t.Helper()
	o = a.fillEntry(qty)
	a.list(true)
	legs = a.pass(time.Second)
	if len(legs) != 2 {
		a.t.Fatalf("%d legs, want 2", len(legs))
	}
	a.accept(legs...)
	return o, legs
}

// accept makes legs live.
func (a *account) accept(legs ...*protection.Order) {
	for _, leg := range legs {
		a.do(func(*protection.Keeper) { leg.Status = venues.StatusUntriggered; a.MarkDirty(leg) })
	}
}

// reject ends an order that the venue does not accept.
func (a *account) reject(o *protection.Order, reason string) {
	a.do(func(*protection.Keeper) {
		o.Error = &venues.RejectReason{Code: venues.CodeOrderRejected, Reason: reason}
		a.close(o, venues.StatusRejected)
	})
}

// cancel ends orders as cancelled.
func (a *account) cancel(orders ...*protection.Order) {
	for _, o := range orders {
		a.do(func(*protection.Keeper) { a.close(o, venues.StatusCancelled) })
	}
}

// failCancel reports that the cancel of a withdrawn order was not carried out.
func (a *account) failCancel(o *protection.Order) {
	a.do(func(*protection.Keeper) { o.PendingAction = venues.PendingNone; a.MarkDirty(o) })
}

// trigger reports that the trigger of a leg was reached.
func (a *account) trigger(leg *protection.Order) {
	a.do(func(*protection.Keeper) { leg.Status, leg.Triggered = venues.StatusOpen, true; a.MarkDirty(leg) })
}

// execute fills a leg or an exit with a quantity and ends it: as filled if that is all.
func (a *account) execute(o *protection.Order, qty string, end venues.OrderStatus) {
	a.do(func(*protection.Keeper) {
		o.FilledQty, o.FilledAt, o.Triggered = dec(qty), a.keeper.Now, true
		if o.FilledQty.Equal(o.Qty) {
			end = venues.StatusFilled
		}
		a.close(o, end)
	})
}

// executeAll fills the whole of a leg or an exit.
func (a *account) executeAll(o *protection.Order) { a.execute(o, o.Qty.String(), venues.StatusFilled) }

// list sets whether the venue lists the long position, as of now.
func (a *account) list(open bool) {
	a.listed["BTCUSDT/long"], a.keeper.PositionsAt = open, a.keeper.Now
}

// flat reports the close of the long position.
func (a *account) flat() {
	a.do(func(k *protection.Keeper) {
		a.list(false)
		a.closedElsewhere = a.Position("BTCUSDT", venues.Long).Qty.Add(a.closedElsewhere)
		k.PositionClosed("BTCUSDT/long", k.Now)
	})
}

// readPositions applies a reading of the venue's list of positions.
func (a *account) readPositions() {
	a.do(func(k *protection.Keeper) {
		k.PositionsAt = k.Now
		k.WithdrawOrphans(a.listed, k.Now)
	})
}

func (a *account) wantLegs(o *protection.Order, stop, profit venues.ProtectionStatus) {
	a.t.Helper()
	if gotStop, gotProfit := o.Protection.StopLoss.Status, o.Protection.TakeProfit.Status; gotStop != stop || gotProfit != profit {
		a.t.Fatalf("stop loss %s, take profit %s, want %s, %s", gotStop, gotProfit, stop, profit)
	}
}

func (a *account) wantWithdrawn(legs ...*protection.Order) {
	a.t.Helper()
	for _, leg := range legs {
		if leg.PendingAction != venues.PendingCancel {
			a.t.Errorf("pending action of the %s of %s = %q, want %q", leg.Protects, leg.Qty, leg.PendingAction, venues.PendingCancel)
		}
	}
}

// wantPlaced checks the sizes of the orders that were placed, in the order of kinds.
func (a *account) wantPlaced(placed []*protection.Order, sizes ...string) {
	a.t.Helper()
	var got []string
	for _, o := range placed {
		got = append(got, o.Qty.String())
	}
	if !slices.Equal(got, sizes) {
		a.t.Fatalf("sizes of the orders placed = %v, want %v", got, sizes)
	}
}

func (a *account) wantAlarms(kind string, want int) {
	a.t.Helper()
	got := 0
	for _, k := range a.alarms {
		if k == kind {
			got++
		}
	}
	if got != want {
		a.t.Fatalf("%d alarms %q, want %d", got, kind, want)
	}
}

func (a *account) wantExit(o *protection.Order, qty string) *protection.Order {
	a.t.Helper()
	exit := o.Bracket.Exit()
	if exit == nil || exit.Type != venues.TypeMarket || !exit.ReduceOnly || !exit.Qty.Equal(dec(qty)) {
		a.t.Fatalf("exit = %+v, want a reduce-only market order of %s", exit, qty)
	}
	return exit
}
