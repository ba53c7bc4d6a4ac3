package okxsim

import (
	"maps"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"venuegate/venues/simcore"
)

// legKind is the role of a conditional order of the exchange within an algo order.
type legKind string

const (
	legTrigger    legKind = ""
	legStopLoss   legKind = "sl"
	legTakeProfit legKind = "tp"
)

// Types and states of algo orders.
const (
	algoConditional = "conditional"
	algoOCO         = "oco"
	algoTrigger     = "trigger"
	algoTrailing    = "move_order_stop"

	algoLive      = "live"
	algoEffective = "effective"
	algoCanceled  = "canceled"
	algoFailed    = "order_failed"
)

// algo is one algo order: one conditional order of the exchange, or two of
// which the first that triggers cancels the other.
type algo struct {
	book    *algoBook
	arg     algoArg
	account string
	posSide simcore.PositionSide
	qty     decimal.Decimal

	// The lock of the algo book guards the rest.
	id          int64
	legs        map[int64]legKind
	open        int
	state       string
	actual      legKind
	fired       bool
	orderID     int64
	failCode    string
	amendResult string
	reqID       string
	createdAt   time.Time
	updatedAt   time.Time
	triggeredAt time.Time
}

// algosMax bounds how many ended algo orders are kept.
const algosMax = 50_000

// algoBook combines the exchange's conditional orders into the venue's algo orders.
// The exchange calls it under its own lock, so calls of the exchange are deferred to
// settle.
type algoBook struct {
	sim *Sim

	mu      sync.Mutex
	byID    map[int64]*algo
	live    map[int64]*algo
	history []*algo
	due     []func()
	// unsaved is collected only where the state is kept.
	keepsState bool
	unsaved    map[*algo]bool
}

func newAlgoBook(s *Sim) *algoBook {
	return &algoBook{
		sim: s, byID: map[int64]*algo{}, live: map[int64]*algo{}, keepsState: s.options.StateDir != "", unsaved: map[*algo]bool{},
	}
}

// settle follows up on the latest events: it cancels the other leg of triggered algo
// orders and places the stops attached to filled orders.
func (d *algoBook) settle() {
	for {
		d.mu.Lock()
		due := d.due
		d.due = nil
		d.mu.Unlock()
		if len(due) == 0 {
			return
		}
		for _, do := range due {
			do()
		}
	}
}

// orderChanged schedules the attached stops of an order that has ended with a fill.
func (d *algoBook) orderChanged(event *simcore.OrderEvent) {
	o, detail := event.Order, detailOf(&event.Order)
	if o.Status.Open() || len(detail.stops()) == 0 || o.FilledQty().IsZero() {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.due = append(d.due, func() {
		for _, attached := range detail.stops() {
			if failed := d.sim.activate(&o, attached); failed != nil {
				d.sim.Log.Info("attached stop was not placed", zap.Int64("order", o.ID), zap.String("code", failed.code))
			}
		}
	})
}

// legChanged follows a conditional order of the exchange.
func (d *algoBook) legChanged(c *simcore.Conditional) {
	detail, ok := c.Request.Detail.(*orderDetail)
	if !ok || detail.algo == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	a, before := detail.algo, detail.algo.state
	a.follow(c, detail.leg)
	d.touch(a)
	if a.state == before {
		return
	}
	if before == "" {
		d.record(a)
	}
	if a.state == algoLive {
		d.live[a.id] = a
	} else {
		delete(d.live, a.id)
	}
	d.sim.hub.algoChanged(a.account, a.body())
}

// follow updates an algo order from the state of one leg. The lock is held.
func (a *algo) follow(c *simcore.Conditional, leg legKind) {
	a.updatedAt = c.UpdatedAt
	switch c.Status {
	case simcore.ConditionalWaiting:
		if a.id == 0 {
			a.id, a.state, a.createdAt = c.ID, algoLive, c.CreatedAt
		}
		if _, known := a.legs[c.ID]; !known {
			a.legs[c.ID] = leg
			a.open++
		}
	case simcore.ConditionalTriggering:
		a.fired, a.actual, a.triggeredAt = true, leg, c.TriggeredAt
		a.cancelOthers(c.ID)
	case simcore.ConditionalTriggered:
		a.state, a.orderID = algoEffective, c.OrderID
	case simcore.ConditionalRejected:
		a.state, a.failCode = algoFailed, errorOf(&simcore.Rejection{Reason: c.Rejected}).code
	case simcore.ConditionalCancelled, simcore.ConditionalExpired:
		a.open--
		if a.open == 0 && a.state == algoLive {
			a.state = algoCanceled
		}
	case simcore.ConditionalFinished:
	}
}

func (a *algo) cancelOthers(id int64) {
	for other := range a.legs {
		if other == id {
			continue
		}
		a.book.due = append(a.book.due, func() { a.book.cancelLeg(a.account, other) })
	}
}

// cancelLeg cancels a conditional order, unless it has ended already.
func (d *algoBook) cancelLeg(account string, id int64) bool {
	_, err := d.sim.Exchange().CancelConditional(account, simcore.OrderRef{ID: id})
	return err == nil
}

func (d *algoBook) record(a *algo) {
	d.byID[a.id] = a
	d.history = append(d.history, a)
	if len(d.history) < 2*algosMax {
		return
	}
	kept := make([]*algo, 0, algosMax)
	for i, old := range d.history {
		if i >= len(d.history)-algosMax || old.state == algoLive {
			kept = append(kept, old)
			continue
		}
		delete(d.byID, old.id)
	}
	d.history = kept
}

// idOf returns the venue's id of an algo order.
func (d *algoBook) idOf(a *algo) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return a.id
}

// hasLive reports whether an account has live algo orders in a symbol.
func (d *algoBook) hasLive(account, symbol string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.liveOf(account, func(a *algo) bool { return a.arg.InstID == symbol })) > 0
}

// liveOf returns the live algo orders of an account that keep accepts, oldest first.
// The lock is held.
func (d *algoBook) liveOf(account string, keep func(*algo) bool) []*algo {
	var found []*algo
	for _, a := range d.live {
		if a.account == account && keep(a) {
			found = append(found, a)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].id < found[j].id })
	return found
}

// list returns the algo orders of an account that keep accepts, newest first.
func (d *algoBook) list(account string, keep func(*algo) bool) []algoBody {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := []algoBody{}
	for _, a := range slices.Backward(d.history) {
		if a.account == account && keep(a) {
			found = append(found, a.body())
		}
	}
	return found
}

// find returns an algo order by the venue's id or, without one, the newest with a
// client's id.
func (d *algoBook) find(account string, id int64, clientID string) *algo {
	d.mu.Lock()
	defer d.mu.Unlock()
	if id != 0 {
		if a := d.byID[id]; a != nil && a.account == account {
			return a
		}
		return nil
	}
	for _, a := range slices.Backward(d.history) {
		if a.account == account && a.arg.AlgoClOrdID == clientID {
			return a
		}
	}
	return nil
}

// hasTriggered reports whether an algo order has triggered.
func (d *algoBook) hasTriggered(a *algo) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return a.fired
}

// cancel cancels all legs of an algo order. It returns false where it is not live.
func (d *algoBook) cancel(a *algo) bool {
	d.mu.Lock()
	ids := slices.Collect(maps.Keys(a.legs))
	live := a.state == algoLive && !a.fired
	d.mu.Unlock()
	done := false
	for _, id := range ids {
		done = live && d.cancelLeg(a.account, id) || done
	}
	return done
}
