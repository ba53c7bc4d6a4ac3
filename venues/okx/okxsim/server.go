package okxsim

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
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
		method: c.Method(), path: c.Path(), target: string(c.Request().RequestURI()), ip: c.IP(),
		query: func(name string) string { return c.Query(name) }, body: c.Body(), now: s.Clock.Now(),
	}
	at, failed := s.admit(c, in)
	if failed != nil {
		return s.respond(c, in, nil, failed)
	}
	if fault, struck := s.Faults.StrikeRequest(in.path, in.method); struck {
		return s.serveFaulty(c, in, at, fault)
	}
	result, failed := s.handle(in, at)
	return s.respond(c, in, result, failed)
}

// admit does what happens before a request may do anything.
func (s *Sim) admit(c *fiber.Ctx, in *call) (endpoint, *apiError) {
	at, known := routes[route{in.method, in.path}]
	if !known {
		return at, errUnknownPath
	}
	if s.limiter.isBanned(in.ip, in.now) {
		return at, errRateLimit
	}
	if in.method == http.MethodPost && !strings.HasPrefix(strings.ToLower(c.Get(fiber.HeaderContentType)), fiber.MIMEApplicationJSON) {
		return at, errContentType
	}
	if failed := s.authenticate(c, in, at.security); failed != nil {
		return at, failed
	}
	if !s.spend(in, at) {
		return at, errRateLimit
	}
	return at, in.readDeadline(c.Get("expTime"), at.expires)
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

func (s *Sim) respond(c *fiber.Ctx, in *call, result any, failed *apiError) error {
	answer, status := envelope{Code: "0", Data: result}, http.StatusOK
	if acks, ok := result.(ackList); ok {
		answer.Code, answer.Msg = acks.code()
		answer.InTime, answer.OutTime = micros(in.now), micros(s.Clock.Now())
	}
	if failed != nil {
		status = failed.status
		answer = envelope{Code: failed.code, Data: []struct{}{}, Msg: failed.message}
	}
	body, err := json.Marshal(answer)
	if err != nil {
		s.Log.Error("answer of the simulated venue cannot be encoded", zap.String("path", in.path), zap.Error(err))
		return err
	}
	c.Set(fiber.HeaderDate, s.Clock.Now().UTC().Format(http.TimeFormat))
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Status(status).Send(body)
}

// serveFaulty answers a request that a scripted fault struck.
func (s *Sim) serveFaulty(c *fiber.Ctx, in *call, at endpoint, fault simcore.FaultInfo) error {
	if fault.Args.Executed || fault.Do == simcore.FaultTimeoutAfter {
		s.execute(in, at)
	}
	switch fault.Do {
	case simcore.FaultDelay:
		if !s.Server.Wait(fault.Args.Delay(0)) {
			simnet.Drop(c.Context())
			return nil
		}
		result, failed := s.handle(in, at)
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
		s.limiter.ban(in.ip, in.now.Add(fault.Args.Delay(banDefault)))
		return s.respond(c, in, nil, errRateLimit)
	case simcore.FaultReject:
		result, failed := rejected(in, at, rejection(fault))
		return s.respond(c, in, result, failed)
	default:
		return s.respond(c, in, nil, errBusy)
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

// execute does a request whose answer nobody will see.
func (s *Sim) execute(in *call, at endpoint) {
	if _, failed := s.handle(in, at); failed != nil {
		s.Log.Info("request with an injected fault was refused", zap.String("path", in.path), zap.String("code", failed.code))
	}
}

// sendStatus answers a bare status. Without a body it is the HTML page of a
// gateway.
func (s *Sim) sendStatus(c *fiber.Ctx, fault simcore.FaultInfo) error {
	status, body := fault.Args.Status, fault.Args.Text()
	if status == 0 {
		status = http.StatusServiceUnavailable
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	if body == "" {
		body = "<html><body><h1>" + strconv.Itoa(status) + " " + fasthttp.StatusMessage(status) + "</h1></body></html>"
		c.Set(fiber.HeaderContentType, fiber.MIMETextHTML)
	}
	return c.Status(status).SendString(body)
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
