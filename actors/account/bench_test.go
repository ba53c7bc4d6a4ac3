package account

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// bench drives the pure state: a clock, ids, and everything that it asked for.
type bench struct {
	t      testing.TB
	state  *state
	now    time.Time
	nextID int
	// asked are the effects of the last step, unanswered those of all steps, puts
	// the records of all steps by key, events all events.
	asked      []effect
	unanswered []effect
	puts       map[string]persistence.Record
	events     []persistence.Event
	journal    []persistence.JournalEntry
	replies    []result
	// prices are the mark prices that are known, by symbol.
	prices map[string]string
	// mostAtMarket bounds a market order, if given.
	mostAtMarket string
	// shown is what the venue tells of orders that are asked for under its numbers.
	shown map[string]venues.ExecutionReport
}

type result struct {
	order venues.Order
	err   error
}

func newBench(t testing.TB, caps venues.Capabilities) *bench {
	if caps.UnfilledRetention == 0 {
		caps.UnfilledRetention = 72 * time.Hour
		caps.AbsenceAfter = 10 * time.Second
	}
	b := &bench{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), puts: map[string]persistence.Record{}}
	b.state = newState(Config{Customer: "c1", Exchange: venues.Binance, Capabilities: caps, ClientIDPrefix: "test"}, persistence.Fence{Customer: "c1", Epoch: 1})
	b.state.isLoaded, b.state.ready = true, true
	return b
}

func (b *bench) moment() moment {
	return moment{now: b.now, newID: func(prefix string) string {
		b.nextID++
		return fmt.Sprintf("%s_%026d", prefix, b.nextID)
	}, price: func(currency, _ string) venues.Optional { return b.mark(currency + "USDT") }, mark: b.mark, mostAtMarket: b.most}
}

func (b *bench) most(string) venues.Optional {
	if b.mostAtMarket == "" {
		return venues.Optional{}
	}
	return venues.Some(venues.MustDecimal(b.mostAtMarket))
}

func (b *bench) mark(symbol string) venues.Optional {
	if price, known := b.prices[symbol]; known {
		return venues.Some(venues.MustDecimal(price))
	}
	return venues.Optional{}
}

// step runs one step, whose commit is durable at once, and keeps what it asked
// for. Replies are delivered.
func (b *bench) step(f func(m moment)) []effect {
	m := b.moment()
	f(m)
	out := b.state.finish(m)
	for _, r := range out.batch.Puts {
		b.puts[r.Key().String()] = r
	}
	b.events = append(b.events, out.batch.Events...)
	b.journal = append(b.journal, out.batch.Journal...)
	b.asked, b.unanswered = out.after, append(b.unanswered, out.after...)
	b.checkLive()
	if out.intent != "" {
		b.state.intentStored(out.intent)
	}
	for _, e := range out.after {
		if r, ok := e.(replyOrder); ok {
			b.replies = append(b.replies, result{r.order, r.err})
		}
	}
	return out.after
}

// pass lets time pass, ticking whenever something is due.
func (b *bench) pass(d time.Duration) []effect {
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

// place makes an intent and returns the order.
func (b *bench) place(in placeOrder) *order {
	b.t.Helper()
	in.orderReply = actors.ReplyFunc(func(venues.Order, error) {})
	for _, e := range b.step(func(m moment) { b.state.place(m, in) }) {
		if c, ok := e.(callPlace); ok {
			return b.state.orders[c.orderID]
		}
	}
	b.t.Fatalf("nothing was sent: %+v", b.replies)
	return nil
}

func (o *order) says(status venues.OrderStatus, filled string) venues.ExecutionReport {
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

func (b *bench) lastReply() result {
	b.t.Helper()
	if len(b.replies) == 0 {
		b.t.Fatal("nobody was answered")
	}
	return b.replies[len(b.replies)-1]
}

func (b *bench) find(match func(effect) bool) bool {
	for _, e := range b.asked {
		if match(e) {
			return true
		}
	}
	return false
}

func (b *bench) want(o *order, status venues.OrderStatus, filled string) {
	b.t.Helper()
	if o.Status != status || !o.FilledQty.Equal(venues.MustDecimal(filled)) {
		b.t.Fatalf("order is %s with %s filled, want %s with %s", o.Status, o.FilledQty, status, filled)
	}
}

func isQuery(e effect) bool  { _, ok := e.(callQuery); return ok }
func isCancel(e effect) bool { _, ok := e.(callCancel); return ok }
func isProof(e effect) bool  { _, ok := e.(callProof); return ok }

var errTimeout = errors.Join(venues.ErrOutcomeUnknown, errors.New("read: time-out"))

func notFound() error { return venues.Errorf(venues.CodeNotFound, "Order does not exist.") }

// miss answers a question that was put this moment with "not found".
func (b *bench) miss(o *order) {
	b.step(func(m moment) { b.state.queried(m, queryDone{orderID: o.OrderID, err: notFound(), began: m.now}) })
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

func (b *bench) wantFreed(freed bool) {
	b.t.Helper()
	for _, r := range b.puts {
		if claim, ok := r.(persistence.IdempotencyRecord); ok {
			if claim.FreedAt.IsZero() == freed {
				b.t.Fatalf("claim %+v", claim)
			}
			return
		}
	}
	b.t.Fatal("no claim")
}

func wantEvents(t *testing.T, b *bench, want ...persistence.EventType) {
	t.Helper()
	var got []persistence.EventType
	for _, e := range b.events {
		got = append(got, e.Type)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("events %v, want %v", got, want)
	}
}

func (b *bench) open(in placeOrder, status venues.OrderStatus) *order {
	o := b.place(in)
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, report: o.says(status, "0")}) })
	b.replies = nil
	return o
}

func (b *bench) cancel(o *order) {
	in := cancelOrder{orderReply: actors.ReplyFunc(func(venues.Order, error) {}), cmd: venues.CancelOrder{OrderID: o.OrderID}}
	b.step(func(m moment) { b.state.cancel(m, in) })
}

// executes fills the whole of an order.
func (b *bench) executes(o *order, price string) {
	r := o.says(venues.StatusFilled, o.Qty.String())
	r.Fill = o.fill("t-"+o.OrderID, o.Qty.String(), price)
	b.step(func(m moment) { b.state.report(m, r) })
}

// cancels answers that orders are cancelled.
func (b *bench) cancels(orders ...*order) {
	for _, o := range orders {
		b.step(func(m moment) {
			b.state.cancelled(m, cancelDone{orderID: o.OrderID, report: o.says(venues.StatusCancelled, "0")})
		})
	}
}
