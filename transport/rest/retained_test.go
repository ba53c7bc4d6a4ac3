package rest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"venuegate/persistence"
	"venuegate/transport/auth"
	"venuegate/transport/rest"
	"venuegate/transport/reusetest"
	"venuegate/venues"
)

// recorder implements the dependencies that receive data of a request, and retains
// it.
type recorder struct {
	rest.Trader
	rest.Accounts
	rest.Records
	*reusetest.Retained
}

func (k recorder) Authenticate(_ context.Context, key string, _ netip.Addr) (auth.Principal, error) {
	k.Retain("key", key)
	return auth.Principal{Customer: "cus_1", KeyID: "key_1", Scopes: allScopes}, nil
}

func (k recorder) Place(ctx context.Context, c venues.PlaceOrder) (venues.Order, error) {
	k.Retain("place", c)
	return k.Trader.Place(ctx, c)
}

func (k recorder) CheckOrder(ctx context.Context, c venues.PlaceOrder) (venues.OrderCheck, error) {
	k.Retain("check", c)
	return k.Trader.CheckOrder(ctx, c)
}

func (k recorder) Close(ctx context.Context, c venues.ClosePosition) (venues.Order, error) {
	k.Retain("close", c)
	return k.Trader.Close(ctx, c)
}

func (k recorder) Amend(ctx context.Context, c venues.AmendOrder) (venues.Order, error) {
	k.Retain("amend", c)
	return k.Trader.Amend(ctx, c)
}

// Cancel fails, so that the server logs data of the request.
func (k recorder) Cancel(_ context.Context, c venues.CancelOrder) (venues.Order, error) {
	k.Retain("cancel", c)
	return venues.Order{}, errors.New("a bug of the trader")
}

func (k recorder) CancelAll(ctx context.Context, c venues.CancelOrders) ([]venues.CancelResult, error) {
	k.Retain("cancel all", c)
	return k.Trader.CancelAll(ctx, c)
}

func (k recorder) SetLeverage(ctx context.Context, c venues.ChangeLeverage) (venues.LeverageChange, error) {
	k.Retain("leverage", c)
	return k.Trader.SetLeverage(ctx, c)
}

func (k recorder) Positions(ctx context.Context, q venues.ReadAccount) ([]venues.Position, []venues.VenueFailure, error) {
	k.Retain("positions", q)
	return k.Accounts.Positions(ctx, q)
}

func (k recorder) Order(ctx context.Context, customer, orderID string) (persistence.OrderRecord, error) {
	k.Retain("order", orderID)
	return k.Records.Order(ctx, customer, orderID)
}

func (k recorder) Orders(ctx context.Context, q persistence.OrderQuery) (persistence.Page[persistence.OrderRecord], error) {
	k.Retain("orders", q)
	return k.Records.Orders(ctx, q)
}

func (k recorder) Fills(ctx context.Context, q persistence.FillQuery) (persistence.Page[persistence.FillRecord], error) {
	k.Retain("fills", q)
	return k.Records.Fills(ctx, q)
}

func (k recorder) Events(ctx context.Context, customer, after string, limit int) ([]persistence.Event, error) {
	k.Retain("events", after)
	return k.Records.Events(ctx, customer, after, limit)
}

// markedRequests are the requests that carry text of the client (MARK) in the path,
// the query or the body.
var markedRequests = []struct{ method, path, body string }{
	{http.MethodPost, "/v1/orders", `{"exchange":"binance","symbol":"MARKUSDT","side":"buy","type":"market","qty":"1","requestId":"r-MARK","comment":"MARK"}`},
	{http.MethodPost, "/v1/positions/close", `{"exchange":"binance","symbol":"MARKUSDT","requestId":"r-MARK"}`},
	{http.MethodPost, "/v1/positions/leverage", `{"exchange":"binance","symbol":"MARKUSDT","leverage":"2"}`},
	{http.MethodPatch, "/v1/orders/ord_MARK", `{"price":"1"}`},
	{http.MethodDelete, "/v1/orders/ord_MARK", ""},
	{http.MethodDelete, "/v1/orders?symbol=MARKUSDT", ""},
	{http.MethodGet, "/v1/orders/ord_MARK", ""},
	{http.MethodGet, "/v1/orders?status=all&symbol=MARKUSDT&requestId=r-MARK", ""},
	{http.MethodGet, "/v1/positions?symbol=MARKUSDT", ""},
	{http.MethodGet, "/v1/fills?symbol=MARKUSDT&orderId=ord_MARK", ""},
	{http.MethodGet, "/v1/events?after=evt_MARK", ""},
}

// No data that the server passes on points into the request, whose buffers are reused
// for the next one of the connection.
func TestRetainedDataDoesNotChange(t *testing.T) {
	var retained reusetest.Retained
	w := newWorld(t, withoutRateLimit, func(d *rest.Deps) {
		k := recorder{d.Trader, d.Accounts, d.Records, &retained}
		d.Trader, d.Accounts, d.Records, d.Auth = k, k, k, k
	})
	w.customer("cus_1", venues.Binance)
	address, client := w.listen(), w.client()
	for _, r := range markedRequests {
		for mark := range reusetest.Marks() {
			path, body := strings.ReplaceAll(r.path, "MARK", mark), strings.ReplaceAll(r.body, "MARK", mark)
			if got := w.send(client, r.method, address, path, "key-"+mark, strings.NewReader(body)); got.status == http.StatusBadRequest && !strings.Contains(path, "events") {
				t.Fatalf("%s %s: response = %d %s, want a valid request", r.method, path, got.status, got.body)
			}
			if logged := w.logs.TakeAll(); len(logged) > 0 {
				retained.Retain("log", logged[0].Context)
			}
		}
	}
	retained.Check(t, "key", "place", "close", "leverage", "amend", "cancel", "cancel all", "order", "orders", "positions", "fills", "events", "log")
}

// Values that a mounted handler reads from a request do not change either.
func TestRetainedDataOfMountedRoutesDoesNotChange(t *testing.T) {
	var retained reusetest.Retained
	w := newWorld(t, func(d *rest.Deps) { d.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	w.server.Mount(http.MethodPost, "/mounted/:id", func(c *fiber.Ctx) error {
		retained.Retain("path", c.Params("id"))
		retained.Retain("query", c.Query("q"))
		retained.Retain("header", c.Get("X-Service-Signature"))
		retained.Retain("address", c.IP())
		retained.Retain("method", c.Method())
		return c.SendStatus(http.StatusNoContent)
	})
	address, client := w.listen(), w.client()
	octet := 10
	for mark := range reusetest.Marks() {
		octet++
		w.send(client, http.MethodPost, address, "/mounted/"+mark+"?q="+mark, "k", strings.NewReader(mark),
			"X-Service-Signature: "+mark, fmt.Sprintf("X-Forwarded-For: 203.0.113.%d", octet)).want(http.StatusNoContent)
	}
	retained.Check(t, "path", "query", "header", "address", "method")
}

var _ rest.Authenticator = recorder{}
