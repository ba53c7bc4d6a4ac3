package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	venuegate "venuegate/transport/clients/go"
)

// goClient returns the Go client of a service.
func goClient(t *testing.T, s *service, attempts int) *venuegate.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := venuegate.NewClient(venuegate.Options{
		URL: s.demo.BaseURL, Key: s.demo.APIKey, HTTP: &http.Client{Transport: transport, Timeout: waitMax}, Attempts: attempts,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// restingOrder is an order that does not trade.
func restingOrder(requestID string) venuegate.OrderRequest {
	price := decimal.RequireFromString("1000")
	return venuegate.OrderRequest{
		Exchange: venuegate.ExchangeBinance, Symbol: "BTCUSDT", Side: venuegate.SideBuy, Type: venuegate.OrderTypeLimit,
		Qty: decimal.RequireFromString("0.2"), Price: &price, RequestId: &requestID,
	}
}

// The Go client decodes what the service responds.
func TestGoClient(t *testing.T) {
	s := startService(t, t.TempDir())
	c, ctx := goClient(t, s, 0), t.Context()
	placed, err := c.PlaceOrder(ctx, restingOrder("go-1"))
	if err != nil || placed.RequestId == nil || *placed.RequestId != "go-1" {
		t.Fatalf("order = %+v, %v, want one with requestId go-1", placed, err)
	}
	s.acknowledged(s.demo.APIKey, placed.OrderId)
	if repeated, err := c.PlaceOrder(ctx, restingOrder("go-1")); err != nil || repeated.OrderId != placed.OrderId {
		t.Errorf("repeated order = %s, %v, want %s", repeated.OrderId, err, placed.OrderId)
	}
	price := decimal.RequireFromString("1001")
	amended, err := c.AmendOrder(ctx, placed.OrderId, venuegate.OrderAmendment{Price: &price})
	if err != nil || amended.Price == nil || !amended.Price.Equal(price) {
		t.Errorf("amended order = %+v, %v, want price 1001", amended, err)
	}
	if read, err := c.Order(ctx, amended.OrderId); err != nil || read.OrderId != amended.OrderId {
		t.Errorf("order = %s, %v, want %s", read.OrderId, err, amended.OrderId)
	}
	if cancelled, err := c.CancelOrders(ctx, venuegate.CancelOrdersParams{}); err != nil || len(cancelled) != 1 {
		t.Errorf("cancelled = %+v, %v, want one order", cancelled, err)
	}
	_, err = c.CancelOrder(ctx, amended.OrderId)
	if e, _ := errors.AsType[*venuegate.APIError](err); e == nil || e.Code != venuegate.ErrorCodeNotFound {
		t.Errorf("second cancel: %v, want not_found", err)
	}
	checkGoReads(t, c)
}

// checkGoReads calls every operation of the Go client that reads.
func checkGoReads(t *testing.T, c *venuegate.Client) {
	t.Helper()
	ctx, exchange := t.Context(), venuegate.ExchangeBinance
	if change, err := c.ChangeLeverage(ctx, venuegate.LeverageRequest{Exchange: exchange, Symbol: "BTCUSDT", Leverage: decimal.RequireFromString("7")}); err != nil || change.Leverage.String() != "7" {
		t.Errorf("leverage = %+v, %v, want 7", change, err)
	}
	market := restingOrder("go-2")
	market.Type, market.Price, market.Qty = venuegate.OrderTypeMarket, nil, decimal.RequireFromString("0.01")
	if _, err := c.PlaceOrder(ctx, market); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a fill", func() bool {
		fills, err := c.ListFills(ctx, venuegate.ListFillsParams{Exchange: &exchange})
		return err == nil && len(fills.Items) > 0 && fills.Items[0].Qty.IsPositive()
	})
	positions, err := c.ListPositions(ctx, venuegate.ListPositionsParams{})
	if err != nil || len(positions.Items) != 1 || positions.Items[0].Qty.String() != "0.01" {
		t.Errorf("positions = %+v, %v, want 0.01", positions, err)
	}
	if _, err := c.ClosePosition(ctx, venuegate.PositionClose{Exchange: exchange, Symbol: "BTCUSDT"}); err != nil {
		t.Error(err)
	}
	if balances, err := c.Account(ctx, venuegate.GetAccountParams{}); err != nil || len(balances.Items) == 0 || !balances.Items[0].Equity.IsPositive() {
		t.Errorf("balances = %+v, %v, want equity", balances, err)
	}
	if found, err := c.ListInstruments(ctx, venuegate.ListInstrumentsParams{Exchange: &exchange}); err != nil || len(found.Items) == 0 {
		t.Errorf("instruments = %+v, %v, want some", found, err)
	}
	if events, err := c.ListEvents(ctx, venuegate.ListEventsParams{}); err != nil || len(events.Items) == 0 {
		t.Errorf("events = %+v, %v, want some", events, err)
	}
}

// The Go client places each order once although the service is killed meanwhile, and its
// stream continues after the restart.
func TestGoClientWhileTheServiceIsKilled(t *testing.T) {
	dir := t.TempDir()
	s := startService(t, dir)
	c := goClient(t, s, 0)
	stream := venuegate.Subscribe(t.Context(), venuegate.StreamOptions{
		URL: s.demo.WSURL, Key: s.demo.APIKey, Topics: []string{"book:binance:BTCUSDT:5", "orders"},
	})
	defer stream.Close()
	book := venuegate.NewBook("book:binance:BTCUSDT:5")
	until := func(what string, is func(venuegate.Message) bool) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), waitMax)
		defer cancel()
		for {
			m, err := stream.Next(ctx)
			if err == nil {
				err = book.Apply(m)
			}
			if err != nil {
				t.Fatalf("waiting for %s: %v", what, err)
			}
			if is(m) {
				return
			}
		}
	}
	current := func(venuegate.Message) bool { return book.Current() && len(book.Bids()) == 5 && len(book.Asks()) == 5 }
	until("the book", current)

	const orders = 12
	placed := make(chan error, 1)
	halfway := make(chan struct{})
	go func() {
		placed <- func() error {
			for i := range orders {
				if i == orders/2 {
					close(halfway)
				}
				if _, err := c.PlaceOrder(t.Context(), restingOrder(fmt.Sprintf("kill-%d", i))); err != nil {
					return err
				}
			}
			return nil
		}()
	}()
	<-halfway
	s.kill()
	until("the interruption", func(m venuegate.Message) bool { return m.Type == venuegate.TypeDisconnected })
	if book.Current() {
		t.Error("the book is current without a connection, want it not to be")
	}
	address, err := url.Parse(s.demo.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	startService(t, dir, "--listen", address.Host)
	until("the connection", func(m venuegate.Message) bool { return m.Type == venuegate.TypeConnected })
	until("the book", current)
	if err := <-placed; err != nil {
		t.Fatal(err)
	}
	all := venuegate.ListOrdersParamsStatusAll
	for i := range orders {
		id := fmt.Sprintf("kill-%d", i)
		if page, err := c.ListOrders(t.Context(), venuegate.ListOrdersParams{RequestId: &id, Status: &all}); err != nil || len(page.Items) != 1 {
			t.Errorf("orders with requestId %s = %d, %v, want 1", id, len(page.Items), err)
		}
	}
}

// A revoked key and a limit are errors that the user of the Go client sees.
func TestGoClientIsRejected(t *testing.T) {
	s := startService(t, t.TempDir())
	c, exchange := goClient(t, s, 1), venuegate.ExchangeBinance
	var limited *venuegate.APIError
	for range 601 {
		if _, err := c.ListPositions(t.Context(), venuegate.ListPositionsParams{Exchange: &exchange}); err != nil {
			limited, _ = errors.AsType[*venuegate.APIError](err)
			break
		}
	}
	if limited == nil || limited.Code != venuegate.ErrorCodeRateLimited || limited.RetryAfter <= 0 || limited.RetryAfter > time.Minute {
		t.Errorf("error = %v, want rate_limited with a time to wait", limited)
	}

	stream := venuegate.Subscribe(t.Context(), venuegate.StreamOptions{URL: s.demo.WSURL, Key: s.demo.APIKey, Topics: []string{"positions"}})
	defer stream.Close()
	if m, err := stream.Next(t.Context()); err != nil || m.Type != venuegate.TypeConnected {
		t.Fatalf("message = %+v, %v, want connected", m, err)
	}
	s.administer(http.StatusOK, http.MethodDelete, "keys/"+s.demo.APIKey[len("vgk_"):][:8], "")
	for {
		_, err := stream.Next(t.Context())
		if e, ok := errors.AsType[*venuegate.StreamError](err); ok && e.Code == venuegate.StreamUnauthorized {
			break
		}
		if err != nil {
			t.Fatalf("end of the stream: %v, want code 4001", err)
		}
	}
	_, err := c.PlaceOrder(t.Context(), restingOrder("revoked"))
	if e, _ := errors.AsType[*venuegate.APIError](err); e == nil || e.Code != venuegate.ErrorCodeUnauthorized {
		t.Errorf("order with a revoked key: %v, want unauthorized", err)
	}
}
