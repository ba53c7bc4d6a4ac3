package account

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// fixture runs steps of a state without an actor. It has the clock, makes the ids, and records
// effects, replies and what is stored.
type fixture struct {
	t      testing.TB
	state  *state
	now    time.Time
	nextID int
	// effects are those of the last step, pendingEffects those of all steps; puts has
	// the records of all steps by key, events all events.
	effects        []effect
	pendingEffects []effect
	puts           map[string]persistence.Record
	events         []persistence.Event
	journal        []persistence.JournalEntry
	replies        []result
	// prices are the known mark prices by symbol.
	prices map[string]string
	// maxMarketQty is the largest quantity of a market order; empty for no limit.
	maxMarketQty string
	// venueOrders are the venue's orders by their venue order ids, which lookups return.
	venueOrders map[string]venues.ExecutionReport
}

type result struct {
	order venues.Order
	err   error
}

func newFixture(t testing.TB, caps venues.Capabilities) *fixture {
	if caps.UnfilledRetention == 0 {
		caps.UnfilledRetention = 72 * time.Hour
		caps.AbsenceAfter = 10 * time.Second
	}
	b := &fixture{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), puts: map[string]persistence.Record{}}
	b.state = newState(Config{Customer: "c1", Exchange: venues.Binance, Capabilities: caps, ClientIDPrefix: "test"}, persistence.Fence{Customer: "c1", Epoch: 1})
	b.state.isLoaded, b.state.ready = true, true
	return b
}

func (b *fixture) stepContext() stepContext {
	return stepContext{now: b.now, makeID: func(prefix string, _ time.Time) string {
		b.nextID++
		return fmt.Sprintf("%s_%026d", prefix, b.nextID)
	}, price: func(currency, _ string) venues.Optional { return b.mark(currency + "USDT") }, mark: b.mark, liveMark: b.mark, liveLast: b.mark, settlesIn: func(string) string { return "USDT" }, maxMarketQty: b.largestMarketOrder, full: func() error { return nil }}
}

func (b *fixture) largestMarketOrder(string) venues.Optional {
	if b.maxMarketQty == "" {
		return venues.Optional{}
	}
	return venues.Some(venues.MustDecimal(b.maxMarketQty))
}

func (b *fixture) mark(symbol string) venues.Optional {
	if price, known := b.prices[symbol]; known {
		return venues.Some(venues.MustDecimal(price))
	}
	return venues.Optional{}
}

// step runs one step, whose commit is durable immediately, and records its effects and
// replies.
func (b *fixture) step(f func(step stepContext)) []effect {
	step := b.stepContext()
	f(step)
	out := b.state.finish(step)
	for _, r := range out.Batch.Puts {
		b.puts[r.Key().String()] = r
	}
	b.events = append(b.events, out.Batch.Events...)
	b.journal = append(b.journal, out.Batch.Journal...)
	b.effects, b.pendingEffects = out.After, append(b.pendingEffects, out.After...)
	b.checkLive()
	if out.Creates != "" {
		b.state.intentStored(out.Creates)
	}
	for _, e := range out.After {
		if r, ok := e.(replyOrder); ok {
			b.replies = append(b.replies, result{r.value, r.err})
		}
	}
	return out.After
}

// pass advances the time, with a tick whenever one is due.
func (b *fixture) pass(d time.Duration) []effect {
	var all []effect
	end := b.now.Add(d)
	for {
		due := b.state.nextDue()
		if due.IsZero() || due.After(end) {
			break
		}
		if due.After(b.now) {
			b.now = due
		}
		all = append(all, b.step(b.state.tick)...)
	}
	b.now = end
	return all
}

func instrument() *venues.Instrument {
	return &venues.Instrument{
		Symbol: "BTCUSDT", Exchange: venues.Binance, Status: venues.InstrumentTrading,
		TickSize: venues.MustDecimal("0.1"), QtyStep: venues.MustDecimal("0.001"), MinQty: venues.MustDecimal("0.001"),
		MinNotional: venues.Some(venues.MustDecimal("100")),
	}
}

func limitOrder(requestID string) placeOrder {
	return placeOrder{
		cmd: venues.PlaceOrder{
			OrderSpec: venues.OrderSpec{
				Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeLimit, Qty: venues.MustDecimal("1"),
				Price: venues.Some(venues.MustDecimal("60000")), TimeInForce: venues.GoodTillCancel,
			},
			RequestID: requestID, Scope: persistence.ScopeREST, Source: venues.SourceAPI,
		},
		attempt: 1, instrument: instrument(), mark: venues.Some(venues.MustDecimal("60000")),
	}
}

// place places an order and returns it. The test fails if no request is sent.
func (b *fixture) place(in placeOrder) *order {
	b.t.Helper()
	in.orderReply = actors.ReplyFunc(func(venues.Order, error) {})
	for _, e := range b.step(func(step stepContext) { b.state.place(step, in) }) {
		if c, ok := e.(callPlace); ok {
			return b.state.orders[c.orderID]
		}
	}
	b.t.Fatalf("nothing was sent, want a request; replies = %+v", b.replies)
	return nil
}

func (o *order) reportWith(status venues.OrderStatus, filled string) venues.ExecutionReport {
	return venues.ExecutionReport{
		Symbol: o.Symbol, ClientOrderID: o.ClientOrderID, VenueOrderID: "v-" + o.OrderID, Side: o.Side, Type: o.Type,
		Status: status, Qty: o.Qty, FilledQty: venues.MustDecimal(filled), Price: o.Price, TriggerPrice: o.TriggerPrice,
	}
}

func (o *order) fill(trade, qty, price string) *venues.Fill {
	return &venues.Fill{
		Symbol: o.Symbol, Side: o.Side, Qty: venues.MustDecimal(qty), Price: venues.MustDecimal(price),
		Fee: venues.Some(venues.MustDecimal("0.5")), FeeCurrency: "USDT",
		VenueTradeID: trade, VenueOrderID: "v-" + o.OrderID, ExecutedAt: venues.At(time.Date(2026, 3, 1, 12, 0, 1, 0, time.UTC)),
	}
}

func (b *fixture) lastReply() result {
	b.t.Helper()
	if len(b.replies) == 0 {
		b.t.Fatal("no reply, want one")
	}
	return b.replies[len(b.replies)-1]
}

func (b *fixture) find(match func(effect) bool) bool {
	return slices.ContainsFunc(b.effects, match)
}

func (b *fixture) want(o *order, status venues.OrderStatus, filled string) {
	b.t.Helper()
	if o.Status != status || !o.FilledQty.Equal(venues.MustDecimal(filled)) {
		b.t.Fatalf("order is %s with %s filled, want %s with %s", o.Status, o.FilledQty, status, filled)
	}
}

func isQuery(e effect) bool        { _, ok := e.(callQuery); return ok }
func isCancel(e effect) bool       { _, ok := e.(callCancel); return ok }
func isAbsenceCheck(e effect) bool { _, ok := e.(callAbsenceCheck); return ok }

var errTimeout = errors.Join(venues.ErrOutcomeUnknown, errors.New("read: timeout"))

func notFound() error { return venues.Errorf(venues.CodeNotFound, "Order does not exist.") }

// answerNotFound answers a query of an order, sent now, with "not found".
func (b *fixture) answerNotFound(o *order) {
	b.step(func(step stepContext) {
		b.state.queryAnswered(step, queryDone{orderID: o.OrderID, err: notFound(), began: step.now})
	})
}

func count(list []effect, match func(effect) bool) int {
	n := 0
	for _, e := range list {
		if match(e) {
			n++
		}
	}
	return n
}

func (b *fixture) wantFreed(freed bool) {
	b.t.Helper()
	for _, r := range b.puts {
		if claim, ok := r.(persistence.IdempotencyRecord); ok {
			if claim.FreedAt.IsZero() == freed {
				b.t.Fatalf("claim = %+v, want freed = %t", claim, freed)
			}
			return
		}
	}
	b.t.Fatalf("no claim among %d records, want one", len(b.puts))
}

func wantEvents(t *testing.T, b *fixture, want ...persistence.EventType) {
	t.Helper()
	var got []persistence.EventType
	for _, e := range b.events {
		got = append(got, e.Type)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("events %v, want %v", got, want)
	}
}

func (b *fixture) open(in placeOrder, status venues.OrderStatus) *order {
	o := b.place(in)
	b.step(func(step stepContext) {
		b.state.placed(step, placeDone{orderID: o.OrderID, report: o.reportWith(status, "0")})
	})
	b.replies = nil
	return o
}

func (b *fixture) cancel(o *order) {
	in := cancelOrder{orderReply: actors.ReplyFunc(func(venues.Order, error) {}), cmd: venues.CancelOrder{OrderID: o.OrderID}}
	b.step(func(step stepContext) { b.state.cancel(step, in) })
}

// fillWhole fills an order completely.
func (b *fixture) fillWhole(o *order, price string) {
	r := o.reportWith(venues.StatusFilled, o.Qty.String())
	r.Fill = o.fill("t-"+o.OrderID, o.Qty.String(), price)
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
}

// confirmCancels answers the cancels of orders with reports that they are cancelled.
func (b *fixture) confirmCancels(orders ...*order) {
	for _, o := range orders {
		b.step(func(step stepContext) {
			b.state.cancelled(step, cancelDone{orderID: o.OrderID, report: o.reportWith(venues.StatusCancelled, "0")})
		})
	}
}
