package okxsim

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/venues/simcore"
)

// call is one request on its way through the venue.
type call struct {
	sim          *Sim
	method, path string
	// target is path and query as sent; the signature covers it.
	target   string
	ip       string
	query    func(string) string
	body     []byte
	now      time.Time
	deadline time.Time
	account  simcore.AccountInfo
	// onSocket calls came over a private socket.
	onSocket bool
	// result or failed is the answer.
	result any
	failed *apiError
}

// envelope is the wire form of every answer. Trade calls also tell when the
// gate took and answered them, in microseconds.
type envelope struct {
	Code    string `json:"code"`
	Data    any    `json:"data"`
	InTime  string `json:"inTime,omitempty"`
	Msg     string `json:"msg"`
	OutTime string `json:"outTime,omitempty"`
}

func (s *Sim) addRoutes(app *fiber.App) {
	for _, socket := range []string{socketPublic, socketPrivate, socketBusiness} {
		app.Get("/ws/v5/"+socket, s.serveSocket)
	}
	app.All("/*", s.serveREST)
}

// serveREST answers one REST request, faults included.
func (s *Sim) serveREST(c *fiber.Ctx) error {
	in := &call{
		sim: s, method: c.Method(), path: c.Path(), target: string(c.Request().RequestURI()), ip: c.IP(),
		query: func(name string) string { return c.Query(name) }, body: c.Body(), now: s.Clock.Now(),
	}
	if in.failed = s.admit(c, in); in.failed != nil {
		return in.Respond(c)
	}
	return s.Answer(c, in)
}

// admit does what happens before a request may do anything.
func (s *Sim) admit(c *fiber.Ctx, in *call) *apiError {
	at, known := routes[route{in.method, in.path}]
	if !known {
		return unknownRoute(in)
	}
	if s.limiter.isBanned(in.ip, in.now) {
		return errRateLimit
	}
	if in.method == http.MethodPost && !strings.HasPrefix(strings.ToLower(c.Get(fiber.HeaderContentType)), fiber.MIMEApplicationJSON) {
		return errContentType
	}
	if in.method == http.MethodPost && len(in.body) == 0 {
		return errNoBody
	}
	if failed := s.authenticate(c, in, at.security); failed != nil {
		return failed
	}
	if !s.spend(in, at) {
		return errRateLimit
	}
	return in.readDeadline(c.Get("expTime"), at.expires)
}

// unknownRoute tells a path that has another method from one that is none.
func unknownRoute(in *call) *apiError {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if _, known := routes[route{method, in.path}]; known {
			return errMethod
		}
	}
	return errUnknownPath
}

// readDeadline takes the request's own deadline where the endpoint knows one.
func (in *call) readDeadline(text string, expires bool) *apiError {
	if text == "" || !expires {
		return nil
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return errParameter("expTime")
	}
	in.deadline = time.UnixMilli(ms)
	if in.now.After(in.deadline) {
		return errExpTime
	}
	return nil
}

// handle executes an admitted request and what it set off.
func (s *Sim) handle(in *call, at endpoint) (any, *apiError) {
	result, failed := at.handle(s, in)
	s.algos.settle()
	return result, failed
}

// Execute implements simnet.Request.
func (in *call) Execute() bool {
	in.result, in.failed = in.sim.handle(in, routes[route{in.method, in.path}])
	return in.failed == nil
}

// Refuse implements simnet.Request.
func (in *call) Refuse(fault simcore.FaultInfo) {
	in.result, in.failed = in.sim.refusal(in, routes[route{in.method, in.path}], fault)
}

// Respond implements simnet.Request.
func (in *call) Respond(c *fiber.Ctx) error {
	if in.failed != nil {
		answer := envelope{Code: in.failed.code, Data: []struct{}{}, Msg: in.failed.message}
		return in.sim.Venue.Respond(c, in.failed.status, answer)
	}
	answer := envelope{Code: "0", Data: in.result}
	if acks, ok := in.result.(ackList); ok {
		answer.Code, answer.Msg = acks.code()
		answer.InTime, answer.OutTime = micros(in.now), micros(in.sim.Clock.Now())
	}
	return in.sim.Venue.Respond(c, http.StatusOK, answer)
}

// refusal is the answer that a scripted ban, maintenance or reject wants.
func (s *Sim) refusal(in *call, at endpoint, fault simcore.FaultInfo) (any, *apiError) {
	switch fault.Do {
	case simcore.FaultBan:
		s.limiter.ban(in.ip, in.now.Add(fault.Args.Delay(banDefault)))
		return nil, errRateLimit
	case simcore.FaultReject:
		return rejected(in, at, rejection(fault))
	default:
		return nil, errBusy
	}
}

// rejected is the answer to a call that a script refuses: in the item of a trade
// call where the code is one of orders, else at the top level.
func rejected(in *call, at endpoint, failed *apiError) (any, *apiError) {
	if at.acks && strings.HasPrefix(failed.code, "51") && failed.status == http.StatusOK {
		return ackList{refusedAck(failed, in.now)}, nil
	}
	return nil, failed
}

// rejectionTexts are errors that scripts ask for by code alone.
var rejectionTexts = map[string]*apiError{
	"50001": errBusy,
	"50004": refuseWith(http.StatusBadRequest, "50004", "API endpoint request timeout. (does not mean that the request was successful or failed, please check the request result)"),
	"50011": errRateLimit,
	"50013": refuseWith(http.StatusTooManyRequests, "50013", "Systems are busy. Please try again later."),
	"50026": refuseWith(http.StatusInternalServerError, "50026", "System error. Try again later"),
	"50102": errTimestampOld,
	"50113": errSignature,
	"51008": refusedOrders[simcore.ReasonInsufficientMargin],
	"51603": errNoSuchOrder,
}

func rejection(fault simcore.FaultInfo) *apiError {
	code := fault.Args.CodeText()
	if code == "" {
		code = "50026"
	}
	failed := apiError{status: http.StatusOK, code: code, message: "Rejected."}
	if known, ok := rejectionTexts[code]; ok {
		failed = *known
	}
	if fault.Args.Message != "" {
		failed.message = fault.Args.Message
	}
	if fault.Args.Status != 0 {
		failed.status = fault.Args.Status
	}
	return &failed
}
