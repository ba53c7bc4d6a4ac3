package binancesim

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// The WebSocket API: requests and answers over one connection, under the limits of
// REST.
const (
	apiPath = "/ws-fapi/v1"
	// apiHandshakeWeight is what an attempt to connect costs.
	apiHandshakeWeight = 5
)

// apiMethods are the methods with the REST calls that do the same.
var apiMethods = map[string]route{
	"order.place":      {http.MethodPost, "/fapi/v1/order"},
	"order.modify":     {http.MethodPut, "/fapi/v1/order"},
	"order.cancel":     {http.MethodDelete, "/fapi/v1/order"},
	"order.status":     {http.MethodGet, "/fapi/v1/order"},
	"algoOrder.place":  {http.MethodPost, "/fapi/v1/algoOrder"},
	"algoOrder.cancel": {http.MethodDelete, "/fapi/v1/algoOrder"},
}

// apiClient is one connection to the WebSocket API.
type apiClient struct {
	session *simnet.Session
	ip      string
	since   time.Time
	// showsLimits adds the usage of the limits to answers; a request may override
	// it.
	showsLimits bool
}

// serveAPI upgrades a request on the path of the WebSocket API.
func (s *Sim) serveAPI(c *fiber.Ctx) error {
	in := &call{sim: s, method: c.Method(), path: c.Path(), ip: c.IP(), now: s.Clock.Now()}
	if in.weightUsed, in.failed = s.limiter.spend(in.ip, apiHandshakeWeight, in.now); in.failed != nil {
		return in.Respond(c)
	}
	cl := &apiClient{ip: in.ip, since: in.now, showsLimits: c.Query("returnRateLimits") != "false"}
	options := s.sessionOptions()
	options.MessagesPerSecondMax = 0 // requests have a weight instead
	return s.Upgrade(c, options, simnet.SessionHandler{
		Opened:   func(session *simnet.Session) { cl.session = session },
		Received: func(_ *simnet.Session, data []byte) { s.apiRequest(cl, data) },
		Ended:    func(*simnet.Session) {},
	})
}

// apiRequest answers one message of a client.
func (s *Sim) apiRequest(cl *apiClient, data []byte) {
	in, failed := decodeAPIRequest(data)
	if failed != nil {
		cl.send(in.Method, simnet.Encode(apiReply{ID: in.ID, Status: failed.status, Error: failed.body()}))
		return
	}
	if session, ok := apiSessionMethods[in.Method]; ok {
		s.apiSession(cl, in, session)
		return
	}
	to, known := apiMethods[in.Method]
	c := &call{method: to.method, path: to.path, ip: cl.ip, key: in.params.text("apiKey"), params: in.params, now: s.Clock.Now()}
	if known {
		failed = s.admitAPI(c, routes[to])
	} else {
		failed = errUnsupported
	}
	if failed != nil {
		cl.send(in.Method, s.apiAnswer(cl, in, c, nil, failed))
		return
	}
	s.Server.Operate(cl.session, simnet.Operation{
		Name: in.Method,
		Execute: func() []byte {
			result, failed := s.handle(c)
			return s.apiAnswer(cl, in, c, result, failed)
		},
		Reject: func(fault simcore.InjectedFault) []byte {
			return s.apiAnswer(cl, in, c, nil, s.injectedError(c, fault))
		},
	})
}

// admitAPI weighs and authenticates a request.
func (s *Sim) admitAPI(c *call, to endpoint) *apiError {
	if limited := s.weigh(c, to); limited != nil {
		return limited
	}
	if c.key == "" {
		return errMandatory("apiKey")
	}
	return s.authenticate(c, to.security)
}

// apiReply is the envelope of every answer.
type apiReply struct {
	ID         json.RawMessage `json:"id"`
	Status     int             `json:"status"`
	Result     any             `json:"result,omitempty"`
	Error      any             `json:"error,omitempty"`
	RateLimits []apiLimit      `json:"rateLimits,omitempty"`
}

// apiLimit is a limit with its usage.
type apiLimit struct {
	limitBody
	Count int `json:"count"`
}

func (s *Sim) apiAnswer(cl *apiClient, in apiRequest, c *call, result any, failed *apiError) []byte {
	reply := apiReply{ID: in.ID, Status: http.StatusOK, Result: result}
	if failed != nil {
		reply.Status, reply.Result, reply.Error = failed.status, nil, failed.body()
	}
	shows := cl.showsLimits
	if in.params.has("returnRateLimits") {
		shows = strings.EqualFold(in.params.text("returnRateLimits"), "true")
	}
	if shows {
		reply.RateLimits = s.apiLimits(c)
	}
	return simnet.Encode(reply)
}

// apiLimits returns the limits in the order of this API. Orders are counted for a
// known account.
func (s *Sim) apiLimits(c *call) []apiLimit {
	if !c.counted && c.account.ID != "" {
		c.orders = s.limiter.orders(c.account.ID, c.now)
	}
	limits := s.rateLimits()
	return []apiLimit{
		{limitBody: limits[0], Count: c.weightUsed},
		{limitBody: limits[2], Count: c.orders.tens},
		{limitBody: limits[1], Count: c.orders.minute},
	}
}

func (cl *apiClient) send(topic string, data []byte) { cl.session.Send(topic, data) }

// apiSessionBody describes a connection. None is ever logged on: that takes an
// Ed25519 key.
type apiSessionBody struct {
	APIKey           *string `json:"apiKey"`
	AuthorizedSince  *int64  `json:"authorizedSince"`
	ConnectedSince   int64   `json:"connectedSince"`
	ReturnRateLimits bool    `json:"returnRateLimits"`
	ServerTime       int64   `json:"serverTime"`
}

// apiSessionWeight is the weight of a session request.
const apiSessionWeight = 2

// apiSessionMethods are the requests about the connection itself, with the errors
// that reject them.
var apiSessionMethods = map[string]*apiError{
	"session.logon":  errKeyType,
	"session.status": nil,
	"session.logout": nil,
}

func (s *Sim) apiSession(cl *apiClient, in apiRequest, failed *apiError) {
	c := &call{method: http.MethodGet, path: apiPath, ip: cl.ip, now: s.Clock.Now()}
	if limited := s.weigh(c, endpoint{weight: apiSessionWeight}); limited != nil {
		failed = limited
	}
	body := apiSessionBody{
		ConnectedSince: cl.since.UnixMilli(), ReturnRateLimits: cl.showsLimits, ServerTime: s.Clock.Now().UnixMilli(),
	}
	cl.send(in.Method, s.apiAnswer(cl, in, c, body, failed))
}
