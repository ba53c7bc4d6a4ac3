package binancesim

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// call is one request on its way through the venue.
type call struct {
	method, path string
	ip, key      string
	params       params
	now          time.Time
	deadline     time.Time
	account      simcore.AccountInfo
	weightUsed   int
	orders       orderCount
	counted      bool
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

// serveREST answers one REST request, faults included.
func (s *Sim) serveREST(c *fiber.Ctx) error {
	in := &call{
		method: c.Method(), path: c.Path(), ip: c.IP(), key: c.Get("X-MBX-APIKEY"), now: s.Clock.Now(),
	}
	var result any
	failed := s.admit(c, in)
	if failed == nil {
		fault, struck := s.Faults.StrikeRequest(in.path, in.method)
		if struck {
			return s.serveFaulty(c, in, fault)
		}
		result, failed = s.handle(in)
	}
	return s.respond(c, in, result, failed)
}

// admit does what happens before a request may do anything.
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

// weigh counts the weight of a request against its address.
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

func (s *Sim) respond(c *fiber.Ctx, in *call, result any, failed *apiError) error {
	status := http.StatusOK
	if failed != nil {
		status, result = failed.status, failed.body()
		if failed.retryAfter > 0 {
			c.Set(fiber.HeaderRetryAfter, strconv.Itoa(failed.retryAfter))
		}
	}
	body, err := json.Marshal(result)
	if err != nil {
		s.Log.Error("answer of the simulated venue cannot be encoded", zap.String("path", in.path), zap.Error(err))
		return err
	}
	c.Set(fiber.HeaderDate, s.Clock.Now().UTC().Format(http.TimeFormat))
	c.Set("Server", "Bengine")
	c.Set("x-mbx-used-weight-1m", strconv.Itoa(in.weightUsed))
	if in.counted {
		c.Set("x-mbx-order-count-10s", strconv.Itoa(in.orders.tens))
		c.Set("x-mbx-order-count-1m", strconv.Itoa(in.orders.minute))
	}
	c.Set("x-response-time", strconv.FormatInt(s.Clock.Now().Sub(in.now).Milliseconds(), 10)+"ms")
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Status(status).Send(body)
}

// serveFaulty answers a request that a scripted fault struck.
func (s *Sim) serveFaulty(c *fiber.Ctx, in *call, fault simcore.FaultInfo) error {
	switch fault.Do {
	case simcore.FaultDelay:
		if !s.Server.Wait(fault.Args.Delay(0)) {
			simnet.Drop(c.Context())
			return nil
		}
		result, failed := s.handle(in)
		return s.respond(c, in, result, failed)
	case simcore.FaultTimeoutBefore:
		s.Server.Silence(c.Context(), fault)
		return nil
	case simcore.FaultTimeoutAfter:
		s.execute(in)
		s.Server.Silence(c.Context(), fault)
		return nil
	case simcore.FaultDropConnection:
		if fault.Args.Executed {
			s.execute(in)
		}
		simnet.Drop(c.Context())
		return nil
	case simcore.FaultStatus:
		if fault.Args.Executed {
			s.execute(in)
		}
		return s.sendStatus(c, fault)
	case simcore.FaultBan:
		return s.respond(c, in, nil, s.limiter.ban(in.ip, in.now, fault.Args.Delay(banDefault)))
	case simcore.FaultReject:
		if fault.Args.Executed {
			s.execute(in)
		}
		return s.respond(c, in, nil, rejection(fault))
	default:
		return s.respond(c, in, nil, errMaintenance)
	}
}

// execute does a request whose answer nobody will see.
func (s *Sim) execute(in *call) {
	if _, failed := s.handle(in); failed != nil {
		s.Log.Info("request with an injected fault was refused", zap.String("path", in.path), zap.Int("code", failed.code))
	}
}

// sendStatus answers a bare status. Without a body it is the HTML page of a
// gateway.
func (s *Sim) sendStatus(c *fiber.Ctx, fault simcore.FaultInfo) error {
	status := fault.Args.Status
	if status == 0 {
		status = http.StatusServiceUnavailable
	}
	body := fault.Args.Text()
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	if body == "" {
		body = "<html><body><h1>" + strconv.Itoa(status) + " " + fasthttp.StatusMessage(status) + "</h1></body></html>"
		c.Set(fiber.HeaderContentType, fiber.MIMETextHTML)
	}
	return c.Status(status).SendString(body)
}

// rejectionTexts are the venue's words for codes that scripts inject.
var rejectionTexts = map[int]*apiError{
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

func rejection(fault simcore.FaultInfo) *apiError {
	code, err := strconv.Atoi(fault.Args.CodeText())
	if err != nil {
		code = -1000
	}
	failed := apiError{status: http.StatusBadRequest, code: code, message: "Rejected."}
	if known, ok := rejectionTexts[code]; ok {
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
