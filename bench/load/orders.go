package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	venuegate "venuegate/transport/clients/go"
)

// belowBid is the part of the best bid at which orders are placed: far enough not to match
// within a run, near enough for the price limits of venues.
var belowBid = decimal.RequireFromString("0.97")

// terms are what the orders of a run have in common.
type terms struct {
	run *run
	// qty is the smallest that the venue accepts at price, the multiple of tick that is
	// belowBid of the best bid.
	qty, price, tick decimal.Decimal
}

// openTerms reads the instrument and its price.
func openTerms(ctx context.Context, r *run) (terms, error) {
	t := terms{run: r}
	instrument, bid, err := market(ctx, r)
	if err != nil {
		return t, err
	}
	t.tick = instrument.TickSize
	t.price = bid.Mul(belowBid).Div(t.tick).Floor().Mul(t.tick)
	t.qty = instrument.MinQty
	if least := instrument.MinNotional; least != nil {
		step := instrument.QtyStep
		needed := least.Div(t.price.Mul(instrument.ContractSize))
		t.qty = decimal.Max(t.qty, needed.Div(step).Ceil().Mul(step))
	}
	return t, nil
}

// market returns the instrument of a run and its best bid.
func market(ctx context.Context, r *run) (venuegate.Instrument, decimal.Decimal, error) {
	instruments, err := r.client.ListInstruments(ctx, venuegate.ListInstrumentsParams{Exchange: &r.Exchange, Symbol: &r.Symbol})
	if err != nil {
		return venuegate.Instrument{}, decimal.Zero, fmt.Errorf("read the instrument: %w", err)
	}
	if len(instruments.Items) == 0 {
		return venuegate.Instrument{}, decimal.Zero, fmt.Errorf("%s has no instrument %s", r.Exchange, r.Symbol)
	}
	tickers, err := r.client.ListTickers(ctx, venuegate.ListTickersParams{Exchange: &r.Exchange, Symbol: &r.Symbol})
	if err != nil {
		return venuegate.Instrument{}, decimal.Zero, fmt.Errorf("read the price: %w", err)
	}
	if len(tickers.Items) == 0 || tickers.Items[0].Bid == nil {
		return venuegate.Instrument{}, decimal.Zero, fmt.Errorf("%s has no best bid of %s", r.Exchange, r.Symbol)
	}
	return instruments.Items[0], *tickers.Items[0].Bid, nil
}

// order is the part of an order record that a run uses.
type order struct {
	OrderID string `json:"orderId"`
	Status  string `json:"status"`
}

// place sends the order of request n; rest holds its members besides those of the terms.
func (t *terms) place(ctx context.Context, n int, rest string) (o order, err error) {
	requestID := fmt.Sprintf("load-%s-%d", t.run.id, n)
	body := fmt.Appendf(nil, `{"exchange":%q,"symbol":%q,"qty":%q,"requestId":%q,%s}`, t.run.Exchange, t.run.Symbol, t.qty, requestID, rest)
	answer, err := t.run.service.call(ctx, withKey(t.run.key(n)), http.MethodPost, "/v1/orders", body)
	if err != nil {
		return o, err
	}
	return o, json.Unmarshal(answer, &o)
}

// resting returns the members of an order that rests at the price of the terms.
func (t *terms) resting() string {
	return fmt.Sprintf(`"side":"buy","type":"limit","postOnly":true,"price":%q`, t.price)
}

// passing returns the members of an order at that price that ends at once.
func (t *terms) passing() string {
	return fmt.Sprintf(`"side":"buy","type":"limit","timeInForce":"ioc","price":%q`, t.price)
}

// done records a request that has ended, or its error, and reports whether it succeeded.
func (r *run) done(kind string, due time.Time, err error) bool {
	if err != nil {
		r.recorder.fail(kind, due, codeOf(err))
		return false
	}
	r.recorder.record(kind, due, time.Now())
	return true
}

// unexpected returns the error of an order that does not have the status that its kind ends with.
func unexpected(o order, err error, want string) error {
	if err == nil && o.Status != want {
		return &callError{Code: "status " + o.Status, Message: o.OrderID}
	}
	return err
}

// orders sends orders that end at once without a fill.
type orders struct{ terms }

func openOrders(ctx context.Context, r *run) (sender, error) {
	t, err := openTerms(ctx, r)
	return &orders{t}, err
}

func (s *orders) send(ctx context.Context, _ int, q request) {
	o, err := s.place(ctx, q.n, s.passing())
	s.run.done("place", q.due, unexpected(o, err, "cancelled"))
}

func (s *orders) close(context.Context) error { return nil }

// amendments changes the prices of resting orders, one of each API key.
type amendments struct {
	terms
	resting []restingOrder
}

// restingOrder is the order that is changed with a key.
type restingOrder struct {
	// mu is held while a client changes the order. The wait belongs to the latency.
	mu    sync.Mutex
	id    string
	lower bool
}

func openAmendments(ctx context.Context, r *run) (sender, error) {
	t, err := openTerms(ctx, r)
	return newAmendments(t), err
}

func newAmendments(t terms) *amendments {
	return &amendments{terms: t, resting: make([]restingOrder, len(t.run.Keys))}
}

// send places the order of the key first if there is none; that is not measured.
func (s *amendments) send(ctx context.Context, _ int, q request) {
	changed := &s.resting[q.n%len(s.resting)]
	changed.mu.Lock()
	defer changed.mu.Unlock()
	if changed.id == "" {
		o, err := s.place(ctx, q.n, s.terms.resting())
		if err := unexpected(o, err, "open"); err != nil {
			s.run.recorder.fail("amend", q.due, codeOf(err))
			return
		}
		changed.id, q.due = o.OrderID, time.Now()
	}
	price := s.price
	if changed.lower = !changed.lower; changed.lower {
		price = price.Sub(s.tick)
	}
	answer, err := s.run.service.call(ctx, withKey(s.run.key(q.n)), http.MethodPatch, "/v1/orders/"+changed.id, fmt.Appendf(nil, `{"price":%q}`, price))
	var o order
	if err == nil {
		err = json.Unmarshal(answer, &o)
	}
	if s.run.done("amend", q.due, unexpected(o, err, "open")) {
		changed.id = o.OrderID // some venues replace the order
	}
}

// close cancels the orders.
func (s *amendments) close(ctx context.Context) error {
	var failed error
	for n := range s.resting {
		if id := s.resting[n].id; id != "" {
			failed = errors.Join(failed, s.cancel(ctx, n, id))
		}
	}
	return failed
}

// cancel cancels an order that was placed with the key of request n.
func (t *terms) cancel(ctx context.Context, n int, orderID string) error {
	_, err := t.run.service.call(ctx, withKey(t.run.key(n)), http.MethodDelete, "/v1/orders/"+orderID, nil)
	return err
}

// cancellations places orders that rest and cancels them. A cancellation is due when its order
// was answered.
type cancellations struct{ terms }

func openCancellations(ctx context.Context, r *run) (sender, error) {
	t, err := openTerms(ctx, r)
	return &cancellations{t}, err
}

func (s *cancellations) send(ctx context.Context, _ int, q request) {
	o, err := s.place(ctx, q.n, s.resting())
	if s.run.done("place", q.due, unexpected(o, err, "open")) {
		due := time.Now()
		s.run.done("cancel", due, s.cancel(ctx, q.n, o.OrderID))
	}
}

func (s *cancellations) close(context.Context) error { return nil }

// mixed sends what the others send, in a fixed order of ten.
type mixed struct {
	reads, orders, amendments, cancellations sender
}

func openMixed(ctx context.Context, r *run) (sender, error) {
	t, err := openTerms(ctx, r)
	if err != nil {
		return nil, err
	}
	return &mixed{
		reads: newReads(r), orders: &orders{t}, cancellations: &cancellations{t},
		amendments: newAmendments(t),
	}, nil
}

func (s *mixed) send(ctx context.Context, client int, q request) {
	chosen := s.reads
	switch q.n % 10 {
	case 2, 7:
		chosen = s.orders
	case 4:
		chosen = s.amendments
	case 9:
		chosen = s.cancellations
	}
	chosen.send(ctx, client, q)
}

func (s *mixed) close(ctx context.Context) error { return s.amendments.close(ctx) }
