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

// The WebSocket API: requests and answers over one connection, beside REST and
// under the same limits.
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
	// showsLimits answers with what is used of the limits, unless the request
	// has it otherwise.
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
	options.MessagesPerSecondMax = 0 // what comes here is weighed
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
		Refuse: func(fault simcore.FaultInfo) []byte { return s.apiAnswer(cl, in, c, nil, s.refusal(c, fault)) },
	})
}

// admitAPI does what happens before a request may do anything.
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

// apiLimit is a limit with what is used of it.
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

// apiLimits are the limits in the order of this API; the orders are counted for
// a known account.
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
