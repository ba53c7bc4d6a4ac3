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
	"venuegate/actors/lane"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// account stands where the customer's accounts are: it claims request ids in the
// store as they do, and answers what the test wants.
type account struct {
	store *storetest.Memory
	fence persistence.Fence

	mu        sync.Mutex
	calls     []string
	positions []venues.Position
	// stubborn positions stay open when they are closed.
	stubborn bool
	// closes are how much each close gets, in turn; without any it gets all.
	closes []string
	// refusals are given in turn, nil ones are none; wait is how long an answer
	// takes.
	refusals []error
	wait     time.Duration
	orders   int
	// deadline is that of the newest command.
	deadline time.Time
}

func (a *account) Place(ctx context.Context, o venues.PlaceOrder) (venues.Order, error) {
	call := fmt.Sprintf("place %s %s %s", o.Side, o.Qty, o.Symbol)
	if o.MaxPosition.Valid {
		call += " max " + o.MaxPosition.Decimal.String()
	}
	if o.NotOpposite {
		call += " not opposite"
	}
	return a.take(ctx, call, o)
}

func (a *account) Close(ctx context.Context, c venues.ClosePosition) (venues.Order, error) {
	call := "close " + c.Symbol
	if c.ClosesAs != "" {
		call += " " + string(c.ClosesAs)
	}
	order, err := a.take(ctx, call, venues.PlaceOrder{
		Command: c.Command, Exchange: c.Exchange, OrderSpec: venues.OrderSpec{Symbol: c.Symbol, Side: venues.Sell, Qty: venues.MustDecimal("1")},
		RequestID: c.RequestID, Scope: c.Scope, BodyHash: c.BodyHash, Source: c.Source, ChannelID: c.ChannelID,
	})
	if order.OrderID == "" || a.stubborn {
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

// fill says what an order gets: all of it, unless it closes and closes says less.
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
	a.calls = append(a.calls, strings.TrimSpace("cancel "+string(c.Exchange)+" "+c.Symbol))
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
	a.calls = append(a.calls, call)
	var refusal error
	if len(a.refusals) > 0 {
		refusal, a.refusals = a.refusals[0], a.refusals[1:]
	}
	a.orders++
	a.deadline = o.Deadline
	filled, status := o.Qty, venues.StatusFilled
	if refusal == nil {
		filled, status = a.fill(&o)
	}
	id, wait := fmt.Sprintf("ord_%d", a.orders), a.wait
	a.mu.Unlock()
	if refusal != nil {
		return venues.Order{}, refusal
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
	batch := persistence.Batch{Fence: a.fence, Puts: []persistence.Record{
		persistence.OrderRecord{Order: order, Customer: o.Customer, ClientOrderID: "c" + id},
		persistence.IdempotencyRecord{Customer: o.Customer, Scope: o.Scope, RequestID: o.RequestID, Attempt: prior.Attempt + 1, OrderID: id, BodyHash: o.BodyHash, FirstReceived: o.ReceivedAt},
	}}
	if err := a.store.Commit(context.WithoutCancel(ctx), batch); err != nil {
		return venues.Order{}, err
	}
	select {
	case <-time.After(wait):
		return order, nil
	case <-ctx.Done(): // made, and not answered
		return order, ctx.Err()
	}
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

func (a *account) said() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.calls, "; ")
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

// desk is a channel with its account, its lanes and its inbox.
type desk struct {
	kit     *actortest.Kit
	store   *storetest.Memory
	log     *journal.Client
	fence   persistence.Fence
	lanes   lane.Client
	pool    *actors.Pool
	owner   *owner
	account *account
	client  channel.Client
}

func open(kit *actortest.Kit, record persistence.Channel, before ...persistence.Record) *desk {
	return openOn(kit, storetest.NewMemory(), record, before...)
}

func openOn(kit *actortest.Kit, store *storetest.Memory, record persistence.Channel, before ...persistence.Record) *desk {
	d := &desk{kit: kit, store: store, owner: &owner{}, pool: kit.System.NewCallPool("channel", 8, 2048)}
	d.log = journal.NewClient(d.store)
	var err error
	if d.fence, err = d.log.Own(kit.T.Context(), "c1"); err != nil {
		kit.T.Fatal(err)
	}
	if len(before) > 0 {
		if err := d.store.Commit(kit.T.Context(), persistence.Batch{Fence: d.fence, Puts: before}); err != nil {
			kit.T.Fatal(err)
		}
	}
	d.account = &account{store: d.store, fence: d.fence}
	d.lanes = lane.NewClient(kit.Start(lane.Child()))
	kit.Start(actors.Child{Name: "owner", Producer: func() actors.Behaviour { return d.owner }})
	d.put(record)
	d.client = d.start(record)
	kit.Settle()
	return d
}

// start starts a channel, after the end of the one before if there is one.
func (d *desk) start(record persistence.Channel) channel.Client {
	parent := d.kit.System.Ref("owner")
	parent.Tell(follow{channel.Child(channel.Deps{
		Channel: record, Fence: d.fence, Store: d.store, Journal: d.log.Line(record.Customer, record.ID), Desk: d.tradesThrough, Lanes: d.lanes, Pool: d.pool,
		NewID: func(prefix string, at time.Time) string { return persistence.NewID(prefix, at, rand.Reader) },
	})})
	return d.clientOf(record)
}

func (d *desk) tradesThrough(record *persistence.Channel) channel.Desk {
	if record.TestMode {
		return channel.Rehearsal{Reader: d.account}
	}
	return channel.Trading{Trader: d.account, Reader: d.account}
}

func (d *desk) clientOf(record persistence.Channel) channel.Client {
	set := venues.NewInstrumentSet([]venues.Instrument{{Symbol: "BTCUSDT", Exchange: venues.Binance}, {Symbol: "ETHUSDT", Exchange: venues.Binance}})
	return channel.NewClient(d.kit.System.Ref("owner").Child(channel.Name(record.ID)), record, d.store, market{set})
}

// put stores a record of a channel.
func (d *desk) put(record persistence.Channel) {
	d.kit.T.Helper()
	if err := d.store.Commit(context.Background(), persistence.Batch{Fence: d.fence, Puts: []persistence.Record{record}}); err != nil {
		d.kit.T.Fatal(err)
	}
}

// configure lets a channel that runs follow its record.
func (d *desk) configure(record persistence.Channel) {
	d.kit.T.Helper()
	d.put(record)
	d.clientOf(record).Follow(record)
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

func (d *desk) accept(s venues.Signal) (venues.SignalAnswer, error) {
	return d.client.Accept(context.Background(), s)
}

func (d *desk) mustAccept(s venues.Signal) venues.SignalAnswer {
	d.kit.T.Helper()
	answer, err := d.accept(s)
	if err != nil {
		d.kit.T.Fatal(err)
	}
	return answer
}

func (d *desk) record(id string) persistence.SignalRecord {
	d.kit.T.Helper()
	r, err := d.store.Signal(context.Background(), "c1", id)
	if err != nil {
		d.kit.T.Fatal(err)
	}
	return r
}

// timeline is a signal's rows, oldest first, as "kind:result".
func (d *desk) timeline(id string) string {
	d.kit.T.Helper()
	page, err := d.store.Journal(context.Background(), persistence.JournalQuery{Customer: "c1", Subject: id})
	if err != nil {
		d.kit.T.Fatal(err)
	}
	slices.SortFunc(page.Items, func(a, b persistence.JournalEntry) int { return int(a.Seq) - int(b.Seq) })
	var rows []string
	for _, row := range page.Items {
		rows = append(rows, strings.TrimPrefix(row.Kind, "signal.")+":"+row.Result)
	}
	return strings.Join(rows, " ")
}

func (d *desk) expectCalls(want string) {
	d.kit.T.Helper()
	d.kit.Settle()
	if got := d.account.said(); got != want {
		d.kit.T.Errorf("the account was told %q, want %q", got, want)
	}
}
