package binancesim

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/venues/simcore"
)

// call is one request on its way through the venue.
type call struct {
	sim          *Sim
	method, path string
	ip, key      string
	params       params
	now          time.Time
	deadline     time.Time
	account      simcore.AccountInfo
	weightUsed   int
	orders       orderCount
	counted      bool
	// result or failed is the answer.
	result any
	failed *apiError
}

func (s *Sim) addRoutes(app *fiber.App) {
	for _, category := range []string{categoryPublic, categoryMarket, categoryPrivate} {
		app.Get("/"+category+"/ws", s.serveStream)
		app.Get("/"+category+"/ws/*", s.serveStream)
		app.Get("/"+category+"/stream", s.serveStream)
	}
	app.Get(apiPath, s.serveAPI)
	app.All("/*", s.serveREST)
}

// serveREST answers one REST request, with injected faults applied.
func (s *Sim) serveREST(c *fiber.Ctx) error {
	in := &call{
		sim: s, method: c.Method(), path: c.Path(), ip: c.IP(), key: c.Get("X-MBX-APIKEY"), now: s.Clock.Now(),
	}
	if in.failed = s.admit(c, in); in.failed != nil {
		return in.Respond(c)
	}
	return s.Answer(c, in)
}

// admit parses, weighs and authenticates a request.
func (s *Sim) admit(c *fiber.Ctx, in *call) *apiError {
	endpoint, known := routes[route{in.method, in.path}]
	if !known {
		return errUnknownMethod
	}
	query, body := string(c.Request().URI().QueryString()), string(c.Body())
	parsed, malformed := parseParams(query, body)
	in.params = parsed
	limited := s.weigh(in, endpoint)
	switch {
	case limited != nil:
		return limited
	case malformed != nil:
		return malformed
	}
	return s.authenticate(in, endpoint.security)
}

// weigh adds the weight of a request to the usage of its address.
func (s *Sim) weigh(in *call, to endpoint) (limited *apiError) {
	weight := to.weight
	if to.weightOf != nil {
		weight = to.weightOf(in.params)
	}
	in.weightUsed, limited = s.limiter.spend(in.ip, weight, in.now)
	return limited
}

// handle executes an admitted request.
func (s *Sim) handle(in *call) (any, *apiError) {
	endpoint := routes[route{in.method, in.path}]
	if endpoint.tens > 0 {
		used, limited := s.limiter.order(in.account.ID, endpoint.tens, endpoint.minute, in.now)
		in.orders, in.counted = used, true
		if limited != nil {
			return nil, limited
		}
	}
	return endpoint.handle(s, in)
}

// Execute implements simnet.Request.
func (in *call) Execute() bool {
	in.result, in.failed = in.sim.handle(in)
	return in.failed == nil
}

// Reject implements simnet.Request.
func (in *call) Reject(fault simcore.InjectedFault) { in.failed = in.sim.injectedError(in, fault) }

// Respond implements simnet.Request.
func (in *call) Respond(c *fiber.Ctx) error {
	c.Set("Server", "Bengine")
	c.Set("x-mbx-used-weight-1m", strconv.Itoa(in.weightUsed))
	if in.counted {
		c.Set("x-mbx-order-count-10s", strconv.Itoa(in.orders.tens))
		c.Set("x-mbx-order-count-1m", strconv.Itoa(in.orders.minute))
	}
	c.Set("x-response-time", strconv.FormatInt(in.sim.Clock.Now().Sub(in.now).Milliseconds(), 10)+"ms")
	if in.failed == nil {
		return in.sim.Venue.Respond(c, http.StatusOK, in.result)
	}
	if in.failed.retryAfter > 0 {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(in.failed.retryAfter))
	}
	return in.sim.Venue.Respond(c, in.failed.status, in.failed.body())
}

// injectedError returns the error that an injected fault answers with. A message of
// the WebSocket API has no HTTP body, so a status fault becomes an error, too.
func (s *Sim) injectedError(in *call, fault simcore.InjectedFault) *apiError {
	switch fault.Do {
	case simcore.FaultBan:
		return s.limiter.ban(in.ip, in.now, fault.Args.Delay(banDefault))
	case simcore.FaultReject:
		return rejectedError(fault)
	case simcore.FaultStatus:
		status, _ := s.StatusPage(fault)
		failed := apiError{status: status, code: -1000, message: injectableErrors[-1000].message}
		var body errorBody
		if json.Unmarshal([]byte(fault.Args.Text()), &body) == nil {
			failed.code, failed.message = body.Code, body.Msg
		}
		return &failed
	default:
		return errMaintenance
	}
}

// injectableErrors are the texts of the venue for codes that scripts inject.
var injectableErrors = map[int]*apiError{
	-1000: {code: -1000, message: "An unknown error occurred while processing the request."},
	-1001: {status: http.StatusServiceUnavailable, code: -1001, message: "Internal error; unable to process your request. Please try again."},
	-1003: {status: http.StatusTooManyRequests, code: -1003, message: "Too many requests.", retryAfter: 1},
	-1006: {code: -1006, message: "An unexpected response was received from the message bus. Execution status unknown."},
	-1007: {status: http.StatusRequestTimeout, code: -1007, message: "Timeout waiting for response from backend server. Send status unknown; execution status unknown."},
	-1008: errInternalThrottle,
	-1016: errMaintenance,
	-1021: errTimestampBehind,
	-2011: errUnknownOrder,
	-2013: errNoSuchOrder,
	-2019: errMargin,
	-4116: errDuplicateID,
	-5028: errEngineWindow,
}

func rejectedError(fault simcore.InjectedFault) *apiError {
	code, err := strconv.Atoi(fault.Args.CodeText())
	if err != nil {
		code = -1000
	}
	failed := apiError{status: http.StatusBadRequest, code: code, message: "Rejected."}
	if known, ok := injectableErrors[code]; ok {
		failed = *known
	}
	if failed.status == 0 {
		failed.status = http.StatusBadRequest
	}
	if fault.Args.Message != "" {
		failed.message = fault.Args.Message
	}
	if fault.Args.Status != 0 {
		failed.status = fault.Args.Status
	}
	return &failed
}
