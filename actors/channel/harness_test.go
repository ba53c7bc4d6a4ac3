package channel_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"go.uber.org/goleak"

	"venuegate/actors"
	"venuegate/actors/actortest"
	"venuegate/actors/channel"
	"venuegate/actors/journal"
	"venuegate/actors/signalqueue"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// account replaces the customer's accounts: it claims request ids in the store as
// they do, and returns what the test sets.
type account struct {
	store *storetest.Memory
	fence persistence.Fence

	mu        sync.Mutex
	requests  []string
	positions []venues.Position
	// keepsOpen leaves positions open when they are closed.
	keepsOpen bool
	// closes are the filled quantities of the closes, in turn; by default all of it.
	closes []string
	// failures are the errors of the calls, in turn; nil is success. wait is the
	// duration of a call.
	failures []error
	wait     time.Duration
	orders   int
	// deadline is the deadline of the newest command.
	deadline time.Time
}

func (a *account) Place(ctx context.Context, o venues.PlaceOrder) (venues.Order, error) {
	call := fmt.Sprintf("place %s %s %s", o.Side, o.Qty, o.Symbol)
	if o.MaxPosition.Valid {
		call += " max " + o.MaxPosition.Decimal.String()
	}
	if o.RejectOpposite {
		call += " not opposite"
	}
	return a.take(ctx, call, o)
}

func (a *account) Close(ctx context.Context, c venues.ClosePosition) (venues.Order, error) {
	call := "close " + c.Symbol
	if c.CloseReason != "" {
		call += " " + string(c.CloseReason)
	}
	order, err := a.take(ctx, call, venues.PlaceOrder{
		Command: c.Command, Exchange: c.Exchange, OrderSpec: venues.OrderSpec{Symbol: c.Symbol, Side: venues.Sell, Qty: venues.MustDecimal("1")},
		RequestID: c.RequestID, Scope: c.Scope, BodyHash: c.BodyHash, Source: c.Source, ChannelID: c.ChannelID,
	})
	if order.OrderID == "" || a.keepsOpen {
		return order, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.positions) > 0 {
		if a.positions[0].Qty = a.positions[0].Qty.Sub(order.FilledQty); a.positions[0].Qty.IsZero() {
			a.positions = nil
		}
	}
	return order, err
}

// fill returns the filled quantity of an order: all of it, unless it closes and
// closes has an entry.
func (a *account) fill(o *venues.PlaceOrder) (decimal.Decimal, venues.OrderStatus) {
	if len(a.closes) == 0 || !strings.Contains(o.Scope, ":close") {
		return o.Qty, venues.StatusFilled
	}
	got := venues.MustDecimal(a.closes[0])
	a.closes = a.closes[1:]
	if len(a.positions) > 0 && got.Equal(a.positions[0].Qty) {
		return got, venues.StatusFilled
	}
	return got, venues.StatusCancelled
}

func (a *account) setWait(wait time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.wait = wait
}

func (a *account) CancelAll(ctx context.Context, c venues.CancelOrders) ([]venues.CancelResult, error) {
	a.mu.Lock()
	a.requests = append(a.requests, strings.TrimSpace("cancel "+string(c.Exchange)+" "+c.Symbol))
	wait := a.wait
	a.mu.Unlock()
	select {
	case <-time.After(wait):
		return []venues.CancelResult{{OrderID: "ord_9", Result: venues.CancelDone}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (a *account) take(ctx context.Context, call string, o venues.PlaceOrder) (venues.Order, error) {
	a.mu.Lock()
	a.requests = append(a.requests, call)
	var rejection error
	if len(a.failures) > 0 {
		rejection, a.failures = a.failures[0], a.failures[1:]
	}
	a.orders++
	a.deadline = o.Deadline
	filled, status := o.Qty, venues.StatusFilled
	if rejection == nil {
		filled, status = a.fill(&o)
	}
	id, wait := fmt.Sprintf("ord_%d", a.orders), a.wait
	a.mu.Unlock()
	if rejection != nil {
		return venues.Order{}, rejection
	}
	prior, err := a.store.Idempotency(ctx, o.Customer, o.Scope, o.RequestID)
	if err == nil && prior.Holds(time.Now()) {
		record, _ := a.store.Order(ctx, o.Customer, prior.OrderID)
		return venues.Order{}, venues.Errorf(venues.CodeDuplicateRequest, "again").With("order", record.Order)
	}
	order := venues.Order{
		OrderID: id, RequestID: o.RequestID, Exchange: o.Exchange, OrderSpec: o.OrderSpec, Status: status,
		FilledQty: filled, AvgPrice: venues.Some(venues.MustDecimal("64000")), Source: o.Source, ChannelID: o.ChannelID,
		CreatedAt: venues.At(time.Now()),
	}
	claim := persistence.IdempotencyRecord{Customer: o.Customer, Scope: o.Scope, RequestID: o.RequestID, Attempt: prior.Attempt + 1, OrderID: id, BodyHash: o.BodyHash, FirstReceived: o.ReceivedAt}
	intent := order
	intent.Status, intent.FilledQty, intent.AvgPrice = venues.StatusPending, decimal.Zero, venues.Optional{}
	if err := a.put(ctx, o.Customer, intent, claim); err != nil {
		return venues.Order{}, err
	}
	answer := error(nil)
	select {
	case <-time.After(wait):
	case <-ctx.Done(): // made, and not answered
		answer = ctx.Err()
	}
	if err := a.put(ctx, o.Customer, order); err != nil {
		return venues.Order{}, err
	}
	return order, answer
}

// put stores an order, with other records.
func (a *account) put(ctx context.Context, customer string, o venues.Order, others ...persistence.Record) error {
	puts := append(others, persistence.OrderRecord{Order: o, Customer: customer, ClientOrderID: "c" + o.OrderID})
	return a.store.Commit(context.WithoutCancel(ctx), persistence.Batch{Fence: a.fence, Puts: puts})
}

func (a *account) Positions(context.Context, venues.ReadAccount) ([]venues.Position, []venues.VenueFailure, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.positions), nil, nil
}

func (a *account) Order(ctx context.Context, customer, id string) (persistence.OrderRecord, error) {
	return a.store.Order(ctx, customer, id)
}

func (a *account) UnfinishedOrders(ctx context.Context, customer string, exchange venues.Venue) ([]persistence.OrderRecord, error) {
	return a.store.UnfinishedOrders(ctx, customer, exchange)
}

func (a *account) Idempotency(ctx context.Context, customer, scope, requestID string) (persistence.IdempotencyRecord, error) {
	return a.store.Idempotency(ctx, customer, scope, requestID)
}

func (a *account) calls() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.requests, "; ")
}

type market struct{ set *venues.InstrumentSet }

func (m market) Instruments(exchange venues.Venue) (*venues.InstrumentSet, bool) {
	return m.set, exchange != venues.OKX
}

// owner supervises the channel as its customer does.
type owner struct {
	child *actors.Child
	ended int
}

type follow struct{ child actors.Child }

func (o *owner) Receive(ctx *actors.Context, msg any) {
	switch in := msg.(type) {
	case follow:
		o.child = &in.child
		if !ctx.Children().Stop(in.child.Name) {
			o.start(ctx)
		}
	case *actors.ChildEnded:
		o.ended++
		o.start(ctx)
	}
}

func (o *owner) start(ctx *actors.Context) {
	if o.child != nil {
		_, _ = ctx.Children().Start(*o.child)
		o.child = nil
	}
}

// harness is a channel with its account, its signal queue and its inbox.
type harness struct {
	kit     *actortest.Kit
	store   *storetest.Memory
	log     *journal.Client
	fence   persistence.Fence
	queue   signalqueue.Client
	pool    *actors.Pool
	owner   *owner
	account *account
	live    channel.Executor
	client  channel.Client
}

func open(kit *actortest.Kit, record persistence.Channel, before ...persistence.Record) *harness {
	return openOn(kit, storetest.NewMemory(), record, before...)
}

func openOn(kit *actortest.Kit, store *storetest.Memory, record persistence.Channel, before ...persistence.Record) *harness {
	return openWith(kit, store, record, func(a *account) channel.Executor { return channel.Live{Trader: a, Reader: a} }, before...)
}

// openWith opens a channel that trades through what live returns for its account.
func openWith(kit *actortest.Kit, store *storetest.Memory, record persistence.Channel, live func(*account) channel.Executor, before ...persistence.Record) *harness {
	h := &harness{kit: kit, store: store, owner: &owner{}, pool: kit.System.NewCallPool("channel", 8, 2048)}
	h.log = journal.NewClient(h.store)
	var err error
	if h.fence, err = h.log.Own(kit.T.Context(), "c1"); err != nil {
		kit.T.Fatal(err)
	}
	if len(before) > 0 {
		if err := h.store.Commit(kit.T.Context(), persistence.Batch{Fence: h.fence, Puts: before}); err != nil {
			kit.T.Fatal(err)
		}
	}
	h.account = &account{store: h.store, fence: h.fence}
	h.live = live(h.account)
	h.queue = signalqueue.NewClient(kit.Start(signalqueue.Child()))
	kit.Start(actors.Child{Name: "owner", Producer: func() actors.Behaviour { return h.owner }})
	h.put(record)
	h.client = h.start(record)
	kit.Settle()
	return h
}

// start starts a channel, after the end of the previous one if there is one.
func (h *harness) start(record persistence.Channel) channel.Client {
	parent := h.kit.System.Ref("owner")
	parent.Tell(follow{channel.Child(channel.Deps{
		Channel: record, Fence: h.fence, Store: h.store, Journal: h.log.CommitQueue(record.Customer, record.ID), Executor: h.executorOf, SignalQueue: h.queue, Pool: h.pool,
		NewID: func(prefix string, at time.Time) string { return persistence.NewID(prefix, at, rand.Reader) },
	})})
	return h.clientOf(record)
}

func (h *harness) executorOf(record *persistence.Channel) channel.Executor {
	if record.TestMode {
		return channel.DryRun{Reader: h.account}
	}
	return h.live
}

func (h *harness) clientOf(record persistence.Channel) channel.Client {
	set := venues.NewInstrumentSet([]venues.Instrument{{Symbol: "BTCUSDT", Exchange: venues.Binance}, {Symbol: "ETHUSDT", Exchange: venues.Binance}})
	return channel.NewClient(h.kit.System.Ref("owner").Child(channel.Name(record.ID)), record, h.store, market{set})
}

// put stores a record of a channel.
func (h *harness) put(record persistence.Channel) {
	h.kit.T.Helper()
	if err := h.store.Commit(context.Background(), persistence.Batch{Fence: h.fence, Puts: []persistence.Record{record}}); err != nil {
		h.kit.T.Fatal(err)
	}
}

// configure stores a record that the running channel follows.
func (h *harness) configure(record persistence.Channel) {
	h.kit.T.Helper()
	h.put(record)
	h.clientOf(record).Follow(record)
}

func webhook(change ...func(*persistence.Channel)) persistence.Channel {
	c := persistence.Channel{ID: "hook_1", Customer: "c1", Kind: persistence.ChannelWebhook, Name: "script"}
	for _, f := range change {
		f(&c)
	}
	return c
}

func order(requestID string, change ...func(*venues.Signal)) venues.Signal {
	s := venues.Signal{
		Customer: "c1", ChannelID: "hook_1", Action: venues.ActionOrder, Exchange: venues.Binance, Symbol: "BTCUSDT.P", Side: venues.Buy,
		Qty: some("0.5"), Type: venues.TypeMarket, RequestID: requestID, Source: venues.SourceWebhook, ReceivedAt: venues.At(time.Now()),
	}
	for _, f := range change {
		f(&s)
	}
	sum := sha256.Sum256([]byte(s.RequestID + s.Comment))
	s.BodyHash = sum[:]
	return s
}

func some(text string) venues.Optional { return venues.Some(venues.MustDecimal(text)) }

func (h *harness) accept(s venues.Signal) (venues.SignalResponse, error) {
	return h.client.Accept(context.Background(), s)
}

func (h *harness) mustAccept(s venues.Signal) venues.SignalResponse {
	h.kit.T.Helper()
	answer, err := h.accept(s)
	if err != nil {
		h.kit.T.Fatal(err)
	}
	return answer
}

func (h *harness) record(id string) persistence.SignalRecord {
	h.kit.T.Helper()
	r, err := h.store.Signal(context.Background(), "c1", id)
	if err != nil {
		h.kit.T.Fatal(err)
	}
	return r
}

// timeline returns a signal's rows, oldest first, as "kind:result".
func (h *harness) timeline(id string) string {
	h.kit.T.Helper()
	page, err := h.store.Journal(context.Background(), persistence.JournalQuery{Customer: "c1", Subject: id})
	if err != nil {
		h.kit.T.Fatal(err)
	}
	slices.SortFunc(page.Items, func(a, b persistence.JournalEntry) int { return int(a.Seq) - int(b.Seq) })
	var rows []string
	for _, row := range page.Items {
		rows = append(rows, strings.TrimPrefix(row.Kind, "signal.")+":"+row.Result)
	}
	return strings.Join(rows, " ")
}

func (h *harness) expectCalls(want string) {
	h.kit.T.Helper()
	h.kit.Settle()
	if got := h.account.calls(); got != want {
		h.kit.T.Errorf("account calls = %q, want %q", got, want)
	}
}
