package rest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/listen"
	"venuegate/venues"
)

const (
	headerRequestID = api.HeaderRequestID
	mediaJSON       = api.MediaJSON
	// policyNone is the policy of responses that are data: a browser loads and runs
	// nothing.
	policyNone = "default-src 'none'; frame-ancestors 'none'"
)

// routeNone is the route path reported for paths without a route.
const routeNone = "none"

// middleware wraps every request of the server: it sets the request id and the common
// headers, turns errors into error bodies, and calls Deps.Observe.
func (s *Server) middleware(c *fiber.Ctx) error {
	began := c.Context().Time()
	origin := s.setHeaders(c, began)
	if origin != (venues.Origin{}) {
		c.SetUserContext(venues.WithOrigin(c.UserContext(), origin))
	}
	if err := s.next(c); err != nil {
		if err := s.fail(c, err); err != nil {
			return err
		}
	}
	listen.EndFailedUpgrade(c.Context())
	if s.deps.Observe != nil {
		route := routeNone
		if i := slices.IndexFunc(s.routes, func(r Route) bool { return r.Path == c.Route().Path }); i >= 0 {
			route = s.routes[i].Path
		}
		s.deps.Observe(c.Method(), route, c.Response().StatusCode(), time.Since(began))
	}
	return nil
}

// next calls the handler. It rejects requests that a proxy may parse differently, that
// are for another host or that change something for a page of another site, and turns a
// panic into an error.
func (s *Server) next(c *fiber.Ctx) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	if err := s.checkRequest(c); err != nil {
		c.Context().SetConnectionClose()
		return err
	}
	return c.Next()
}

func (s *Server) checkRequest(c *fiber.Ctx) error {
	if err := listen.CheckRequest(c.Context(), s.deps.Hosts); err != nil {
		return err
	}
	if c.Method() == http.MethodGet || c.Method() == http.MethodHead || c.Method() == http.MethodOptions || s.allowsCORS(c) {
		return nil
	}
	return listen.CheckSameSite(c.Context())
}

// commonHeaders are the headers of every response; X-Request-Id differs in each.
var commonHeaders = func() *fasthttp.ResponseHeader {
	var h fasthttp.ResponseHeader
	h.Set(headerRequestID, "")
	h.Set(fiber.HeaderCacheControl, "no-store")
	h.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	h.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	h.Set(fiber.HeaderContentSecurityPolicy, policyNone)
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	return &h
}()

// setHeaders sets the headers of every response, and returns how the client has named the
// request. It removes all other headers. The request id is the client's, if that is valid.
func (s *Server) setHeaders(c *fiber.Ctx, now time.Time) venues.Origin {
	origin := api.ParseOrigin(c.Get(headerRequestID), c.Get(api.HeaderTraceparent))
	if origin.Traceparent == "" && s.deps.NewTraceparent != nil {
		origin.Traceparent = s.deps.NewTraceparent()
	}
	requestID := origin.RequestID
	if requestID == "" {
		requestID = persistence.NewID("req", now, rand.Reader)
	}
	commonHeaders.CopyTo(&c.Response().Header)
	c.Set(headerRequestID, requestID)
	if c.Context().IsTLS() || len(s.deps.TrustedProxies) > 0 && c.Secure() {
		c.Set(fiber.HeaderStrictTransportSecurity, "max-age=31536000")
	}
	return origin
}

// fail sends the error body for an error. The middleware calls it for errors of
// handlers, the router for requests that the parser rejected.
func (s *Server) fail(c *fiber.Ctx, err error) error {
	id := c.GetRespHeader(headerRequestID)
	if id == "" { // the request did not pass the middleware
		s.setHeaders(c, time.Now())
		id = c.GetRespHeader(headerRequestID)
	}
	if errors.Is(err, fiber.ErrRequestEntityTooLarge) {
		listen.Drain(c.Context().Conn())
		err = tooLarge(c.Path())
	}
	e, status := toError(err)
	s.logFailure(c, id, status, err)
	if e.Code == venues.CodeUnauthorized {
		c.Set(fiber.HeaderWWWAuthenticate, "Bearer")
	}
	if after := api.RetryAfter(e); after != "" {
		c.Set(fiber.HeaderRetryAfter, after)
	}
	c.Set(fiber.HeaderContentSecurityPolicy, policyNone)
	c.Response().Header.SetContentType(mediaJSON)
	return c.Status(status).Send(api.AppendError(newBuffer(1), e, id))
}

// tooLarge returns an error with the body limit of the path. The parser itself applies
// the largest limit of all paths.
func tooLarge(path string) error {
	if strings.HasPrefix(path, api.HooksPath) {
		return api.TooLarge(api.HookBodyBytesMax)
	}
	return api.TooLarge(api.RESTBodyBytesMax)
}

// storeRetry is the Retry-After while the store is unavailable.
const storeRetry = 2 * time.Second

// toError returns the error for the client and its HTTP status. The text of an
// unexpected error is not shown.
func toError(err error) (*venues.Error, int) {
	if rejected, ok := errors.AsType[*listen.RequestError](err); ok {
		return api.RequestRejected(rejected.Status, rejected.Message), rejected.Status
	}
	if e, ok := errors.AsType[*venues.Error](err); ok {
		return e, api.Status(e.Code)
	}
	e := &venues.Error{Code: venues.CodeInternal, Message: "an internal error; it has been recorded under the requestId"}
	if httpError, ok := errors.AsType[*fiber.Error](err); ok {
		e = explainHTTPError(httpError)
	}
	switch {
	case errors.Is(err, persistence.ErrNotFound):
		e = venues.Errorf(venues.CodeNotFound, "not found")
	case errors.Is(err, persistence.ErrDiskFull):
		e = venues.DiskFull(nil)
	case errors.Is(err, persistence.ErrUnavailable):
		e = venues.Errorf(venues.CodeMaintenance, "the service cannot read its records now")
		e.RetryAfter = storeRetry
	case errors.Is(err, context.DeadlineExceeded):
		e.Message = "the request timed out; if it was an order, it may exist: look it up by its requestId"
	}
	return e, api.Status(e.Code)
}

// explainHTTPError returns the error for a request that the router or the parser
// rejected. Their own texts may hold parts of the request and are not shown.
func explainHTTPError(httpError *fiber.Error) *venues.Error {
	switch httpError.Code {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return venues.Errorf(venues.CodeNotFound, "no such path, or it does not support this method; see /docs")
	case http.StatusRequestHeaderFieldsTooLarge:
		return venues.Errorf(venues.CodeInvalidRequest, "request line and headers are larger than %d bytes", headerBytesMax).
			With("limit", headerBytesMax)
	case http.StatusRequestTimeout:
		return venues.Errorf(venues.CodeInvalidRequest, "the request did not arrive in time")
	default:
		return venues.Errorf(venues.CodeInvalidRequest, "the request is not valid HTTP")
	}
}

// logFailure logs errors that the client did not cause: internal errors, and venues
// or stores that do not respond.
func (s *Server) logFailure(c *fiber.Ctx, requestID string, status int, err error) {
	if status < http.StatusInternalServerError || errors.Is(err, errUnsentFull) {
		return
	}
	fields := []zap.Field{
		zap.String("request_id", requestID), zap.String("method", c.Method()), zap.String("route", c.Route().Path),
		zap.Int("status", status), zap.Error(err),
	}
	if trace := venues.OriginOf(c.UserContext()).Traceparent; trace != "" {
		fields = append(fields, zap.String("traceparent", trace))
	}
	if status == http.StatusInternalServerError {
		s.deps.Log.Error("request failed", fields...)
	} else {
		s.deps.Log.Warn("request not served", fields...)
	}
}
