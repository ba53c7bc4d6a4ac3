package bybitsim

import (
	"net/http"
	"net/url"
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
	method, path, ip string
	rawQuery         string
	query            url.Values
	body             []byte
	sent             credentialsSent
	now              time.Time
	account          simcore.AccountInfo
	// allowed is nil for public calls.
	allowed *allowance
}

func (s *Sim) addRoutes(app *fiber.App) {
	for path := range socketPaths {
		app.Get(path, s.serveStream)
	}
	app.All("/*", s.serveREST)
}

// serveREST answers one REST request, faults included.
func (s *Sim) serveREST(c *fiber.Ctx) error {
	in := &call{
		method: c.Method(), path: c.Path(), ip: c.IP(), rawQuery: string(c.Request().URI().QueryString()),
		body: c.Body(), now: s.Clock.Now(),
		sent: credentialsSent{
			key: c.Get("X-BAPI-API-KEY"), timestamp: c.Get("X-BAPI-TIMESTAMP"),
			window: c.Get("X-BAPI-RECV-WINDOW"), signature: c.Get("X-BAPI-SIGN"),
		},
	}
	failed := s.admit(in)
	if failed != nil {
		return s.respond(c, in, nil, failed)
	}
	if fault, struck := s.Faults.StrikeRequest(in.path, in.method); struck {
		return s.serveFaulty(c, in, fault)
	}
	result, failed := s.handle(in)
	return s.respond(c, in, result, failed)
}

// admit does what happens before a request may do anything.
func (s *Sim) admit(in *call) *apiError {
	if failed := s.limiter.address(in.ip, in.now); failed != nil {
		return failed
	}
	endpoint, known := routes[route{in.method, in.path}]
	switch {
	case !known:
		return errNotFound
	case in.method == http.MethodGet && len(in.body) > 0:
		return errBodyOfGet
	}
	query, err := url.ParseQuery(in.rawQuery)
	if err != nil {
		return errTypes
	}
	in.query = query
	if failed := s.authenticate(in, endpoint.security); failed != nil {
		return failed
	}
	if endpoint.security == public {
		return nil
	}
	left, failed := s.limiter.endpoint(in.account.ID, in.path, endpoint.security, in.now)
	in.allowed = &left
	if failed == nil && s.options.DemoTrading && endpoint.notInDemo {
		return errDemo
	}
	return failed
}

// handle executes an admitted request and waits as long as its answer does.
func (s *Sim) handle(in *call) (any, *apiError) {
	result, failed := s.perform(in)
	if routes[route{in.method, in.path}].security == trading {
		s.Server.Wait(s.options.AckDelay)
	}
	return result, failed
}

// perform executes an admitted request. What it did is told at once, unless
// messages are to come late.
func (s *Sim) perform(in *call) (any, *apiError) {
	endpoint := routes[route{in.method, in.path}]
	result, failed := endpoint.handle(s, in)
	if endpoint.security == trading {
		s.settle()
	}
	return result, failed
}

func (s *Sim) respond(c *fiber.Ctx, in *call, result any, failed *apiError) error {
	s.setHeaders(c, in)
	status := http.StatusOK
	if failed != nil && failed.status != 0 {
		status = failed.status
	}
	if failed != nil && failed.raw != "" {
		c.Set(fiber.HeaderContentType, fiber.MIMETextPlain)
		return c.Status(status).SendString(failed.raw)
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Status(status).Send(encode(s.envelope(result, failed)))
}

func (s *Sim) setHeaders(c *fiber.Ctx, in *call) {
	now := s.Clock.Now()
	c.Set(fiber.HeaderDate, now.UTC().Format(http.TimeFormat))
	c.Set("Timenow", strconv.FormatInt(now.UnixMilli(), 10))
	c.Set("Traceid", hex16(uint64(now.UnixNano()))+hex16(checksum(uint64(now.UnixNano()))))
	if in.allowed == nil {
		return
	}
	for name, value := range in.allowed.headers() {
		c.Set(name, value)
	}
}

func (a *allowance) headers() map[string]string {
	return map[string]string{
		"X-Bapi-Limit": strconv.Itoa(a.limit), "X-Bapi-Limit-Status": strconv.Itoa(a.left),
		"X-Bapi-Limit-Reset-Timestamp": strconv.FormatInt(a.reset.UnixMilli(), 10),
	}
}

// serveFaulty answers a request that a scripted fault struck.
func (s *Sim) serveFaulty(c *fiber.Ctx, in *call, fault simcore.FaultInfo) error {
	if fault.Args.Executed || fault.Do == simcore.FaultTimeoutAfter {
		s.execute(in)
	}
	switch fault.Do {
	case simcore.FaultDelay:
		if !s.Server.Wait(fault.Args.Delay(0)) {
			simnet.Drop(c.Context())
			return nil
		}
		if failed := s.arrivesLate(in); failed != nil {
			return s.respond(c, in, nil, failed)
		}
		result, failed := s.handle(in)
		return s.respond(c, in, result, failed)
	case simcore.FaultTimeoutBefore, simcore.FaultTimeoutAfter:
		s.Server.Silence(c.Context(), fault)
		return nil
	case simcore.FaultDropConnection:
		simnet.Drop(c.Context())
		return nil
	case simcore.FaultStatus:
		return s.sendStatus(c, fault)
	case simcore.FaultBan:
		return s.respond(c, in, nil, s.limiter.ban(in.ip, in.now, fault.Args.Delay(banDefault)))
	case simcore.FaultReject:
		return s.respond(c, in, nil, rejection(fault))
	default:
		return s.respond(c, in, nil, errMaintenance)
	}
}

// arrivesLate holds the receive window of a delayed request against the moment
// at which it is executed.
func (s *Sim) arrivesLate(in *call) *apiError {
	if in.now = s.Clock.Now(); routes[route{in.method, in.path}].security == public {
		return nil
	}
	return checkTime(in.sent.timestamp, in.sent.windowOrDefault(), in.now)
}

// execute does a request whose answer nobody will see.
func (s *Sim) execute(in *call) {
	if _, failed := s.handle(in); failed != nil {
		s.Log.Info("request with an injected fault was refused", zap.String("path", in.path), zap.Int("code", failed.code))
	}
}

// sendStatus answers a bare status.
func (s *Sim) sendStatus(c *fiber.Ctx, fault simcore.FaultInfo) error {
	status, page := statusPage(fault)
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTML)
	if fault.Args.Text() != "" {
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	}
	return c.Status(status).SendString(page)
}

// statusPage is the status and the body that a fault wants; without a body it is
// the HTML page of a gateway.
func statusPage(fault simcore.FaultInfo) (status int, page string) {
	if status = fault.Args.Status; status == 0 {
		status = http.StatusBadGateway
	}
	if page = fault.Args.Text(); page == "" {
		page = "<html><body><h1>" + strconv.Itoa(status) + " " + fasthttp.StatusMessage(status) + "</h1></body></html>"
	}
	return status, page
}
