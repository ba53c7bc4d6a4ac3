package channel_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"venuegate/actors/actortest"
	"venuegate/actors/channel"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// killAccount is an account with a long position and its stop loss. One of its calls kills
// the process, before it is carried out or after it, without an answer.
type killAccount struct {
	*account
	killAt    int
	afterward bool

	mu      sync.Mutex
	calls   int
	killed  bool
	elapsed time.Duration
	begun   time.Time
	// withdrawn is called when the account cancels the stop loss, a second after the close.
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
			k.set(venues.Position{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Short, Qty: o.Qty})
		}
	}); dead != nil {
		return venues.Order{}, dead
	}
	return order, err
}

func (k *killAccount) Close(ctx context.Context, c venues.ClosePosition) (order venues.Order, err error) {
	if dead := k.reached(ctx, func() {
		if order, err = k.account.Close(ctx, c); err == nil {
			time.AfterFunc(time.Second, k.withdraw)
		}
	}); dead != nil {
		return venues.Order{}, dead
	}
	return order, err
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

// openKilled opens a channel on a store with a killAccount.
func openKilled(kit *actortest.Kit, store *storetest.Memory, k *killAccount, before ...persistence.Record) *harness {
	h := openWith(kit, store, webhook(reversing), func(a *account) channel.Executor {
		positions := a.positions
		if k.account != nil {
			positions, a.orders = k.account.positions, k.account.orders
		}
		a.positions, k.account = positions, a
		return channel.Live{Trader: k, Reader: k}
	}, before...)
	k.begun, k.withdraw = time.Now(), func() {
		_ = h.store.Commit(context.Background(), persistence.Batch{Fence: h.fence, Puts: []persistence.Record{leg(venues.StatusCancelled)}})
	}
	return h
}

// A reverse is killed at each of its requests and readings. The next start completes it: the
// position is closed once, its protection is gone, and the other side is opened once.
func TestKillWithinAReverse(t *testing.T) {
	for afterward, name := range map[bool]string{false: "before the call", true: "after the call"} {
		for killAt, more := 1, true; more; killAt++ {
			t.Run(fmt.Sprintf("%s/%d", name, killAt), func(t *testing.T) {
				more = killReverse(t, killAt, afterward)
			})
		}
	}
}

// killReverse reports whether the reverse has a call with the number killAt.
func killReverse(t *testing.T, killAt int, afterward bool) bool {
	k := &killAccount{killAt: killAt, afterward: afterward}
	var store *storetest.Memory
	var signalID string
	actortest.Run(t, func(kit *actortest.Kit) {
		h := openKilled(kit, storetest.NewMemory(), k, leg(venues.StatusUntriggered))
		k.set(venues.Position{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")})
		signalID = h.mustAccept(order("r-1", func(s *venues.Signal) { s.Side = venues.Sell })).SignalID
		kit.Advance(5 * time.Second)
		if k.killed {
			store = h.store.Crash(h.store.Committed())
			return
		}
		wantReversed(h, k, signalID)
	}, actortest.ExpectFailures())
	if store == nil || t.Failed() {
		return false
	}
	k.killed, k.killAt = false, 0
	actortest.Run(t, func(kit *actortest.Kit) {
		kit.Advance(k.elapsed)
		h := openKilled(kit, store, k)
		k.withdrawAgain()
		kit.Advance(20 * time.Second)
		wantReversed(h, k, signalID)
	})
	return true
}

// withdrawAgain cancels the stop loss of a position that is closed, as the account does after
// its own restart.
func (k *killAccount) withdrawAgain() {
	if len(k.account.positions) == 0 {
		time.AfterFunc(time.Second, k.withdraw)
	}
}

func wantReversed(h *harness, k *killAccount, signalID string) {
	h.kit.T.Helper()
	r := h.record(signalID)
	open, err := h.store.UnfinishedOrders(context.Background(), "c1", venues.Binance)
	if r.Status != persistence.SignalDone || len(r.OrderIDs) == 0 || err != nil || len(open) != 0 || k.account.orders != 2 {
		h.kit.T.Errorf("signal %s with orders %v, %d open orders (%v), %d orders in all, want %s, none, 2",
			r.Status, r.OrderIDs, len(open), err, k.account.orders, persistence.SignalDone)
	}
	if p := k.account.positions; len(p) != 1 || p[0].Side != venues.Short || !p[0].Qty.Equal(venues.MustDecimal("0.5")) {
		h.kit.T.Errorf("positions = %+v, want 0.5 short", p)
	}
}
