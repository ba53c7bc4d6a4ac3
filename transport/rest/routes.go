package rest

import (
	"errors"
	"fmt"
	"net/http"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/auth"
)

// Route is one operation of the interface.
type Route struct {
	Method string
	// Path in the notation of the router: /v1/orders/:id.
	Path string
	// Scope that the key must have; empty for public routes.
	Scope persistence.Scope
	// Public routes require no key and have no rate limit.
	Public bool
	// Rate is the class that limits requests; zero for public routes.
	Rate auth.Class
	// Query lists the parameters of the query string.
	Query []string
	// Mounted routes belong to another package, which authenticates their callers.
	Mounted bool

	handle handler
}

// handler serves one request.
type handler func(s *Server, in *call) (response, error)

// routes returns the interface. Scopes: `read` = market data, orders, fills, events;
// `account` = account, positions; `trade` = everything that changes an order, a
// position or its leverage.
func routes() []Route {
	return []Route{
		readRoute(persistence.ScopeRead, "/v1/instruments", getInstruments, append(instrumentParameters.names(), cursorParameter)...),
		readRoute(persistence.ScopeRead, "/v1/venues", getVenues),
		readRoute(persistence.ScopeRead, "/v1/tickers", getTickers, tickerParameters.names()...),
		readRoute(persistence.ScopeRead, "/v1/book", getBook, bookParameters.names()...),
		readRoute(persistence.ScopeRead, "/v1/trades", getTrades, tradeParameters.names()...),
		readRoute(persistence.ScopeRead, "/v1/candles", getCandles, append(candleParameters.names(), cursorParameter)...),
		readRoute(persistence.ScopeAccount, "/v1/account", getAccount, accountParameters.names()...),
		readRoute(persistence.ScopeAccount, "/v1/positions", getPositions, positionParameters.names()...),
		tradeRoute(http.MethodPost, "/v1/positions/leverage", postLeverage),
		tradeRoute(http.MethodPost, "/v1/positions/close", postClose),
		tradeRoute(http.MethodPost, "/v1/orders", postOrder),
		tradeRoute(http.MethodPost, "/v1/orders/check", postOrderCheck),
		readRoute(persistence.ScopeRead, "/v1/orders", getOrders, append(orderParameters.names(), cursorParameter)...),
		tradeRoute(http.MethodDelete, "/v1/orders", deleteOrders, api.CancelOrdersParameters()...),
		readRoute(persistence.ScopeRead, "/v1/orders/:id", getOrder),
		tradeRoute(http.MethodPatch, "/v1/orders/:id", patchOrder),
		tradeRoute(http.MethodDelete, "/v1/orders/:id", deleteOrder),
		readRoute(persistence.ScopeRead, "/v1/fills", getFills, append(fillParameters.names(), cursorParameter)...),
		readRoute(persistence.ScopeRead, "/v1/events", getEvents, append(eventParameters.names(), cursorParameter)...),
		publicRoute("/v1/time", getTime),
		publicRoute("/healthz", getHealth),
		publicRoute("/readyz", getReadiness),
		publicRoute("/openapi.yaml", getOpenAPI),
		publicRoute("/asyncapi.yaml", getAsyncAPI),
	}
}

func readRoute(scope persistence.Scope, path string, h handler, query ...string) Route {
	return Route{Method: http.MethodGet, Path: path, Scope: scope, Rate: auth.Reading, Query: query, handle: h}
}

func tradeRoute(method, path string, h handler, query ...string) Route {
	return Route{Method: method, Path: path, Scope: persistence.ScopeTrade, Rate: auth.Trading, Query: query, handle: h}
}

func publicRoute(path string, h handler) Route {
	return Route{Method: http.MethodGet, Path: path, Public: true, handle: h}
}

var errRoute = errors.New("rest: a route must be either public, or have a scope and a rate class")

// validate returns errRoute for a route that is not public and lacks a scope or a
// rate class, or that is public and has one.
func (r *Route) validate() error {
	hasScope, hasRate := r.Scope != "", r.Rate.Limit > 0
	if hasScope == hasRate && hasScope != r.Public {
		return nil
	}
	return fmt.Errorf("%w: %s %s", errRoute, r.Method, r.Path)
}
