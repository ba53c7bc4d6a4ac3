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

// keeping is everything that the edge hands things to, and keeps them.
type keeping struct {
	rest.Trader
	rest.Accounts
	rest.Records
	*reusetest.Kept
}

func (k keeping) Authenticate(_ context.Context, key string, _ netip.Addr) (auth.Principal, error) {
	k.Keep("key", key)
	return auth.Principal{Customer: "cus_1", KeyID: "key_1", Scopes: allScopes}, nil
}

func (k keeping) Place(ctx context.Context, c venues.PlaceOrder) (venues.Order, error) {
	k.Keep("place", c)
	return k.Trader.Place(ctx, c)
}

func (k keeping) Close(ctx context.Context, c venues.ClosePosition) (venues.Order, error) {
	k.Keep("close", c)
	return k.Trader.Close(ctx, c)
}

func (k keeping) Amend(ctx context.Context, c venues.AmendOrder) (venues.Order, error) {
	k.Keep("amend", c)
	return k.Trader.Amend(ctx, c)
}

// Cancel fails, so that the edge logs something of the request.
func (k keeping) Cancel(_ context.Context, c venues.CancelOrder) (venues.Order, error) {
	k.Keep("cancel", c)
	return venues.Order{}, errors.New("a bug of the trader")
}

func (k keeping) CancelAll(ctx context.Context, c venues.CancelOrders) ([]venues.CancelResult, error) {
	k.Keep("cancel all", c)
	return k.Trader.CancelAll(ctx, c)
}

func (k keeping) SetLeverage(ctx context.Context, c venues.ChangeLeverage) (venues.LeverageChange, error) {
	k.Keep("leverage", c)
	return k.Trader.SetLeverage(ctx, c)
}

func (k keeping) Positions(ctx context.Context, q venues.ReadAccount) ([]venues.Position, []venues.VenueFailure, error) {
	k.Keep("positions", q)
	return k.Accounts.Positions(ctx, q)
}

func (k keeping) Order(ctx context.Context, customer, orderID string) (persistence.OrderRecord, error) {
	k.Keep("order", orderID)
	return k.Records.Order(ctx, customer, orderID)
}

func (k keeping) Orders(ctx context.Context, q persistence.OrderQuery) (persistence.Page[persistence.OrderRecord], error) {
	k.Keep("orders", q)
	return k.Records.Orders(ctx, q)
}

func (k keeping) Fills(ctx context.Context, q persistence.FillQuery) (persistence.Page[persistence.FillRecord], error) {
	k.Keep("fills", q)
	return k.Records.Fills(ctx, q)
}

func (k keeping) Events(ctx context.Context, customer, after string, limit int) ([]persistence.Event, error) {
	k.Keep("events", after)
	return k.Records.Events(ctx, customer, after, limit)
}

// markedRequests are the requests that carry a caller's text: in the path, the
// query and the body, MARK being the text.
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

// Nothing that the edge hands on points into the request: its buffers serve the
// next one of the connection.
func TestKeptMemoryIsNotTheRequests(t *testing.T) {
	var kept reusetest.Kept
	w := newWorld(t, notLimited, func(d *rest.Deps) {
		k := keeping{d.Trader, d.Accounts, d.Records, &kept}
		d.Trader, d.Accounts, d.Records, d.Auth = k, k, k, k
	})
	w.customer("cus_1", venues.Binance)
	address, client := w.listen(), w.client()
	for _, r := range markedRequests {
		for mark := range reusetest.Marks() {
			path, body := strings.ReplaceAll(r.path, "MARK", mark), strings.ReplaceAll(r.body, "MARK", mark)
			if got := w.send(client, r.method, address, path, "key-"+mark, strings.NewReader(body)); got.status == http.StatusBadRequest && !strings.Contains(path, "events") {
				t.Fatalf("%s %s: %s", r.method, path, got.body)
			}
			if logged := w.logs.TakeAll(); len(logged) > 0 {
				kept.Keep("log", logged[0].Context)
			}
		}
	}
	kept.Check(t, "key", "place", "close", "leverage", "amend", "cancel", "cancel all", "order", "orders", "positions", "fills", "events", "log")
}

// What a handler of another edge reads of a request stays what it is.
func TestKeptMemoryOfMountedRoutes(t *testing.T) {
	var kept reusetest.Kept
	w := newWorld(t, func(d *rest.Deps) { d.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	w.server.Mount(http.MethodPost, "/mounted/:id", func(c *fiber.Ctx) error {
		kept.Keep("path", c.Params("id"))
		kept.Keep("query", c.Query("q"))
		kept.Keep("header", c.Get("X-Service-Signature"))
		kept.Keep("address", c.IP())
		kept.Keep("method", c.Method())
		return c.SendStatus(http.StatusNoContent)
	})
	address, client := w.listen(), w.client()
	octet := 10
	for mark := range reusetest.Marks() {
		octet++
		w.send(client, http.MethodPost, address, "/mounted/"+mark+"?q="+mark, "k", strings.NewReader(mark),
			"X-Service-Signature: "+mark, fmt.Sprintf("X-Forwarded-For: 203.0.113.%d", octet)).want(http.StatusNoContent)
	}
	kept.Check(t, "path", "query", "header", "address", "method")
}

var _ rest.Authenticator = keeping{}
