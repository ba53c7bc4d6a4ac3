package simulation_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// callWait is how long a customer waits for a response.
const callWait = 10 * time.Second

// operation is one call of a customer with its outcome.
type operation struct {
	index    int
	at       time.Duration
	customer string
	exchange venues.Venue
	kind     string
	symbol   string
	// price and trigger of an order are distances from the mark price in ten
	// thousandths; zero means none.
	spec     specDraw
	request  string
	body     int
	target   int
	draw     int
	launched bool

	// The fields below are written once, with world.mu held.
	orderID string
	order   venues.Order
	results []venues.CancelResult
	err     error
	done    bool
	// cut reports whether the process died before the response.
	cut     bool
	process int
	began   time.Time
	// open are the orders that were open in the store and at the venue when a cancel-all
	// began.
	open map[string]bool
	// left are those that were still open at the venue when it returned.
	left map[string]bool
}

type specDraw struct {
	side       venues.Side
	kind       venues.OrderType
	qty        decimal.Decimal
	price      int64
	trigger    int64
	stopLoss   int64
	takeProfit int64
	reduceOnly bool
	postOnly   bool
	tif        venues.TimeInForce
}

// spec returns the order of the draw, relative to the current mark price.
func (d *specDraw) spec(symbol string, mark decimal.Decimal) venues.OrderSpec {
	at := func(distance int64) venues.Optional {
		if distance == 0 {
			return venues.Optional{}
		}
		moved := mark.Add(mark.Mul(decimal.New(distance, -4))).Floor()
		return venues.Some(decimal.Max(moved, decimal.NewFromInt(2)))
	}
	return venues.OrderSpec{
		Symbol: symbol, Side: d.side, Type: d.kind, Qty: d.qty, Price: at(d.price), TriggerPrice: at(d.trigger),
		StopLoss: at(d.stopLoss), TakeProfit: at(d.takeProfit), ReduceOnly: d.reduceOnly, PostOnly: d.postOnly, TimeInForce: d.tif,
	}
}

// launch makes the call in a goroutine.
func (w *world) launch(op *operation) {
	p := w.process
	if p == nil {
		return // the service is down
	}
	w.mu.Lock()
	op.launched, op.process, op.began = true, p.number, time.Now()
	w.mu.Unlock()
	call := w.callOf(op)
	if call == nil {
		op.launched = false
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), callWait)
		defer cancel()
		order, results, err := call(ctx, p)
		left := w.openIDs(op)
		w.mu.Lock()
		defer w.mu.Unlock()
		op.left = left
		op.order, op.results, op.err, op.done, op.cut = order, results, err, true, p.isDead()
		op.orderID = orderIDOf(order, err)
	}()
	w.scheduler.Settle()
}

func orderIDOf(order venues.Order, err error) string {
	if e, ok := errors.AsType[*venues.Error](err); ok {
		if order, ok := e.Details["order"].(venues.Order); ok {
			return order.OrderID
		}
	}
	return order.OrderID
}

type call func(context.Context, *process) (venues.Order, []venues.CancelResult, error)

func (w *world) callOf(op *operation) call {
	cmd := venues.Command{Customer: op.customer}
	switch op.kind {
	case "place":
		return w.placeCall(op, cmd)
	case "amend":
		return w.amendCall(op, cmd)
	case "cancel":
		id := w.targetOf(op)
		if id == "" {
			return nil
		}
		return func(ctx context.Context, p *process) (venues.Order, []venues.CancelResult, error) {
			order, err := p.tree.Cancel(ctx, venues.CancelOrder{Command: cmd, OrderID: id})
			return order, nil, err
		}
	case "cancel_all":
		op.open = w.openIDs(op)
		return func(ctx context.Context, p *process) (venues.Order, []venues.CancelResult, error) {
			list, err := p.tree.CancelAll(ctx, venues.CancelOrders{Command: cmd, Exchange: op.exchange})
			return venues.Order{}, list, err
		}
	case "close":
		return func(ctx context.Context, p *process) (venues.Order, []venues.CancelResult, error) {
			order, err := p.tree.Close(ctx, venues.ClosePosition{
				Command: cmd, Exchange: op.exchange, Symbol: op.symbol, RequestID: op.request, BodyHash: bodyHash(op.body),
			})
			return order, nil, err
		}
	case "funds":
		return func(ctx context.Context, p *process) (venues.Order, []venues.CancelResult, error) {
			_, _, err := p.tree.Positions(ctx, venues.ReadAccount{Command: cmd})
			return venues.Order{}, nil, err
		}
	}
	return func(ctx context.Context, p *process) (venues.Order, []venues.CancelResult, error) {
		_, err := p.tree.SetLeverage(ctx, venues.ChangeLeverage{
			Command: cmd, Exchange: op.exchange, Symbol: op.symbol, Leverage: decimal.NewFromInt(int64(1 + op.draw%20)),
		})
		return venues.Order{}, nil, err
	}
}

func bodyHash(body int) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "body %d", body))
	return sum[:]
}

func (w *world) placeCall(op *operation, cmd venues.Command) call {
	mark, _ := w.venues[op.exchange].core.Mark(op.symbol)
	place := venues.PlaceOrder{
		Command: cmd, OrderSpec: op.spec.spec(op.symbol, mark.Mark), Exchange: op.exchange,
		RequestID: op.request, Scope: persistence.ScopeREST, BodyHash: bodyHash(op.body),
		Source: venues.SourceAPI, Comment: canary(op.customer),
	}
	return func(ctx context.Context, p *process) (venues.Order, []venues.CancelResult, error) {
		order, err := p.tree.Place(ctx, place)
		return order, nil, err
	}
}

// canary is in every text of a customer, so that a leak to another one is detected.
func canary(customer string) string { return "canary of " + customer }

func (w *world) amendCall(op *operation, cmd venues.Command) call {
	id := w.targetOf(op)
	if id == "" {
		return nil
	}
	amend := venues.AmendOrder{Command: cmd, OrderID: id}
	mark, _ := w.venues[op.exchange].core.Mark(op.symbol)
	wanted := op.spec.spec(op.symbol, mark.Mark)
	switch op.draw % 3 {
	case 0:
		amend.Qty = venues.Some(wanted.Qty)
	case 1:
		amend.Price = wanted.Price
	default:
		amend.TriggerPrice = wanted.TriggerPrice
	}
	return func(ctx context.Context, p *process) (venues.Order, []venues.CancelResult, error) {
		order, err := p.tree.Amend(ctx, amend)
		return order, nil, err
	}
}

// targetOf returns an order that the customer knows, or one of another customer if the
// operation is foreign.
func (w *world) targetOf(op *operation) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ids []string
	for _, other := range w.plan.operations[:op.index] {
		if other.done && !other.cut && other.orderID != "" && other.customer == w.ownerSought(op) {
			ids = append(ids, other.orderID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	// The newest orders are most likely to be active.
	return ids[max(0, len(ids)-1-op.target%4)]
}

func (w *world) ownerSought(op *operation) string {
	if !op.foreign() {
		return op.customer
	}
	if op.customer == customers[0] {
		return customers[1]
	}
	return customers[0]
}

// foreign reports whether the operation targets an order of another customer.
func (op *operation) foreign() bool {
	return (op.kind == "amend" || op.kind == "cancel") && op.draw%16 == 0
}

// answer describes the response to the customer.
func (op *operation) answer() string {
	switch {
	case op.cut:
		return op.kind + " cut"
	case op.err != nil:
		text := op.kind + " " + string(venues.CodeOf(op.err))
		if e, ok := errors.AsType[*venues.Error](op.err); ok && e.Details["reason"] != nil {
			text += fmt.Sprintf("(%v)", e.Details["reason"])
		}
		return text
	case op.order.Status != "":
		return op.kind + " " + string(op.order.Status)
	}
	return op.kind + " done"
}
