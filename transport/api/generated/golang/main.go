// Command generated makes ten calls to a service with the client that oapi-codegen
// generates of its document.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
)

func main() {
	if err := run(context.Background(), os.Getenv("BASE_URL"), os.Getenv("API_KEY")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url, key string) error {
	c, err := NewClientWithResponses(url, WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+key)
		return nil
	}))
	if err != nil {
		return err
	}
	id, err := trade(ctx, c)
	if err != nil {
		return err
	}
	return read(ctx, c, id)
}

// trade places, repeats, amends and cancels an order, and returns its id.
func trade(ctx context.Context, c *ClientWithResponses) (string, error) {
	price, changed, requestID, postOnly := "1000", "1001", "generated-go", true
	order := OrderRequest{
		Exchange: ExchangeBinance, Symbol: "BTCUSDT", Side: SideBuy, Type: OrderTypeLimit,
		Qty: "0.2", Price: &price, RequestId: &requestID, PostOnly: &postOnly,
	}
	placed, err := c.PlaceOrderWithResponse(ctx, order)
	if err != nil {
		return "", err
	}
	if placed.JSON201 == nil || placed.JSON201.Status != OrderStatusOpen {
		return "", fmt.Errorf("place: %s, want an open order", placed.Body)
	}
	id := placed.JSON201.OrderId
	repeated, err := c.PlaceOrderWithResponse(ctx, order)
	if err != nil {
		return "", err
	}
	if r := repeated.JSON409; r == nil || r.Error.Details.Order == nil || r.Error.Details.Order.OrderId != id {
		return "", fmt.Errorf("repeat: %s, want order %s", repeated.Body, id)
	}
	amended, err := c.AmendOrderWithResponse(ctx, id, AmendOrderJSONRequestBody{Price: &changed})
	if err != nil {
		return "", err
	}
	if amended.JSON200 == nil || *amended.JSON200.Price != changed {
		return "", fmt.Errorf("amend: %s, want price %s", amended.Body, changed)
	}
	id = amended.JSON200.OrderId
	cancelled, err := c.CancelOrderWithResponse(ctx, id)
	if err != nil {
		return "", err
	}
	if cancelled.JSON200 == nil || cancelled.JSON200.Status != OrderStatusCancelled {
		return "", fmt.Errorf("cancel: %s, want it cancelled", cancelled.Body)
	}
	return id, nil
}

// read reads the order, lists and errors.
func read(ctx context.Context, c *ClientWithResponses, id string) error {
	order, err := c.GetOrderWithResponse(ctx, id)
	if err != nil {
		return err
	}
	if order.JSON200 == nil || order.JSON200.OrderId != id {
		return fmt.Errorf("read: %s, want order %s", order.Body, id)
	}
	all := ListOrdersParamsStatusAll
	orders, err := c.ListOrdersWithResponse(ctx, &ListOrdersParams{Status: &all})
	if err != nil {
		return err
	}
	if orders.JSON200 == nil || !slices.ContainsFunc(orders.JSON200.Items, func(o Order) bool { return o.OrderId == id }) {
		return fmt.Errorf("orders: %s, want order %s", orders.Body, id)
	}
	positions, err := c.ListPositionsWithResponse(ctx, &ListPositionsParams{})
	if err != nil {
		return err
	}
	if positions.JSON200 == nil || len(positions.JSON200.Items) != 0 {
		return fmt.Errorf("positions: %s, want none", positions.Body)
	}
	account, err := c.GetAccountWithResponse(ctx, &GetAccountParams{})
	if err != nil {
		return err
	}
	if account.JSON200 == nil || len(account.JSON200.Items) != 3 {
		return fmt.Errorf("account: %s, want three venues", account.Body)
	}
	wrong, err := c.PlaceOrderWithResponse(ctx, OrderRequest{Exchange: ExchangeOkx, Symbol: "BTCUSDT", Side: SideBuy, Type: OrderTypeLimit, Qty: "1"})
	if err != nil {
		return err
	}
	if wrong.JSON400 == nil || wrong.JSON400.Error.Code != ErrorCodeInvalidRequest || (*wrong.JSON400.Error.Details.Fields)[0].Field != "price" {
		return fmt.Errorf("order without price: %s, want invalid_request of price", wrong.Body)
	}
	missing, err := c.GetOrderWithResponse(ctx, "ord_none")
	if err != nil {
		return err
	}
	if missing.JSON404 == nil || missing.JSON404.Error.Code != ErrorCodeNotFound {
		return fmt.Errorf("unknown order: %s, want not_found", missing.Body)
	}
	return nil
}
