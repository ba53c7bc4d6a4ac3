package rest_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/transport/rest"
	"venuegate/venues"
)

// BenchmarkPostOrder, BenchmarkPatchOrder, BenchmarkDeleteOrder and BenchmarkGetOrder
// measure one request of a kept connection, with fake dependencies: parser, headers,
// authorization, handler and response, but no system calls.
func BenchmarkPostOrder(b *testing.B) {
	benchmarkRequest(b, "POST /v1/orders", limitOrder)
}

func BenchmarkPatchOrder(b *testing.B) {
	benchmarkRequest(b, "PATCH /v1/orders/ord_1", `{"price":"64000.5"}`)
}

func BenchmarkDeleteOrder(b *testing.B) {
	benchmarkRequest(b, "DELETE /v1/orders/ord_1", "")
}

func BenchmarkGetOrder(b *testing.B) {
	benchmarkRequest(b, "GET /v1/orders/ord_1", "")
}

const limitOrder = `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"0.05","price":"64000.5","timeInForce":"gtc","requestId":"b-01JZ7Q0000000001"}`

func benchmarkRequest(b *testing.B, line, body string) {
	w := newWorld(b, withoutRateLimit, func(d *rest.Deps) {
		d.Trader = filler{order: filledOrder()}
		d.Observe = func(string, string, int, time.Duration) {}
	})
	withOrder(w)
	var r strings.Builder
	fmt.Fprintf(&r, "%s HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: python-requests/2.32\r\nAccept: */*\r\nAuthorization: Bearer %s\r\n",
		line, w.key("cus_1", persistence.ScopeRead, persistence.ScopeTrade))
	if body != "" {
		fmt.Fprintf(&r, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	r.WriteString("\r\n" + body)
	w.server.App().Handler() // builds the router
	b.ReportAllocs()
	for left := b.N; left > 0; {
		conn := &repeatingConn{request: []byte(r.String()), left: min(left, 1000)}
		left -= conn.left
		if err := w.server.App().Server().ServeConn(conn); err != nil {
			b.Fatal(err)
		}
		if got := conn.out.Bytes(); !bytes.HasPrefix(got, []byte("HTTP/1.1 20")) {
			b.Fatalf("response = %.300s, want 2xx", got)
		}
	}
}

// filler fills every order.
type filler struct {
	rest.Trader
	order venues.Order
}

func (f filler) Place(context.Context, venues.PlaceOrder) (venues.Order, error) {
	return f.order, nil
}

func (f filler) Amend(context.Context, venues.AmendOrder) (venues.Order, error) {
	return f.order, nil
}

func (f filler) Cancel(context.Context, venues.CancelOrder) (venues.Order, error) {
	return f.order, nil
}

// filledOrder returns an order with the fields that a filled one has.
func filledOrder() venues.Order {
	at := venues.At(time.Date(2026, 9, 1, 12, 0, 0, 123e6, time.UTC))
	return venues.Order{
		OrderID: "ord_01K4B6Q8Z3T5V7W9XABCDEFGHJ", RequestID: "b-01JZ7Q0000000001", Exchange: venues.Binance,
		OrderSpec: venues.OrderSpec{
			Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeLimit, Qty: venues.MustDecimal("0.05"), Price: some("64000.5"),
			TimeInForce: venues.GoodTillCancel,
		},
		Status: venues.StatusFilled, FilledQty: venues.MustDecimal("0.05"), AvgPrice: some("63999.9"),
		Fee: some("1.27999"), FeeCurrency: "USDT", Source: venues.SourceAPI, VenueOrderID: "8389765912345",
		CreatedAt: at, UpdatedAt: at,
	}
}

// repeatingConn is a connection whose client sends each request when it has the
// response to the one before. It keeps the newest response.
type repeatingConn struct {
	memoryConn
	request, rest []byte
	left          int
}

var localAddress = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}

func (c *repeatingConn) RemoteAddr() net.Addr { return localAddress }

func (c *repeatingConn) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		if c.left == 0 {
			return 0, io.EOF
		}
		c.left--
		c.rest = c.request
		c.out.Reset()
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
