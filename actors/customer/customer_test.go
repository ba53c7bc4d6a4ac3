package customer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/actors/actortest"
	"venuegate/actors/customer"
	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// lines encodes a message as a readable line.
type lines struct{}

func (lines) AppendOrders(dst []byte, m *venues.OrdersMessage) []byte {
	var ids []string
	for _, o := range m.Orders {
		ids = append(ids, o.OrderID+"="+string(o.Status))
	}
	return fmt.Appendf(dst, "%s %d %s", m.Type, m.Seq, strings.Join(ids, ","))
}

func (lines) AppendPositions(dst []byte, m *venues.PositionsMessage) []byte {
	return fmt.Appendf(dst, "%s %d %d positions", m.Type, m.Seq, len(m.Positions))
}

func (lines) AppendAccount(dst []byte, m *venues.AccountMessage) []byte {
	return fmt.Appendf(dst, "%s %d %d balances", m.Type, m.Seq, len(m.Balances))
}

// listener keeps the frames that it receives.
type listener struct {
	mu     sync.Mutex
	frames []string
}

func (l *listener) Deliver(f venues.Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.frames = append(l.frames, string(f.Bytes))
}

func (l *listener) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.Join(l.frames, "; ")
	l.frames = nil
	return text
}

// inert is an account that does nothing, and whose stop takes a given time.
type inert struct {
	pool     *actors.Pool
	stopTime time.Duration
}

func (i inert) Started(ctx *actors.Context) {
	_ = ctx.Go(i.pool, func(context.Context) any { time.Sleep(i.stopTime); return nil })
}
func (inert) Receive(*actors.Context, any) {}

// scribe records when it runs, and under which name.
type scribe struct {
	inert
	home *home
	name string
}

func (s scribe) Started(ctx *actors.Context) {
	s.home.note(s.name + " begins")
	s.inert.Started(ctx)
}
func (s scribe) Stopping(*actors.Context) { s.home.note(s.name + " ends") }

func (h *home) note(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, text)
}

func (h *home) noted() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.events, ", ")
}

type home struct {
	mu      sync.Mutex
	events  []string
	kit     *actortest.Kit
	store   *storetest.Memory
	client  customer.Client
	updates customer.Updates
	opened  []string
	closed  []string
	// follows makes children follow another version of their record while they run.
	follows bool
	// stopTime is the duration of an account's stop.
	stopTime time.Duration
	// loaded counts the calls of Deps.Loaded.
	loaded atomic.Int32
}

func start(kit *actortest.Kit) *home { return startWith(kit, func(*storetest.Memory) {}) }

// startWith starts the customer on a prepared store.
func startWith(kit *actortest.Kit, prepare func(*storetest.Memory)) *home {
	h := &home{kit: kit, store: storetest.NewMemory()}
	prepare(h.store)
	log := journal.NewClient(h.store)
	pool := kit.System.NewPool("inert", 2, 8)
	ref := kit.Start(customer.Child(customer.Deps{
		ID: "c1", Store: h.store, Journal: log, Encoder: lines{}, Pool: kit.System.NewPool("store", 2, 8),
		OpenAccount: func(fence persistence.Fence, a persistence.VenueAccount, u customer.Updates) (actors.Child, error) {
			h.opened = append(h.opened, fmt.Sprintf("%s@%d", a.Exchange, fence.Epoch))
			h.updates = u
			return actors.Child{Name: "account/" + string(a.Exchange), Producer: func() actors.Behaviour { return inert{pool, h.stopTime} }}, nil
		},
		CloseAccount: func(_ string, exchange venues.Venue) { h.closed = append(h.closed, string(exchange)) },
		Loaded:       func(string) { h.loaded.Add(1) },
		FixedChildren: func(persistence.Fence, []persistence.Channel) []actors.Child {
			h.note("standing begins")
			return []actors.Child{{Name: "signalqueue", Producer: func() actors.Behaviour { return inert{pool, 0} }}}
		},
		OpenFollower: func(_ persistence.Fence, r persistence.Record) (customer.Follower, error) {
			record := r.(persistence.Channel)
			part := customer.Follower{Name: "channel/" + record.ID}
			if h.follows {
				part.Follow = func() { h.note("follows of " + record.Name) }
			}
			if record.Name == "broken" {
				return part, errors.New("it does not open")
			}
			if record.RemovedAt.IsZero() {
				part.Child = &actors.Child{Name: part.Name, Producer: func() actors.Behaviour { return scribe{inert{pool, h.stopTime}, h, record.Name} }}
			}
			return part, nil
		},
	}))
	h.client = customer.NewClient(ref)
	kit.Settle()
	return h
}

func TestTopicStartsWithASnapshot(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := start(kit)
		if err := h.client.Connect(context.Background(), persistence.VenueAccount{Customer: "c1", Exchange: venues.Binance}); err != nil {
			t.Fatal(err)
		}
		kit.Settle()
		h.updates.Reconciled(venues.Binance, nil, nil, nil)
		h.updates.OrderChanged(venues.Order{OrderID: "o1", Status: venues.StatusOpen})
		h.updates.OrderChanged(venues.Order{OrderID: "o2", Status: venues.StatusOpen})
		h.updates.OrderChanged(venues.Order{OrderID: "o1", Status: venues.StatusFilled})
		var early, late listener
		sub, err := h.client.Subscribe(context.Background(), venues.TopicOrders, &early)
		if err != nil {
			t.Fatal(err)
		}
		h.updates.OrderChanged(venues.Order{OrderID: "o3", Status: venues.StatusOpen})
		if _, err := h.client.Subscribe(context.Background(), venues.TopicOrders, &late); err != nil {
			t.Fatal(err)
		}
		sub.Resync()
		h.updates.OrderChanged(venues.Order{OrderID: "o2", Status: venues.StatusCancelled})
		kit.Settle()
		want := "snapshot 4 o2=open; update 5 o3=open; snapshot 5 o2=open,o3=open; update 6 o2=cancelled"
		if got := early.take(); got != want {
			t.Errorf("early: %s, want %v", got, want)
		}
		if got := late.take(); got != "snapshot 5 o2=open,o3=open; update 6 o2=cancelled" {
			t.Errorf("late: %s, want snapshot 5 o2=open,o3=open; update 6 o2=cancelled", got)
		}
		sub.Close()
		kit.Settle()
		h.updates.OrderChanged(venues.Order{OrderID: "o4", Status: venues.StatusOpen})
		kit.Settle()
		if got := early.take(); got != "" {
			t.Errorf("after the close: %s, want no value", got)
		}
	})
}

// Changes of positions and balances are published on their topics, and are part of the
// snapshots after them.
func TestPositionsAndBalancesArePublished(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := start(kit)
		if err := h.client.Connect(context.Background(), persistence.VenueAccount{Customer: "c1", Exchange: venues.Binance}); err != nil {
			t.Fatal(err)
		}
		h.updates.Reconciled(venues.Binance, nil, nil, nil)
		kit.Settle()
		position := venues.Position{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}
		closed := position
		closed.Qty = venues.MustDecimal("0")
		for _, c := range []struct {
			kind    venues.TopicKind
			changes []func()
			want    string
		}{
			{
				venues.TopicPositions,
				[]func(){func() { h.updates.PositionChanged(position) }, func() { h.updates.PositionChanged(closed) }},
				"snapshot 1 0 positions; update 2 1 positions; snapshot 2 1 positions; update 3 1 positions; snapshot 3 0 positions",
			},
			{venues.TopicAccount, []func(){func() {
				h.updates.BalancesChanged(venues.Binance, []venues.Balance{{Currency: "USDT"}, {Currency: "BTC"}})
			}}, "snapshot 1 0 balances; update 2 1 balances; update 3 1 balances; snapshot 3 2 balances"},
		} {
			var l listener
			sub, err := h.client.Subscribe(context.Background(), c.kind, &l)
			if err != nil {
				t.Fatal(err)
			}
			for _, change := range c.changes {
				change()
				sub.Resync()
			}
			kit.Settle()
			if got := l.take(); got != c.want {
				t.Errorf("%s: %s, want %s", c.kind, got, c.want)
			}
		}
	})
}

// A subscriber that comes before the accounts are reconciled gets nothing until all of them
// are, or until it has waited long enough. An empty snapshot would be wrong.
func TestFirstSnapshotWaitsForTheAccounts(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := startWith(kit, func(store *storetest.Memory) { store.FailNext(persistence.ErrUnavailable) })
		var early, late, last listener
		if n := h.loaded.Load(); n != 0 {
			t.Errorf("loaded %d times before it is owned, want 0", n)
		}
		subscribe := func(l *listener) venues.Subscription {
			t.Helper()
			sub, err := h.client.Subscribe(context.Background(), venues.TopicOrders, l)
			if err != nil {
				t.Fatal(err)
			}
			return sub
		}
		for _, exchange := range []venues.Venue{venues.Binance, venues.OKX} {
			if err := h.client.Connect(context.Background(), persistence.VenueAccount{Customer: "c1", Exchange: exchange}); err != nil {
				t.Fatal(err)
			}
		}
		subscribe(&early).Resync()
		h.updates.OrderChanged(venues.Order{OrderID: "o0", Exchange: venues.Binance, Status: venues.StatusFilled})
		h.updates.Reconciled(venues.Binance, []venues.Order{{OrderID: "o1", Exchange: venues.Binance, Status: venues.StatusOpen}}, nil, nil)
		kit.Settle()
		subscribe(&late)
		if n := h.loaded.Load(); n != 1 {
			t.Errorf("loaded %d times, want once", n)
		}
		if got := early.take() + late.take(); got != "" {
			t.Errorf("with one account of two: %s, want nothing", got)
		}
		h.updates.Reconciled(venues.OKX, []venues.Order{{OrderID: "o2", Exchange: venues.OKX, Status: venues.StatusOpen}}, nil, nil)
		kit.Settle()
		for name, l := range map[string]*listener{"early": &early, "late": &late} {
			if got, want := l.take(), "snapshot 3 o1=open,o2=open"; got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
		if err := h.client.Connect(context.Background(), persistence.VenueAccount{Customer: "c1", Exchange: venues.Bybit}); err != nil {
			t.Fatal(err)
		}
		subscribe(&last)
		kit.Advance(3*time.Second - 1)
		if got := last.take(); got != "" {
			t.Errorf("within the wait: %s, want nothing", got)
		}
		kit.Advance(1)
		if got, want := last.take(), "snapshot 3 o1=open,o2=open"; got != want {
			t.Errorf("after the wait: %s, want %s", got, want)
		}
		if got := early.take(); got != "" {
			t.Errorf("a subscriber with a snapshot: %s, want nothing more", got)
		}
	})
}

func TestAccountsAreConnectedDurably(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := start(kit)
		account := persistence.VenueAccount{Customer: "c1", Exchange: venues.Binance, Sealed: []byte("sealed")}
		for range 2 { // the second replaces the first
			if err := h.client.Connect(context.Background(), account); err != nil {
				t.Fatal(err)
			}
		}
		kit.Advance(time.Second)
		if len(h.opened) < 2 || len(h.closed) == 0 {
			t.Fatalf("opened %v, closed %v, want two opened and one closed", h.opened, h.closed)
		}
		if err := h.client.Remove(context.Background(), venues.Binance); err != nil {
			t.Fatal(err)
		}
		if err := h.client.Remove(context.Background(), venues.Binance); venues.CodeOf(err) != venues.CodeNotFound {
			t.Fatalf("removed twice: %v, want code CodeNotFound", err)
		}
		list, err := h.store.VenueAccounts(context.Background(), "c1")
		if err != nil || len(list) != 1 || list[0].RemovedAt.IsZero() || list[0].Sealed != nil {
			t.Fatalf("accounts = %+v, error %v, want one removed account without credentials", list, err)
		}
	})
}

func TestRecordedAccountIsStored(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := start(kit)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := h.client.Record(ctx, persistence.VenueAccount{Customer: "c1", Exchange: venues.OKX}); err != nil {
			t.Fatal(err)
		}
		list, err := h.store.VenueAccounts(ctx, "c1")
		if err != nil || len(list) != 1 || list[0].Exchange != venues.OKX || len(h.opened) != 0 {
			t.Errorf("accounts = %+v, opened %v, error %v; want one stored and none opened", list, h.opened, err)
		}
	})
}

func TestRemovedAccountIsWithdrawnFromTheTopics(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := start(kit)
		ctx := context.Background()
		if err := h.client.Connect(ctx, persistence.VenueAccount{Customer: "c1", Exchange: venues.Binance}); err != nil {
			t.Fatal(err)
		}
		kit.Settle()
		h.updates.Reconciled(venues.Binance, nil, nil, nil)
		h.updates.OrderChanged(venues.Order{OrderID: "o1", Exchange: venues.Binance, Status: venues.StatusOpen})
		h.updates.OrderChanged(venues.Order{OrderID: "o2", Exchange: venues.OKX, Status: venues.StatusOpen})
		var l listener
		if _, err := h.client.Subscribe(ctx, venues.TopicOrders, &l); err != nil {
			t.Fatal(err)
		}
		if err := h.client.Remove(ctx, venues.Binance); err != nil {
			t.Fatal(err)
		}
		kit.Advance(time.Second)
		if got := l.take(); got != "snapshot 3 o1=open,o2=open; snapshot 4 o2=open" {
			t.Fatal(got)
		}
	})
}

// The second incarnation waits for the end of the first when the removal arrives.
func TestAccountRemovedWhileItIsReplacedStaysRemoved(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := start(kit)
		ctx := context.Background()
		account := persistence.VenueAccount{Customer: "c1", Exchange: venues.Binance}
		h.stopTime = time.Second
		for range 2 {
			if err := h.client.Connect(ctx, account); err != nil {
				t.Fatal(err)
			}
		}
		if err := h.client.Remove(ctx, venues.Binance); err != nil {
			t.Fatal(err)
		}
		opened := len(h.opened)
		kit.Advance(10 * time.Second)
		if len(h.opened) != opened {
			t.Fatalf("opened again: %v, want %v opened", h.opened, opened)
		}
	})
}

// An order that was closed while the account was down must not stay open on the stream.
func TestRestartedAccountReplacesItsOrders(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := start(kit)
		ctx := context.Background()
		if err := h.client.Connect(ctx, persistence.VenueAccount{Customer: "c1", Exchange: venues.Binance}); err != nil {
			t.Fatal(err)
		}
		kit.Settle()
		h.updates.Reconciled(venues.Binance, nil, nil, nil)
		h.updates.OrderChanged(venues.Order{OrderID: "o1", Exchange: venues.Binance, Status: venues.StatusOpen})
		h.updates.OrderChanged(venues.Order{OrderID: "o2", Exchange: venues.Binance, Status: venues.StatusOpen})
		var orders, positions, balances listener
		for kind, l := range map[venues.TopicKind]*listener{
			venues.TopicOrders: &orders, venues.TopicPositions: &positions, venues.TopicAccount: &balances,
		} {
			if _, err := h.client.Subscribe(ctx, kind, l); err != nil {
				t.Fatal(err)
			}
		}
		h.updates.Reconciled(venues.Binance,
			[]venues.Order{{OrderID: "o2", Exchange: venues.Binance, Status: venues.StatusOpen}},
			[]venues.Position{{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1")}},
			[]venues.Balance{{Currency: "USDT"}})
		kit.Settle()
		if got := orders.take(); got != "snapshot 3 o1=open,o2=open; snapshot 4 o2=open" {
			t.Error(got)
		}
		if got := positions.take(); got != "snapshot 1 0 positions; snapshot 2 1 positions" {
			t.Error(got)
		}
		if got := balances.take(); got != "snapshot 1 0 balances; snapshot 2 1 balances" {
			t.Error(got)
		}
	})
}
