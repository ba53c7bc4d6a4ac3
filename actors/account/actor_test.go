package account_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors"
	"venuegate/actors/account"
	"venuegate/actors/actortest"
	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// house is an account with its neighbours: a store in memory, a venue that
// keeps its own truth, a market that never moves.
type house struct {
	kit    *actortest.Kit
	store  *storetest.Memory
	venue  *ledgerVenue
	name   string
	ref    actors.Ref
	config account.Config
	client account.Client
}

func open(kit *actortest.Kit, store *storetest.Memory, venue *ledgerVenue, name string) *house {
	return openWith(kit, store, venue, name, func(c account.Committer) account.Committer { return c })
}

func openWith(kit *actortest.Kit, store *storetest.Memory, venue *ledgerVenue, name string, through func(account.Committer) account.Committer) *house {
	h := &house{kit: kit, store: store, venue: venue, name: name}
	log := journal.NewClient(store)
	fence, err := log.Own(context.Background(), "c1")
	if err != nil {
		kit.T.Fatal(err)
	}
	config := account.Config{
		Customer: "c1", Exchange: venues.Binance, ClientIDPrefix: "test",
		Capabilities: venues.Capabilities{AbsenceAfter: 10 * time.Second, UnfilledRetention: 72 * time.Hour},
	}
	spec := account.Child(account.Deps{
		Config: config, Fence: fence, Venue: venue, Store: store, Journal: through(log.Line("c1", name)), Market: still{}, Updates: silence{},
		NewID:     func(prefix string, at time.Time) string { return persistence.NewID(prefix, at, &entropy) },
		OrderPool: kit.System.NewPool("orders", 8, 8), ReadPool: kit.System.NewPool("reads", 8, 64),
		InquiryPool: kit.System.NewPool("inquiries", 8, 64),
	})
	spec.Name = name
	h.ref, h.config = kit.Start(spec), config
	h.client = account.NewClient(h.ref, config, store, still{})
	kit.Advance(time.Second) // the first reconciliation
	return h
}

// entropy is a counter: ids differ, that is all that is asked of them here.
var entropy counter

type counter struct{ n byte }

func (c *counter) Read(p []byte) (int, error) {
	c.n++
	for i := range p {
		p[i] = c.n
	}
	return len(p), nil
}

type still struct{}

func (still) Instrument(symbol string) (*venues.Instrument, bool) {
	if venues.NormalizeSymbol(symbol) != "BTCUSDT" {
		return nil, false
	}
	return &venues.Instrument{
		Symbol: "BTCUSDT", Exchange: venues.Binance, Status: venues.InstrumentTrading,
		TickSize: venues.MustDecimal("0.1"), QtyStep: venues.MustDecimal("0.001"), MinQty: venues.MustDecimal("0.001"),
	}, true
}
func (still) Mark(string) venues.Optional { return venues.Some(venues.MustDecimal("60000")) }

type silence struct{}

func (silence) Reconciled(venues.Venue, []venues.Order, []venues.Position, []venues.Balance) {}
func (silence) OrderChanged(venues.Order)                                                    {}
func (silence) PositionChanged(venues.Position)                                              {}
func (silence) BalancesChanged(venues.Venue, []venues.Balance)                               {}

// ledgerVenue accepts every order and rests it; answer decides what the caller
// hears.
type ledgerVenue struct {
	mu     sync.Mutex
	orders map[string]venues.ExecutionReport
	placed int
	// swallow drops the request, lose executes it and says nothing, refuse says
	// no.
	swallow, lose, refuse bool
	onPlace               func()
	onCancel              func() error
	listError             error
	// lists is how often the open orders were read.
	lists int
	// asked is how often one order was asked for.
	asked     int
	positions []venues.Position
	// executions are shown at once, orders not while the venue hides them.
	executions []venues.Fill
	hides      bool
}

func newVenue() *ledgerVenue {
	return &ledgerVenue{orders: map[string]venues.ExecutionReport{}}
}

func (v *ledgerVenue) Place(_ context.Context, r venues.OrderRequest) (venues.ExecutionReport, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.onPlace != nil {
		v.onPlace()
	}
	if v.refuse {
		return venues.ExecutionReport{}, venues.Errorf(venues.CodeInsufficientBalance, "Margin is insufficient.")
	}
	if v.swallow {
		return venues.ExecutionReport{}, venues.ErrOutcomeUnknown
	}
	v.placed++
	report := venues.ExecutionReport{
		Symbol: r.Symbol, ClientOrderID: r.ClientOrderID, VenueOrderID: "v" + r.ClientOrderID, Side: r.Side, Type: r.Type,
		Status: venues.StatusOpen, Qty: r.Qty, Price: r.Price,
	}
	v.orders[r.ClientOrderID] = report
	if v.lose {
		return venues.ExecutionReport{}, venues.ErrOutcomeUnknown
	}
	return report, nil
}

func (v *ledgerVenue) named(ref venues.OrderRef) (venues.ExecutionReport, bool) {
	for _, r := range v.orders {
		if r.ClientOrderID == ref.ClientOrderID || (ref.ClientOrderID == "" && r.VenueOrderID == ref.VenueOrderID) {
			return r, true
		}
	}
	return venues.ExecutionReport{}, false
}

func (v *ledgerVenue) Cancel(_ context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.onCancel != nil {
		if err := v.onCancel(); err != nil {
			return venues.ExecutionReport{}, err
		}
	}
	r, known := v.named(ref)
	if !known || r.Status.IsClosed() {
		return r, venues.Errorf(venues.CodeNotFound, "Unknown order sent.")
	}
	r.Status = venues.StatusCancelled
	v.orders[r.ClientOrderID] = r
	return r, nil
}

func (v *ledgerVenue) Order(_ context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked++
	r, known := v.named(ref)
	if !known || v.hides {
		return r, venues.Errorf(venues.CodeNotFound, "Order does not exist.")
	}
	return r, nil
}

func (v *ledgerVenue) questions() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.asked
}

func (v *ledgerVenue) OpenOrders(context.Context) ([]venues.ExecutionReport, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lists++
	if v.listError != nil {
		return nil, v.listError
	}
	var open []venues.ExecutionReport
	for _, r := range v.orders {
		if !r.Status.IsClosed() && !v.hides {
			open = append(open, r)
		}
	}
	return open, nil
}

func (v *ledgerVenue) Amend(context.Context, venues.AmendRequest) (venues.ExecutionReport, error) {
	return venues.ExecutionReport{}, errors.ErrUnsupported
}

func (v *ledgerVenue) SetLeverage(_ context.Context, symbol string, leverage decimal.Decimal) (venues.LeverageChange, error) {
	return venues.LeverageChange{Exchange: venues.Binance, Symbol: symbol, Leverage: leverage}, nil
}

func (v *ledgerVenue) Mode(context.Context) (venues.AccountMode, error) {
	return venues.AccountMode{}, nil
}
func (v *ledgerVenue) Balances(context.Context) ([]venues.Balance, error) { return nil, nil }
func (v *ledgerVenue) setPositions(list ...venues.Position) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.positions = list
}

func (v *ledgerVenue) Positions(context.Context) ([]venues.Position, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.positions, nil
}
func (v *ledgerVenue) OpenPrivate(venues.PrivateSink) venues.PrivateFeed { return nil }
func (v *ledgerVenue) Traded(context.Context, time.Time, time.Time) ([]string, error) {
	return nil, nil
}

func (v *ledgerVenue) Fills(context.Context, venues.FillsQuery) ([]venues.Fill, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.executions, nil
}

// fill executes the whole of an order.
func (v *ledgerVenue) fill(clientID string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r := v.orders[clientID]
	r.Status, r.FilledQty, r.VenueTime = venues.StatusFilled, r.Qty, time.Now()
	v.orders[clientID] = r
	v.executions = append(v.executions, venues.Fill{
		Symbol: r.Symbol, Side: r.Side, Qty: r.Qty, Price: r.Price.Decimal,
		VenueTradeID: "t" + clientID, VenueOrderID: r.VenueOrderID, ExecutedAt: venues.At(time.Now()),
	})
}

func (h *house) place(requestID, price string) (venues.Order, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return h.client.Place(ctx, venues.PlaceOrder{
		OrderSpec: venues.OrderSpec{
			Symbol: "BTC/USDT:USDT", Side: venues.Buy, Type: venues.TypeLimit, Qty: venues.MustDecimal("1"),
			Price: venues.Some(venues.MustDecimal(price)), TimeInForce: venues.GoodTillCancel,
		},
		RequestID: requestID, Scope: persistence.ScopeREST, BodyHash: []byte(price), Source: venues.SourceAPI,
	})
}

func TestRepeatIsADuplicateWithTheOrder(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		first, err := h.place("r1", "59000")
		if err != nil || first.Status != venues.StatusOpen || first.Symbol != "BTCUSDT" {
			t.Fatalf("%+v, %v", first, err)
		}
		_, err = h.place("r1", "58000")
		e, _ := errors.AsType[*venues.Error](err)
		if e == nil || e.Code != venues.CodeDuplicateRequest || e.Details["orderId"] != first.OrderID || e.Details["sameBody"] != false {
			t.Fatalf("repeat: %v", err)
		}
		if h.venue.placed != 1 {
			t.Fatalf("%d orders at the venue", h.venue.placed)
		}
	})
}

func TestRacingRepeatsPlaceOneOrder(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(storetest.Async(time.Millisecond)), newVenue(), "account")
		var wait sync.WaitGroup
		var placed, repeats int
		var mu sync.Mutex
		for range 16 {
			wait.Go(func() {
				_, err := h.place("r1", "59000")
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					placed++
				case venues.CodeOf(err) == venues.CodeDuplicateRequest:
					repeats++
				}
			})
		}
		wait.Wait()
		if placed != 1 || repeats != 15 || h.venue.placed != 1 {
			t.Fatalf("%d placed, %d repeats, %d at the venue", placed, repeats, h.venue.placed)
		}
	})
}

func TestUnknownIsFoundByAsking(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.venue.lose = true
		begun := time.Now()
		order, err := h.place("r1", "59000")
		if err != nil || order.Status != venues.StatusOpen {
			t.Fatalf("%+v, %v", order, err)
		}
		if waited := time.Since(begun); waited > time.Second {
			t.Fatalf("found after %s", waited)
		}
	})
}

func TestNotPlacedIsProvenAndMayBeTriedAgain(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.venue.swallow = true
		order, err := h.place("r1", "59000")
		if err != nil || order.Status != venues.StatusUnknown {
			t.Fatalf("%+v, %v", order, err)
		}
		time.Sleep(time.Minute)
		record, err := h.store.Order(context.Background(), "c1", order.OrderID)
		if err != nil || record.Status != venues.StatusRejected || record.Error.Reason != "not_placed" {
			t.Fatalf("%+v, %v", record, err)
		}
		h.venue.swallow = false
		again, err := h.place("r1", "59000")
		if err != nil || again.OrderID == order.OrderID || again.Status != venues.StatusOpen {
			t.Fatalf("%+v, %v", again, err)
		}
	})
}

// TestIntentSurvivesACrash: the process dies after the order was sent and before
// its answer was read; the next one finds the order and does not send it again.
func TestIntentSurvivesACrash(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.venue.lose = true
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		_, err := h.client.Place(ctx, venues.PlaceOrder{
			OrderSpec: venues.OrderSpec{
				Symbol: "BTCUSDT", Side: venues.Sell, Type: venues.TypeLimit, Qty: venues.MustDecimal("2"),
				Price: venues.Some(venues.MustDecimal("61000")), TimeInForce: venues.GoodTillCancel,
			},
			RequestID: "r1", Scope: persistence.ScopeREST, Source: venues.SourceAPI,
		})
		if err == nil {
			t.Fatal("answered before anything was known")
		}
		successor := open(kit, h.store.Crash(h.store.Committed()), h.venue, "successor")
		time.Sleep(time.Second)
		list, err := successor.store.UnfinishedOrders(context.Background(), "c1", venues.Binance)
		if err != nil || len(list) != 1 || list[0].Status != venues.StatusOpen {
			t.Fatalf("%+v, %v", list, err)
		}
		if h.venue.placed != 1 {
			t.Fatalf("%d orders at the venue", h.venue.placed)
		}
		order, err := successor.client.Cancel(context.Background(), venues.CancelOrder{OrderID: list[0].OrderID})
		if err != nil || order.Status != venues.StatusCancelled {
			t.Fatalf("%+v, %v", order, err)
		}
		_, err = successor.place("r1", "59000")
		if venues.CodeOf(err) != venues.CodeDuplicateRequest {
			t.Fatalf("repeat after the crash: %v", err)
		}
	}, actortest.ExpectFailures()) // of the predecessor, whose store is closed
}

func TestOrdersMadeElsewhereAreAdopted(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		venue := newVenue()
		venue.orders["web_1"] = venues.ExecutionReport{
			Symbol: "BTCUSDT", ClientOrderID: "web_1", VenueOrderID: "77", Side: venues.Sell, Type: venues.TypeLimit,
			Status: venues.StatusOpen, Qty: venues.MustDecimal("3"), Price: venues.Some(venues.MustDecimal("65000")),
		}
		h := open(kit, storetest.NewMemory(), venue, "account")
		time.Sleep(time.Second)
		list, err := h.store.UnfinishedOrders(context.Background(), "c1", venues.Binance)
		if err != nil || len(list) != 1 || list[0].Source != venues.SourceVenue || list[0].Status != venues.StatusOpen {
			t.Fatalf("%+v, %v", list, err)
		}
		results, err := h.client.CancelAll(context.Background(), venues.CancelOrders{})
		if err != nil || len(results) != 1 || results[0].Result != venues.CancelDone || results[0].Symbol != "BTCUSDT" {
			t.Fatalf("%+v, %v", results, err)
		}
	})
}

func TestFullStoreRefusesAndRecovers(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.store.FailNext(persistence.ErrUnavailable)
		if _, err := h.place("r1", "59000"); venues.CodeOf(err) != venues.CodeMaintenance {
			t.Fatalf("%v", err)
		}
		if h.venue.placed != 0 {
			t.Fatal("sent without a durable intent")
		}
		if order, err := h.place("r1", "59000"); err != nil || order.Status != venues.StatusOpen {
			t.Fatalf("%+v, %v", order, err)
		}
	})
}

func TestLostCommitStartsAnew(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.store.LoseNextAnswer()
		if _, err := h.place("r1", "59000"); err == nil {
			t.Fatal("taken without a confirmed intent")
		}
		time.Sleep(time.Minute)
		list, err := h.store.Orders(context.Background(), persistence.OrderQuery{Customer: "c1", View: persistence.OrdersAll, Limit: 10})
		if err != nil || len(list.Items) != 1 || list.Items[0].Status != venues.StatusRejected {
			t.Fatalf("%+v, %v", list, err)
		}
		if h.venue.placed != 0 {
			t.Fatal("an intent of unknown durability was sent")
		}
	}, actortest.ExpectFailures())
}

// TestRepeatOfACloseIsADuplicate even though the first one has left no position.
func TestRepeatOfACloseIsADuplicate(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.venue.setPositions(venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("2")})
		time.Sleep(2 * time.Second)
		again := venues.ClosePosition{Symbol: "BTCUSDT", RequestID: "close", BodyHash: []byte("body")}
		first, err := h.client.Close(context.Background(), again)
		if err != nil || !first.Qty.Equal(venues.MustDecimal("2")) || first.Side != venues.Sell || !first.ReduceOnly {
			t.Fatalf("%+v, %v", first, err)
		}
		h.venue.setPositions()
		time.Sleep(2 * time.Second)
		if _, err := h.client.Close(context.Background(), again); venues.CodeOf(err) != venues.CodeDuplicateRequest {
			t.Fatalf("repeat: %v", err)
		}
	})
}

// lateReader has not heard of any request id yet.
type lateReader struct{ *storetest.Memory }

func (lateReader) Idempotency(context.Context, string, string, string) (persistence.IdempotencyRecord, error) {
	return persistence.IdempotencyRecord{}, persistence.ErrNotFound
}

// TestKeyFreedMeanwhileIsTaken: another caller's attempt was refused between the
// look at the request id and the commit.
func TestKeyFreedMeanwhileIsTaken(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.venue.refuse = true
		if _, err := h.place("r1", "59000"); venues.CodeOf(err) != venues.CodeInsufficientBalance {
			t.Fatalf("%v", err)
		}
		h.venue.refuse = false
		h.client = account.NewClient(h.ref, h.config, lateReader{h.store}, still{})
		if order, err := h.place("r1", "59000"); err != nil || order.Status != venues.StatusOpen {
			t.Fatalf("%+v, %v", order, err)
		}
		if _, err := h.place("r1", "59000"); venues.CodeOf(err) != venues.CodeDuplicateRequest {
			t.Fatalf("the second repeat: %v", err)
		}
	})
}

func TestCloseInHedgeModeDoesNotGuessTheSide(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		two := venues.MustDecimal("2")
		h.venue.setPositions(venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: two}, venues.Position{Symbol: "BTCUSDT", Side: venues.Short, Qty: two})
		time.Sleep(2 * time.Second)
		_, err := h.client.Close(context.Background(), venues.ClosePosition{Symbol: "BTCUSDT"})
		e, _ := errors.AsType[*venues.Error](err)
		if e == nil || e.Code != venues.CodeOrderRejected || e.Details["reason"] != "two_positions" || h.venue.placed != 0 {
			t.Fatalf("%v, %d placed", err, h.venue.placed)
		}
	})
}

// TestCallerOfASentOrderIsNotToldMaintenance: the order lives at the venue when
// the store refuses the commit of its acknowledgement.
func TestCallerOfASentOrderIsNotToldMaintenance(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.venue.onPlace = func() { h.store.FailNext(persistence.ErrUnavailable) }
		_, err := h.place("r1", "59000")
		e, _ := errors.AsType[*venues.Error](err)
		if e == nil || e.Code != venues.CodeInternal || e.Details["orderState"] != "unknown" {
			t.Fatalf("%v", err)
		}
		time.Sleep(time.Minute)
		list, err := h.store.UnfinishedOrders(context.Background(), "c1", venues.Binance)
		if err != nil || len(list) != 1 || list[0].Status != venues.StatusOpen || h.venue.placed != 1 {
			t.Fatalf("%+v, %v", list, err)
		}
	}, actortest.ExpectFailures())
}
