package channel_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"venuegate/actors/actortest"
	"venuegate/actors/channel"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// killAccount is an account that may have a long position and its stop loss. One of its calls
// kills the process, before it is carried out or after it, without an answer.
type killAccount struct {
	*account
	killAt    int
	afterward bool

	mu      sync.Mutex
	calls   int
	killed  bool
	elapsed time.Duration
	begun   time.Time
	// left is the store as the kill has left it.
	left *storetest.Memory
	// withdraw cancels the stop loss, as the account does a second after the close.
	withdraw func()
}

// reached carries out one call, and does not return if it kills the process or the process is
// dead.
func (k *killAccount) reached(ctx context.Context, carryOut func()) error {
	k.mu.Lock()
	k.calls++
	isDead := k.killed
	k.killed = k.killed || k.calls == k.killAt
	isKilled := k.killed
	if isKilled && !isDead {
		k.elapsed = time.Since(k.begun)
	}
	k.mu.Unlock()
	if !isDead && (!isKilled || k.afterward) {
		carryOut()
	}
	if isKilled && !isDead {
		k.left = k.account.store.Crash(k.account.store.Committed())
	}
	if isKilled {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func (k *killAccount) Place(ctx context.Context, o venues.PlaceOrder) (order venues.Order, err error) {
	if dead := k.reached(ctx, func() {
		if open, _, _ := k.account.Positions(ctx, venues.ReadAccount{}); len(open) > 0 && open[0].Side != o.Side.Opens() {
			err = errOpposite
			return
		}
		if order, err = k.account.Place(ctx, o); err == nil {
			k.set(venues.Position{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: o.Side.Opens(), Qty: o.Qty})
		}
	}); dead != nil {
		return venues.Order{}, dead
	}
	return order, err
}

func (k *killAccount) Close(ctx context.Context, c venues.ClosePosition) (order venues.Order, err error) {
	if dead := k.reached(ctx, func() {
		if order, err = k.account.Close(ctx, c); err == nil {
			k.withdrawIfFlat()
		}
	}); dead != nil {
		return venues.Order{}, dead
	}
	return order, err
}

func (k *killAccount) CancelAll(ctx context.Context, c venues.CancelOrders) (results []venues.CancelResult, err error) {
	if dead := k.reached(ctx, func() { results, err = k.account.CancelAll(ctx, c) }); dead != nil {
		return nil, dead
	}
	return results, err
}

func (k *killAccount) Positions(ctx context.Context, q venues.ReadAccount) (list []venues.Position, failures []venues.VenueFailure, err error) {
	if dead := k.reached(ctx, func() { list, failures, err = k.account.Positions(ctx, q) }); dead != nil {
		return nil, nil, dead
	}
	return list, failures, err
}

func (k *killAccount) UnfinishedOrders(ctx context.Context, customer string, exchange venues.Venue) (list []persistence.OrderRecord, err error) {
	if dead := k.reached(ctx, func() { list, err = k.account.UnfinishedOrders(ctx, customer, exchange) }); dead != nil {
		return nil, dead
	}
	return list, err
}

func (k *killAccount) set(p venues.Position) {
	k.account.mu.Lock()
	defer k.account.mu.Unlock()
	k.account.positions = []venues.Position{p}
}

// withdrawIfFlat cancels the stop loss of a position that is closed.
func (k *killAccount) withdrawIfFlat() {
	k.account.mu.Lock()
	defer k.account.mu.Unlock()
	if len(k.account.positions) == 0 {
		time.AfterFunc(time.Second, k.withdraw)
	}
}

// openKilled opens a channel on a store with a killAccount.
func openKilled(kit *actortest.Kit, store *storetest.Memory, k *killAccount, record persistence.Channel, before ...persistence.Record) *harness {
	h := openWith(kit, store, record, func(a *account) channel.Executor {
		if k.account != nil {
			a.positions, a.closes, a.orders = k.account.positions, k.account.closes, k.account.orders
		}
		k.account = a
		return channel.Live{Trader: k, Reader: k}
	}, before...)
	k.begun, k.withdraw = time.Now(), func() {
		_ = h.store.Commit(context.Background(), persistence.Batch{Fence: h.fence, Puts: []persistence.Record{leg(venues.StatusCancelled)}})
	}
	return h
}

// callsMax is more than the calls of any act.
const callsMax = 50

// signalAct is what a channel does for one signal.
type signalAct struct {
	policy persistence.OppositePolicy
	signal func(*venues.Signal)
	// long is the open position before it, closes are the filled quantities of the closes.
	long   string
	closes []string
	// orders is the number of orders, and open the position in the end.
	orders int
	open   string
}

var signalActs = map[string]signalAct{
	"order":              {signal: func(*venues.Signal) {}, orders: 1, open: "long 0.5"},
	"reverse":            {policy: persistence.OppositeReverse, signal: sells, long: "1", orders: 2, open: "short 0.5"},
	"reverse in parts":   {policy: persistence.OppositeReverse, signal: sells, long: "1", closes: []string{"0.4", "0.6"}, orders: 3, open: "short 0.5"},
	"opposite is closed": {policy: persistence.OppositeClose, signal: sells, long: "1", orders: 1},
	"opposite is closed in parts": {
		policy: persistence.OppositeClose, signal: sells, long: "1", closes: []string{"0.4", "0.5", "0.1"}, orders: 3,
	},
	"close":      {signal: func(s *venues.Signal) { s.Action = venues.ActionClose }, long: "1", orders: 1},
	"cancel all": {signal: func(s *venues.Signal) { s.Action = venues.ActionCancelAll }},
}

func sells(s *venues.Signal) { s.Side = venues.Sell }

// A channel is killed at each request and reading of its acts. The next start completes the act:
// each order is placed once, and a position is closed, with its protection gone, before the other
// side is opened.
func TestKillWithinASignal(t *testing.T) {
	for name, act := range signalActs {
		for afterward, when := range map[bool]string{false: "before the call", true: "after the call"} {
			for killAt, more := 1, true; more && killAt <= callsMax; killAt++ {
				t.Run(fmt.Sprintf("%s/%s/%d", name, when, killAt), func(t *testing.T) {
					more = act.killed(t, killAt, afterward)
				})
			}
		}
	}
}

// killed reports whether the act has a call with the number killAt.
func (act *signalAct) killed(t *testing.T, killAt int, afterward bool) bool {
	k := &killAccount{killAt: killAt, afterward: afterward}
	record := webhook(func(c *persistence.Channel) { c.Rules.Opposite = act.policy })
	var signalID string
	actortest.Run(t, func(kit *actortest.Kit) {
		h := openKilled(kit, storetest.NewMemory(), k, record)
		if act.long != "" {
			if err := h.store.Commit(context.Background(), persistence.Batch{Fence: h.fence, Puts: []persistence.Record{leg(venues.StatusUntriggered)}}); err != nil {
				t.Fatal(err)
			}
			k.account.closes = slices.Clone(act.closes)
			k.set(venues.Position{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal(act.long)})
		}
		signalID = h.mustAccept(order("r-1", act.signal)).SignalID
		kit.Advance(10 * time.Second)
		if !k.killed {
			act.check(h, k, signalID)
		}
	}, actortest.ExpectFailures())
	if !k.killed || t.Failed() {
		return false
	}
	k.killed, k.killAt = false, 0
	actortest.Run(t, func(kit *actortest.Kit) {
		kit.Advance(k.elapsed)
		h := openKilled(kit, k.left, k, record)
		k.withdrawIfFlat() // as the account does after its own restart
		kit.Advance(20 * time.Second)
		act.check(h, k, signalID)
	})
	return true
}

// check checks the end of the act.
func (act *signalAct) check(h *harness, k *killAccount, signalID string) {
	h.kit.T.Helper()
	r := h.record(signalID)
	unfinished, err := h.store.UnfinishedOrders(context.Background(), "c1", venues.Binance)
	if r.Status != persistence.SignalDone || err != nil || len(unfinished) != 0 || k.account.orders != act.orders {
		h.kit.T.Errorf("signal %s with orders %v, %d unfinished orders (%v), %d orders in all, want %s, none, %d",
			r.Status, r.OrderIDs, len(unfinished), err, k.account.orders, persistence.SignalDone, act.orders)
	}
	open := ""
	for _, p := range k.account.positions {
		open += fmt.Sprintf("%s %s", p.Side, p.Qty)
	}
	if open != act.open {
		h.kit.T.Errorf("open position = %q, want %q", open, act.open)
	}
}
