package bybitsim

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/venues/simcore"
)

// call is one request on its way through the venue.
type call struct {
	sim              *Sim
	method, path, ip string
	rawQuery         string
	query            url.Values
	body             []byte
	sent             credentialsSent
	now              time.Time
	account          simcore.AccountInfo
	// rateLimit is nil for public calls.
	rateLimit *rateLimit
	// invalid is the error of the first parameter that cannot be used.
	invalid *apiError
	// result or failed is the answer.
	result any
	failed *apiError
}

func (s *Sim) addRoutes(app *fiber.App) {
	for path := range socketPaths {
		app.Get(path, s.serveStream)
	}
	app.All("/*", s.serveREST)
}

// serveREST answers one REST request, with injected faults applied.
func (s *Sim) serveREST(c *fiber.Ctx) error {
	in := &call{
		sim: s, method: c.Method(), path: c.Path(), ip: c.IP(), rawQuery: string(c.Request().URI().QueryString()),
		body: c.Body(), now: s.Clock.Now(),
		sent: credentialsSent{
			key: c.Get("X-BAPI-API-KEY"), timestamp: c.Get("X-BAPI-TIMESTAMP"),
			window: c.Get("X-BAPI-RECV-WINDOW"), signature: c.Get("X-BAPI-SIGN"),
		},
	}
	if in.failed = s.admit(in); in.failed != nil {
		return in.Respond(c)
	}
	return s.Answer(c, in)
}

// admit checks the address, the path, the authentication and the limits of a
// request.
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
	left, failed := s.limiter.endpoint(in.account.ID, in.path, &endpoint, in.now)
	in.rateLimit = &left
	if failed == nil && s.options.DemoTrading && endpoint.notInDemo {
		return errDemo
	}
	return failed
}

// Execute implements simnet.Request. It returns after AckDelay.
func (in *call) Execute() bool {
	s, need := in.sim, routes[route{in.method, in.path}].security
	if in.failed = in.checkLate(need); in.failed != nil {
		return false
	}
	in.result, in.failed = s.perform(in)
	if need == trading {
		s.Server.Wait(s.options.AckDelay)
	}
	return in.failed == nil
}

// checkLate checks the receive window again at the execution, for requests that an
// injected fault has delayed.
func (in *call) checkLate(need security) *apiError {
	if in.now = in.sim.Clock.Now(); need == public {
		return nil
	}
	return checkTime(in.sent.timestamp, in.sent.windowOrDefault(), in.now)
}

// Reject implements simnet.Request.
func (in *call) Reject(fault simcore.InjectedFault) {
	switch fault.Do {
	case simcore.FaultBan:
		in.failed = in.sim.limiter.ban(in.ip, in.now, fault.Args.Delay(banDefault))
	case simcore.FaultReject:
		in.failed = rejectedError(fault)
	default:
		in.failed = errMaintenance
	}
}

// perform executes an admitted request and publishes its effects, unless messages
// are delayed.
func (s *Sim) perform(in *call) (any, *apiError) {
	endpoint := routes[route{in.method, in.path}]
	result, failed := endpoint.handle(s, in)
	if endpoint.security == trading {
		s.settle()
	}
	return result, failed
}

// Respond implements simnet.Request.
func (in *call) Respond(c *fiber.Ctx) error {
	in.setHeaders(c)
	status := http.StatusOK
	if in.failed != nil && in.failed.status != 0 {
		status = in.failed.status
	}
	if in.failed != nil && in.failed.raw != "" {
		c.Set(fiber.HeaderContentType, fiber.MIMETextPlain)
		return c.Status(status).SendString(in.failed.raw)
	}
	return in.sim.Venue.Respond(c, status, in.sim.envelope(in.result, in.failed))
}

func (in *call) setHeaders(c *fiber.Ctx) {
	now := in.sim.Clock.Now()
	c.Set(fiber.HeaderDate, now.UTC().Format(http.TimeFormat))
	c.Set("Timenow", strconv.FormatInt(now.UnixMilli(), 10))
	c.Set("Traceid", hex16(uint64(now.UnixNano()))+hex16(checksum(uint64(now.UnixNano()))))
	if in.rateLimit == nil {
		return
	}
	for name, value := range in.rateLimit.headers() {
		c.Set(name, value)
	}
}

func (l *rateLimit) headers() map[string]string {
	return map[string]string{
		"X-Bapi-Limit": strconv.Itoa(l.limit), "X-Bapi-Limit-Status": strconv.Itoa(l.left),
		"X-Bapi-Limit-Reset-Timestamp": strconv.FormatInt(l.reset.UnixMilli(), 10),
	}
}
