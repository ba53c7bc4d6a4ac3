//go:build chaos

package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"venuegate/venues"
)

const (
	// clients is the number of concurrent clients.
	clients = 12
	// repeatsMax bounds how many clients send one request concurrently.
	repeatsMax = 3
	// pause is the average pause between the calls of one client: three venues accept
	// about a hundred orders per second.
	pause = 60 * time.Millisecond
	// retryPause is the wait of a client that could not connect.
	retryPause = 20 * time.Millisecond
)

// client is one client of the load, with its own random choices.
type client struct {
	*world
	random *rand.Rand
}

// load runs clients until ctx ends.
func (w *world) load(ctx context.Context) {
	var wait sync.WaitGroup
	for range clients {
		c := client{w, rand.New(rand.NewPCG(w.random.Uint64(), 0))}
		wait.Go(func() {
			for ctx.Err() == nil {
				c.act()
				sleep(ctx, time.Duration(c.random.Int64N(int64(2*pause))))
			}
		})
	}
	wait.Wait()
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// loadFor runs load for a duration.
func (w *world) loadFor(d time.Duration) {
	ctx, cancel := context.WithTimeout(w.t.Context(), d)
	defer cancel()
	w.load(ctx)
}

// loadUntilEnd runs load until the service ends, or for at most d.
func (w *world) loadUntilEnd(d time.Duration) {
	ctx, cancel := context.WithTimeout(w.t.Context(), d)
	defer cancel()
	service := w.service
	go func() {
		select {
		case <-service.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	w.load(ctx)
}

// actions are what clients do, with their shares in hundredths.
var actions = []struct {
	part int
	do   func(client)
}{
	{44, client.placeNew},
	{8, client.signal},
	{2, client.replay},
	{8, client.repeat},
	{12, client.cancel},
	{6, client.amend},
	{6, client.closePosition},
	{1, client.cancelAll},
	{6, client.trade},
	{4, client.read},
	{3, client.trespass},
}

func (c client) act() {
	at := c.random.IntN(100)
	for _, a := range actions {
		if at -= a.part; at < 0 {
			a.do(c)
			return
		}
	}
}

// traded are the symbols of the load, with a price near the simulators' and quantities
// that all venues accept.
var traded = []struct {
	symbol string
	price  int64
	// qtyHundredthsMax bounds quantities, in hundredths of a coin.
	qtyHundredthsMax int64
}{
	{"BTCUSDT", 65000, 3},
	{"ETHUSDT", 3200, 20},
}

// placeNew sends a new order, sometimes by several clients concurrently.
func (c client) placeNew() {
	id := "r" + strconv.FormatUint(c.requests.Add(1), 10)
	s := sent{http.MethodPost, "/v1/orders", c.newOrder(id)}
	c.history.register(id, s)
	var wait sync.WaitGroup
	if c.random.IntN(4) == 0 {
		for range 1 + c.random.IntN(repeatsMax) {
			key := c.key(c.random.Uint64())
			wait.Go(func() { c.place(key, id, s) })
		}
	}
	c.place(c.key(c.random.Uint64()), id, s)
	wait.Wait()
}

// newOrder returns a body. Orders rest below and above the market, or cross it.
func (c client) newOrder(requestID string) string {
	r, instrument := c.random, traded[c.random.IntN(len(traded))]
	exchange := venues.All()[r.IntN(len(venues.All()))]
	side, away := "buy", int64(-1)
	if r.IntN(2) == 0 {
		side, away = "sell", 1
	}
	body := map[string]any{
		"exchange": exchange, "symbol": instrument.symbol, "side": side, "requestId": requestID,
		"qty": venues.FormatDecimal(hundredths(1 + r.Int64N(instrument.qtyHundredthsMax))), "comment": "chaos",
	}
	body["type"] = "limit"
	distance := instrument.price * (1 + r.Int64N(20)) / 1000
	switch kind := r.IntN(100); {
	case kind < 45:
		body["type"] = "market"
	case kind < 80:
		body["price"] = strconv.FormatInt(instrument.price+away*distance, 10)
	case kind < 88:
		body["price"] = strconv.FormatInt(instrument.price+away*distance, 10)
		body["postOnly"] = true
	case kind < 94: // crosses
		body["price"] = strconv.FormatInt(instrument.price-away*distance, 10)
		body["timeInForce"] = "ioc"
	default:
		body["type"] = "stop_market"
		body["triggerPrice"] = strconv.FormatInt(instrument.price+away*-instrument.price/5, 10)
	}
	if body["type"] != "stop_market" && r.IntN(8) == 0 {
		body["stopLoss"] = strconv.FormatInt(instrument.price+away*instrument.price/4, 10)
	}
	return encode(body)
}

func encode(body map[string]any) string {
	content, err := json.Marshal(body)
	if err != nil {
		panic(err) // strings and booleans
	}
	return string(content)
}

// place sends a request that places an order and records its outcome. A request that
// found no connection is not recorded.
func (w *world) place(key, requestID string, s sent) answer {
	o := op{requestID: requestID, began: w.history.now()}
	o.answer = w.do(key, s)
	o.ended = w.history.now()
	if o.status == 0 && o.outcome == outcomeRefused {
		time.Sleep(retryPause)
		return o.answer
	}
	w.history.record(o)
	return o.answer
}

// repeat sends an earlier request again.
func (c client) repeat() {
	if id, s, ok := c.history.anyRequest(c.random.Uint64()); ok {
		c.place(c.key(c.random.Uint64()), id, s)
	}
}

func (c client) cancel() {
	if id, ok := c.history.anyWorking(c.random.Uint64()); ok {
		c.do(c.key(c.random.Uint64()), sent{method: http.MethodDelete, path: "/v1/orders/" + id})
	}
}

func (c client) cancelAll() {
	exchange := venues.All()[c.random.IntN(len(venues.All()))]
	c.do(c.key(c.random.Uint64()), sent{method: http.MethodDelete, path: "/v1/orders?exchange=" + string(exchange)})
}

func (c client) amend() {
	id, ok := c.history.anyWorking(c.random.Uint64())
	if !ok {
		return
	}
	body := fmt.Sprintf(`{"qty":%q}`, venues.FormatDecimal(hundredths(2+c.random.Int64N(4))))
	c.do(c.key(c.random.Uint64()), sent{http.MethodPatch, "/v1/orders/" + id, body})
}

// closePosition sends a close request, which has a request id like any order.
func (c client) closePosition() {
	id := "c" + strconv.FormatUint(c.requests.Add(1), 10)
	s := sent{http.MethodPost, "/v1/positions/close", encode(map[string]any{
		"exchange": venues.All()[c.random.IntN(len(venues.All()))], "symbol": traded[c.random.IntN(len(traded))].symbol, "requestId": id,
	})}
	c.history.register(id, s)
	c.place(c.key(c.random.Uint64()), id, s)
}

// trade makes another participant trade, so that resting orders fill, and resets books
// that have run empty.
func (c client) trade() {
	venue := venues.All()[c.random.IntN(len(venues.All()))]
	instrument := traded[c.random.IntN(len(traded))]
	path, body := "/market/trade", map[string]any{
		"symbol": instrument.symbol, "side": []string{"buy", "sell"}[c.random.IntN(2)],
		"qty": venues.FormatDecimal(hundredths(1 + c.random.Int64N(100*instrument.qtyHundredthsMax))),
	}
	if c.random.IntN(4) == 0 {
		// The price returns to its start, and everything in between is filled.
		path, body = "/market", map[string]any{"symbol": instrument.symbol, "price": strconv.FormatInt(instrument.price, 10)}
	}
	_, _ = c.sim.call(venue, http.MethodPost, path, body) // it may be down
}

func (c client) read() {
	c.do(c.key(c.random.Uint64()), sent{method: http.MethodGet, path: "/v1/orders?status=all&limit=50"})
}

// trespass tries to trade with a read-only key.
func (c client) trespass() {
	id := "t" + strconv.FormatUint(c.requests.Add(1), 10)
	a := c.do(c.demo.ReadKey, sent{http.MethodPost, "/v1/orders", c.newOrder(id)})
	if a.status != 0 && a.status != http.StatusForbidden && a.status != http.StatusTooManyRequests {
		c.history.trespass(fmt.Sprintf("a read-only key placed %s: %d %s", id, a.status, a.text))
	}
}
