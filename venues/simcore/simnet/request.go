package simnet

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"venuegate/venues/simcore"
)

// Request is an admitted REST call.
type Request interface {
	// Execute executes the call and keeps the answer. It returns false where that is a
	// rejection.
	Execute() bool
	// Reject keeps the answer of an injected ban, maintenance or reject.
	Reject(simcore.InjectedFault)
	// Respond sends the answer.
	Respond(*fiber.Ctx) error
}

// Answer executes a request and sends its answer, or applies an injected fault that
// matches.
func (v *Venue) Answer(c *fiber.Ctx, request Request) error {
	fault, applies := v.InjectedFaults.MatchRequest(c.Path(), c.Method())
	if !applies {
		request.Execute()
		return request.Respond(c)
	}
	if executesWithoutAnswer(fault) {
		accepted := request.Execute()
		v.Log.Info("request executed without an answer", zap.String("path", c.Path()), zap.Bool("taken", accepted))
	}
	switch fault.Do {
	case simcore.FaultDelay:
		if !v.Server.Delay(fault) {
			drop(c)
			return nil
		}
		request.Execute()
	case simcore.FaultTimeoutBefore, simcore.FaultTimeoutAfter:
		v.stall(c, fault)
		return nil
	case simcore.FaultDropConnection:
		drop(c)
		return nil
	case simcore.FaultStatus:
		return v.respondStatus(c, fault)
	case simcore.FaultRewrite:
		request.Execute()
		return rewritten(c, request, fault)
	default:
		request.Reject(fault)
	}
	return request.Respond(c)
}

// rewritten sends the answer with the replacements of a rewrite fault.
func rewritten(c *fiber.Ctx, request Request, fault simcore.InjectedFault) error {
	if err := request.Respond(c); err != nil {
		return err
	}
	c.Response().SetBody(fault.Args.Rewritten(c.Response().Body()))
	return nil
}

// executesWithoutAnswer reports whether a fault executes a request before it withholds
// its answer.
func executesWithoutAnswer(fault simcore.InjectedFault) bool {
	switch fault.Do {
	case simcore.FaultTimeoutAfter:
		return true
	case simcore.FaultDelay, simcore.FaultTimeoutBefore, simcore.FaultRewrite:
		return false
	default:
		return fault.Args.Executed
	}
}

// Respond sends a body as JSON, dated by the venue's clock.
func (v *Venue) Respond(c *fiber.Ctx, status int, body any) error {
	c.Set(fiber.HeaderDate, v.Clock.Now().UTC().Format(http.TimeFormat))
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Status(status).Send(Encode(body))
}

// respondStatus answers the bare status of a fault.
func (v *Venue) respondStatus(c *fiber.Ctx, fault simcore.InjectedFault) error {
	status, page := v.StatusPage(fault)
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	if fault.Args.Text() == "" {
		c.Set(fiber.HeaderContentType, fiber.MIMETextHTML)
	}
	return c.Status(status).SendString(page)
}

// StatusPage returns the status and the body of a status fault, by default the HTML
// page of a gateway.
func (v *Venue) StatusPage(fault simcore.InjectedFault) (status int, page string) {
	if status = fault.Args.Status; status == 0 {
		status = v.protocol.FaultStatus
	}
	if page = fault.Args.Text(); page == "" {
		page = "<html><body><h1>" + strconv.Itoa(status) + " " + fasthttp.StatusMessage(status) + "</h1></body></html>"
	}
	return status, page
}

// Upgrade upgrades a request to a session, unless an injected fault makes the
// handshake fail. It sets Path and InjectedFaults of the options.
func (v *Venue) Upgrade(c *fiber.Ctx, options SessionOptions, handler SessionHandler) error {
	options.Path, options.InjectedFaults = c.Path(), v.InjectedFaults
	fault, applies := v.InjectedFaults.MatchHandshake(options.Path)
	if !applies {
		return v.Server.Sessions.Serve(c.Context(), options, handler)
	}
	switch fault.Do {
	case simcore.FaultStatus:
		return v.respondStatus(c, fault)
	case simcore.FaultBan, simcore.FaultMaintenance, simcore.FaultReject:
		return c.SendStatus(fiber.StatusServiceUnavailable)
	case simcore.FaultDropConnection:
		drop(c)
	default:
		v.stall(c, fault)
	}
	return nil
}

func (v *Venue) stall(c *fiber.Ctx, fault simcore.InjectedFault) { v.Server.Stall(c.Context(), fault) }

func drop(c *fiber.Ctx) { Drop(c.Context()) }

// Encode returns the JSON of a wire struct. It panics for one that cannot be encoded.
func Encode(body any) []byte {
	data, err := json.Marshal(body)
	if err != nil {
		panic("simnet: encode: " + err.Error())
	}
	return data
}

// Sign returns the HMAC-SHA256 of a payload.
func Sign(secret, payload string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(payload))
	return mac.Sum(nil)
}
