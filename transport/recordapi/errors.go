package recordapi

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/listen"
	"venuegate/venues"
)

// BodyBytesMax bounds the body of a call.
const BodyBytesMax = 64 << 10

// OriginOf returns how the caller has named a call.
func OriginOf(c *fiber.Ctx) venues.Origin {
	return api.ParseOrigin(c.Get(api.HeaderRequestID), c.Get(api.HeaderTraceparent))
}

// NewRequestID returns an id for a call that the caller has not named.
func NewRequestID() string { return persistence.NewID("req", time.Now(), rand.Reader) }

// AnswerError sends the error envelope. Internal errors are logged here, once.
func (s *Server) AnswerError(c *fiber.Ctx, err error) error {
	if errors.Is(err, fiber.ErrRequestEntityTooLarge) {
		listen.Drain(c.Context().Conn())
	}
	public := publicError(err)
	// The id is missing if the request was rejected before it reached a route.
	id := cmp.Or(c.GetRespHeader(fiber.HeaderXRequestID), NewRequestID())
	c.Set(fiber.HeaderXRequestID, id)
	if public.Code == venues.CodeInternal {
		s.Log.Error("call failed", zap.String("request_id", id),
			zap.String("method", c.Method()), zap.String("path", c.Path()), zap.Error(err))
	}
	if after := api.RetryAfter(public); after != "" {
		c.Set(fiber.HeaderRetryAfter, after)
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSONCharsetUTF8)
	status := api.Status(public.Code)
	if rejected, ok := errors.AsType[*listen.RequestError](err); ok {
		status = rejected.Status
	} else if errors.Is(err, errChanged) {
		status = fiber.StatusPreconditionFailed
	}
	return c.Status(status).Send(api.AppendError(nil, public, id))
}

// publicError returns the error for the caller, which hides internal ones.
func publicError(err error) *venues.Error {
	if e, ok := errors.AsType[*venues.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*fiber.Error](err); ok {
		return httpError(e)
	}
	if rejected, ok := errors.AsType[*listen.RequestError](err); ok {
		return api.RequestRejected(rejected.Status, rejected.Message)
	}
	switch {
	case errors.Is(err, persistence.ErrNotFound):
		return venues.Errorf(venues.CodeNotFound, "there is no such record")
	case errors.Is(err, persistence.ErrDiskFull):
		return venues.DiskFull(nil)
	case errors.Is(err, persistence.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		return venues.Errorf(venues.CodeMaintenance, "the service cannot do this now")
	default:
		return venues.Errorf(venues.CodeInternal, "the call failed; see the log")
	}
}

// httpError returns the error for a request that the router or the parser rejected.
func httpError(e *fiber.Error) *venues.Error {
	switch e.Code {
	case fiber.StatusRequestEntityTooLarge:
		return api.TooLarge(BodyBytesMax)
	case fiber.StatusNotFound, fiber.StatusMethodNotAllowed:
		return venues.Errorf(venues.CodeNotFound, "there is no such path")
	default:
		return venues.Errorf(venues.CodeInvalidRequest, "the request is not valid HTTP")
	}
}
