package venuegate

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// Page is a page of a list. NextCursor is nil on the last one.
type Page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"nextCursor"`
}

// VenueFailure is a venue that did not respond.
type VenueFailure struct {
	Exchange Exchange  `json:"exchange"`
	Code     ErrorCode `json:"code"`
	Message  string    `json:"message"`
}

// PerVenue is what the venues that responded have, and the venues that did not.
type PerVenue[T any] struct {
	Items  []T            `json:"items"`
	Errors []VenueFailure `json:"errors"`
}

var (
	listInstruments = operation{http.MethodGet, "/v1/instruments"}
	listVenues      = operation{http.MethodGet, "/v1/venues"}
	listTickers     = operation{http.MethodGet, "/v1/tickers"}
	getBook         = operation{http.MethodGet, "/v1/book"}
	listTrades      = operation{http.MethodGet, "/v1/trades"}
	listCandles     = operation{http.MethodGet, "/v1/candles"}
	getAccount      = operation{http.MethodGet, "/v1/account"}
	listPositions   = operation{http.MethodGet, "/v1/positions"}
	changeLeverage  = operation{http.MethodPost, "/v1/positions/leverage"}
	closePosition   = operation{http.MethodPost, "/v1/positions/close"}
	checkOrder      = operation{http.MethodPost, "/v1/orders/check"}
	placeOrder      = operation{http.MethodPost, "/v1/orders"}
	listOrders      = operation{http.MethodGet, "/v1/orders"}
	cancelOrders    = operation{http.MethodDelete, "/v1/orders"}
	getOrder        = operation{http.MethodGet, "/v1/orders/{id}"}
	amendOrder      = operation{http.MethodPatch, "/v1/orders/{id}"}
	cancelOrder     = operation{http.MethodDelete, "/v1/orders/{id}"}
	listFills       = operation{http.MethodGet, "/v1/fills"}
	listEvents      = operation{http.MethodGet, "/v1/events"}
)

// ListInstruments returns a page of the instruments with their trading rules.
func (c *Client) ListInstruments(ctx context.Context, p ListInstrumentsParams) (Page[Instrument], error) {
	return read[Page[Instrument]](ctx, c, listInstruments, p)
}

// ListVenues returns the venues and their state.
func (c *Client) ListVenues(ctx context.Context) ([]Venue, error) {
	list, err := read[Page[Venue]](ctx, c, listVenues, struct{}{})
	return list.Items, err
}

// ListTickers returns the newest prices and the figures of 24 hours.
func (c *Client) ListTickers(ctx context.Context, p ListTickersParams) (PerVenue[Ticker], error) {
	return read[PerVenue[Ticker]](ctx, c, listTickers, p)
}

// ReadBook returns the best levels of an order book. To follow one, use a Stream and Book.
func (c *Client) ReadBook(ctx context.Context, p GetBookParams) (BookSnapshot, error) {
	return read[BookSnapshot](ctx, c, getBook, p)
}

// ListTrades returns the newest public trades, newest first.
func (c *Client) ListTrades(ctx context.Context, p ListTradesParams) ([]Trade, error) {
	list, err := read[Page[Trade]](ctx, c, listTrades, p)
	return list.Items, err
}

// ListCandles returns a page of candles, oldest first.
func (c *Client) ListCandles(ctx context.Context, p ListCandlesParams) (Page[Candle], error) {
	return read[Page[Candle]](ctx, c, listCandles, p)
}

// Account returns the balances of the connected venues.
func (c *Client) Account(ctx context.Context, p GetAccountParams) (PerVenue[Account], error) {
	return read[PerVenue[Account]](ctx, c, getAccount, p)
}

// ListPositions returns the open positions.
func (c *Client) ListPositions(ctx context.Context, p ListPositionsParams) (PerVenue[Position], error) {
	return read[PerVenue[Position]](ctx, c, listPositions, p)
}

// ListOrders returns a page of orders.
func (c *Client) ListOrders(ctx context.Context, p ListOrdersParams) (Page[Order], error) {
	return read[Page[Order]](ctx, c, listOrders, p)
}

// ListFills returns a page of fills.
func (c *Client) ListFills(ctx context.Context, p ListFillsParams) (Page[Fill], error) {
	return read[Page[Fill]](ctx, c, listFills, p)
}

// ListEvents returns a page of events.
func (c *Client) ListEvents(ctx context.Context, p ListEventsParams) (Page[Event], error) {
	return read[Page[Event]](ctx, c, listEvents, p)
}

// Order returns an order by its id.
func (c *Client) Order(ctx context.Context, id string) (order Order, err error) {
	_, err = c.call(ctx, getOrder, nil, nil, &order, id)
	return order, err
}

// ChangeLeverage changes the leverage of an instrument.
func (c *Client) ChangeLeverage(ctx context.Context, r LeverageRequest) (change LeverageChange, err error) {
	_, err = c.call(ctx, changeLeverage, nil, r, &change)
	return change, err
}

// CheckOrder returns the results of the checks that PlaceOrder makes, and places nothing.
func (c *Client) CheckOrder(ctx context.Context, r OrderRequest) (check OrderCheck, err error) {
	_, err = c.call(ctx, checkOrder, nil, r, &check)
	return check, err
}

// PlaceOrder places an order. One without a RequestId is given one. If the request was
// handled before, the result is the order as it is now.
func (c *Client) PlaceOrder(ctx context.Context, r OrderRequest) (Order, error) {
	r.RequestId = orNew(r.RequestId)
	return c.trade(ctx, placeOrder, *r.RequestId, r)
}

// ClosePosition places an order that closes a position, like PlaceOrder.
func (c *Client) ClosePosition(ctx context.Context, r PositionClose) (Order, error) {
	r.RequestId = orNew(r.RequestId)
	return c.trade(ctx, closePosition, *r.RequestId, r)
}

// AmendOrder changes an open order. The result may have another id.
func (c *Client) AmendOrder(ctx context.Context, id string, r OrderAmendment) (order Order, err error) {
	_, err = c.call(ctx, amendOrder, nil, r, &order, id)
	return order, err
}

// CancelOrder cancels an order. The error has code not_found if it is no longer open.
func (c *Client) CancelOrder(ctx context.Context, id string) (order Order, err error) {
	_, err = c.call(ctx, cancelOrder, nil, nil, &order, id)
	return order, err
}

// CancelOrders cancels all orders that match, and without parameters all orders.
func (c *Client) CancelOrders(ctx context.Context, p CancelOrdersParams) ([]CancelResult, error) {
	cancelled, err := read[Page[CancelResult]](ctx, c, cancelOrders, p)
	return cancelled.Items, err
}

// read makes a request whose parameters are in the query.
func read[Out any](ctx context.Context, c *Client, op operation, params any) (out Out, err error) {
	query, err := queryOf(params)
	if err != nil {
		return out, err
	}
	_, err = c.call(ctx, op, query, nil, &out)
	return out, err
}

// trade makes a request that places an order.
func (c *Client) trade(ctx context.Context, op operation, requestID string, r any) (order Order, err error) {
	uncertain, err := c.call(ctx, op, nil, r, &order)
	e, answered := errors.AsType[*APIError](err)
	switch {
	case answered && e.Code == ErrorCodeDuplicateRequest && e.SameBody && e.Order != nil:
		return *e.Order, nil
	case answered && isVerdict(e.Status):
		return order, err
	case err != nil && uncertain:
		return order, &OutcomeError{requestID, err}
	default:
		return order, err
	}
}

// isVerdict reports whether a status is about the order itself. The service would not have
// answered so if an earlier attempt had placed it.
func isVerdict(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity:
		return true
	default:
		return false
	}
}

// orNew returns an idempotency key, a new one if there is none.
func orNew(requestID *string) *string {
	if requestID != nil {
		return requestID
	}
	made := rand.Text()
	return &made
}

// queryOf returns the parameters of a generated struct as a query.
func queryOf(params any) (url.Values, error) {
	text, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("encode the parameters: %w", err)
	}
	var members map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&members); err != nil {
		return nil, fmt.Errorf("encode the parameters: %w", err)
	}
	query := url.Values{}
	for name, value := range members {
		query.Set(name, fmt.Sprint(value))
	}
	return query, nil
}
