package bench

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
)

const (
	// ordersPerKey stays below the trading limit of a key within a minute;
	// each round uses a key of its own.
	ordersPerKey = 60
	// roundEvery keeps the three ways together below the venue's limit of 300
	// orders in ten seconds.
	roundEvery = 11 * time.Second
)

var ordersScenario = Scenario{
	Name: "orders",
	Does: "POST /v1/orders through to the simulated venue and back, against a plain forward of the same request",
	Run:  measureOrders,
}

// measureOrders compares three ways of an order that ends at once: straight to
// the venue, through a server that only forwards, and through the service, which
// checks, makes the intent durable, signs, sends, and makes the answer durable.
func measureOrders(ctx context.Context, o Options) ([]Figure, error) {
	d, err := startDemo(ctx, o.Binary)
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	venue := newVenueClient(d.File)
	forward, stop, err := startForward(ctx, d.File.Sim["binance"].RESTURL)
	if err != nil {
		return nil, err
	}
	defer stop()
	var direct, forwarded, ours []float64
	for round := range o.Rounds {
		next := time.After(roundEvery)
		key, err := d.newKey(ctx, round)
		if err != nil {
			return nil, err
		}
		for _, way := range []struct {
			rounds *[]float64
			send   func(context.Context) error
		}{
			{&direct, func(ctx context.Context) error { return venue.order(ctx, d.File.Sim["binance"].RESTURL) }},
			{&forwarded, func(ctx context.Context) error { return venue.order(ctx, forward) }},
			{&ours, func(ctx context.Context) error { return d.order(ctx, key) }},
		} {
			took, err := timeEach(ctx, way.send)
			if err != nil {
				return nil, err
			}
			*way.rounds = append(*way.rounds, median(took))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-next:
		}
	}
	return []Figure{
		{Name: "whole p50", Ours: spreadOf(ours), Limit: spreadOf(direct), Unit: "µs", Goal: "limit: straight to the venue"},
		{Name: "added p50", Ours: added(ours, direct), Limit: added(forwarded, direct), Unit: "µs", Goal: "limit: plain forward; ours includes two durable commits"},
	}, nil
}

func added(through, direct []float64) Spread {
	rounds := make([]float64, len(through))
	for i := range through {
		rounds[i] = through[i] - direct[i]
	}
	return spreadOf(rounds)
}

func timeEach(ctx context.Context, send func(context.Context) error) ([]time.Duration, error) {
	var took []time.Duration
	for n := range ordersPerKey {
		begun := time.Now()
		if err := send(ctx); err != nil {
			return nil, err
		}
		if n >= ordersPerKey/10 { // the first ones warm connections up
			took = append(took, time.Since(begun))
		}
	}
	return took, nil
}

// newKey makes a trading key: the limit of requests is per key.
func (d *demo) newKey(ctx context.Context, round int) (string, error) {
	var customers struct {
		Items []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	if err := call(ctx, http.MethodGet, d.File.AdminURL+"/admin/v1/customers", d.File.AdminToken, nil, &customers); err != nil {
		return "", err
	}
	if len(customers.Items) == 0 {
		return "", errors.New("the demo has no customer")
	}
	customer := customers.Items[0].ID
	body, err := json.Marshal(map[string]any{
		"customer": customer, "name": "bench " + strconv.Itoa(round), "scopes": []string{"trade"},
	})
	if err != nil {
		return "", err
	}
	var created struct {
		Key string `json:"apiKey"`
	}
	err = call(ctx, http.MethodPost, d.File.AdminURL+"/admin/v1/keys", d.File.AdminToken, body, &created)
	return created.Key, err
}

// order places a limit order that cannot rest and finds nothing to fill.
func (d *demo) order(ctx context.Context, key string) error {
	const body = `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"1","price":"20000","timeInForce":"ioc"}`
	var order struct {
		Status string `json:"status"`
	}
	if err := call(ctx, http.MethodPost, d.File.BaseURL+"/v1/orders", key, []byte(body), &order); err != nil {
		return err
	}
	if order.Status != "cancelled" && order.Status != "expired" {
		return fmt.Errorf("order is %s", order.Status)
	}
	return nil
}

var client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 16}}

func call(ctx context.Context, method, address, token string, body []byte, answer any) error {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+token)
	return send(request, answer)
}

func send(request *http.Request, answer any) error {
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %d %s", request.Method, request.URL.Path, response.StatusCode, data)
	}
	return json.Unmarshal(data, answer)
}

// venueClient places the same order at the venue itself.
type venueClient struct{ key, secret string }

func newVenueClient(f demoFile) venueClient {
	sim := f.Sim["binance"]
	return venueClient{key: sim.APIKey, secret: sim.APISecret}
}

func (v venueClient) order(ctx context.Context, base string) error {
	query := url.Values{
		"symbol": {"BTCUSDT"}, "side": {"BUY"}, "type": {"LIMIT"}, "timeInForce": {"IOC"}, "quantity": {"1"}, "price": {"20000"},
		"newOrderRespType": {"RESULT"}, "timestamp": {strconv.FormatInt(time.Now().UnixMilli(), 10)},
	}.Encode()
	sum := hmac.New(sha256.New, []byte(v.secret))
	sum.Write([]byte(query))
	address := base + "/fapi/v1/order?" + query + "&signature=" + hex.EncodeToString(sum.Sum(nil))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("X-MBX-APIKEY", v.key)
	var order struct {
		Status string `json:"status"`
	}
	return send(request, &order)
}

// startForward serves a Fiber application that does nothing but pass requests on
// with the standard client: what any service in between must cost at least.
func startForward(ctx context.Context, target string) (base string, stop func(), err error) {
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.All("/*", func(c *fiber.Ctx) error {
		request, err := http.NewRequestWithContext(c.Context(), c.Method(), target+c.OriginalURL(), bytes.NewReader(c.Body()))
		if err != nil {
			return err
		}
		request.Header.Set("X-MBX-APIKEY", c.Get("X-MBX-APIKEY"))
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }()
		data, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		return c.Status(response.StatusCode).Send(data)
	})
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	go func() { _ = app.Listener(listener) }()
	return "http://" + listener.Addr().String(), func() { _ = app.Shutdown() }, nil
}
