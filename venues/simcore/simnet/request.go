package simnet

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"venuegate/venues/simcore"
)

// Request is a REST call that a venue has admitted and not yet done.
type Request interface {
	// Execute does what is asked and keeps the answer; false where it is a
	// refusal.
	Execute() bool
	// Refuse keeps the answer that a ban, a maintenance or a reject fault wants.
	Refuse(simcore.FaultInfo)
	// Respond sends the answer.
	Respond(*fiber.Ctx) error
}

// Answer does what a request asks and sends its answer, unless a fault has it
// otherwise.
func (v *Venue) Answer(c *fiber.Ctx, request Request) error {
	fault, struck := v.Faults.StrikeRequest(c.Path(), c.Method())
	if !struck {
		request.Execute()
		return request.Respond(c)
	}
	if executesUnseen(fault) {
		taken := request.Execute()
		v.Log.Info("request executed unseen", zap.String("path", c.Path()), zap.Bool("taken", taken))
	}
	switch fault.Do {
	case simcore.FaultDelay:
		if !v.Server.Delay(fault) {
			drop(c)
			return nil
		}
		request.Execute()
	case simcore.FaultTimeoutBefore, simcore.FaultTimeoutAfter:
		v.silence(c, fault)
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
		request.Refuse(fault)
	}
	return request.Respond(c)
}

// rewritten sends the answer as a fault wants it.
func rewritten(c *fiber.Ctx, request Request, fault simcore.FaultInfo) error {
	if err := request.Respond(c); err != nil {
		return err
	}
	c.Response().SetBody(fault.Args.Rewritten(c.Response().Body()))
	return nil
}

// executesUnseen says whether a fault lets a request take effect before it keeps
// the answer from the client.
func executesUnseen(fault simcore.FaultInfo) bool {
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
func (v *Venue) respondStatus(c *fiber.Ctx, fault simcore.FaultInfo) error {
	status, page := v.StatusPage(fault)
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	if fault.Args.Text() == "" {
		c.Set(fiber.HeaderContentType, fiber.MIMETextHTML)
	}
	return c.Status(status).SendString(page)
}

// StatusPage is the status and the body that a fault wants; without a body it is
// the HTML page of a gateway.
func (v *Venue) StatusPage(fault simcore.FaultInfo) (status int, page string) {
	if status = fault.Args.Status; status == 0 {
		status = v.protocol.FaultStatus
	}
	if page = fault.Args.Text(); page == "" {
		page = "<html><body><h1>" + strconv.Itoa(status) + " " + fasthttp.StatusMessage(status) + "</h1></body></html>"
	}
	return status, page
}

// Upgrade makes a session of a request, unless a fault lets the handshake fail.
// Path and faults of the options are the request's and the venue's.
func (v *Venue) Upgrade(c *fiber.Ctx, options SessionOptions, handler SessionHandler) error {
	options.Path, options.Faults = c.Path(), v.Faults
	fault, struck := v.Faults.StrikeHandshake(options.Path)
	if !struck {
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
		v.silence(c, fault)
	}
	return nil
}

func (v *Venue) silence(c *fiber.Ctx, fault simcore.FaultInfo) { v.Server.Silence(c.Context(), fault) }

func drop(c *fiber.Ctx) { Drop(c.Context()) }

// Encode is the JSON of a wire struct. One that cannot be encoded is a mistake of
// the program.
func Encode(body any) []byte {
	data, err := json.Marshal(body)
	if err != nil {
		panic("simnet: encode: " + err.Error())
	}
	return data
}
