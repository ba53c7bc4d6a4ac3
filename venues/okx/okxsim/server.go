package okxsim

import (
	"cmp"
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
	// onSocket reports whether the call came over a private socket.
	onSocket bool
	// invalid is the error of the first parameter of the query that cannot be used.
	invalid *apiError
	// result or failed is the answer.
	result any
	failed *apiError
}

// envelope is the wire form of every answer. Those of trade calls include the times
// of arrival and answer, in microseconds.
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

// serveREST answers one REST request, with injected faults applied.
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

// admit checks the path, the authentication, the limits and the deadline of a
// request.
func (s *Sim) admit(c *fiber.Ctx, in *call) *apiError {
	at, known := routes[route{in.method, in.path}]
	if !known {
		return unknownRoute(in)
	}
	if s.limiter.banned(in.ip, in.now) {
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

// unknownRoute returns the error for an unknown path, or for a known one with
// another method.
func unknownRoute(in *call) *apiError {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if _, known := routes[route{method, in.path}]; known {
			return errMethod
		}
	}
	return errUnknownPath
}

// readDeadline parses the deadline of a request, where the endpoint supports one.
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

// handle executes an admitted request and settles the algo orders that it affects.
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

// Reject implements simnet.Request.
func (in *call) Reject(fault simcore.InjectedFault) {
	in.result, in.failed = in.sim.injectedError(in, routes[route{in.method, in.path}], fault)
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

// injectedError returns the answer of an injected ban, maintenance or reject.
func (s *Sim) injectedError(in *call, at endpoint, fault simcore.InjectedFault) (any, *apiError) {
	switch fault.Do {
	case simcore.FaultBan:
		s.limiter.Ban(in.ip, in.now.Add(fault.Args.Delay(banDefault)))
		return nil, errRateLimit
	case simcore.FaultReject:
		return rejected(in, at, rejectedError(fault))
	default:
		return nil, errBusy
	}
}

// rejected returns the answer to a call that a script rejects: in the item of a trade
// call where the code is one of orders, else at the top level.
func rejected(in *call, at endpoint, failed *apiError) (any, *apiError) {
	if at.acks && strings.HasPrefix(failed.code, "51") && failed.status == http.StatusOK {
		return ackList{rejectionAck(failed, in.now)}, nil
	}
	return nil, failed
}

// injectableErrors are the errors that scripts may inject by code.
var injectableErrors = map[string]*apiError{
	"50001": errBusy,
	"50004": rejectWithStatus(http.StatusBadRequest, "50004", "API endpoint request timeout. (does not mean that the request was successful or failed, please check the request result)"),
	"50011": errRateLimit,
	"50013": rejectWithStatus(http.StatusTooManyRequests, "50013", "Systems are busy. Please try again later."),
	"50026": rejectWithStatus(http.StatusInternalServerError, "50026", "System error. Try again later"),
	"50102": errTimestampOld,
	"50113": errSignature,
	"51008": orderErrors[simcore.ReasonInsufficientMargin],
	"51603": errNoSuchOrder,
}

func rejectedError(fault simcore.InjectedFault) *apiError {
	code := cmp.Or(fault.Args.CodeText(), "50026")
	failed := apiError{status: http.StatusOK, code: code, message: "Rejected."}
	if known, ok := injectableErrors[code]; ok {
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
