package rest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/transport/auth"
	"venuegate/transport/rest"
	"venuegate/venues"
)

// unlimited is a limiter that allows every request.
type unlimited struct{}

func (unlimited) Take(context.Context, string, auth.Class, time.Time) (auth.Decision, error) {
	return auth.Decision{Allowed: true, Limit: 1, Remaining: 1}, nil
}

func withoutRateLimit(d *rest.Deps) { d.Limiter = unlimited{} }

// twoCustomers stores two customers with orders, fills and events that name their
// owner, and returns their keys.
func twoCustomers(w *world) (keys map[string]string) {
	keys = map[string]string{}
	w.trader.order = venues.Order{
		OrderID: "ord_x", Exchange: venues.Binance, Status: venues.StatusOpen, Source: venues.SourceAPI,
		OrderSpec: venues.OrderSpec{Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeMarket, Qty: venues.MustDecimal("1")},
	}
	w.trader.change = venues.LeverageChange{Exchange: venues.Binance, Symbol: "BTCUSDT"}
	for _, customer := range []string{"cus_1", "cus_2"} {
		w.customer(customer, venues.Binance)
		w.history(customer, 20, time.Now())
		w.commit(customer, persistence.Batch{Events: []persistence.Event{{
			ID: "evt_" + customer, Seq: 1, Type: persistence.EventOrderFilled, CreatedAt: venues.At(time.Now()),
			Data: []byte(`{"comment":"canary of ` + customer + `"}`),
		}}})
		keys[customer] = w.key(customer, allScopes...)
	}
	return keys
}

func other(customer string) string {
	if customer == "cus_1" {
		return "cus_2"
	}
	return "cus_1"
}

// No response to a customer contains data of the other one: for every route, with own
// ids, with ids of the other and with unknown ids.
func TestCanaryMatrix(t *testing.T) {
	w := newWorld(t, withoutRateLimit)
	keys := twoCustomers(w)
	for customer, key := range keys {
		for _, r := range w.server.Routes() {
			for _, owner := range []string{customer, other(customer), "nobody"} {
				path, body := request(r)
				path = strings.ReplaceAll(path, "ord_1", "ord_"+owner+"_0001")
				switch r.Path {
				case "/v1/orders":
					if r.Method == http.MethodGet {
						path += "?status=all&requestId=r1"
					}
				case "/v1/fills":
					path += "?orderId=ord_" + owner + "_0001"
				case "/v1/events":
					path += "?after=evt_" + owner
				}
				got := w.do(r.Method, path, key, body)
				text := string(got.body)
				if strings.Contains(text, "canary of "+other(customer)) || strings.Contains(text, "canary-of-"+other(customer)) {
					t.Errorf("%s %s by %s: response = %s, want no data of %s", r.Method, path, customer, text, other(customer))
				}
				if r.Path == "/v1/orders/:id" && r.Method == http.MethodGet {
					want := http.StatusOK
					if owner != customer {
						want = http.StatusNotFound
					}
					got.want(want)
				}
				if r.Path == "/v1/fills" && owner != customer && len(got.page().Items) > 0 {
					t.Errorf("fills of %s returned to %s: %s, want none", owner, customer, got.body)
				}
			}
		}
		if foreign := w.do(http.MethodGet, "/v1/orders/ord_"+other(customer)+"_0001", key, ""); foreign.error().Message !=
			strings.ReplaceAll(w.do(http.MethodGet, "/v1/orders/ord_nobody_0001", key, "").error().Message, "nobody", other(customer)) {
			t.Errorf("order of another customer: response = %s, want that for an unknown id", foreign.body)
		}
	}
	for _, command := range w.trader.commands {
		if text := fmt.Sprintf("%+v", command); strings.Contains(text, "Customer: ") {
			t.Errorf("command = %s, want a customer", text)
		}
	}
}

// Under load on shared connections no customer gets the response of another, and
// commands do not change after the handler returned, although the server reuses its
// buffers.
func TestCanariesUnderLoad(t *testing.T) {
	w := newWorld(t, withoutRateLimit)
	keys := twoCustomers(w)
	address, client := w.listen(), w.client()
	var wg sync.WaitGroup
	for worker := range 8 {
		random := rand.New(rand.NewPCG(1, uint64(worker)))
		wg.Go(func() {
			for i := range 150 {
				customer := []string{"cus_1", "cus_2"}[random.IntN(2)]
				mark := fmt.Sprintf("%s-%d-%d", customer, worker, i)
				var got *response
				switch random.IntN(4) {
				case 0:
					got = w.send(client, http.MethodGet, address, "/v1/orders?status=all&limit=5", keys[customer], nil)
				case 1:
					got = w.send(client, http.MethodGet, address, "/v1/account", keys[customer], nil)
				case 2:
					got = w.send(client, http.MethodGet, address, "/v1/orders/ord_"+customer+"_0003", keys[customer], nil)
				default:
					body := fmt.Sprintf(`{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"market","qty":"1","requestId":%q,"comment":%q}`, mark, mark)
					got = w.send(client, http.MethodPost, address, "/v1/orders", keys[customer], strings.NewReader(body))
				}
				if got.status >= 300 || !strings.Contains(string(got.body), "canary of "+customer) || strings.Contains(string(got.body), "canary of "+other(customer)) {
					t.Errorf("response to %s = %d %s, want its own data", customer, got.status, got.body)
				}
			}
		})
	}
	wg.Wait()
	for _, command := range w.trader.commands {
		c, _ := command.(venues.PlaceOrder)
		if c.RequestID != c.Comment || !strings.HasPrefix(c.RequestID, c.Customer+"-") || c.Symbol != "BTCUSDT" || c.Exchange != venues.Binance {
			t.Errorf("command after the request = %+v, want it unchanged", c)
		}
	}
	if len(w.trader.commands) < 100 {
		t.Errorf("%d commands, want at least 100", len(w.trader.commands))
	}
}
