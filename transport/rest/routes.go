package rest

import (
	"errors"
	"fmt"
	"net/http"

	"venuegate/persistence"
	"venuegate/transport/auth"
)

// Route is one operation of the interface.
type Route struct {
	Method string
	// Path in the router's notation: /v1/orders/:id.
	Path string
	// Scope that the key must have. A route without one is Public.
	Scope persistence.Scope
	// Public routes know no caller and are not counted.
	Public bool
	// Rate is the class that a request counts in; none on public routes.
	Rate auth.Class
	// Query lists the parameters of the query string.
	Query []string
	// Mounted routes belong to another edge, which checks its callers itself.
	Mounted bool

	handle handler
}

// handler answers one request.
type handler func(s *Server, in *call) (answer, error)

// routes is the interface. The scopes are those of decisions on REST: `read` =
// instruments, orders, fills, events; `account` = account, positions; `trade` =
// what changes an order, a position or its leverage.
func routes() []Route {
	return []Route{
		read(persistence.ScopeRead, "/v1/instruments", getInstruments, "exchange", "symbol", "kind", "status", "limit", "cursor"),
		read(persistence.ScopeAccount, "/v1/account", getAccount, "exchange", "currency"),
		read(persistence.ScopeAccount, "/v1/positions", getPositions, "exchange", "symbol"),
		trade(http.MethodPost, "/v1/positions/leverage", postLeverage),
		trade(http.MethodPost, "/v1/positions/close", postClose),
		trade(http.MethodPost, "/v1/orders", postOrder),
		read(persistence.ScopeRead, "/v1/orders", getOrders,
			"status", "exchange", "symbol", "requestId", "from", "to", "limit", "cursor"),
		trade(http.MethodDelete, "/v1/orders", deleteOrders, "exchange", "symbol"),
		read(persistence.ScopeRead, "/v1/orders/:id", getOrder),
		trade(http.MethodPatch, "/v1/orders/:id", patchOrder),
		trade(http.MethodDelete, "/v1/orders/:id", deleteOrder),
		read(persistence.ScopeRead, "/v1/fills", getFills, "exchange", "symbol", "orderId", "from", "to", "limit", "cursor"),
		read(persistence.ScopeRead, "/v1/events", getEvents, "after", "limit"),
		open("/v1/time", getTime),
		open("/healthz", getHealth),
		open("/readyz", getReadiness),
		open("/openapi.yaml", getOpenAPI),
		open("/asyncapi.yaml", getAsyncAPI),
		open("/docs", getDocs),
	}
}

func read(scope persistence.Scope, path string, h handler, query ...string) Route {
	return Route{Method: http.MethodGet, Path: path, Scope: scope, Rate: auth.Reading, Query: query, handle: h}
}

func trade(method, path string, h handler, query ...string) Route {
	return Route{Method: method, Path: path, Scope: persistence.ScopeTrade, Rate: auth.Trading, Query: query, handle: h}
}

func open(path string, h handler) Route {
	return Route{Method: http.MethodGet, Path: path, Public: true, handle: h}
}

var errRoute = errors.New("rest: a route must be either public, or have a scope and a rate class")

// check refuses a route that nobody guards, or that is guarded by half.
func (r *Route) check() error {
	guarded := r.Scope != "" && r.Rate.Limit > 0
	bare := r.Scope == "" && r.Rate.Limit == 0
	if r.Public && bare || !r.Public && guarded {
		return nil
	}
	return fmt.Errorf("%w: %s %s", errRoute, r.Method, r.Path)
}
